#include "model/joint_geometry.h"

#include "math/mat3.h"
#include "math/quat.h"
#include "scene/joint_class.h"
#include "shape/pose.h"

#include <string.h>

static const double TURN = 6.283185307179586;

// Axes of the frames in the world, rows a_0, a_1, a_2 and b_0, b_1, b_2; d = p_b - p_a. Over a way these are means of
// both ends; what turns has another mean, along the turn.
typedef struct frames {
    double a[3][3], b[3][3], d[3];
    double a_turning[3][3], b_turning[3][3];
    double arm_a[3], arm_b[3]; // likewise, from the sides' origins to the joint's
    double origin_a[3];        // p_a
    double origin_b[3];        // p_b
    double relative[4];        // quaternion of R_a^T R_b
    double length;             // |d|; of a way the mean
} frames;

static void find_frames(const tn_model_joint *joint, const tn_pose *pose_a, const tn_pose *pose_b, frames *out)
{
    tn_pose a, b;
    double undo[4], R_a[9], R_b[9];
    tn_pose_join(&a, pose_a, &joint->frame_a);
    tn_pose_join(&b, pose_b, &joint->frame_b);
    tn_quat_to_mat3(R_a, a.quaternion);
    tn_quat_to_mat3(R_b, b.quaternion);
    for (int i = 0; i < 3; i++) {
        tn_vec3_set(out->a[i], R_a[i], R_a[3 + i], R_a[6 + i]);
        tn_vec3_set(out->b[i], R_b[i], R_b[3 + i], R_b[6 + i]);
    }
    memcpy(out->a_turning, out->a, sizeof out->a);
    memcpy(out->b_turning, out->b, sizeof out->b);
    tn_vec3_copy(out->origin_a, a.position);
    tn_vec3_copy(out->origin_b, b.position);
    tn_vec3_sub(out->d, b.position, a.position);
    tn_vec3_sub(out->arm_a, a.position, pose_a->position);
    tn_vec3_sub(out->arm_b, b.position, pose_b->position);
    tn_quat_conjugate(undo, a.quaternion);
    tn_quat_mul(out->relative, undo, b.quaternion);
    out->length = tn_vec3_norm(out->d);
}

static void mean(double x[3], const double end[3])
{
    tn_vec3_add(x, x, end);
    tn_vec3_scale(x, 0.5, x);
}

// x as its turn by phi changes it: by phi x (2/p sin(p/2) x'), p = |phi|, x' where it is half-way. What lies along phi
// counts likewise, so that x keeps its direction in the body.
static void mean_of_turn(const double phi[3], double x[3])
{
    double p = tn_vec3_norm(phi), half[3], turn[4];
    tn_vec3_scale(half, 0.5, phi);
    tn_quat_exp(turn, half);
    tn_quat_rotate(x, turn, x);
    tn_vec3_scale(x, p > 1e-4 ? sin(0.5 * p) / (0.5 * p) : 1.0 - p * p / 24.0, x);
}

// Rotation vector between two poses, world axes.
static void find_turn(const tn_pose *start, const tn_pose *end, double out[3])
{
    double undo[4], turn[4];
    tn_quat_conjugate(undo, start->quaternion);
    tn_quat_mul(turn, end->quaternion, undo);
    tn_quat_log(out, turn);
}

// f becomes that of the way to end.
static void go_to(const frames *end, const double turn_a[3], const double turn_b[3], frames *f)
{
    for (int i = 0; i < 3; i++) {
        mean_of_turn(turn_a, f->a_turning[i]);
        mean_of_turn(turn_b, f->b_turning[i]);
        mean(f->a[i], end->a[i]);
        mean(f->b[i], end->b[i]);
    }
    mean_of_turn(turn_a, f->arm_a);
    mean_of_turn(turn_b, f->arm_b);
    mean(f->d, end->d);
    mean(f->origin_a, end->origin_a);
    mean(f->origin_b, end->origin_b);
    f->length = 0.5 * (f->length + end->length);
}

// The next row of holds or coordinates: a turn about a direction, and its value.
static void put_turn(const double direction[3], double value, tn_joint_motion *motion, double *values, int *n)
{
    motion += *n;
    motion->turn = true;
    tn_vec3_copy(motion->direction, direction);
    tn_vec3_copy(motion->about_a, direction);
    tn_vec3_copy(motion->about_b, direction);
    values[(*n)++] = value;
}

// sign x . y of an axis x of a and an axis y of b, with their means along the turns.
static void put_axes(double sign, const double x[3], const double x_turning[3], const double y[3],
                     const double y_turning[3], tn_joint_geometry *out, int *n)
{
    tn_joint_motion *motion = &out->hold[*n];
    motion->turn = true;
    tn_vec3_cross(motion->direction, y, x);
    tn_vec3_cross(motion->about_a, y, x_turning);
    tn_vec3_cross(motion->about_b, y_turning, x);
    tn_vec3_scale(motion->direction, sign, motion->direction);
    tn_vec3_scale(motion->about_a, sign, motion->about_a);
    tn_vec3_scale(motion->about_b, sign, motion->about_b);
    out->violation[(*n)++] = sign * tn_vec3_dot(x, y);
}

// d . a_axis.
static void put_slide(const frames *f, int axis, tn_joint_motion *motion, double *values, int *n)
{
    double own[3];
    motion += *n;
    motion->turn = false;
    tn_vec3_copy(motion->direction, f->a[axis]);
    tn_vec3_cross(motion->about_b, f->arm_b, f->a[axis]);
    tn_vec3_cross(motion->about_a, f->arm_a, f->a[axis]);
    tn_vec3_cross(own, f->d, f->a_turning[axis]);
    tn_vec3_add(motion->about_a, motion->about_a, own);
    values[(*n)++] = tn_vec3_dot(f->d, f->a[axis]);
}

static void hold_slides(const frames *f, int from, int to, tn_joint_geometry *out, int *n)
{
    for (int i = from; i < to; i++) {
        put_slide(f, i, out->hold, out->violation, n);
    }
}

// b_0 along a_0.
static void hold_axis(const frames *f, tn_joint_geometry *out, int *n)
{
    put_axes(-1.0, f->a[2], f->a_turning[2], f->b[0], f->b_turning[0], out, n);
    put_axes(1.0, f->a[1], f->a_turning[1], f->b[0], f->b_turning[0], out, n);
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

// The angle about a_0 and its rate, exact for any error: with y = a_2 . b_1 and x = a_1 . b_1, atan2(y, x).
static double angle_of(const frames *f, double direction[3])
{
    double of_y[3], of_x[3], y = tn_vec3_dot(f->a[2], f->b[1]), x = tn_vec3_dot(f->a[1], f->b[1]);
    double square = x * x + y * y;
    tn_vec3_cross(of_y, f->b[1], f->a[2]);
    tn_vec3_cross(of_x, f->b[1], f->a[1]);
    tn_vec3_scale(direction, x / square, of_y);
    tn_vec3_madd(direction, direction, -y / square, of_x);
    return atan2(y, x);
}

// The slide along a_0 less lead times the angle about it, to the nearest turn.
static void hold_screw(const frames *f, double lead, tn_joint_geometry *out, int *n)
{
    int row = *n;
    double direction[3], pitch = TURN * lead, angle = angle_of(f, direction);
    put_slide(f, 0, out->hold, out->violation, n);
    tn_vec3_madd(out->hold[row].about_a, out->hold[row].about_a, -lead, direction);
    tn_vec3_madd(out->hold[row].about_b, out->hold[row].about_b, -lead, direction);
    double off = out->violation[row] - lead * angle;
    out->violation[row] = off - pitch * round(off / pitch);
}

// The material of both bodies where the ball touches the plane has the same velocity across a_0: no place to be at, so
// there is no error either.
static void hold_rolling(const frames *f, double radius, tn_joint_geometry *out, int *n)
{
    double arm_a[3], arm_b[3];
    tn_vec3_madd(arm_b, f->arm_b, -radius, f->a[0]);
    tn_vec3_add(arm_a, f->arm_a, f->d);
    tn_vec3_madd(arm_a, arm_a, -radius, f->a[0]);
    for (int i = 1; i < 3; i++) {
        tn_joint_motion *motion = &out->hold[*n];
        motion->turn = false;
        tn_vec3_copy(motion->direction, f->a[i]);
        tn_vec3_cross(motion->about_a, arm_a, f->a[i]);
        tn_vec3_cross(motion->about_b, arm_b, f->a[i]);
        out->violation[(*n)++] = 0.0;
    }
}

// Without springs that turn it back a bushing has dampers of the angular velocity alone, however far it has turned.
static bool only_damps_turns(const tn_model_joint *joint)
{
    const double *K = joint->bushing ? joint->description->bushing->stiffness : NULL;
    return K && K[7 * 3] == 0.0 && K[7 * 4] == 0.0 && K[7 * 5] == 0.0;
}

static void hold_rotation(const tn_model_joint *joint, const frames *f, tn_joint_geometry *out, int *n)
{
    double angle[3], jacobian[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    tn_quat_log(angle, f->relative);
    if (!only_damps_turns(joint)) {
        left_jacobian_inverse(jacobian, angle);
    }
    for (int i = 0; i < 3; i++) {
        double direction[3] = {0.0, 0.0, 0.0};
        for (int k = 0; k < 3; k++) {
            tn_vec3_madd(direction, direction, jacobian[3 * i + k], f->a[k]);
        }
        put_turn(direction, angle[i], out->hold, out->violation, n);
    }
}

// About a_0: where b_1 points.
static void free_turn(const frames *f, tn_joint_geometry *out, int *n)
{
    double angle = atan2(tn_vec3_dot(f->a[2], f->b[1]), tn_vec3_dot(f->a[1], f->b[1]));
    put_turn(f->a[0], angle, out->coordinate, out->value, n);
}

// About b_1: from a_0 to b_0.
static void free_turn2(const frames *f, tn_joint_geometry *out, int *n)
{
    double cross[3];
    tn_vec3_cross(cross, f->a[0], f->b[0]);
    double angle = atan2(tn_vec3_dot(cross, f->b[1]), tn_vec3_dot(f->a[0], f->b[0]));
    put_turn(f->b[1], angle, out->coordinate, out->value, n);
}

// A force along the line between both points; along any direction where they meet.
static void put_straight(const frames *f, tn_joint_motion *motion, double *length)
{
    tn_vec3_copy(motion->direction, f->a[0]);
    if (f->length > 0.0) {
        tn_vec3_scale(motion->direction, 1.0 / f->length, f->d);
    }
    tn_vec3_cross(motion->about_a, f->arm_a, motion->direction);
    *length = f->length;
}

// Round a drum of a: what is up to b's point goes with a.
static void put_round(const tn_drum *drum, const frames *f, tn_joint_motion *motion, double *length)
{
    const double own[3] = {0.0, 0.0, 0.0};
    double to[3], direction[3], arm[3];
    for (int i = 0; i < 3; i++) {
        to[i] = tn_vec3_dot(f->d, f->a[i]);
        motion->direction[i] = 0.0;
    }
    *length = tn_drum_way(drum, own, to, direction);
    for (int i = 0; i < 3; i++) {
        tn_vec3_madd(motion->direction, motion->direction, direction[i], f->a[i]);
    }
    tn_vec3_add(arm, f->arm_a, f->d);
    tn_vec3_cross(motion->about_a, arm, motion->direction);
}

// less: than the length the value is.
static void put_distance(const tn_drum *drum, const frames *f, double less, tn_joint_motion *motion, double *values,
                         int *n)
{
    double length;
    motion += *n;
    motion->turn = false;
    if (drum) {
        put_round(drum, f, motion, &length);
    } else {
        put_straight(f, motion, &length);
    }
    tn_vec3_cross(motion->about_b, f->arm_b, motion->direction);
    values[(*n)++] = length - less;
}

// What the joint holds of d is an error: over a way it counts as none, else it would be an arm that forces act at.
static void drop_held(const tn_joint_class *c, frames *f)
{
    for (int i = c->held_first; i < c->held_end; i++) {
        double part = tn_vec3_dot(f->d, f->a[i]) / tn_vec3_dot(f->a[i], f->a[i]);
        tn_vec3_madd(f->d, f->d, -part, f->a[i]);
    }
}

// Translations first.
static void look_holds(const tn_model_joint *joint, const frames *f, tn_joint_geometry *out)
{
    const tn_joint_class *c = &tn_joint_classes[joint->kind];
    int n = 0;
    hold_slides(f, c->held_first, c->held_end, out, &n);
    if (c->tie == TN_TIE_SCREW) {
        hold_screw(f, joint->length, out, &n);
    } else if (c->tie == TN_TIE_ROLLING) {
        hold_rolling(f, joint->length, out, &n);
    } else if (c->tie == TN_TIE_DISTANCE && joint->n_holds > 0) {
        put_distance(joint->drum, f, joint->length, out->hold, out->violation, &n);
    }
    switch (c->turning) {
    case TN_TURNING_ACROSS:
        put_axes(1.0, f->a[0], f->a_turning[0], f->b[1], f->b_turning[1], out, &n);
        break;
    case TN_TURNING_AXIS:
        hold_axis(f, out, &n);
        break;
    case TN_TURNING_LOCKED:
        hold_rotation(joint, f, out, &n);
        break;
    default:
        break;
    }
}

static void look_free(const tn_model_joint *joint, const frames *f, tn_joint_geometry *out)
{
    const tn_joint_class *c = &tn_joint_classes[joint->kind];
    for (int n = 0; n < c->n_coordinates;) { // each puts one
        if (c->tie == TN_TIE_DISTANCE) {
            put_distance(joint->drum, f, 0.0, out->coordinate, out->value, &n);
        } else if (c->axis[n] == TN_AXIS_TURN) {
            free_turn(f, out, &n);
        } else if (c->axis[n] == TN_AXIS_TURN2) {
            free_turn2(f, out, &n);
        } else {
            put_slide(f, tn_joint_slide_axis(joint->kind, c->axis[n]), out->coordinate, out->value, &n);
        }
    }
}

static void look(const tn_model_joint *joint, const frames *f, bool free_alone, tn_joint_geometry *out)
{
    // Both at b's point: it is a's material there that b slides along.
    bool straight = joint->kind == TN_JOINT_DISTANCE && !joint->drum;
    tn_vec3_copy(out->point_a, straight ? f->origin_a : f->origin_b);
    tn_vec3_copy(out->point_b, f->origin_b);
    look_free(joint, f, out);
    if (!free_alone) {
        look_holds(joint, f, out);
    }
}

void tn_joint_look(const tn_model_joint *joint, const tn_pose *pose_a, const tn_pose *pose_b, tn_joint_geometry *out)
{
    frames f;
    if (joint->kind != TN_JOINT_GEAR) {
        find_frames(joint, pose_a, pose_b, &f);
        look(joint, &f, false, out);
    }
}

// Poses of both sides; frames of sets go to out.
static void find_sides(const tn_model *model, const tn_model_joint *joint, const tn_joint_sides *sides,
                       tn_joint_geometry *out, const tn_pose *pose[2])
{
    for (int side = 0; side < 2; side++) {
        int set = side == 0 ? joint->set_a : joint->set_b;
        tn_set_frame *frame = side == 0 ? &out->set_a : &out->set_b;
        if (set >= 0) {
            tn_set_look(&model->sets[set], sides->x, frame);
        }
        pose[side] = set >= 0 ? &frame->pose : &sides->poses[side == 0 ? joint->body_a : joint->body_b];
    }
}

void tn_joint_look_at(const tn_model *model, const tn_model_joint *joint, const tn_joint_sides *sides,
                      tn_joint_geometry *out)
{
    const tn_pose *pose[2];
    if (joint->kind != TN_JOINT_GEAR && !joint->elastic) { // which has no rows
        find_sides(model, joint, sides, out, pose);
        tn_joint_look(joint, pose[0], pose[1], out);
    }
}

void tn_joint_look_free(const tn_model *model, const tn_model_joint *joint, const tn_joint_sides *sides,
                        tn_joint_geometry *out)
{
    const tn_pose *pose[2];
    frames f;
    find_sides(model, joint, sides, out, pose);
    find_frames(joint, pose[0], pose[1], &f);
    look(joint, &f, true, out);
}

void tn_joint_look_between(const tn_model *model, const tn_model_joint *joint, const tn_joint_sides *start,
                           const tn_joint_sides *end, const tn_joint_sides *middle, tn_joint_geometry *out)
{
    const tn_pose *from[2], *to[2], *half[2];
    tn_joint_geometry at_start, at_end;
    frames f, f_end;
    double turn_a[3], turn_b[3];
    if (joint->kind == TN_JOINT_GEAR) {
        return;
    }
    find_sides(model, joint, start, &at_start, from);
    find_sides(model, joint, end, &at_end, to);
    find_sides(model, joint, middle, out, half);
    find_frames(joint, from[0], from[1], &f);
    find_frames(joint, to[0], to[1], &f_end);
    find_turn(from[0], to[0], turn_a);
    find_turn(from[1], to[1], turn_b);
    go_to(&f_end, turn_a, turn_b, &f);
    if (joint->description->compliance == 0.0 && joint->kind != TN_JOINT_BUSHING) { // else d is its stretch
        drop_held(&tn_joint_classes[joint->kind], &f);
    }
    look(joint, &f, false, out);
}

tn_joint_mix tn_joint_mix_of(const tn_model_joint *joint, int i)
{
    if (!joint->bushing) {
        return (tn_joint_mix){.n = 1, .hold = {i}, .factor = {1.0}};
    }
    tn_joint_mix mix = {.n = 0};
    for (int k = 0; k < TN_PENCIL; k++) {
        if (joint->bushing->t[i][k] != 0.0) {
            mix.hold[mix.n] = k;
            mix.factor[mix.n++] = joint->bushing->t[i][k];
        }
    }
    return mix;
}

bool tn_joint_hold_turns(const tn_model_joint *joint, int i)
{
    return i >= tn_joint_slide_rows(joint->kind);
}

bool tn_joint_hold_rolls(const tn_model_joint *joint, int i)
{
    return joint->kind == TN_JOINT_ROLLING && i > 0;
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

int tn_joint_shares(const tn_model *model, const tn_model_joint *joint, int k, tn_joint_share out[TN_GEAR_MOST])
{
    if (joint->kind != TN_JOINT_GEAR) {
        out[0] = (tn_joint_share){joint, k, 1.0};
        return 1;
    }
    for (int i = 0; i < joint->n_gear; i++) {
        int from = joint->n_gear - 1 - i;
        out[i].joint = tn_joint_of_coordinate(model, joint->gear[from], &out[i].k);
        out[i].factor = joint->description->gear_factor[from];
    }
    return joint->n_gear;
}

void tn_joint_coordinates(const tn_model *model, const tn_model_joint *joint, const tn_joint_sides *sides,
                          const double *expected, double *out)
{
    tn_joint_geometry at;
    if (joint->n_coordinates == 0) {
        return;
    }
    if (joint->kind == TN_JOINT_GEAR) {
        out[0] = tn_gear_difference(joint, out - joint->first_coordinate);
        return;
    }
    tn_joint_look_free(model, joint, sides, &at);
    for (int k = 0; k < joint->n_coordinates; k++) {
        out[k] = tn_joint_continue(joint->axis[k], at.value[k], expected[k]);
    }
}

double tn_joint_start_off(const tn_model_joint *joint)
{
    double off = 0.0;
    for (int i = 0; i < joint->n_holds; i++) {
        off = fmax(off, fabs(joint->off[i]));
    }
    return off;
}

void tn_joints_coordinates(const tn_model *model, const tn_joint_sides *sides, const double *expected, double *out)
{
    for (int i = 0; i < model->n_joints; i++) {
        int first = model->joints[i].first_coordinate;
        tn_joint_coordinates(model, &model->joints[i], sides, expected + first, out + first);
    }
}
