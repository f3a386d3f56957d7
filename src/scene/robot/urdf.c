// URDF (Unified Robot Description Format, wiki.ros.org/urdf/XML): links and joints in any order, all coordinates 0.
#include "scene/robot/urdf.h"
#include "math/mat3.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "scene/robot/mechanism.h"

#include <math.h>
#include <string.h>

// Elements of the file, and who hangs on whom.
typedef struct urdf {
    tn_robot *robot;
    const tn_xml *root;
    int n_links, n_joints;
    const tn_xml **link, **joint; // elements
    tn_names links, joints;
    int *parent;             // (n_joints) link
    int *mover;              // (n_links) joint that moves it, -1: none
    int *first_child, *next; // (n_links), (n_joints): joints that a link carries
    int *place_of;           // (n_links) number in the robot
    int *coordinate_of;      // (n_joints) number of its joint in the robot, -1: none of its own
    int *driver;             // (n_joints) that it mimics, -1: none
    double *ratio, *offset;  // (n_joints) of that
} urdf;

static bool fail(urdf *u, const tn_xml *element, const char *format, const char *name)
{
    return tn_read_error(u->robot->reader, element->place, format, name);
}

// Pointers to the root's children of one kind, and their names.
static bool collect(urdf *u, const tn_xml *root, const char *kind, int *n, const tn_xml ***list, tn_names *names)
{
    tn_reader *reader = u->robot->reader;
    *list = TN_PUSH(reader->scratch, const tn_xml *, root->n);
    const char **name = TN_PUSH(reader->scratch, const char *, root->n);
    for (int i = 0; *list && name && i < root->n; i++) {
        const tn_xml *element = root->child[i];
        if (!tn_xml_is(element, kind)) {
            continue;
        }
        if (!(name[*n] = tn_xml_need(reader, element, "name"))) {
            return false;
        }
        (*list)[(*n)++] = element;
    }
    if (!*list || !name || !tn_names_create(names, *n, name, reader->scratch)) {
        return tn_read_no_memory(reader);
    }
    for (int i = 0; i < *n; i++) {
        if (tn_names_find(names, name[i]) != i) {
            return tn_read_error(reader, (*list)[i]->place, "a second <%s> called '%.100s'", kind, name[i]);
        }
    }
    return true;
}

// The link that a joint's <parent> or <child> names; -1 with the error set.
static int link_of(urdf *u, const tn_xml *joint, const char *end)
{
    const tn_xml *element = tn_xml_child(joint, end);
    if (!element) {
        tn_read_error(u->robot->reader, joint->place, "joint '%.100s' needs a <%s>", tn_xml_get(joint, "name"), end);
        return -1;
    }
    const char *name = tn_xml_need(u->robot->reader, element, "link");
    int id = name ? tn_names_find(&u->links, name) : -1;
    if (name && id < 0) {
        char hint[160];
        tn_read_error(u->robot->reader, element->place, "no link '%.100s'%s", name,
                      tn_read_hint(tn_names_nearest(&u->links, name), hint, sizeof hint));
    }
    return id;
}

static bool connect(urdf *u)
{
    for (int i = 0; i < u->n_links; i++) {
        u->mover[i] = u->first_child[i] = -1;
    }
    for (int j = u->n_joints - 1; j >= 0; j--) {
        int parent = link_of(u, u->joint[j], "parent"), child = parent < 0 ? -1 : link_of(u, u->joint[j], "child");
        if (child < 0) {
            return false;
        }
        if (u->mover[child] >= 0) {
            return fail(u, u->joint[u->mover[child]], "link '%.100s' is the child of two joints", u->links.name[child]);
        }
        u->parent[j] = parent;
        u->mover[child] = j;
        u->next[j] = u->first_child[parent];
        u->first_child[parent] = j;
    }
    return true;
}

static bool read_limits(urdf *u, const tn_xml *element, const char *type, tn_robot_joint *joint)
{
    const tn_xml *limit = tn_xml_child(element, "limit"), *dynamics = tn_xml_child(element, "dynamics");
    bool limited = strcmp(type, "revolute") == 0 || strcmp(type, "prismatic") == 0;
    if (limited && !limit) {
        return tn_read_error(u->robot->reader, element->place,
                             "a %s joint needs a <limit>; without limits it is called %s", type,
                             strcmp(type, "revolute") == 0 ? "continuous" : "floating or planar");
    }
    if (limited) {
        joint->low = joint->high = 0.0; // as the format has it
    }
    return (!limited || (tn_urdf_number(u->robot->reader, limit, "lower", false, &joint->low) &&
                         tn_urdf_number(u->robot->reader, limit, "upper", false, &joint->high))) &&
           tn_urdf_number(u->robot->reader, dynamics, "damping", false, &joint->damping) &&
           tn_urdf_number(u->robot->reader, dynamics, "friction", false, &joint->friction) &&
           ((joint->damping >= 0.0 && joint->friction >= 0.0) ||
            tn_read_error(u->robot->reader, dynamics->place, "damping and friction are not negative"));
}

static bool read_axis(urdf *u, const tn_xml *element, double axis[3])
{
    const tn_xml *said = tn_xml_child(element, "axis");
    int n;
    tn_vec3_set(axis, 1.0, 0.0, 0.0);
    if (said && (!tn_xml_need(u->robot->reader, said, "xyz") ||
                 !tn_xml_numbers(u->robot->reader, said, "xyz", 3, 3, axis, &n))) {
        return false;
    }
    double length = tn_vec3_norm(axis);
    if (!(length > 1e-9) || !isfinite(length)) {
        return fail(u, said ? said : element, "<axis> of joint '%.100s' has no direction", tn_xml_get(element, "name"));
    }
    if (fabs(length - 1.0) > 1e-12) {
        tn_vec3_scale(axis, 1.0 / length, axis);
    }
    return true;
}

// A joint becomes none (fixed), one, or three (planar: slides across the axis, and a turn about it).
static bool read_joint(urdf *u, int id, int link)
{
    static const char *const types[] = {"fixed", "floating", "revolute", "continuous", "prismatic", "planar"};
    const tn_xml *element = u->joint[id];
    tn_robot *robot = u->robot;
    tn_robot_joint joint = tn_robot_joint_default();
    const char *type = tn_xml_need(robot->reader, element, "type");
    size_t kind = 0;
    while (type && kind < 6 && strcmp(type, types[kind]) != 0) {
        kind++;
    }
    if (!type || kind == 6) {
        return type && fail(u, element,
                            "unknown type of joint '%.60s': it is revolute, continuous, prismatic, fixed, floating or "
                            "planar",
                            type);
    }
    joint.name = tn_xml_get(element, "name");
    joint.place = element->place;
    joint.link = link;
    u->coordinate_of[id] = -1;
    robot->links[link].first_joint = robot->n_joints;
    if (kind == 0 || !read_limits(u, element, type, &joint) || !read_axis(u, element, joint.axis)) {
        return kind == 0;
    }
    if (kind == 5) {
        double frame[9];
        tn_mat3_frame(frame, joint.axis);
        for (int i = 1; i < 3; i++) {
            tn_robot_joint slide = joint;
            slide.freedom = TN_ROBOT_SLIDE;
            tn_vec3_copy(slide.axis, frame + 3 * (size_t)i);
            robot->joints[robot->n_joints++] = slide;
        }
    }
    joint.freedom = kind == 1 ? TN_ROBOT_FREE : kind == 4 ? TN_ROBOT_SLIDE : TN_ROBOT_HINGE;
    u->coordinate_of[id] = kind == 1 || kind == 5 ? -1 : robot->n_joints;
    robot->joints[robot->n_joints++] = joint;
    robot->links[link].n_joints = robot->n_joints - robot->links[link].first_joint;
    return true;
}

static bool read_link(urdf *u, int id, int parent)
{
    tn_robot *robot = u->robot;
    const tn_xml *element = u->link[id];
    int number = robot->n_links++;
    tn_robot_link *link = &robot->links[number];
    u->place_of[id] = number;
    *link = (tn_robot_link){.name = u->links.name[id],
                            .place = element->place,
                            .parent = parent,
                            .pose = {.quaternion = {1.0, 0.0, 0.0, 0.0}}};
    if (u->mover[id] >= 0 &&
        (!tn_urdf_origin(robot->reader, u->joint[u->mover[id]], &link->pose) || !read_joint(u, u->mover[id], number))) {
        return false;
    }
    return tn_urdf_inertial(robot, element, link) && tn_urdf_geoms(robot, u->root, element, number);
}

// From the root outwards, each level after the other: parents come first.
static bool read_tree(urdf *u, int root)
{
    int *queue = TN_PUSH(u->robot->reader->scratch, int, u->n_links), n = 0;
    if (!queue) {
        return tn_read_no_memory(u->robot->reader);
    }
    queue[n++] = root;
    for (int k = 0; k < n; k++) {
        int id = queue[k], mover = u->mover[id];
        if (!read_link(u, id, mover < 0 ? -1 : u->place_of[u->parent[mover]])) {
            return false;
        }
        for (int j = u->first_child[id]; j >= 0; j = u->next[j]) {
            queue[n++] = tn_names_find(&u->links, tn_xml_get(tn_xml_child(u->joint[j], "child"), "link"));
        }
    }
    if (n < u->n_links) {
        for (int i = 0; i < u->n_links; i++) {
            if (u->mover[i] >= 0 && u->place_of[i] < 0) {
                return fail(u, u->joint[u->mover[i]], "link '%.100s' is not reached from the root: joints make a loop",
                            u->links.name[i]);
            }
        }
    }
    return true;
}

static bool find_root(urdf *u, const tn_xml *root, int *found)
{
    *found = -1;
    for (int i = 0; i < u->n_links; i++) {
        u->place_of[i] = -1;
        if (u->mover[i] >= 0) {
            continue;
        }
        if (*found >= 0) {
            return tn_read_error(u->robot->reader, u->link[i]->place,
                                 "links '%.100s' and '%.100s' both have no parent: a robot is one tree",
                                 u->links.name[*found], u->links.name[i]);
        }
        *found = i;
    }
    return *found >= 0 ||
           fail(u, root, u->n_links ? "no link is the root: joints make a loop%s" : "a robot needs a <link>%s", "");
}

// The root is free, unless it is the world or nothing of it has a mass.
static void free_root(tn_robot *robot)
{
    double mass = 0.0;
    tn_robot_link *root = &robot->links[0];
    for (int i = 0; i < robot->n_links; i++) {
        tn_robot_link *link = &robot->links[i];
        link->body = link->n_joints > 0 ? i : i == 0 ? 0 : robot->links[link->parent].body;
        mass += link->body == 0 ? link->inertia.mass : 0.0;
    }
    if (mass > 0.0 && strcmp(root->name, "world") != 0) {
        tn_robot_joint joint = tn_robot_joint_default();
        joint.freedom = TN_ROBOT_FREE;
        joint.place = root->place;
        root->first_joint = robot->n_joints;
        root->n_joints = 1;
        robot->joints[robot->n_joints++] = joint;
    }
}

static bool read_mimic(urdf *u, int id)
{
    tn_reader *reader = u->robot->reader;
    const tn_xml *mimic = tn_xml_child(u->joint[id], "mimic");
    u->driver[id] = -1;
    u->ratio[id] = 1.0;
    if (!mimic || u->coordinate_of[id] < 0) {
        return !mimic ||
               fail(u, mimic, "joint '%.100s' has no single coordinate that could mimic another's", u->joints.name[id]);
    }
    const char *name = tn_xml_need(reader, mimic, "joint");
    int driver = name ? tn_names_find(&u->joints, name) : -1;
    if (name && (driver < 0 || u->coordinate_of[driver] < 0)) {
        return fail(u, mimic,
                    driver < 0 ? "no joint '%.100s' to mimic" : "joint '%.100s' has no single coordinate to mimic",
                    name);
    }
    u->driver[id] = driver;
    if (!name || !tn_urdf_number(reader, mimic, "multiplier", false, &u->ratio[id]) ||
        !tn_urdf_number(reader, mimic, "offset", false, &u->offset[id])) {
        return false;
    }
    if (u->ratio[id] == 0.0) {
        return fail(u, mimic, "joint '%.100s' mimics with 'multiplier' 0: make it a fixed one", u->joints.name[id]);
    }
    return true;
}

// Joints that mimic start where their drivers, at 0, put them.
static bool read_mimics(urdf *u)
{
    enum { CHAIN_MAX = 100 };
    tn_robot *robot = u->robot;
    for (int id = 0; id < u->n_joints; id++) {
        if (!read_mimic(u, id)) {
            return false;
        }
    }
    for (int id = 0; id < u->n_joints; id++) {
        double start = 0.0, ratio = 1.0;
        int k = id, length = 0;
        for (; u->driver[k] >= 0 && length < CHAIN_MAX; k = u->driver[k], length++) {
            start += ratio * u->offset[k];
            ratio *= u->ratio[k];
        }
        if (length == CHAIN_MAX) {
            return fail(u, u->joint[id], "joint '%.100s' mimics itself, by way of others", u->joints.name[id]);
        }
        if (u->driver[id] >= 0) {
            robot->joints[u->coordinate_of[id]].start = start;
            robot->couplings[robot->n_couplings++] = (tn_robot_coupling){
                .name = tn_robot_text(robot->reader, "%s-mimic", u->joints.name[id]),
                .place = tn_xml_child(u->joint[id], "mimic")->place,
                .joint_a = u->coordinate_of[u->driver[id]],
                .joint_b = u->coordinate_of[id],
                .ratio = u->ratio[id],
                .offset = u->offset[id],
            };
            if (!robot->couplings[robot->n_couplings - 1].name) {
                return false;
            }
        }
    }
    return true;
}

static bool reserve(urdf *u, const tn_xml *root)
{
    tn_arena *arena = u->robot->reader->scratch;
    u->parent = TN_PUSH(arena, int, u->n_joints);
    u->mover = TN_PUSH(arena, int, u->n_links);
    u->first_child = TN_PUSH(arena, int, u->n_links);
    u->next = TN_PUSH(arena, int, u->n_joints);
    u->place_of = TN_PUSH(arena, int, u->n_links);
    u->coordinate_of = TN_PUSH(arena, int, u->n_joints);
    u->driver = TN_PUSH(arena, int, u->n_joints);
    u->ratio = TN_PUSH(arena, double, u->n_joints);
    u->offset = TN_PUSH(arena, double, u->n_joints);
    if (!u->parent || !u->mover || !u->first_child || !u->next || !u->place_of || !u->coordinate_of || !u->driver ||
        !u->ratio || !u->offset) {
        return tn_read_no_memory(u->robot->reader);
    }
    int geoms = tn_xml_count(root, "collision") + tn_xml_count(root, "visual");
    return tn_robot_reserve(u->robot, u->n_links, 3 * u->n_joints + 1, geoms, u->n_joints, 0);
}

// What is left of xacro, but for what nobody reads here.
static bool refuse_xacro(const tn_robot *robot, const tn_xml *element)
{
    bool left = strncmp(element->name, "xacro:", 6) == 0;
    for (int i = 0; i < element->n_attributes; i++) {
        const char *value = element->attribute[i].value;
        left = left || strstr(value, "${") || strstr(value, "$(");
    }
    if (left) {
        return tn_read_error(robot->reader, element->place,
                             "<%.60s> is for xacro, which makes a URDF file of this one: xacro IN > OUT.urdf",
                             element->name);
    }
    bool good = true;
    for (int i = 0; i < element->n && good; i++) {
        const tn_xml *child = element->child[i];
        good = tn_xml_is(child, "gazebo") || tn_xml_is(child, "transmission") || tn_xml_is(child, "ros2_control") ||
               refuse_xacro(robot, child);
    }
    return good;
}

// What the file says to MuJoCo of its meshes and inertias.
static void read_extension(tn_robot *robot, const tn_xml *root)
{
    const tn_xml *extension = tn_xml_child(root, "mujoco");
    const tn_xml *compiler = extension ? tn_xml_child(extension, "compiler") : NULL;
    const char *strips = tn_xml_get(compiler, "strippath"), *balances = tn_xml_get(compiler, "balanceinertia");
    robot->meshdir = tn_xml_get(compiler, "meshdir");
    robot->strips = !strips || strcmp(strips, "false") != 0;
    robot->balance = balances && strcmp(balances, "true") == 0;
}

bool tn_robot_read_urdf(tn_robot *robot, const tn_xml *root)
{
    urdf u = {.robot = robot, .root = root};
    int first;
    read_extension(robot, root);
    if (!refuse_xacro(robot, root) || !collect(&u, root, "link", &u.n_links, &u.link, &u.links) ||
        !collect(&u, root, "joint", &u.n_joints, &u.joint, &u.joints) || !reserve(&u, root) || !connect(&u) ||
        !find_root(&u, root, &first) || !read_tree(&u, first) || !read_mimics(&u)) {
        return false;
    }
    robot->title = tn_xml_get(root, "name");
    free_root(robot);
    if (!tn_robot_load(robot)) {
        return false;
    }
    if (robot->balance) {
        tn_robot_weigh(robot);
    }
    return true;
}
