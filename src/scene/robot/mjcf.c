// MJCF: the file's sections in the order in which one needs the other; files that it includes.
#include "scene/robot/mjcf.h"
#include "scene/file.h"

#include <stdio.h>
#include <string.h>

enum { INCLUDES_MAX = 100, PATH_CAP = 4096 };

static bool include(tn_robot *robot, tn_xml *element, int *budget);

// What stands in the place of <include file="..."/>: the children of that file's root.
static tn_xml *load(tn_robot *robot, const tn_xml *element, int *budget)
{
    tn_reader *reader = robot->reader;
    const char *name = tn_xml_need(reader, element, "file"), *slash = strrchr(robot->file, '/');
    char path[PATH_CAP];
    size_t length;
    if (!name) {
        return NULL;
    }
    int folder = name[0] == '/' || !slash ? 0 : (int)(slash - robot->file) + 1;
    if (--*budget < 0 || snprintf(path, sizeof path, "%.*s%s", folder, robot->file, name) >= PATH_CAP) {
        tn_read_error(reader, element->place,
                      "more than %d files included (does one include itself?), or a path too long", INCLUDES_MAX);
        return NULL;
    }
    char *file = tn_arena_push(reader->storage, strlen(path) + 1, 1);
    char *text = file ? tn_scene_file(reader, memcpy(file, path, strlen(path)), &element->place, &length) : NULL;
    if (!file) {
        tn_read_no_memory(reader);
    }
    tn_xml *root = text ? tn_xml_parse(reader, text, length, file) : NULL;
    return root && include(robot, root, budget) ? root : NULL;
}

// Every <include> in the element, at any depth, becomes what it stands for.
static bool include(tn_robot *robot, tn_xml *element, int *budget)
{
    int n = 0;
    for (int i = 0; i < element->n; i++) {
        tn_xml *child = element->child[i];
        if (tn_xml_is(child, "include") && !(child = element->child[i] = load(robot, child, budget))) {
            return false;
        }
        bool root = child->place.file != element->place.file;
        if (!root && !include(robot, child, budget)) {
            return false;
        }
        n += root ? child->n : 1;
    }
    tn_xml **children = TN_PUSH(robot->reader->scratch, tn_xml *, n);
    if (!children) {
        return tn_read_no_memory(robot->reader);
    }
    n = 0;
    for (int i = 0; i < element->n; i++) {
        tn_xml *child = element->child[i];
        bool root = child->place.file != element->place.file;
        for (int k = 0; root && k < child->n; k++) {
            children[n++] = child->child[k];
        }
        if (!root) {
            children[n++] = child;
        }
    }
    element->child = children;
    element->n = n;
    return true;
}

static bool check_sections(tn_mjcf *m)
{
    static const char *const known[] = {"compiler",  "option",   "default",  "asset",    "worldbody",
                                        "contact",   "equality", "actuator", "keyframe", "visual",
                                        "statistic", "size",     "custom",   "sensor",   "tendon"};
    for (int i = 0; i < m->root->n; i++) {
        const tn_xml *part = m->root->child[i];
        char hint[160];
        size_t k = 0, n = sizeof known / sizeof *known;
        while (k < n && !tn_xml_is(part, known[k])) {
            k++;
        }
        if (tn_xml_is(part, "extension") || tn_xml_is(part, "deformable")) {
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
    tn_mjcf m = {.robot = robot,
                 .reader = robot->reader,
                 .root = root,
                 .autolimits = true,
                 .euler = "xyz",
                 .meshdir = "",
                 .from_geoms = TN_MJCF_AUTO,
                 .groups = {0.0, 5.0}};
    int budget = INCLUDES_MAX;
    robot->title = tn_xml_get(root, "model");
    robot->touches_support = true;
    if (!include(robot, root, &budget) || !check_sections(&m) || !tn_mjcf_read_settings(&m) ||
        !tn_mjcf_expand_composites(&m, root) || !tn_mjcf_replicate(&m) || !reserve(&m) || !tn_mjcf_read_assets(&m) ||
        !tn_mjcf_read_bodies(&m) || !index_names(&m, robot->n_links, link_name, link_place, "body", &m.links) ||
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
