// XML files of robots, told apart by their root element.
#include "scene/robot/emit.h"
#include "scene/robot/mechanism.h"

#include <math.h>
#include <string.h>

bool tn_robot_is_xml(const char *text, size_t length)
{
    static const char mark[] = "\xef\xbb\xbf"; // of UTF-8
    size_t i = length >= 3 && memcmp(text, mark, 3) == 0 ? 3 : 0;
    while (i < length && (text[i] == ' ' || text[i] == '\t' || text[i] == '\r' || text[i] == '\n')) {
        i++;
    }
    return i < length && text[i] == '<';
}

tn_node *tn_robot_tree(tn_reader *reader, const char *text, size_t length, const char *file,
                       const tn_robot_options *options)
{
    tn_robot robot = {.reader = reader, .options = options, .file = file, .step = NAN, .gravity = {NAN, NAN, NAN}};
    const tn_xml *root = tn_xml_parse(reader, text, length, file);
    bool urdf = root && tn_xml_is(root, "robot"), mjcf = root && tn_xml_is(root, "mujoco");
    if (!root) {
        return NULL;
    }
    if (!urdf && !mjcf) {
        tn_read_error(reader, root->place, "<%.60s> is no robot: URDF files are a <robot>, MJCF files a <mujoco>",
                      root->name);
        return NULL;
    }
    if (!(urdf ? tn_robot_read_urdf(&robot, root) : tn_robot_read_mjcf(&robot, root)) || !tn_robot_load(&robot)) {
        return NULL;
    }
    tn_robot_start(&robot);
    return tn_robot_emit(&robot);
}
