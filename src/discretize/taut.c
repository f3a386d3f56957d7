#include "discretize/taut.h"

#include "math/quat.h"
#include "math/vec3.h"

#include <math.h>

// The joint has rows across it.
static bool is_straight(const tn_model *model, const tn_model_joint *joint)
{
    return joint->n_rows > 0 && model->joint_rows[joint->first_row + joint->n_rows - 1].role == TN_ROLE_ACROSS;
}

static bool any_straight(const tn_model *model)
{
    bool any = false;
    for (int j = 0; j < model->n_joints && !any; j++) {
        any = is_straight(model, &model->joints[j]);
    }
    return any;
}

// What the rows of a joint or a gear bear along its coordinate [N]; it pushes the ends of a distance apart.
static double along(const tn_model *model, const tn_model_joint *joint, const double *force)
{
    double sum = 0.0;
    for (int i = joint->first_row; i < joint->first_row + joint->n_rows; i++) {
        tn_joint_role role = model->joint_rows[i].role;
        sum += role == TN_ROLE_ACROSS ? 0.0 : role == TN_ROLE_HIGH ? -force[i] : force[i];
    }
    return sum;
}

// Forces that push the ends of each distance apart: its own, and those of gears that couple its length [N].
static void find_forces(const tn_model *model, const double *force, double *out)
{
    for (int j = 0; j < model->n_joints; j++) {
        const tn_model_joint *joint = &model->joints[j];
        if (joint->kind != TN_JOINT_GEAR) {
            out[j] += is_straight(model, joint) ? along(model, joint, force) : 0.0;
            continue;
        }
        tn_joint_share share[TN_GEAR_MOST];
        int n = tn_joint_shares(model, joint, 0, share);
        for (int i = 0; i < n; i++) {
            out[share[i].joint - model->joints] += share[i].factor * along(model, joint, force);
        }
    }
}

// 1 / mass that the body shows to a force that has the moment `about` [1/kg].
static double mobility(const tn_model *model, const tn_state *state, int body, const double about[3])
{
    const tn_model_body *b = &model->bodies[body];
    if (b->n_blocks == 0) {
        return 0.0;
    }
    if (b->planar) {
        double turn = tn_vec3_dot(about, b->plane_axes + 6);
        return 1.0 / b->mass + turn * turn / b->inertia[0];
    }
    double own[3];
    tn_quat_rotate_inverse(own, state->pose[body].quaternion, about);
    return 1.0 / b->mass + own[0] * own[0] / b->inertia[0] + own[1] * own[1] / b->inertia[1] +
           own[2] * own[2] / b->inertia[2];
}

// The stiffness of joint j times the mobilities of its ends across it goes to those of its bodies.
static void add_ends(const tn_model *model, const tn_state *state, const tn_joint_geometry *at, int j, double stiffness,
                     double *all)
{
    const tn_model_joint *joint = &model->joints[j];
    double a = 0.0, b = 0.0;
    for (int k = 0; k < 2; k++) {
        const tn_joint_motion across = tn_joint_across(joint, state->pose, &at[j], k);
        a = fmax(a, mobility(model, state, joint->body_a, across.about_a));
        b = fmax(b, mobility(model, state, joint->body_b, across.about_b));
    }
    all[joint->body_a] += a * stiffness;
    all[joint->body_b] += b * stiffness;
}

// What pushes the ends apart becomes f/L of what pulls; all (n_bodies): the sums of its products with mobilities.
static bool find_stiffness(const tn_model *model, const tn_state *state, const tn_joint_geometry *at, double *stiffness,
                           double *all)
{
    bool any = false;
    for (int j = 0; j < model->n_joints; j++) {
        double way[3], pull = is_straight(model, &model->joints[j]) ? -stiffness[j] : 0.0;
        stiffness[j] = 0.0;
        if (pull > 0.0) {
            tn_vec3_sub(way, at[j].point_b, at[j].point_a);
            double length = tn_vec3_norm(way);
            stiffness[j] = length > 0.0 ? pull / length : 0.0;
            add_ends(model, state, at, j, stiffness[j], all);
            any = true;
        }
    }
    return any;
}

bool tn_joints_find_taut(const tn_model *model, const tn_state *state, const tn_joint_geometry *at, double h,
                         tn_arena *arena, const double **out)
{
    *out = NULL;
    if (!at || !any_straight(model)) {
        return true;
    }
    double *stiffness = TN_PUSH(arena, double, model->n_joints), *all = TN_PUSH(arena, double, model->n_bodies);
    if (!stiffness || !all) {
        return false;
    }
    find_forces(model, state->joint_force, stiffness);
    if (!find_stiffness(model, state, at, stiffness, all)) {
        return true;
    }
    for (int j = 0; j < model->n_joints; j++) {
        const tn_model_joint *joint = &model->joints[j];
        double sum = stiffness[j] > 0.0 ? h * h * (all[joint->body_a] + all[joint->body_b]) : 0.0;
        stiffness[j] *= sum > 1.0 ? 1.0 - 1.0 / sum : 0.0;
    }
    *out = stiffness;
    return true;
}
