// MJCF: the file's sections in the order in which one needs the other.
#include "scene/robot/mjcf.h"

#include <string.h>

bool tn_mjcf_check_sections(tn_mjcf *m, const tn_xml *root)
{
    static const char *const known[] = {"compiler",  "option",   "default",  "asset",    "worldbody",
                                        "contact",   "equality", "actuator", "keyframe", "visual",
                                        "statistic", "size",     "custom",   "sensor",   "tendon"};
    for (int i = 0; i < root->n; i++) {
        const tn_xml *part = root->child[i];
        char hint[160];
        size_t k = 0, n = sizeof known / sizeof *known;
        while (k < n && !tn_xml_is(part, known[k])) {
            k++;
        }
        bool flexes = tn_xml_is(part, "deformable"), skins = flexes && part->n == tn_xml_count(part, "skin");
        if (skins) { // for pictures
            continue;
        }
        if (tn_xml_is(part, "extension") || flexes) {
            return tn_mjcf_fail(m, part, "<%.60s> is not read: plugins and flexes do not run here", part->name);
        }
        if (k == n) {
            tn_read_hint(tn_name_nearest(part->name, (int)n, known), hint, sizeof hint);
            return tn_read_error(m->reader, part->place, "<%.60s> is not read%s", part->name, hint);
        }
    }
    return true;
}

static bool reserve(tn_mjcf *m)
{
    int geoms = tn_xml_count(m->root, "geom"), bodies = tn_xml_count(m->root, "body");
    int joints = tn_xml_count(m->root, "joint") + tn_xml_count(m->root, "freejoint");
    int ties = tn_xml_count(m->root, "weld") + tn_xml_count(m->root, "connect");
    return tn_robot_reserve(m->robot, bodies + geoms, joints, geoms, joints, ties);
}

// Names are one each; "" is none and found by nobody.
static bool index_names(tn_mjcf *m, int n, const char *(*name)(const tn_robot *, int),
                        tn_place (*place)(const tn_robot *, int), const char *what, tn_names *names)
{
    const char **list = TN_PUSH(m->reader->scratch, const char *, n);
    for (int i = 0; list && i < n; i++) {
        list[i] = name(m->robot, i);
    }
    if (!list || !tn_names_create(names, n, list, m->reader->scratch)) {
        return tn_read_no_memory(m->reader);
    }
    for (int i = 0; i < n; i++) {
        if (list[i][0] && tn_names_find(names, list[i]) != i) {
            return tn_read_error(m->reader, place(m->robot, i), "a second %s called '%.100s'", what, list[i]);
        }
    }
    return true;
}

static const char *link_name(const tn_robot *robot, int i)
{
    return robot->links[i].ground ? "" : robot->links[i].name;
}

static tn_place link_place(const tn_robot *robot, int i)
{
    return robot->links[i].place;
}

static const char *joint_name(const tn_robot *robot, int i)
{
    return robot->joints[i].name;
}

static tn_place joint_place(const tn_robot *robot, int i)
{
    return robot->joints[i].place;
}

static const char *geom_name(const tn_robot *robot, int i)
{
    return robot->geoms[i].name;
}

static tn_place geom_place(const tn_robot *robot, int i)
{
    return robot->geoms[i].place;
}

bool tn_robot_read_mjcf(tn_robot *robot, tn_xml *root)
{
    tn_mjcf m = {.robot = robot, .reader = robot->reader, .root = root};
    robot->title = tn_xml_get(root, "model");
    robot->touches_support = true;
    if (!tn_mjcf_read_files(&m, root) || !tn_mjcf_read_settings(&m) || !tn_mjcf_expand_composites(&m, root) ||
        !tn_mjcf_replicate(&m) || !reserve(&m) || !tn_mjcf_read_assets(&m) || !tn_mjcf_read_bodies(&m) ||
        !index_names(&m, robot->n_links, link_name, link_place, "body", &m.links) ||
        !index_names(&m, robot->n_joints, joint_name, joint_place, "joint", &m.joints) ||
        !index_names(&m, robot->n_geoms, geom_name, geom_place, "geom", &m.geoms)) {
        return false;
    }
    if (!tn_robot_load(robot)) {
        return false;
    }
    tn_robot_weigh(robot);
    if (!tn_mjcf_mark_apart(&m)) {
        return false;
    }
    tn_robot_start(robot);
    return tn_mjcf_settle_springs(&m) && tn_mjcf_read_contacts(&m) && tn_mjcf_read_equalities(&m) &&
           tn_mjcf_read_tendons(&m) && tn_mjcf_read_key(&m) && tn_mjcf_read_actuators(&m) && tn_mjcf_read_sensors(&m);
}
