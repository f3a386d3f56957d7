// Where package:// and model:// lead: the folder of the package is found by walking up from the file that names it.
#include "scene/robot/urdf.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_CAP = 4096 };

static bool is_there(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0;
}

// name: PACKAGE/path. The way up is "", "../", "../../", ... from the file's own folder.
static const char *find_in_packages(tn_reader *reader, tn_place place, const char *name)
{
    const char *slash = strrchr(place.file, '/'), *rest = strchr(name, '/');
    int folder = slash ? (int)(slash - place.file) + 1 : 0;
    static const char up[] = "../../../../../../../../../../../../../../../../";
    char path[PATH_CAP], way[PATH_CAP];
    for (int k = 0; rest && k <= (int)strlen(up); k += 3) {
        // A folder of the package's name here, or this folder is the package, whatever it is called on this disk.
        const char *const form[] = {name, rest + 1};
        for (int f = 0; f < 2; f++) {
            bool whole = snprintf(way, sizeof way, "%.*s%s", k, up, form[f]) < (int)sizeof way &&
                         snprintf(path, sizeof path, "%.*s%s", folder, place.file, way) < (int)sizeof path;
            if (whole && is_there(path)) {
                return tn_robot_text(reader, "%s", way);
            }
        }
    }
    tn_read_error(reader, place, "cannot find '%.200s' of a package in the folders above this file", name);
    return NULL;
}

// In the folder that MuJoCo would take it from; NULL: it is not there, or no memory.
static const char *find_in_meshdir(const tn_robot *robot, tn_place place, const char *name)
{
    const char *slash = robot->strips ? strrchr(name, '/') : NULL, *main = strrchr(place.file, '/');
    const char *dir = robot->meshdir, *way = tn_robot_text(robot->reader, "%s/%s", dir, slash ? slash + 1 : name);
    char path[PATH_CAP];
    int folder = main && dir[0] != '/' ? (int)(main - place.file) + 1 : 0;
    bool whole = way && snprintf(path, sizeof path, "%.*s%s", folder, place.file, way) < (int)sizeof path;
    return whole && is_there(path) ? way : NULL;
}

const char *tn_urdf_path(const tn_robot *robot, tn_place place, const char *name)
{
    const char *there = robot->meshdir ? find_in_meshdir(robot, place, name) : NULL;
    if (there) {
        return there;
    }
    static const char *const packages[] = {"package://", "model://"};
    static const char file[] = "file://";
    for (int i = 0; i < 2; i++) {
        if (strncmp(name, packages[i], strlen(packages[i])) == 0) {
            return find_in_packages(robot->reader, place, name + strlen(packages[i]));
        }
    }
    return strncmp(name, file, strlen(file)) == 0 ? name + strlen(file) : name;
}
