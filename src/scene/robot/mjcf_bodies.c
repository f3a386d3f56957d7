// MJCF: the tree of bodies, with their joints, inertias and geoms; frames are folded into what they hold.
#include "math/quat.h"
#include "math/vec3.h"
#include "scene/robot/mjcf.h"
#include "shape/pose.h"

#include <math.h>
#include <string.h>

static const tn_pose NOWHERE = {.quaternion = {1.0, 0.0, 0.0, 0.0}};

// What of a body's children is read in a pass: joints of one body stand in a row, those of its children after them.
typedef enum pass { JOINTS, GEOMS, BODIES, PASSES } pass;

static bool read_body(tn_mjcf *m, const tn_xml *element, int parent, const tn_pose *frame, const char *childclass);

// Words that change what the simulation does, and are not read.
static bool refuse(tn_mjcf *m, const tn_xml *element)
{
    static const char *const names[][2] = {{"flexcomp", "make it a 'soft' body of a scene that lists this robot"},
                                           {"plugin", "plugins do not run here"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (tn_xml_is(element, names[i][0])) {
            return tn_read_error(m->reader, element->place, "<%.60s> is not read: %s", element->name, names[i][1]);
        }
    }
    static const char *const known[] = {"inertial", "joint", "freejoint", "geom", "site",
                                        "camera",   "light", "body",      "frame"};
    char hint[160];
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (tn_xml_is(element, known[i])) {
            return true;
        }
    }
    tn_read_hint(tn_name_nearest(element->name, sizeof known / sizeof *known, known), hint, sizeof hint);
    return tn_read_error(m->reader, element->place, "a body has no <%.60s>%s", element->name, hint);
}

static bool read_inertial(tn_mjcf *m, const tn_xml *element, const tn_pose *frame, tn_robot_link *link)
{
    tn_robot_inertia own = {0};
    tn_pose pose;
    double d[3] = {0.0, 0.0, 0.0}, f[6];
    int n, full;
    if (!tn_mjcf_check(m, element, NULL) || !tn_xml_need(m->reader, element, "mass") ||
        !tn_xml_need(m->reader, element, "pos") || !tn_mjcf_pose(m, element, -1, frame, &pose) ||
        !tn_xml_numbers(m->reader, element, "mass", 1, 1, &own.mass, &n) ||
        !tn_xml_numbers(m->reader, element, "diaginertia", 3, 3, d, &n) ||
        !tn_xml_numbers(m->reader, element, "fullinertia", 6, 6, f, &full)) {
        return false;
    }
    if ((n > 0) == (full > 0)) {
        return tn_mjcf_fail(m, element, "<inertial> needs one of diaginertia and fullinertia%s", "");
    }
    if (own.mass < 0.0) {
        return tn_mjcf_fail(m, element, "<inertial> has a mass below 0%s", "");
    }
    memcpy(own.tensor, (double[9]){d[0], 0, 0, 0, d[1], 0, 0, 0, d[2]}, sizeof own.tensor);
    if (full) {
        memcpy(own.tensor, (double[9]){f[0], f[3], f[4], f[3], f[1], f[5], f[4], f[5], f[2]}, sizeof own.tensor);
    }
    link->inertia = (tn_robot_inertia){0};
    link->inertia_place = element->place;
    link->has_inertia = true;
    tn_robot_add_inertia(&link->inertia, &own, &pose);
    return true;
}

static bool read_freejoint(tn_mjcf *m, const tn_xml *element, int link, const char *name)
{
    tn_robot_link *of = &m->robot->links[link];
    tn_robot_joint joint = tn_robot_joint_default();
    if (of->parent >= 0) {
        return tn_mjcf_fail(m, element, "only bodies of the worldbody can be free%s", "");
    }
    joint.name = name ? name : "";
    joint.place = element->place;
    joint.freedom = TN_ROBOT_FREE;
    joint.link = link;
    memcpy(joint.start_pose, of->pose.position, sizeof of->pose.position);
    memcpy(joint.start_pose + 3, of->pose.quaternion, sizeof of->pose.quaternion);
    m->robot->joints[m->robot->n_joints++] = joint;
    of->n_joints++;
    return true;
}

static bool read_range(tn_mjcf *m, const tn_xml *element, int class, tn_robot_joint *joint)
{
    bool limited = false, hinge = joint->freedom == TN_ROBOT_HINGE, forced = false;
    double range[2], force[2];
    int n;
    if (!tn_mjcf_limited(m, element, class, "limited", "range", &limited) ||
        !tn_mjcf_numbers(m, element, class, "range", 2, 2, range, &n) ||
        !tn_mjcf_limited(m, element, class, "actuatorfrclimited", "actuatorfrcrange", &forced) ||
        !tn_mjcf_numbers(m, element, class, "actuatorfrcrange", 2, 2, force, &n)) {
        return false;
    }
    if (forced) {
        joint->strength_most = fmax(fabs(force[0]), fabs(force[1]));
    }
    if (limited && joint->freedom == TN_ROBOT_BALL) {
        tn_read_remark(m->reader, element->place, "the range of a ball joint is left out");
    } else if (limited) {
        joint->low = hinge ? tn_mjcf_angle(m, element, range[0]) : range[0];
        joint->high = hinge ? tn_mjcf_angle(m, element, range[1]) : range[1];
    }
    return true;
}

static bool read_axis(tn_mjcf *m, const tn_xml *element, int class, const tn_pose *frame, tn_robot_joint *joint)
{
    int n;
    if (!tn_mjcf_numbers(m, element, class, "pos", 3, 3, joint->anchor, &n) ||
        !tn_mjcf_numbers(m, element, class, "axis", 3, 3, joint->axis, &n)) {
        return false;
    }
    double length = tn_vec3_norm(joint->axis);
    if (!(length > 1e-9) || !isfinite(length)) {
        return tn_mjcf_fail(m, element, "'axis' has no direction%s", "");
    }
    if (fabs(length - 1.0) > 1e-12) {
        tn_vec3_scale(joint->axis, 1.0 / length, joint->axis);
    }
    if (frame) {
        double axis[3];
        tn_quat_rotate(axis, frame->quaternion, joint->axis);
        tn_vec3_copy(joint->axis, axis);
        tn_pose_point(joint->anchor, frame, joint->anchor);
    }
    return true;
}

static bool read_armature(tn_mjcf *m, const tn_xml *element, int class, int freedom, double *armature)
{
    if (!tn_mjcf_number(m, element, class, "armature", armature)) {
        return false;
    }
    if (*armature < 0.0) {
        return tn_mjcf_fail(m, element, "'armature' is not negative%s", "");
    }
    if (*armature > 0.0 && freedom < TN_ROBOT_HINGE) {
        tn_read_remark(m->reader, element->place, "the armature of a %s joint is left out",
                       freedom == TN_ROBOT_BALL ? "ball" : "free");
        *armature = 0.0;
    }
    return true;
}

// Whether none of them would drive the joint.
static bool resists(tn_mjcf *m, const tn_xml *element, double stiffness, double damping, double friction)
{
    return !(stiffness < 0.0 || damping < 0.0 || friction < 0.0) ||
           tn_mjcf_fail(m, element, "a joint with stiffness, damping or frictionloss below 0 is not read%s", "");
}

// Stiffness and damping by time constant and ratio: what the joint moves tells them later (tn_mjcf_settle_springs).
static bool read_springdamper(tn_mjcf *m, const tn_xml *element, int class, tn_robot_joint *joint)
{
    double *settles = joint->settles;
    int n = 0;
    if (!tn_mjcf_numbers(m, element, class, "springdamper", 2, 2, settles, &n)) {
        return false;
    }
    bool said = settles[0] != 0.0 || settles[1] != 0.0;
    return !said || (settles[0] > 0.0 && settles[1] > 0.0) ||
           tn_mjcf_fail(m, element, "'springdamper' is a time constant and a damping ratio, both above 0%s", "");
}

bool tn_mjcf_settle_springs(tn_mjcf *m)
{
    tn_robot *robot = m->robot;
    tn_robot_response *response = NULL;
    int of = -1; // its root
    for (int j = 0; j < robot->n_joints; j++) {
        tn_robot_joint *joint = &robot->joints[j];
        double time = joint->settles[0], ratio = joint->settles[1], friction = 0.0;
        if (time == 0.0) {
            continue;
        }
        int root = tn_robot_root(robot, joint->link);
        response = root == of ? response : tn_robot_respond(robot, root);
        of = root;
        if (!response) {
            return false;
        }
        double gives = tn_robot_joint_gives(robot, response, j);
        if (gives > 0.0) {
            joint->stiffness = 1.0 / (gives * time * time * ratio * ratio);
            joint->damping = 2.0 / (gives * time);
        }
        tn_mjcf_switch_off(m, &joint->stiffness, &joint->damping, &friction, (double[2]){0.0, 0.0});
    }
    return true;
}

// Of a free joint that is written as <joint>.
static bool read_free_forces(tn_mjcf *m, const tn_xml *element, int class, tn_robot_joint *joint)
{
    double friction = 0.0;
    if (!tn_mjcf_number(m, element, class, "stiffness", &joint->stiffness) ||
        !tn_mjcf_number(m, element, class, "damping", &joint->damping) ||
        !tn_mjcf_number(m, element, class, "frictionloss", &friction) ||
        !read_armature(m, element, class, TN_ROBOT_FREE, &joint->armature)) {
        return false;
    }
    if (!resists(m, element, joint->stiffness, joint->damping, friction) ||
        !read_springdamper(m, element, class, joint)) {
        return false;
    }
    tn_mjcf_switch_off(m, &joint->stiffness, &joint->damping, &friction, (double[2]){0.0, 0.0});
    if (friction > 0.0) {
        tn_read_remark(m->reader, element->place, "the frictionloss of a free joint is left out");
    }
    return true;
}

static bool read_joint(tn_mjcf *m, const tn_xml *element, int link, const tn_pose *frame, const char *childclass)
{
    static const char *const types[] = {"free", "ball", "hinge", "slide"};
    int class = tn_mjcf_class_of(m, element, childclass);
    const char *type = class < 0 ? NULL : tn_mjcf_get(m, element, class, "type"), *name = tn_xml_get(element, "name");
    int kind = type ? 0 : TN_ROBOT_HINGE;
    while (type && kind < 4 && strcmp(types[kind], type) != 0) {
        kind++;
    }
    if (class < 0 || !tn_mjcf_check(m, element, NULL)) {
        return false;
    }
    if (kind == 4) {
        return tn_mjcf_fail(m, element, "unknown type of joint '%.40s': free, ball, hinge, slide", type);
    }
    tn_robot_link *of = &m->robot->links[link];
    bool free_one =
        kind == TN_ROBOT_FREE || (of->n_joints > 0 && m->robot->joints[of->first_joint].freedom == TN_ROBOT_FREE);
    if (free_one && of->n_joints > 0) {
        return tn_mjcf_fail(m, element, "a free joint is the only one of its body%s", "");
    }
    if (of->n_joints == TN_ROBOT_CHAIN_MAX) {
        return tn_mjcf_fail(m, element, "a body has at most 16 joints%s", "");
    }
    if (kind == TN_ROBOT_FREE) {
        return read_freejoint(m, element, link, name) &&
               read_free_forces(m, element, class, &m->robot->joints[m->robot->n_joints - 1]);
    }
    tn_robot_joint joint = tn_robot_joint_default();
    joint.name = name ? name : "";
    joint.place = element->place;
    joint.freedom = (tn_robot_freedom)kind;
    joint.link = link;
    double rest = 0.0, ref = 0.0;
    if (!read_axis(m, element, class, frame, &joint) || !read_range(m, element, class, &joint) ||
        !tn_mjcf_number(m, element, class, "ref", &ref) || !tn_mjcf_number(m, element, class, "springref", &rest) ||
        !tn_mjcf_number(m, element, class, "stiffness", &joint.stiffness) ||
        !read_armature(m, element, class, kind, &joint.armature) ||
        !tn_mjcf_number(m, element, class, "damping", &joint.damping) ||
        !tn_mjcf_number(m, element, class, "frictionloss", &joint.friction)) {
        return false;
    }
    if (!resists(m, element, joint.stiffness, joint.damping, joint.friction) ||
        !read_springdamper(m, element, class, &joint)) {
        return false;
    }
    double range[2] = {joint.low, joint.high};
    tn_mjcf_switch_off(m, &joint.stiffness, &joint.damping, &joint.friction, range);
    joint.low = range[0];
    joint.high = range[1];
    bool hinge = kind == TN_ROBOT_HINGE;
    joint.zero = joint.start = hinge ? tn_mjcf_angle(m, element, ref) : ref;
    joint.rest = hinge ? tn_mjcf_angle(m, element, rest) : rest;
    m->robot->joints[m->robot->n_joints++] = joint;
    of->n_joints++;
    return true;
}

// Half sizes of the box around the site, whatever its shape; default: a small sphere.
static bool read_site_size(tn_mjcf *m, const tn_xml *element, int class, double half[3])
{
    const char *type = tn_mjcf_get(m, element, class, "type");
    double size[3] = {0.005, 0.005, 0.005};
    int n = 0;
    if (!tn_mjcf_numbers(m, element, class, "size", 1, 3, size, &n)) {
        return false;
    }
    bool box = type && (strcmp(type, "box") == 0 || strcmp(type, "ellipsoid") == 0), capsule = type && type[0] == 'c';
    half[0] = size[0];
    half[1] = box ? size[1] : size[0];
    half[2] = box ? size[2] : capsule ? size[1] + (strcmp(type, "capsule") == 0 ? size[0] : 0.0) : size[0];
    return true;
}

// Places that loops, tendons and sensors name.
static bool read_site(tn_mjcf *m, const tn_xml *element, int link, const tn_pose *frame, const char *childclass)
{
    const char *name = tn_xml_get(element, "name");
    int class = tn_mjcf_class_of(m, element, childclass);
    tn_robot_site site = {.name = name, .place = element->place, .link = link};
    double ends[6], half;
    int n;
    if (class < 0 || !tn_mjcf_check(m, element, NULL) ||
        !tn_mjcf_numbers(m, element, class, "fromto", 6, 6, ends, &n) ||
        !tn_mjcf_pose(m, element, class, n == 6 ? NULL : frame, &site.pose) ||
        !read_site_size(m, element, class, site.size)) {
        return false;
    }
    if (n == 6) { // from end to end
        tn_mjcf_stretch(ends, &site.pose, &half);
        site.size[1] = site.size[0];
        site.size[2] = half;
        tn_pose_join(&site.pose, frame ? frame : &NOWHERE, &site.pose);
    }
    if (name) {
        m->site_list[m->robot->n_sites] = name;
        m->robot->sites[m->robot->n_sites++] = site;
    }
    return true;
}

static void list_names(const tn_xml *element, const char *what, const char **list, int *n)
{
    const char *name = tn_xml_is(element, what) ? tn_xml_get(element, "name") : NULL;
    if (name) {
        list[(*n)++] = name;
    }
    for (int i = 0; i < element->n; i++) {
        list_names(element->child[i], what, list, n);
    }
}

static bool index_names(tn_mjcf *m, const char *what, tn_names *names)
{
    const char **list = TN_PUSH(m->reader->scratch, const char *, tn_xml_count(m->root, what));
    int n = 0;
    if (list) {
        list_names(m->root, what, list, &n);
    }
    return (list && tn_names_create(names, n, list, m->reader->scratch)) || tn_read_no_memory(m->reader);
}

// A numbered name that no body or geom of the file has. NULL with the error set.
static const char *own_name(tn_mjcf *m, const char *what, int *number)
{
    const char *name;
    do {
        name = tn_robot_text(m->reader, "%s%d", what, ++*number);
    } while (name && (tn_names_find(&m->body_names, name) >= 0 || tn_names_find(&m->geom_names, name) >= 0));
    return name;
}

// A geom of the worldbody is a fixed body of its own. -1 with the error set.
static int add_ground(tn_mjcf *m, const tn_xml *element)
{
    const char *name = tn_xml_get(element, "name");
    int number = m->robot->n_links++;
    if (!name) {
        name = own_name(m, "ground", &m->n_grounds);
    } else if (tn_names_find(&m->body_names, name) >= 0) {
        name = tn_robot_text(m->reader, "%s-ground", name);
    }
    m->robot->links[number] = (tn_robot_link){.name = name,
                                              .place = element->place,
                                              .inertia_place = element->place,
                                              .parent = -1,
                                              .pose = {.quaternion = {1.0, 0.0, 0.0, 0.0}},
                                              .ground = true};
    return name ? number : -1;
}

// link: -1 of the worldbody. frame: NULL for none.
static bool read_child(tn_mjcf *m, const tn_xml *element, int link, const tn_pose *frame, const char *childclass,
                       pass now)
{
    bool world = link < 0, joint = tn_xml_is(element, "joint"), loose = tn_xml_is(element, "freejoint");
    if (world && now == JOINTS && (joint || loose || tn_xml_is(element, "inertial"))) {
        return tn_mjcf_fail(m, element, "the worldbody has no <%.40s>", element->name);
    }
    if (now == JOINTS && joint) {
        return read_joint(m, element, link, frame, childclass);
    }
    if (now == JOINTS && loose) {
        bool first = m->robot->links[link].n_joints == 0;
        return tn_mjcf_check(m, element, NULL) &&
               (first ? read_freejoint(m, element, link, tn_xml_get(element, "name"))
                      : tn_mjcf_fail(m, element, "a free joint is the only one of its body%s", ""));
    }
    if (now == JOINTS && tn_xml_is(element, "inertial")) {
        return m->rules[element->model].from_geoms == TN_MJCF_YES ||
               read_inertial(m, element, frame, &m->robot->links[link]);
    }
    if (now == GEOMS && tn_xml_is(element, "geom")) {
        link = world ? add_ground(m, element) : link;
        return link >= 0 && tn_mjcf_read_geom(m, element, link, frame, childclass);
    }
    if (now == GEOMS && tn_xml_is(element, "site")) {
        return read_site(m, element, link, frame, childclass);
    }
    if (now == BODIES && tn_xml_is(element, "body")) {
        return read_body(m, element, link, frame, childclass);
    }
    return now != JOINTS || refuse(m, element);
}

static bool read_children(tn_mjcf *m, const tn_xml *element, int link, const tn_pose *frame, const char *childclass,
                          pass now)
{
    for (int i = 0; i < element->n; i++) {
        const tn_xml *child = element->child[i];
        bool good;
        if (tn_xml_is(child, "frame")) {
            const char *class = tn_xml_get(child, "childclass");
            tn_pose pose;
            good = tn_mjcf_check(m, child, NULL) && tn_mjcf_pose(m, child, -1, frame, &pose) &&
                   read_children(m, child, link, &pose, class ? class : childclass, now);
        } else {
            good = read_child(m, child, link, frame, childclass, now);
        }
        if (!good) {
            return false;
        }
    }
    return true;
}

tn_pose tn_mjcf_world(const tn_mjcf *m, int link)
{
    tn_pose world = NOWHERE, out;
    for (int i = link; i >= 0; i = m->robot->links[i].parent) {
        tn_pose_join(&world, &m->robot->links[i].pose, &world);
    }
    tn_robot_relative(&out, &world, &NOWHERE);
    return out;
}

static bool read_body(tn_mjcf *m, const tn_xml *element, int parent, const tn_pose *frame, const char *childclass)
{
    int number = m->robot->n_links++, n;
    tn_robot_link *link = &m->robot->links[number];
    const char *name = tn_xml_get(element, "name"), *class = tn_xml_get(element, "childclass");
    name = name ? name : own_name(m, "body", &m->n_bodies);
    m->link_model[number] = element->model;
    *link = (tn_robot_link){.name = name,
                            .place = element->place,
                            .inertia_place = element->place,
                            .parent = parent,
                            .first_joint = m->robot->n_joints};
    if (!name || !tn_mjcf_check(m, element, NULL) || !tn_mjcf_pose(m, element, -1, frame, &link->pose) ||
        !tn_xml_numbers(m->reader, element, "gravcomp", 1, 1, &link->lift, &n)) {
        return false;
    }
    link->lift = m->no_lift ? 0.0 : link->lift;
    const char *mocap = tn_xml_get(element, "mocap");
    link->mocap = mocap && strcmp(mocap, "true") == 0;
    class = class ? class : childclass;
    const tn_pose world = tn_mjcf_world(m, number);
    for (int now = 0; now < PASSES; now++) {
        int first = m->robot->n_geoms;
        if (!read_children(m, element, number, m->rules[element->model].global ? &world : NULL, class, (pass)now)) {
            return false;
        }
        bool weigh = !m->robot->links[number].has_inertia && m->rules[element->model].from_geoms != TN_MJCF_NO;
        for (int i = first; now == GEOMS && i < m->robot->n_geoms; i++) {
            m->robot->geoms[i].weighs = m->robot->geoms[i].weighs && weigh;
        }
    }
    link = &m->robot->links[number];
    return !link->mocap || (parent < 0 && link->n_joints == 0) ||
           tn_mjcf_fail(m, element, "a mocap body stands in the worldbody and has no joints%s", "");
}

bool tn_mjcf_read_bodies(tn_mjcf *m)
{
    int n_sites = tn_xml_count(m->root, "site");
    m->robot->sites = TN_PUSH(m->reader->scratch, tn_robot_site, n_sites);
    m->site_list = TN_PUSH(m->reader->scratch, const char *, n_sites);
    m->link_model = TN_PUSH(m->reader->scratch, int, tn_xml_count(m->root, "body") + tn_xml_count(m->root, "geom"));
    if (!m->robot->sites || !m->site_list || !m->link_model) {
        return tn_read_no_memory(m->reader);
    }
    if (!index_names(m, "body", &m->body_names) || !index_names(m, "geom", &m->geom_names)) {
        return false;
    }
    for (int now = 0; now < PASSES; now++) {
        for (int i = 0; i < m->root->n; i++) {
            const tn_xml *part = m->root->child[i];
            if (tn_xml_is(part, "worldbody") && !read_children(m, part, -1, NULL, NULL, (pass)now)) {
                return false;
            }
        }
    }
    for (int i = 0; i < m->robot->n_geoms; i++) {
        tn_robot_geom *geom = &m->robot->geoms[i];
        geom->weighs = geom->weighs && !m->robot->links[geom->link].ground;
        if (m->pairs_alone) { // those of pairs meet each other later
            geom->surface.type = geom->surface.affinity = 0;
            geom->collides = false;
        }
    }
    return tn_names_create(&m->site_names, m->robot->n_sites, m->site_list, m->reader->scratch) ||
           tn_read_no_memory(m->reader);
}
