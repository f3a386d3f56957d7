#include "model/joint_geometry.h"

#include "math/mat3.h"
#include "math/quat.h"
#include "model/pose.h"

#include <string.h>

static const double TURN = 6.283185307179586;

// Axes of the frames in the world, rows a_0, a_1, a_2 and b_0, b_1, b_2; d = p_b - p_a.
typedef struct frames {
    double a[3][3], b[3][3], d[3];
    double relative[4]; // quaternion of R_a^T R_b
} frames;

static void find_frames(const tn_model_joint *joint, const tn_pose *pose_a, const tn_pose *pose_b, frames *out,
                        tn_joint_geometry *geometry)
{
    static const double unit[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    tn_pose a, b;
    double undo[4];
    tn_pose_join(&a, pose_a, &joint->frame_a);
    tn_pose_join(&b, pose_b, &joint->frame_b);
    for (int i = 0; i < 3; i++) {
        tn_quat_rotate(out->a[i], a.quaternion, unit[i]);
        tn_quat_rotate(out->b[i], b.quaternion, unit[i]);
    }
    tn_vec3_sub(out->d, b.position, a.position);
    tn_quat_conjugate(undo, a.quaternion);
    tn_quat_mul(out->relative, undo, b.quaternion);
    // Both at b's point: it is a's material there that b slides along.
    tn_vec3_copy(geometry->point_a, joint->kind == TN_JOINT_DISTANCE ? a.position : b.position);
    tn_vec3_copy(geometry->point_b, b.position);
}

// The next row of holds or coordinates, value and motion.
static void put(bool turn, const double direction[3], double value, tn_joint_motion *motion, double *values, int *n)
{
    motion[*n].turn = turn;
    tn_vec3_copy(motion[*n].direction, direction);
    values[(*n)++] = value;
}

static void hold_slide(const frames *f, int axis, tn_joint_geometry *out, int *n)
{
    put(false, f->a[axis], tn_vec3_dot(f->d, f->a[axis]), out->hold, out->violation, n);
}

static void hold_slides(const frames *f, int from, int to, tn_joint_geometry *out, int *n)
{
    for (int i = from; i < to; i++) {
        hold_slide(f, i, out, n);
    }
}

// b_0 along a_0.
static void hold_axis(const frames *f, tn_joint_geometry *out, int *n)
{
    double direction[3];
    tn_vec3_cross(direction, f->a[2], f->b[0]);
    put(true, direction, -tn_vec3_dot(f->a[2], f->b[0]), out->hold, out->violation, n);
    tn_vec3_cross(direction, f->b[0], f->a[1]);
    put(true, direction, tn_vec3_dot(f->a[1], f->b[0]), out->hold, out->violation, n);
}

// Inverse of the left Jacobian of the exponential: 1 - [x]/2 + c [x]^2, c = 1/p^2 - (1 + cos p)/(2 p sin p), p = |x|
// (series below 1e-3, error p^4/30240).
static void left_jacobian_inverse(double out[9], const double x[3])
{
    double square = tn_vec3_dot(x, x), p = sqrt(square), skew[9], skew2[9];
    double c = 1.0 / 12.0 + square / 720.0;
    if (p > 1e-3) {
        c = 1.0 / square - (1.0 + cos(p)) / (2.0 * p * sin(p));
    }
    tn_mat3_skew(skew, x);
    tn_mat3_mul(skew2, skew, skew);
    tn_mat3_identity(out);
    for (int i = 0; i < 9; i++) {
        out[i] += c * skew2[i] - 0.5 * skew[i];
    }
}

static void hold_rotation(const frames *f, tn_joint_geometry *out, int *n)
{
    double angle[3], jacobian[9];
    tn_quat_log(angle, f->relative);
    left_jacobian_inverse(jacobian, angle);
    for (int i = 0; i < 3; i++) {
        double direction[3] = {0.0, 0.0, 0.0};
        for (int k = 0; k < 3; k++) {
            tn_vec3_madd(direction, direction, jacobian[3 * i + k], f->a[k]);
        }
        put(true, direction, angle[i], out->hold, out->violation, n);
    }
}

static void free_slide(const frames *f, int axis, tn_joint_geometry *out, int *n)
{
    put(false, f->a[axis], tn_vec3_dot(f->d, f->a[axis]), out->coordinate, out->value, n);
}

// About a_0: where b_1 points.
static void free_turn(const frames *f, tn_joint_geometry *out, int *n)
{
    double angle = atan2(tn_vec3_dot(f->a[2], f->b[1]), tn_vec3_dot(f->a[1], f->b[1]));
    put(true, f->a[0], angle, out->coordinate, out->value, n);
}

// About b_1: from a_0 to b_0.
static void free_turn2(const frames *f, tn_joint_geometry *out, int *n)
{
    double cross[3];
    tn_vec3_cross(cross, f->a[0], f->b[0]);
    double angle = atan2(tn_vec3_dot(cross, f->b[1]), tn_vec3_dot(f->a[0], f->b[0]));
    put(true, f->b[1], angle, out->coordinate, out->value, n);
}

static void look_universal(const frames *f, tn_joint_geometry *out, int *n_holds, int *n_free)
{
    double direction[3];
    hold_slides(f, 0, 3, out, n_holds);
    tn_vec3_cross(direction, f->b[1], f->a[0]);
    put(true, direction, tn_vec3_dot(f->a[0], f->b[1]), out->hold, out->violation, n_holds);
    free_turn(f, out, n_free);
    free_turn2(f, out, n_free);
}

static void look_distance(const tn_model_joint *joint, const frames *f, tn_joint_geometry *out, int *n_holds,
                          int *n_free)
{
    double along[3], length = tn_vec3_norm(f->d);
    tn_vec3_copy(along, f->a[0]); // any direction where there is none
    if (length > 0.0) {
        tn_vec3_scale(along, 1.0 / length, f->d);
    }
    if (joint->n_holds > 0) {
        put(false, along, length - joint->length, out->hold, out->violation, n_holds);
    }
    put(false, along, length, out->coordinate, out->value, n_free);
}

void tn_joint_look(const tn_model_joint *joint, const tn_pose *pose_a, const tn_pose *pose_b, tn_joint_geometry *out)
{
    frames f = {.d = {0.0}};
    int h = 0, c = 0;
    if (joint->kind == TN_JOINT_GEAR) {
        return;
    }
    find_frames(joint, pose_a, pose_b, &f, out);
    switch (joint->kind) {
    case TN_JOINT_REVOLUTE:
        hold_slides(&f, 0, 3, out, &h);
        hold_axis(&f, out, &h);
        free_turn(&f, out, &c);
        break;
    case TN_JOINT_PRISMATIC:
        hold_slides(&f, 1, 3, out, &h);
        hold_rotation(&f, out, &h);
        free_slide(&f, 0, out, &c);
        break;
    case TN_JOINT_CYLINDRICAL:
        hold_slides(&f, 1, 3, out, &h);
        hold_axis(&f, out, &h);
        free_slide(&f, 0, out, &c);
        free_turn(&f, out, &c);
        break;
    case TN_JOINT_SPHERICAL:
        hold_slides(&f, 0, 3, out, &h);
        break;
    case TN_JOINT_UNIVERSAL:
        look_universal(&f, out, &h, &c);
        break;
    case TN_JOINT_WELD:
        hold_slides(&f, 0, 3, out, &h);
        hold_rotation(&f, out, &h);
        break;
    case TN_JOINT_PLANAR:
        hold_slide(&f, 0, out, &h);
        hold_axis(&f, out, &h);
        free_slide(&f, 1, out, &c);
        free_slide(&f, 2, out, &c);
        free_turn(&f, out, &c);
        break;
    case TN_JOINT_POINT_ON_LINE:
        hold_slides(&f, 1, 3, out, &h);
        free_slide(&f, 0, out, &c);
        break;
    case TN_JOINT_POINT_ON_PLANE:
        hold_slide(&f, 0, out, &h);
        free_slide(&f, 1, out, &c);
        free_slide(&f, 2, out, &c);
        break;
    case TN_JOINT_DISTANCE:
        look_distance(joint, &f, out, &h, &c);
        break;
    default:
        break;
    }
}

void tn_joint_look_at(const tn_model *model, const tn_model_joint *joint, const tn_joint_sides *sides,
                      tn_joint_geometry *out)
{
    if (joint->kind == TN_JOINT_GEAR) {
        return;
    }
    for (int side = 0; side < 2; side++) {
        int set = side == 0 ? joint->set_a : joint->set_b;
        if (set >= 0) {
            tn_set_look(&model->sets[set], sides->x, side == 0 ? &out->set_a : &out->set_b);
        }
    }
    tn_joint_look(joint, joint->set_a >= 0 ? &out->set_a.pose : &sides->poses[joint->body_a],
                  joint->set_b >= 0 ? &out->set_b.pose : &sides->poses[joint->body_b], out);
}

bool tn_joint_hold_turns(const tn_model_joint *joint, int i)
{
    static const int n_slides[TN_JOINT_KINDS] = {
        [TN_JOINT_REVOLUTE] = 3,  [TN_JOINT_PRISMATIC] = 2,     [TN_JOINT_CYLINDRICAL] = 2,
        [TN_JOINT_SPHERICAL] = 3, [TN_JOINT_UNIVERSAL] = 3,     [TN_JOINT_WELD] = 3,
        [TN_JOINT_PLANAR] = 1,    [TN_JOINT_POINT_ON_LINE] = 2, [TN_JOINT_POINT_ON_PLANE] = 1,
        [TN_JOINT_DISTANCE] = 1,  [TN_JOINT_GEAR] = 1,
    };
    return i >= n_slides[joint->kind];
}

const tn_model_joint *tn_joint_of_coordinate(const tn_model *model, int coordinate, int *index)
{
    // The last joint that starts at or before it; those without coordinates start where the next one does.
    int low = 0, high = model->n_joints - 1;
    while (low < high) {
        int middle = (low + high + 1) / 2;
        if (model->joints[middle].first_coordinate <= coordinate) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    *index = coordinate - model->joints[low].first_coordinate;
    return &model->joints[low];
}

double tn_joint_continue(tn_joint_axis axis, double value, double expected)
{
    bool angle = axis == TN_AXIS_TURN || axis == TN_AXIS_TURN2;
    return angle ? value + TURN * round((expected - value) / TURN) : value;
}
