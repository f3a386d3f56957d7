// Joints of the scene. One may stand for several of a link's chain (two hinges across: a universal joint); what is left
// of the chain is one joint after another, with a body of little mass between two.
#include "scene/robot/emit.h"

#include "math/quat.h"
#include "math/vec3.h"
#include "shape/pose.h"

#include <math.h>
#include <string.h>

static bool is(const tn_robot_joint *joint, tn_robot_freedom freedom)
{
    return joint->freedom == freedom;
}

static double cosine(const tn_robot_joint *a, const tn_robot_joint *b)
{
    return tn_vec3_dot(a->world_axis, b->world_axis);
}

static bool at_right_angles(const tn_robot_joint *a, const tn_robot_joint *b)
{
    return fabs(cosine(a, b)) < 1e-9;
}

static double distance(const double a[3], const double b[3])
{
    double d[3];
    tn_vec3_sub(d, a, b);
    return tn_vec3_norm(d);
}

// Two slides and the hinge across both.
static bool is_planar(const tn_robot_joint *j, tn_robot_group *group)
{
    double third[3];
    if (!is(j, TN_ROBOT_SLIDE) || !is(j + 1, TN_ROBOT_SLIDE) || !is(j + 2, TN_ROBOT_HINGE) ||
        !at_right_angles(j, j + 1) || !at_right_angles(j, j + 2) || !at_right_angles(j + 1, j + 2)) {
        return false;
    }
    tn_vec3_cross(third, j[2].world_axis, j[0].world_axis);
    *group = (tn_robot_group){"planar", 3, tn_vec3_dot(third, j[1].world_axis) < 0.0};
    return true;
}

// A slide and a hinge about a parallel axis, in either order.
static bool is_cylindrical(const tn_robot_joint *j, tn_robot_group *group)
{
    bool kinds =
        (is(j, TN_ROBOT_SLIDE) && is(j + 1, TN_ROBOT_HINGE)) || (is(j, TN_ROBOT_HINGE) && is(j + 1, TN_ROBOT_SLIDE));
    *group = (tn_robot_group){"cylindrical", 2, false};
    return kinds && distance(j[0].world_axis, j[1].world_axis) < 1e-9;
}

static bool is_universal(const tn_robot_joint *j, tn_robot_group *group)
{
    *group = (tn_robot_group){"universal", 2, false};
    return is(j, TN_ROBOT_HINGE) && is(j + 1, TN_ROBOT_HINGE) && at_right_angles(j, j + 1) &&
           distance(j[0].world_anchor, j[1].world_anchor) < 1e-9;
}

int tn_robot_groups(const tn_robot *robot, const tn_robot_link *link, tn_robot_group *group)
{
    static const char *const single[] = {"", "spherical", "revolute", "prismatic"};
    int n = 0;
    for (int k = 0; k < link->n_joints && n < TN_ROBOT_CHAIN_MAX; k += group[n++].n) {
        const tn_robot_joint *j = &robot->joints[link->first_joint + k];
        int left = link->n_joints - k;
        bool joined = (left >= 3 && is_planar(j, &group[n])) || (left >= 2 && is_cylindrical(j, &group[n])) ||
                      (left >= 2 && is_universal(j, &group[n]));
        if (!joined) {
            group[n] = (tn_robot_group){single[j->freedom], 1, false};
        }
    }
    return n;
}

// Springs, limits, motors and friction of one coordinate, counted from the start.
static void put_motor(tn_robot_emitter *emit, tn_node *map, const tn_robot_joint *joint)
{
    const double *f = joint->drive;
    if (f[1] == 0.0 && f[2] == 0.0) {
        return;
    }
    tn_node *motor = tn_emit_map(emit);
    if (f[1] > 0.0) {
        tn_emit_number(emit, motor, "position", f[0] / f[1] - joint->start);
        tn_emit_number(emit, motor, "stiffness", f[1]);
    } else {
        tn_emit_number(emit, motor, "velocity", f[0] / f[2]);
    }
    if (f[2] > 0.0) {
        tn_emit_number(emit, motor, "damping", f[2]);
    }
    if (joint->strength < INFINITY) {
        tn_emit_number(emit, motor, "strength", joint->strength);
    }
    tn_emit_put(emit, map, "motor", motor);
}

// called: its own name beside that of the joint; NULL: it has none.
static void put_coordinate(tn_robot_emitter *emit, tn_node *map, const char *key, const char *name, const char *called,
                           tn_robot_joint *joint)
{
    emit->place = joint->place;
    tn_node *of = tn_emit_map(emit);
    joint->scene_joint = name;
    joint->coordinate = key;
    if (called) {
        tn_emit_word(emit, of, "called", called);
    }
    if (joint->low > -INFINITY || joint->high < INFINITY) {
        tn_emit_numbers(emit, of, "limits", 2, (double[]){joint->low - joint->start, joint->high - joint->start});
        if (joint->limit_stiffness < INFINITY) {
            tn_emit_number(emit, of, "limit_stiffness", joint->limit_stiffness);
        }
    }
    if (joint->stiffness > 0.0) {
        tn_emit_number(emit, of, "stiffness", joint->stiffness);
        tn_emit_number(emit, of, "rest", joint->rest - joint->start);
    }
    if (joint->damping > 0.0) {
        tn_emit_number(emit, of, "damping", joint->damping);
    }
    if (joint->armature > 0.0) {
        tn_emit_number(emit, of, "armature", joint->armature);
    }
    if (joint->friction > 0.0) {
        tn_emit_number(emit, of, "friction", joint->friction);
    }
    put_motor(emit, of, joint);
    if (of && of->n) {
        tn_emit_put(emit, map, key, of);
    }
}

// By which a program finds one of several joints that are one here; NULL: it has none, or all have the same.
static const char *own_name(tn_robot_emitter *emit, const tn_robot_group *group, const tn_robot_joint *j, int i)
{
    bool own = group->n > 1 && j[i].name[0] && strcmp(j[0].name, j[1].name) != 0;
    return own ? tn_emit_name(emit, j[i].name, "", 0) : NULL;
}

static void put_coordinates(tn_robot_emitter *emit, tn_node *map, const char *name, const tn_robot_group *group,
                            tn_robot_joint *j)
{
    static const char *const planar[] = {"slide", "slide2", "turn"}, *const universal[] = {"turn", "turn2"},
                             *const cylindrical[] = {"slide", "turn"};
    bool flat = strcmp(group->type, "planar") == 0;
    if (group->n == 1 && is(j, TN_ROBOT_BALL)) {
        if (j->friction > 0.0) {
            tn_emit_number(emit, map, "friction", j->friction);
        }
    } else if (group->n == 1) {
        put_coordinate(emit, map, is(j, TN_ROBOT_HINGE) ? "turn" : "slide", name, NULL, j);
    } else {
        bool hinges = strcmp(group->type, "universal") == 0;
        const char *const *key = flat ? planar : hinges ? universal : cylindrical;
        for (int k = 0; k < group->n; k++) {
            bool swapped = flat ? group->flipped && k < 2 : !hinges && is(j, TN_ROBOT_HINGE);
            int i = swapped ? 1 - k : k;
            put_coordinate(emit, map, key[k], name, own_name(emit, group, j, i), &j[i]);
        }
    }
}

static void put_axes(tn_robot_emitter *emit, tn_node *map, const tn_robot_group *group, const tn_robot_joint *j)
{
    // The frame stands where all its axes pass: at the hinge, of a universal joint at both.
    const tn_robot_joint *at = strcmp(group->type, "planar") == 0 ? &j[2] : &j[group->n == 2 && is(j, TN_ROBOT_SLIDE)];
    tn_emit_numbers(emit, map, "anchor", 3, at->world_anchor);
    if (is(j, TN_ROBOT_BALL)) {
        return;
    }
    tn_emit_numbers(emit, map, "axis", 3, at->world_axis);
    if (strcmp(group->type, "planar") == 0) {
        tn_emit_numbers(emit, map, "axis2", 3, j[group->flipped].world_axis);
    } else if (strcmp(group->type, "universal") == 0) {
        tn_emit_numbers(emit, map, "axis2", 3, j[1].world_axis);
    }
}

static void put_ends(tn_robot_emitter *emit, tn_node *map, const char *type, const char *a, const char *b)
{
    tn_emit_word(emit, map, "type", type);
    if (a) {
        tn_emit_word(emit, map, "a", a);
    }
    tn_emit_word(emit, map, "b", b ? b : "world");
}

// A spring, at rest where the joint is at zero, or a damper, alike in all directions: of a ball joint's turns, of all
// that a free body does.
static void put_bushing(tn_robot_emitter *emit, tn_node *joints, const tn_robot_joint *joint, const char *name,
                        const char *a, const char *b, bool spring)
{
    double value = spring ? joint->stiffness : joint->damping;
    if (value == 0.0 || !(joint->freedom == TN_ROBOT_FREE || is(joint, TN_ROBOT_BALL))) {
        return;
    }
    tn_node *map = tn_emit_map(emit);
    put_ends(emit, map, "bushing", a, b);
    if (joint->freedom == TN_ROBOT_FREE) {
        tn_emit_numbers(emit, map, "point_a", 3, joint->world_anchor);
        tn_emit_numbers(emit, map, "point_b", 3, (double[3]){0.0, 0.0, 0.0});
        tn_emit_number(emit, map, spring ? "stiffness" : "damping", value);
    } else {
        tn_emit_numbers(emit, map, "anchor", 3, joint->world_anchor);
    }
    tn_emit_number(emit, map, spring ? "turn_stiffness" : "turn_damping", value);
    if (spring) {
        tn_emit_numbers(emit, map, "turned", 3, joint->world_turn);
    }
    tn_emit_put(emit, joints, tn_emit_name(emit, name, spring ? "-spring" : "-damper", 0), map);
}

static void put_bushings(tn_robot_emitter *emit, tn_node *joints, const tn_robot_link *link,
                         const tn_robot_joint *joint, const char *a, const char *b)
{
    const char *name = joint->name[0] ? joint->name : link->name;
    put_bushing(emit, joints, joint, name, a, b, true);
    put_bushing(emit, joints, joint, name, a, b, false);
}

// Where the chain of a link begins: a body, or NULL, the world.
static const char *support_of(const tn_robot *robot, const tn_robot_link *link, const char **body)
{
    int parent = link->parent;
    if (tn_robot_stands(robot, parent) && robot->touches_support) {
        return NULL;
    }
    while (parent >= 0 && tn_robot_stands(robot, parent) && !body[parent]) {
        parent = robot->links[parent].parent;
    }
    return parent < 0 ? NULL : body[robot->links[parent].body];
}

static void put_chain(tn_robot_emitter *emit, tn_node *joints, tn_node *bodies, const tn_robot_link *link,
                      const tn_robot_inertia *inertia, const char **body)
{
    tn_robot *robot = emit->robot;
    tn_robot_group group[TN_ROBOT_CHAIN_MAX];
    int n = tn_robot_groups(robot, link, group), k = 0;
    const char *from = support_of(robot, link, body), *own = body[link - robot->links];
    for (int g = 0; g < n; k += group[g++].n) {
        tn_robot_joint *joint = &robot->joints[link->first_joint + k];
        const char *said = joint->name[0] ? joint->name : link->name;
        const char *suffix = joint->name[0] ? "" : "-joint", *to = own;
        emit->place = joint->place;
        if (g < n - 1) {
            tn_robot_link frame = tn_robot_link_behind(robot, link, k + group[g].n);
            to = tn_emit_name(emit, link->name, "-frame", g + 1);
            tn_emit_put(emit, bodies, to, tn_emit_body(emit, &frame, inertia, tn_robot_share(robot), 0.0));
        }
        emit->place = joint->place;
        const char *name = tn_emit_name(emit, said, suffix, joint->name[0] || g == 0 ? 0 : g + 1);
        tn_node *map = tn_emit_map(emit);
        put_ends(emit, map, group[g].type, from, to);
        put_axes(emit, map, &group[g], joint);
        put_coordinates(emit, map, name, &group[g], joint);
        tn_emit_put(emit, joints, name, map);
        robot->links[link - robot->links].held_by = name;
        put_bushings(emit, joints, link, joint, from, to);
        from = to;
    }
}

static void put_weld(tn_robot_emitter *emit, tn_node *joints, tn_robot_link *link, const char **body)
{
    emit->place = link->place;
    tn_node *map = tn_emit_map(emit);
    link->held_by = tn_emit_name(emit, link->name, "-weld", 0);
    put_ends(emit, map, "weld", support_of(emit->robot, link, body), body[link - emit->robot->links]);
    tn_emit_numbers(emit, map, "anchor", 3, link->world.position);
    tn_emit_put(emit, joints, link->held_by, map);
}

// ratio (n - 1): of the last one's rate to each other one's.
static tn_node *make_gear(tn_robot_emitter *emit, int n, const char *const *joint, const char *const *coordinate,
                          const double *ratio)
{
    tn_node *map = tn_emit_map(emit);
    tn_emit_word(emit, map, "type", "gear");
    tn_emit_names(emit, map, "joints", n, joint);
    tn_emit_names(emit, map, "coordinates", n, coordinate);
    if (n == 2) {
        tn_emit_number(emit, map, "ratio", ratio[0]);
    } else {
        tn_emit_numbers(emit, map, "ratio", n - 1, ratio);
    }
    return map;
}

// Of coordinates that start where the coupling does not allow, the difference stays.
static void check_coupling(const tn_robot *robot, const tn_robot_coupling *c)
{
    const tn_robot_joint *a = &robot->joints[c->joint_a], *b = &robot->joints[c->joint_b];
    double off = b->start - b->zero - c->offset - c->ratio * (a->start - a->zero);
    if (fabs(off) > 1e-6) {
        tn_read_remark(robot->reader, c->place,
                       "the coupling of '%.60s' to '%.60s' starts off by %.3g: it holds that difference", b->name,
                       a->name, off);
    }
}

static void put_coupling(tn_robot_emitter *emit, tn_node *joints, const tn_robot_coupling *c)
{
    const tn_robot_joint *a = &emit->robot->joints[c->joint_a], *b = &emit->robot->joints[c->joint_b];
    if (!a->scene_joint || !b->scene_joint) {
        return; // what is fixed needs none
    }
    check_coupling(emit->robot, c);
    emit->place = c->place;
    const char *const joint[2] = {a->scene_joint, b->scene_joint}, *const coordinate[2] = {a->coordinate,
                                                                                           b->coordinate};
    tn_emit_put(emit, joints, tn_emit_free_name(emit, joints, c->name),
                make_gear(emit, 2, joint, coordinate, &c->ratio));
}

// The body that a link is part of, and a point of the link in its frame and in the world. NULL: the world.
static const char *tie_end(const tn_robot *robot, int link, const double point[3], const char **body, double local[3],
                           double world[3])
{
    const tn_pose *pose = link < 0 ? &robot->options->pose : &robot->links[link].world;
    tn_pose_point(world, pose, point);
    if (tn_robot_stands(robot, link)) {
        tn_vec3_copy(local, world);
        return NULL;
    }
    const tn_robot_link *head = &robot->links[robot->links[link].body];
    double way[3];
    tn_vec3_sub(way, world, head->world.position);
    tn_quat_rotate_inverse(local, head->world.quaternion, way);
    return body[robot->links[link].body];
}

static void put_spring(tn_robot_emitter *emit, tn_node *map, const char *stiffness, const char *damping,
                       const double spring[2])
{
    if (spring[0] > 0.0) {
        tn_emit_number(emit, map, stiffness, spring[0]);
        tn_emit_number(emit, map, damping, spring[1]);
    }
}

// Whether there is something to hold: two links that are not one body, and not both moved by nothing in the file.
static bool holds(const tn_robot *robot, const tn_robot_tie *ends)
{
    const tn_robot_link *a = ends->link_a < 0 ? NULL : &robot->links[ends->link_a];
    const tn_robot_link *b = ends->link_b < 0 ? NULL : &robot->links[ends->link_b];
    bool free_a = a && !a->fixed, free_b = b && !b->fixed;
    return free_a && free_b ? a->body != b->body : free_a || free_b;
}

static void put_tie(tn_robot_emitter *emit, tn_node *joints, const tn_robot_tie *tie, const char **body)
{
    double local[2][3], world[2][3];
    const char *a = tie_end(emit->robot, tie->link_a, tie->point_a, body, local[0], world[0]);
    const char *b = tie_end(emit->robot, tie->link_b, tie->point_b, body, local[1], world[1]);
    if (!holds(emit->robot, tie)) {
        return;
    }
    emit->place = tie->place;
    tn_node *map = tn_emit_map(emit);
    put_ends(emit, map, tie->weld ? "weld" : "spherical", a, b);
    double off = distance(world[0], world[1]);
    if (off > 1e-6) {
        tn_read_remark(emit->robot->reader, tie->place, "'%.60s' starts off by %.3g m: %s", tie->name, off,
                       tie->weld ? "the weld holds the pose of the start" : "it closes in the run");
    }
    if (tie->weld || off < 1e-6) {
        tn_emit_numbers(emit, map, "anchor", 3, world[tie->weld ? 1 : 0]);
    } else {
        tn_emit_numbers(emit, map, "point_a", 3, local[0]);
        tn_emit_numbers(emit, map, "point_b", 3, local[1]);
        tn_emit_number(emit, map, "slack", 1.001 * off);
    }
    put_spring(emit, map, "stiffness", "damping", tie->spring);
    put_spring(emit, map, "turn_stiffness", "turn_damping", tie->turn_spring);
    tn_emit_word(emit, map, "collide", "true");
    tn_emit_put(emit, joints, tn_emit_free_name(emit, joints, tie->name), map);
}

static void put_round(tn_robot_emitter *emit, tn_node *of, const tn_robot_tie *ends, const char **body)
{
    const tn_drum *drum = &ends->drum;
    double center[3], tip[3], side[3], world[3];
    tn_node *map = tn_emit_map(emit);
    tn_vec3_add(tip, drum->center, drum->axis);
    tie_end(emit->robot, ends->link_a, drum->center, body, center, world);
    tie_end(emit->robot, ends->link_a, tip, body, tip, world);
    tn_emit_number(emit, map, "radius", drum->radius);
    tn_emit_numbers(emit, map, "center", 3, center);
    if (tn_vec3_norm(drum->axis) > 0.0) {
        tn_vec3_sub(tip, tip, center);
        tn_emit_numbers(emit, map, "axis", 3, tip);
    }
    if (!isnan(drum->side[0])) {
        tie_end(emit->robot, ends->link_a, drum->side, body, side, world);
        tn_emit_numbers(emit, map, "side", 3, side);
    }
    tn_emit_put(emit, of, "round", map);
}

// The distance of two points, free so far; NULL: they do not move in each other's frame.
static tn_node *make_distance(tn_robot_emitter *emit, const tn_robot_tie *ends, const char **body)
{
    double local[2][3], world[2][3];
    const char *a = tie_end(emit->robot, ends->link_a, ends->point_a, body, local[0], world[0]);
    const char *b = tie_end(emit->robot, ends->link_b, ends->point_b, body, local[1], world[1]);
    if (!holds(emit->robot, ends)) {
        return NULL;
    }
    tn_node *map = tn_emit_map(emit);
    put_ends(emit, map, "distance", a, b);
    tn_emit_numbers(emit, map, "point_a", 3, local[0]);
    tn_emit_numbers(emit, map, "point_b", 3, local[1]);
    tn_emit_word(emit, map, "collide", "true");
    if (ends->round) {
        put_round(emit, map, ends, body);
    }
    return map;
}

// Nothing acts along the coordinate but a program.
static void leave_free(tn_robot_emitter *emit, tn_node *map, const char *coordinate)
{
    tn_node *none = tn_emit_map(emit);
    tn_emit_number(emit, none, "damping", 0.0);
    tn_emit_put(emit, map, coordinate, none);
}

// The gear of a tendon over several joints, or over several ways from point to point, each a distance of its own.
static tn_node *gear_of(tn_robot_emitter *emit, tn_node *joints, const tn_robot_tendon *tendon, const char **body)
{
    const char *joint[TN_GEAR_MOST], *coordinate[TN_GEAR_MOST];
    double ratio[TN_GEAR_MOST];
    for (int k = 0; k < tendon->n; k++) {
        const tn_robot_term *term = &tendon->term[k];
        ratio[k] = -term->coefficient / tendon->term[tendon->n - 1].coefficient;
        if (term->joint < 0) {
            joint[k] = tn_emit_name(emit, tendon->of.name, "-", k + 1);
            coordinate[k] = "slide";
            tn_node *map = make_distance(emit, &term->ends, body);
            leave_free(emit, map, coordinate[k]);
            tn_emit_put(emit, joints, joint[k], map);
        } else {
            joint[k] = emit->robot->joints[term->joint].scene_joint;
            coordinate[k] = emit->robot->joints[term->joint].coordinate;
        }
    }
    return make_gear(emit, tendon->n, joint, coordinate, ratio);
}

static void put_tendon(tn_robot_emitter *emit, tn_node *joints, tn_robot_tendon *tendon, const char **body)
{
    emit->place = tendon->of.place;
    tn_node *map = tendon->n > 1    ? gear_of(emit, joints, tendon, body)
                   : tendon->n == 1 ? make_distance(emit, &tendon->term[0].ends, body)
                                    : NULL;
    if (!map) {
        return;
    }
    const char *key = is(&tendon->of, TN_ROBOT_HINGE) ? "turn" : "slide",
               *name = tn_emit_free_name(emit, joints, tendon->of.name);
    if (!tendon->held) {
        put_coordinate(emit, map, key, name, NULL, &tendon->of);
        if (tn_node_index(map, key) < 0) {
            leave_free(emit, map, key);
        }
    }
    if (tendon->held) {
        put_spring(emit, map, "stiffness", "damping", tendon->spring);
    }
    tn_emit_put(emit, joints, name, map);
}

void tn_emit_joints(tn_robot_emitter *emit, tn_node *joints, tn_node *bodies, const tn_robot_inertia *inertia,
                    const char **body)
{
    const tn_robot *robot = emit->robot;
    for (int i = 0; i < robot->n_links; i++) {
        const tn_robot_link *link = &robot->links[i];
        tn_robot_joint *first = &robot->joints[link->first_joint];
        if (link->n_joints > 0 && first->freedom == TN_ROBOT_FREE) {
            put_bushings(emit, joints, link, first, NULL, body[i]);
        } else if (link->n_joints > 0) {
            put_chain(emit, joints, bodies, link, &inertia[i], body);
        } else if (link->apart) {
            put_weld(emit, joints, &emit->robot->links[i], body);
        }
    }
    for (int i = 0; i < robot->n_couplings; i++) {
        put_coupling(emit, joints, &robot->couplings[i]);
    }
    for (int i = 0; i < robot->n_tendons; i++) {
        put_tendon(emit, joints, &robot->tendons[i], body);
    }
    for (int i = 0; i < robot->n_ties; i++) {
        put_tie(emit, joints, &robot->ties[i], body);
    }
}
