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
    return i < length && text[i] == '<' && !(i + 1 < length && text[i + 1] == '<'); // << is YAML's merge key
}

// The scene refuses joints that start beyond their limits; models are drawn so, a stretched knee say.
static void heed_limits(tn_robot *robot)
{
    for (int i = 0; i < robot->n_joints; i++) {
        tn_robot_joint *joint = &robot->joints[i];
        double within = fmax(joint->low, fmin(joint->high, joint->start));
        bool rigid = joint->limit_stiffness == INFINITY;
        if (within != joint->start && joint->low <= joint->high && rigid) {
            tn_read_remark(robot->reader, joint->place,
                           "joint '%.60s' would start at %g, beyond its limits: it starts at %g", joint->name,
                           joint->start, within);
            joint->start = within;
        }
    }
}

// Where tendons start; a limit that this has passed is there: nothing is thrown back.
static void start_tendons(tn_robot *robot)
{
    for (int i = 0; i < robot->n_tendons; i++) {
        const tn_robot_tendon *tendon = &robot->tendons[i];
        tn_robot_joint *of = &robot->tendons[i].of;
        double start = tn_robot_tendon_length(robot, tendon);
        if (tendon->held && fabs(start - tendon->length) > 1e-6) {
            tn_read_remark(robot->reader, of->place, "tendon '%.60s' starts off by %.3g: it holds that length",
                           of->name, start - tendon->length);
        }
        double beyond = fmax(of->low - start, start - of->high);
        of->start = tendon->n > 0 && tendon->term[0].joint < 0 ? 0.0 : start;
        if (beyond > 0.0 && of->limit_stiffness == INFINITY) {
            tn_read_remark(robot->reader, of->place, "tendon '%.60s' starts %.3g beyond its range: its limit is there",
                           of->name, beyond);
            of->low = fmin(of->low, start);
            of->high = fmax(of->high, start);
        }
    }
}

tn_node *tn_robot_tree(tn_reader *reader, const char *text, size_t length, const char *file,
                       const tn_robot_options *options)
{
    tn_robot robot = {.reader = reader, .options = options, .file = file, .step = NAN, .gravity = {NAN, NAN, NAN}};
    tn_xml *root = tn_xml_parse(reader, text, length, file);
    bool urdf = root && tn_xml_is(root, "robot"), mjcf = root && tn_xml_is(root, "mujoco");
    if (!root) {
        return NULL;
    }
    if (!urdf && !mjcf) {
        tn_read_error(reader, root->place, "<%.60s> is no robot: URDF files are a <robot>, MJCF files a <mujoco>",
                      root->name);
        return NULL;
    }
    if (!(urdf ? tn_robot_read_urdf(&robot, root) : tn_robot_read_mjcf(&robot, root))) {
        return NULL;
    }
    heed_limits(&robot);
    tn_robot_start(&robot);
    start_tendons(&robot);
    return mjcf || tn_robot_part_overlaps(&robot) ? tn_robot_emit(&robot) : NULL;
}
