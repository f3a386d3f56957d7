// How the motions of a joint move with the bodies: entries of rows, rates.
#include "model/joint_geometry.h"

#include "math/mat3.h"
#include "math/quat.h"
#include "model/motion.h"

// Where entries go: into a list, or summed with a velocity.
typedef struct sink {
    tn_joint_entries *list; // NULL: summed
    int n_before;           // entries of the other side or motion: only those may be of the same block
    const double *v;        // (3 n_blocks)
    double sum;
} sink;

static void put(sink *to, int block, const double entry[3])
{
    if (!to->list) {
        to->sum += tn_vec3_dot(entry, to->v + 3 * (size_t)block);
        return;
    }
    tn_joint_entries *out = to->list;
    int e = 0;
    while (e < to->n_before && out->block[e] != block) {
        e++;
    }
    if (e == to->n_before) {
        e = out->n++;
        out->block[e] = block;
        tn_vec3_set(out->entry[e], 0.0, 0.0, 0.0);
    }
    tn_vec3_add(out->entry[e], out->entry[e], entry);
}

// A force on the frame of best fit and a torque about its origin, as the nodes' forces (node_set.h).
static void put_set(const tn_model *model, int number, const tn_set_frame *frame, const double force[3],
                    const double torque[3], sink *to)
{
    const tn_model_set *set = &model->sets[number];
    double R[9], turn[3];
    tn_quat_to_mat3(R, frame->pose.quaternion);
    tn_mat3_vec(turn, frame->inverse, torque);
    for (int i = 0; i < set->n; i++) {
        double arm[3], entry[3];
        tn_mat3_vec(arm, R, set->arm + 3 * (size_t)i);
        tn_vec3_cross(entry, turn, arm);
        tn_vec3_add(entry, entry, force);
        tn_vec3_scale(entry, set->weight[i], entry);
        put(to, model->nodes[set->node[i]].block, entry);
    }
}

static void put_body(const tn_model_body *body, const double quaternion[4], bool turn, const double force[3],
                     const double torque[3], sink *to)
{
    double own[3];
    if (body->planar) {
        const double *axes = body->plane_axes;
        tn_vec3_set(own, tn_vec3_dot(axes, force), tn_vec3_dot(axes + 3, force), tn_vec3_dot(axes + 6, torque));
        put(to, body->block, own);
        return;
    }
    if (!turn) {
        put(to, body->block, force);
    }
    tn_quat_rotate_inverse(own, quaternion, torque);
    put(to, body->block + 1, own);
}

// One side's share: a force along the direction at the point, or a torque about it, as its generalized force.
static void put_side(const tn_model *model, const tn_model_joint *joint, bool is_a, const tn_pose *poses,
                     const tn_joint_geometry *geometry, const tn_joint_motion *motion, double factor, sink *to)
{
    int number = is_a ? joint->body_a : joint->body_b, set = is_a ? joint->set_a : joint->set_b;
    const tn_set_frame *frame = is_a ? &geometry->set_a : &geometry->set_b;
    if (set < 0 && model->bodies[number].n_blocks == 0) {
        return;
    }
    double force[3] = {0.0, 0.0, 0.0}, torque[3];
    tn_vec3_scale(torque, factor, is_a ? motion->about_a : motion->about_b);
    if (!motion->turn) {
        tn_vec3_scale(force, factor, motion->direction);
    }
    to->n_before = to->list ? to->list->n : 0;
    if (set < 0) {
        put_body(&model->bodies[number], poses[number].quaternion, motion->turn, force, torque, to);
    } else {
        put_set(model, set, frame, force, torque, to);
    }
}

static void put_sides(const tn_model *model, const tn_model_joint *joint, const tn_pose *poses,
                      const tn_joint_geometry *geometry, const tn_joint_motion *motion, double factor, sink *to)
{
    put_side(model, joint, true, poses, geometry, motion, -factor, to);
    put_side(model, joint, false, poses, geometry, motion, factor, to);
}

int tn_joint_entry_count(const tn_model *model, const tn_model_joint *joint)
{
    int n_a = joint->set_a >= 0 ? model->sets[joint->set_a].n : model->bodies[joint->body_a].n_blocks;
    int n_b = joint->set_b >= 0 ? model->sets[joint->set_b].n : model->bodies[joint->body_b].n_blocks;
    return n_a + n_b;
}

void tn_joint_add_entries(const tn_model *model, const tn_model_joint *joint, const tn_pose *poses,
                          const tn_joint_geometry *geometry, const tn_joint_motion *motion, double factor,
                          tn_joint_entries *out)
{
    sink to = {.list = out};
    put_sides(model, joint, poses, geometry, motion, factor, &to);
}

double tn_joint_rate(const tn_model *model, const tn_model_joint *joint, const tn_pose *poses,
                     const tn_joint_geometry *geometry, const tn_joint_motion *motion, const double *v)
{
    sink to = {.v = v};
    put_sides(model, joint, poses, geometry, motion, 1.0, &to);
    return to.sum;
}

static double prescribed_side(const tn_model *model, int number, const tn_joint_motion *motion, const double about[3],
                              double t, double h)
{
    const tn_model_body *body = &model->bodies[number < model->n_bodies ? number : 0]; // of nodes: as of the world
    if (body->kind != TN_BODY_KINEMATIC) {
        return 0.0;
    }
    double linear[3], angular[3];
    if (h > 0.0) {
        tn_motion_mean_velocity(body, t, h, linear, angular);
    } else {
        tn_motion_velocity(body, t, linear, angular);
    }
    double spin = tn_vec3_dot(about, angular);
    return motion->turn ? spin : spin + tn_vec3_dot(motion->direction, linear);
}

double tn_joint_prescribed(const tn_model *model, const tn_model_joint *joint, const tn_joint_motion *motion, double t,
                           double h)
{
    return prescribed_side(model, joint->body_b, motion, motion->about_b, t, h) -
           prescribed_side(model, joint->body_a, motion, motion->about_a, t, h);
}

void tn_joint_rates(const tn_model *model, const tn_model_joint *joint, const tn_joint_sides *sides, const double *v,
                    double t, double h, double out[TN_JOINT_COORDINATES])
{
    if (joint->n_coordinates == 0) {
        return;
    }
    if (joint->kind == TN_JOINT_GEAR) {
        tn_joint_share share[TN_GEAR_MOST];
        int n = tn_joint_shares(model, joint, 0, share);
        out[0] = 0.0;
        for (int i = 0; i < n; i++) {
            double rate[TN_JOINT_COORDINATES];
            tn_joint_rates(model, share[i].joint, sides, v, t, h, rate);
            out[0] += share[i].factor * rate[share[i].k];
        }
        return;
    }
    tn_joint_geometry at;
    tn_joint_look_free(model, joint, sides, &at);
    for (int k = 0; k < joint->n_coordinates; k++) {
        out[k] = tn_joint_rate(model, joint, sides->poses, &at, &at.coordinate[k], v) +
                 tn_joint_prescribed(model, joint, &at.coordinate[k], t, h);
    }
}

tn_joint_motion tn_joint_across(const tn_model_joint *joint, const tn_pose *poses, const tn_joint_geometry *at, int k)
{
    double frame[9], arm[3];
    tn_joint_motion out = {.turn = false};
    tn_mat3_frame(frame, (joint->n_holds > 0 ? at->hold : at->coordinate)[0].direction);
    tn_vec3_copy(out.direction, frame + 3 * (k + 1));
    tn_vec3_sub(arm, at->point_a, poses[joint->body_a].position);
    tn_vec3_cross(out.about_a, arm, out.direction);
    tn_vec3_sub(arm, at->point_b, poses[joint->body_b].position);
    tn_vec3_cross(out.about_b, arm, out.direction);
    return out;
}
