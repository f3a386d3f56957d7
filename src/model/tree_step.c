// Twists of the rates of trees; velocities of links from rates and back; forces on links as forces along rates.
#include "model/tree_step.h"

#include "math/mat3.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "model/motion.h"
#include "shape/pose.h"

#include <string.h>

// A rotation about a direction through a point, or a translation along it; arm: from the tree's point to that one.
static void put_twist(bool turn, double sign, const double direction[3], const double arm[3], tn_spatial out)
{
    tn_vec3_set(out, 0.0, 0.0, 0.0);
    tn_vec3_scale(out + 3, sign, direction);
    if (turn) {
        tn_vec3_scale(out, sign, direction);
        tn_vec3_cross(out + 3, arm, out);
    }
}

static void put_joint(const tn_tree_step *s, const tn_tree_link *link, const tn_joint_geometry *at,
                      const tn_pose *pose_a, const double point[3])
{
    const tn_model_joint *joint = &s->model->joints[link->joint];
    tn_spatial *twist = s->twist + link->rate;
    double sign = link->is_a ? -1.0 : 1.0, arm[3];
    tn_vec3_sub(arm, at->point_b, point);
    for (int k = 0; k < joint->n_coordinates; k++) {
        put_twist(at->coordinate[k].turn, sign, at->coordinate[k].direction, arm, twist[k]);
    }
    if (joint->kind == TN_JOINT_SCREW) { // moves on along the axis
        tn_vec3_madd(twist[0] + 3, twist[0] + 3, sign * joint->length, at->coordinate[0].direction);
    }
    if (joint->kind == TN_JOINT_SPHERICAL) { // about the axes of its frame on a
        double R[9];
        tn_pose frame;
        tn_pose_join(&frame, pose_a, &joint->frame_a);
        tn_quat_to_mat3(R, frame.quaternion);
        for (int k = 0; k < 3; k++) {
            put_twist(true, sign, (double[3]){R[k], R[3 + k], R[6 + k]}, arm, twist[k]);
        }
    }
}

// A free base has its own velocity: of the center of mass, which is the tree's point, and about its principal axes.
static void put_base(const tn_tree_step *s, int l)
{
    tn_spatial *twist = s->twist + s->trees->link[l].rate;
    const double *R = s->turn[l];
    for (int k = 0; k < 3; k++) {
        twist[k][3 + k] = 1.0;
        tn_vec3_set(twist[3 + k], R[k], R[3 + k], R[6 + k]);
    }
}

static void put_given(tn_tree_step *s, int tree, int from, const tn_pose *pose, const double point[3], double t,
                      double h)
{
    const tn_model_body *body = &s->model->bodies[from];
    double arm[3], moved[3], *given = s->given[tree];
    if (body->kind != TN_BODY_KINEMATIC) {
        return;
    }
    if (h > 0.0) {
        tn_motion_mean_velocity(body, t, h, given + 3, given);
    } else {
        tn_motion_velocity(body, t, given + 3, given);
    }
    tn_vec3_sub(arm, point, pose->position);
    tn_vec3_cross(moved, given, arm);
    tn_vec3_add(given + 3, given + 3, moved);
    s->any_given = true;
}

tn_status tn_tree_step_build(const tn_model *model, const tn_pose *poses, const tn_joint_geometry *joints, double t,
                             double h, tn_arena *arena, tn_tree_step *out)
{
    const tn_trees *trees = model->trees;
    *out = (tn_tree_step){.model = model,
                          .trees = trees,
                          .twist = (tn_spatial *)TN_PUSH(arena, double, 18 * (size_t)trees->n_blocks),
                          .given = (tn_spatial *)TN_PUSH(arena, double, 6 * (size_t)trees->n),
                          .room = (tn_spatial *)TN_PUSH_RAW(arena, double, 6 * (size_t)trees->n_links),
                          .turn = (double(*)[9])TN_PUSH_RAW(arena, double, 9 * (size_t)trees->n_links),
                          .arm = (double(*)[3])TN_PUSH_RAW(arena, double, 3 * (size_t)trees->n_links)};
    if (!out->twist || !out->given || !out->room || !out->turn || !out->arm) {
        return TN_NO_MEMORY;
    }
    for (int l = 0; l < trees->n_links; l++) {
        const tn_tree_link *link = &trees->link[l];
        const double *point = poses[trees->link[trees->tree[link->tree].first_link].body].position;
        tn_quat_to_mat3(out->turn[l], poses[link->body].quaternion);
        tn_vec3_sub(out->arm[l], poses[link->body].position, point);
        if (link->joint < 0) {
            put_base(out, l);
            continue;
        }
        const tn_model_joint *joint = &model->joints[link->joint];
        tn_joint_geometry own;
        const tn_joint_geometry *at = joints ? &joints[link->joint] : &own;
        if (!joints) {
            tn_joint_look(joint, &poses[joint->body_a], &poses[joint->body_b], &own);
        }
        put_joint(out, link, at, &poses[joint->body_a], point);
        if (link->parent < 0) {
            put_given(out, link->tree, link->from, &poses[link->from], point, t, h);
        }
    }
    return TN_OK;
}

static void copy_rest(const tn_trees *trees, bool back, const double *from, double *to)
{
    for (int i = 0; i < trees->n_blocks; i++) {
        int block = trees->source[i];
        if (block >= 0) {
            tn_vec3_copy(to + 3 * (size_t)(back ? i : block), from + 3 * (size_t)(back ? block : i));
        }
    }
}

void tn_tree_velocity(const tn_tree_step *s, const double *nu, double *v)
{
    const tn_trees *trees = s->trees;
    copy_rest(trees, false, nu, v);
    for (int l = 0; l < trees->n_links; l++) {
        const tn_tree_link *link = &trees->link[l];
        double *motion = s->room[l], spin[3];
        memcpy(motion, link->parent >= 0 ? s->room[link->parent] : s->given[link->tree], sizeof(tn_spatial));
        for (int k = link->rate; k < link->rate + link->n_rates; k++) {
            for (int i = 0; i < 6; i++) {
                motion[i] += s->twist[k][i] * nu[k];
            }
        }
        double *own = v + 3 * (size_t)s->model->bodies[link->body].block;
        tn_vec3_cross(spin, motion, s->arm[l]);
        tn_vec3_add(own, motion + 3, spin);
        tn_mat3_tvec(own + 3, s->turn[l], motion);
    }
}

// x = (T^T T)^-1 T^T y for up to three columns T of six.
static void least_squares(int n, const tn_spatial *columns, const tn_spatial y, double *x)
{
    if (n == 1) {
        x[0] = tn_spatial_dot(columns[0], y) / tn_spatial_dot(columns[0], columns[0]);
        return;
    }
    double normal[9], inverse[9], right[3] = {0.0};
    tn_mat3_identity(normal);
    for (int i = 0; i < n; i++) {
        right[i] = tn_spatial_dot(columns[i], y);
        for (int j = 0; j < n; j++) {
            normal[3 * i + j] = tn_spatial_dot(columns[i], columns[j]);
        }
    }
    if (tn_mat3_inverse(inverse, normal)) {
        tn_mat3_vec(right, inverse, right);
    }
    memcpy(x, right, (size_t)n * sizeof *x);
}

// A twist about the tree's point as one about the link's center of mass.
static void move_twist(const tn_spatial twist, const double arm[3], tn_spatial out)
{
    double spin[3];
    tn_vec3_cross(spin, twist, arm);
    tn_vec3_copy(out, twist);
    tn_vec3_add(out + 3, twist + 3, spin);
}

void tn_tree_rates(const tn_tree_step *s, const double *v, double *nu)
{
    const tn_trees *trees = s->trees;
    memset(nu, 0, 3 * (size_t)trees->n_blocks * sizeof *nu);
    copy_rest(trees, true, v, nu);
    for (int l = 0; l < trees->n_links; l++) {
        const tn_tree_link *link = &trees->link[l];
        const double *own = v + 3 * (size_t)s->model->bodies[link->body].block;
        double *motion = s->room[l], spin[3];
        tn_mat3_vec(motion, s->turn[l], own + 3);
        tn_vec3_cross(spin, motion, s->arm[l]);
        tn_vec3_sub(motion + 3, own, spin);
        if (link->joint < 0) {
            memcpy(nu + link->rate, own, 6 * sizeof *nu);
            continue;
        }
        const double *from = link->parent >= 0 ? s->room[link->parent] : s->given[link->tree];
        tn_spatial relative, moved, columns[3];
        for (int i = 0; i < 6; i++) {
            relative[i] = motion[i] - from[i];
        }
        move_twist(relative, s->arm[l], moved);
        for (int k = 0; k < link->n_rates; k++) {
            move_twist(s->twist[link->rate + k], s->arm[l], columns[k]);
        }
        least_squares(link->n_rates, columns, moved, nu + link->rate);
    }
}

void tn_tree_wrench(const tn_tree_step *s, int l, int block, const double force[3], tn_spatial out)
{
    if (block == s->model->bodies[s->trees->link[l].body].block) {
        tn_vec3_cross(out, s->arm[l], force);
        tn_vec3_copy(out + 3, force);
    } else {
        tn_mat3_vec(out, s->turn[l], force);
        tn_vec3_set(out + 3, 0.0, 0.0, 0.0);
    }
}

void tn_tree_column(const tn_tree_step *s, int l, int block, int rate, double out[3])
{
    const double *twist = s->twist[rate];
    if (block == s->model->bodies[s->trees->link[l].body].block) {
        tn_vec3_cross(out, twist, s->arm[l]);
        tn_vec3_add(out, out, twist + 3);
    } else {
        tn_mat3_tvec(out, s->turn[l], twist);
    }
}

void tn_tree_gather(const tn_tree_step *s, int l, const double *force)
{
    const tn_tree_link *link = &s->trees->link[l];
    const double *own = force + 3 * (size_t)s->model->bodies[link->body].block;
    double *wrench = s->room[l], moment[3], turned[3];
    tn_vec3_cross(moment, s->arm[l], own);
    tn_mat3_vec(turned, s->turn[l], own + 3);
    for (int i = 0; i < 3; i++) {
        wrench[i] += moment[i] + turned[i];
        wrench[3 + i] += own[i];
    }
    for (int i = 0; i < 6 && link->parent >= 0; i++) {
        s->room[link->parent][i] += wrench[i];
    }
}

void tn_tree_project_one(const tn_tree_step *s, int t, const double *force, double *out)
{
    const tn_tree *tree = &s->trees->tree[t];
    memset(out + 3 * (size_t)tree->block, 0, 3 * (size_t)tree->n_blocks * sizeof *out);
    memset(s->room + tree->first_link, 0, (size_t)tree->n_links * sizeof *s->room);
    for (int l = tree->first_link + tree->n_links - 1; l >= tree->first_link; l--) { // children before parents
        const tn_tree_link *link = &s->trees->link[l];
        tn_tree_gather(s, l, force);
        for (int k = link->rate; k < link->rate + link->n_rates; k++) {
            out[k] = tn_spatial_dot(s->twist[k], s->room[l]);
        }
    }
}

void tn_tree_project(const tn_tree_step *s, const double *force, double *out)
{
    copy_rest(s->trees, true, force, out);
    for (int t = 0; t < s->trees->n; t++) {
        tn_tree_project_one(s, t, force, out);
    }
}

// Whether a body answers a force on its center alike in all directions, and does not turn by it.
static bool is_mass(const double slide[9], const double mixed[9])
{
    for (int i = 0; i < 9; i++) {
        if (mixed[i] != 0.0 || slide[i] != (i % 4 == 0 ? slide[0] : 0.0)) {
            return false;
        }
    }
    return true;
}

// Of a mass at the arm: what slide and mixed add about the tree's point. both: of V and W.
static void move_mass(double mass, const double arm[3], double own[9], double both[9])
{
    double square = tn_vec3_dot(arm, arm);
    tn_mat3_skew(both, arm);
    for (int i = 0; i < 9; i++) {
        both[i] *= -mass;
        own[i] += mass * ((i % 4 == 0 ? square : 0.0) - arm[i / 3] * arm[i % 3]);
    }
}

// The same of any form.
static void move_form(const double slide[9], const double mixed[9], const double R[9], const double arm[3],
                      double own[9], double both[9])
{
    double D[9], part[9];
    // The velocity of the center is V - [arm] W.
    tn_mat3_skew(D, arm);
    tn_mat3_mul_nt(both, mixed, R);
    tn_mat3_mul_tn(part, both, D);
    for (int i = 0; i < 9; i++) {
        own[i] -= part[i];
    }
    tn_mat3_mul(part, slide, D);
    for (int i = 0; i < 9; i++) {
        both[i] -= part[i];
    }
    tn_mat3_mul_tn(part, D, both);
    for (int i = 0; i < 9; i++) {
        own[i] -= part[i];
    }
}

void tn_tree_link_inertia(const tn_tree_step *s, int l, const double slide[9], const double mixed[9],
                          const double spin[9], double out[36])
{
    const double *R = s->turn[l];
    double turned[9], own[9], both[9];
    tn_mat3_mul(turned, R, spin);
    tn_mat3_mul_nt(own, turned, R);
    if (is_mass(slide, mixed)) {
        move_mass(slide[0], s->arm[l], own, both);
    } else {
        move_form(slide, mixed, R, s->arm[l], own, both);
    }
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            out[6 * i + k] = own[3 * i + k];
            out[6 * (i + 3) + k] = both[3 * i + k];
            out[6 * k + i + 3] = both[3 * i + k];
            out[6 * (i + 3) + k + 3] = slide[3 * i + k];
        }
    }
}

void tn_tree_add_composite(const tn_tree_step *s, int l, const double inertia[36], double *to)
{
    const tn_trees *trees = s->trees;
    const tn_tree_link *link = &trees->link[l];
    int n = 3 * trees->tree[link->tree].n_blocks, first = 3 * trees->tree[link->tree].block;
    for (int k = link->rate; k < link->rate + link->n_rates; k++) {
        tn_spatial momentum;
        for (int i = 0; i < 6; i++) {
            momentum[i] = tn_spatial_dot(inertia + 6 * i, s->twist[k]);
        }
        for (int m = l; m >= 0; m = trees->link[m].parent) {
            for (int j = trees->link[m].rate; j < trees->link[m].rate + trees->link[m].n_rates; j++) {
                double value = tn_spatial_dot(s->twist[j], momentum);
                to[(k - first) * n + j - first] = value;
                to[(j - first) * n + k - first] = value;
            }
        }
    }
}
