// What a robot's joints and bodies give way by, as its links stand: parts of the inverse of the mass matrix M of one
// tree of links.
//
// M = sum over links of J^T I J, by composites: of two coordinates on one way to the root it is the momentum that the
// lower one gives all links behind it, along the upper one (Featherstone, Rigid body dynamics algorithms, 2008, chapter
// 6). Motions and momenta are about the world's origin.
#include "scene/robot/mechanism.h"

#include "math/dense.h"
#include "math/vec3.h"
#include "shape/pose.h"

#include <string.h>

typedef struct motion {
    double turn[3], way[3]; // angular velocity; velocity of what is at the origin
} motion;

typedef struct coordinate {
    motion motion;
    int link, parent; // that it moves; coordinate before it on the way to the root, -1: none
} coordinate;

struct tn_robot_response {
    int n;                 // coordinates; 0: none, or they have no mass
    int root;              // link that its tree hangs from
    int *first, *last;     // (n_joints) its first one; (n_links) the last one that moves it; -1: none
    coordinate *of;        // (n)
    double *factor, *rate; // (n, n) of M; (n) scratch
};

static int count_of(const tn_robot_joint *joint)
{
    return joint->freedom == TN_ROBOT_FREE ? 6 : joint->freedom == TN_ROBOT_BALL ? 3 : 1;
}

static motion turn_about(const double axis[3], const double point[3])
{
    motion out;
    tn_vec3_copy(out.turn, axis);
    tn_vec3_cross(out.way, point, axis);
    return out;
}

// Coordinate k of a joint: a free one's translations come first.
static motion motion_of(const tn_robot *robot, const tn_robot_joint *joint, int k)
{
    const double unit[3] = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
    motion slide = {.way = {unit[0], unit[1], unit[2]}};
    switch (joint->freedom) {
    case TN_ROBOT_FREE:
        return k < 3 ? slide : turn_about(unit, robot->links[joint->link].world.position);
    case TN_ROBOT_BALL:
        return turn_about(unit, joint->world_anchor);
    case TN_ROBOT_HINGE:
        return turn_about(joint->world_axis, joint->world_anchor);
    default:
        tn_vec3_copy(slide.way, joint->world_axis);
        return slide;
    }
}

static void list_coordinates(const tn_robot *robot, tn_robot_response *r)
{
    int n = 0;
    for (int j = 0; j < robot->n_joints; j++) {
        r->first[j] = -1; // of a link that is held, or of another tree
    }
    for (int i = 0; i < robot->n_links; i++) {
        const tn_robot_link *link = &robot->links[i];
        int before = link->parent < 0 ? -1 : r->last[link->parent];
        if (i != r->root && before < 0) {
            r->last[i] = -1;
            continue;
        }
        for (int j = link->first_joint; j < link->first_joint + link->n_joints; j++) {
            r->first[j] = n;
            for (int k = 0; k < count_of(&robot->joints[j]); k++) {
                r->of[n] = (coordinate){motion_of(robot, &robot->joints[j], k), i, before};
                before = n++;
            }
        }
        r->last[i] = before;
    }
    r->n = n;
}

// Momentum of a mass that moves so; its power along another motion.
static motion momentum_of(const tn_robot_inertia *inertia, const motion *m)
{
    motion out;
    double v[3], arm[3];
    tn_vec3_cross(v, m->turn, inertia->center);
    tn_vec3_add(v, v, m->way);
    tn_vec3_scale(out.way, inertia->mass, v);
    tn_vec3_cross(arm, inertia->center, out.way);
    for (int i = 0; i < 3; i++) {
        out.turn[i] = arm[i] + tn_vec3_dot(inertia->tensor + 3 * i, m->turn);
    }
    return out;
}

static double along(const motion *m, const motion *momentum)
{
    return tn_vec3_dot(m->turn, momentum->turn) + tn_vec3_dot(m->way, momentum->way);
}

// The lower triangle, factored. False: no memory.
static bool factor(const tn_robot *robot, tn_robot_response *r)
{
    const tn_pose here = {.quaternion = {1.0, 0.0, 0.0, 0.0}};
    size_t n = (size_t)r->n;
    tn_robot_inertia *behind = TN_PUSH(robot->reader->scratch, tn_robot_inertia, robot->n_links);
    r->factor = TN_PUSH(robot->reader->scratch, double, n *n);
    r->rate = TN_PUSH(robot->reader->scratch, double, n);
    if (!behind || !r->factor || !r->rate) {
        return false;
    }
    for (int i = robot->n_links - 1; i >= 0; i--) { // parents come first
        const tn_robot_link *link = &robot->links[i];
        tn_robot_add_inertia(&behind[i], &link->inertia, &link->world);
        if (link->parent >= 0) {
            tn_robot_add_inertia(&behind[link->parent], &behind[i], &here);
        }
    }
    for (size_t c = 0; c < n; c++) {
        motion momentum = momentum_of(&behind[r->of[c].link], &r->of[c].motion);
        for (int a = (int)c; a >= 0; a = r->of[a].parent) {
            r->factor[c * n + (size_t)a] = along(&r->of[a].motion, &momentum);
        }
    }
    for (int j = 0; j < robot->n_joints; j++) {
        if (robot->joints[j].armature > 0.0 && r->first[j] >= 0) {
            r->factor[(size_t)r->first[j] * (n + 1)] += robot->joints[j].armature;
        }
    }
    r->n = tn_dense_cholesky(r->n, r->factor) ? r->n : 0;
    return true;
}

int tn_robot_root(const tn_robot *robot, int link)
{
    int parent = robot->links[link].parent;
    while (parent >= 0 && !robot->links[parent].fixed) {
        link = parent;
        parent = robot->links[link].parent;
    }
    return link;
}

tn_robot_response *tn_robot_respond(const tn_robot *robot, int root)
{
    tn_arena *arena = robot->reader->scratch;
    tn_robot_response *r = TN_PUSH(arena, tn_robot_response, 1);
    int most = 0;
    for (int j = 0; j < robot->n_joints; j++) {
        most += count_of(&robot->joints[j]);
    }
    if (r) {
        r->root = root;
        r->first = TN_PUSH(arena, int, robot->n_joints);
        r->last = TN_PUSH(arena, int, robot->n_links);
        r->of = TN_PUSH(arena, coordinate, most);
    }
    if (r && r->first && r->last && r->of) {
        list_coordinates(robot, r);
        if (factor(robot, r)) {
            return r;
        }
    }
    tn_read_no_memory(robot->reader);
    return NULL;
}

double tn_robot_joint_gives(const tn_robot *robot, const tn_robot_response *r, int joint)
{
    int count = count_of(&robot->joints[joint]);
    double sum = 0.0;
    for (int k = 0; k < count && r->n > 0 && r->first[joint] >= 0; k++) {
        int c = r->first[joint] + k;
        memset(r->rate, 0, (size_t)r->n * sizeof *r->rate);
        r->rate[c] = 1.0;
        tn_dense_cholesky_solve(r->n, r->factor, r->rate);
        sum += r->rate[c];
    }
    return sum / count;
}

void tn_robot_link_gives(const tn_robot *robot, const tn_robot_response *r, int link, double gives[2])
{
    gives[0] = gives[1] = 0.0;
    if (link < 0 || r->n == 0) {
        return;
    }
    double center[3];
    tn_pose_point(center, &robot->links[link].world, robot->links[link].inertia.center);
    for (int k = 0; k < 6; k++) {
        const double unit[3] = {k % 3 == 0, k % 3 == 1, k % 3 == 2};
        motion force = {.turn = {unit[0], unit[1], unit[2]}};
        if (k < 3) { // at the center of mass
            tn_vec3_copy(force.way, unit);
            tn_vec3_cross(force.turn, center, unit);
        }
        memset(r->rate, 0, (size_t)r->n * sizeof *r->rate);
        for (int c = r->last[link]; c >= 0; c = r->of[c].parent) {
            r->rate[c] = along(&r->of[c].motion, &force);
        }
        tn_dense_cholesky_solve(r->n, r->factor, r->rate);
        for (int c = r->last[link]; c >= 0; c = r->of[c].parent) {
            gives[k / 3] += r->rate[c] * along(&r->of[c].motion, &force) / 3.0;
        }
    }
}
