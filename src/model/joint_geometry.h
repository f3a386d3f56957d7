// Geometry of a joint: what it locks, by how much that is violated, its free coordinates, and how all of these move
// with the bodies.
//
// With a_0, a_1, a_2 the axes of the joint's frame on body a, b_0, b_1, b_2 those on b (world axes), p_a and p_b the
// frames' origins, d = p_b - p_a and w = omega_b - omega_a:
//
//     slide along a_i     d . a_i            rate a_i . (velocity at p_b of b - of a's material there)
//     b_0 along a_0       -a_2 . b_0, a_1 . b_0   rates (b_0 x -a_2) . w, (b_0 x a_1) . w
//     universal           a_0 . b_1          rate (b_1 x a_0) . w
//     no rotation         theta = log(R_a^T R_b)  rate J_l(theta)^-1 R_a^T w, J_l the left Jacobian of the exponential
//     screw               d . a_0 - lead angle(b_1 about a_0), to the nearest turn
//     rolling             none               rates a_1 . u, a_2 . u, u the velocity of b's material at p_b - radius a_0
//     less
//                                            that of a's
//     distance            |d| - length       rate d/|d| . (velocity of b at p_b - of a at p_a)
//
// These rates are exact everywhere. Those of the free angles (turn about a_0, turn2 about b_1) are exact where the
// joint is not violated.
#pragma once

#include "model/node_set.h"

enum { TN_JOINT_HOLDS = 6 };

// Where the bodies that joints hold are.
typedef struct tn_joint_sides {
    const tn_pose *poses; // (n_bodies) of principal frames
    const double *x;      // (3 n_nodes) nodes; only those of the model's sets are read
} tn_joint_sides;

// A scalar velocity between two bodies: along a direction, or about it. With v and w the velocities of the sides'
// origins (a body's center of mass, a set's center) and their angular velocities it is
//     direction . (v_b - v_a) + about_b . w_b - about_a . w_a,     of a turn without the first term.
typedef struct tn_joint_motion {
    bool turn;
    double direction[3];           // world axes; about 1 long
    double about_a[3], about_b[3]; // of a turn the direction, else [m]
} tn_joint_motion;

typedef struct tn_joint_geometry {
    double point_a[3], point_b[3]; // where forces on a and on b act, world [m]
    tn_joint_motion hold[TN_JOINT_HOLDS];
    double violation[TN_JOINT_HOLDS]; // [m, rad]
    tn_joint_motion coordinate[TN_JOINT_COORDINATES];
    double value[TN_JOINT_COORDINATES]; // [m, rad]; angles within half a turn
    tn_set_frame set_a, set_b;          // where a side is a set of nodes
} tn_joint_geometry;

// Of a joint between bodies with these poses of their principal frames (no gear: nothing is written).
void tn_joint_look(const tn_model_joint *joint, const tn_pose *pose_a, const tn_pose *pose_b, tn_joint_geometry *out);
// The same, and the frames of sets.
void tn_joint_look_at(const tn_model *model, const tn_model_joint *joint, const tn_joint_sides *sides,
                      tn_joint_geometry *out);

// Their coordinates alone, of a joint that has some of its own.
void tn_joint_look_free(const tn_model *model, const tn_model_joint *joint, const tn_joint_sides *sides,
                        tn_joint_geometry *out);

// The motions over a way from one place to another (start and end as sides): slides, axes and distances change by
// exactly direction . (way of b - way of a) + about_b . turn_b - about_a . turn_a, with the ways of the sides' origins
// and the rotation vectors of their turns (less than half a turn). Products are means of one factor times the change of
// the other; what turns by phi changes by phi x (its mean along the turn). A force along such motions does no work
// where what it holds is the same at both ends. Sets bear it where they are in the middle. The other motions (a whole
// orientation, free angles) are those of the middle.
void tn_joint_look_between(const tn_model *model, const tn_model_joint *joint, const tn_joint_sides *start,
                           const tn_joint_sides *end, const tn_joint_sides *middle, tn_joint_geometry *out);

// What row i of its holds is the rate of: motions (holds of the geometry) with factors, of a bushing several.
typedef struct tn_joint_mix {
    int n, hold[TN_JOINT_HOLDS];
    double factor[TN_JOINT_HOLDS];
} tn_joint_mix;
tn_joint_mix tn_joint_mix_of(const tn_model_joint *joint, int i);

// Whether hold i of the joint locks a rotation; of a bushing: whether motion i is one.
bool tn_joint_hold_turns(const tn_model_joint *joint, int i);

// Whether it holds a velocity that is the rate of no error (nonholonomic): its violation is 0 wherever the bodies are.
bool tn_joint_hold_rolls(const tn_model_joint *joint, int i);

// Of a straight distance between bodies: their motion across it, k 0 or 1. poses: of the principal frames.
tn_joint_motion tn_joint_across(const tn_model_joint *joint, const tn_pose *poses, const tn_joint_geometry *at, int k);

// The joint of a coordinate in the model's numbering, and which of its own it is.
const tn_model_joint *tn_joint_of_coordinate(const tn_model *model, int coordinate, int *index);

// What a coordinate's rate is made of: itself, or of a gear, held or driven, those that it couples, the last one first.
typedef struct tn_joint_share {
    const tn_model_joint *joint;
    int k; // which of its coordinates
    double factor;
} tn_joint_share;
int tn_joint_shares(const tn_model *model, const tn_model_joint *joint, int k, tn_joint_share out[TN_GEAR_MOST]);

// Of a gear the last coordinate that it couples less ratio times each other one.
static inline double tn_gear_difference(const tn_model_joint *joint, const double *coordinates)
{
    double sum = 0.0;
    for (int i = joint->n_gear - 1; i >= 0; i--) {
        sum += joint->description->gear_factor[i] * coordinates[joint->gear[i]];
    }
    return sum;
}

// The angle or length `value` as a continuation of `expected`: the nearest with the same angle.
double tn_joint_continue(tn_joint_axis axis, double value, double expected);

// Coordinates of a joint at sides, continuing `expected`; may alias it. Those of a gear are found from what it couples,
// which stands before them in the array (n_joint_coordinates) that out is part of.
void tn_joint_coordinates(const tn_model *model, const tn_model_joint *joint, const tn_joint_sides *sides,
                          const double *expected, double *out);
// Largest error of what the joint holds at the scene's start [m, rad].
double tn_joint_start_off(const tn_model_joint *joint);

// Coordinates of all joints (n_joint_coordinates) at sides, continuing `expected`; may alias it.
void tn_joints_coordinates(const tn_model *model, const tn_joint_sides *sides, const double *expected, double *out);

// Entries of a scalar row, one a block: row . v = sum_e entry_e . v_block(e). The caller's memory, room for
// tn_joint_entry_count of each joint whose motions are added.
typedef struct tn_joint_entries {
    int n;
    int *block;
    double (*entry)[3];
} tn_joint_entries;

// Most entries of a motion of the joint (no gear).
int tn_joint_entry_count(const tn_model *model, const tn_model_joint *joint);

// factor times the motion's Jacobian, added to those that are there. poses (n_bodies): in whose principal axes torques
// on rigid bodies are.
void tn_joint_add_entries(const tn_model *model, const tn_model_joint *joint, const tn_pose *poses,
                          const tn_joint_geometry *geometry, const tn_joint_motion *motion, double factor,
                          tn_joint_entries *out);
// The motion's velocity at v (3 n_blocks), without what kinematic bodies contribute.
double tn_joint_rate(const tn_model *model, const tn_model_joint *joint, const tn_pose *poses,
                     const tn_joint_geometry *geometry, const tn_joint_motion *motion, const double *v);

// What the joint's kinematic bodies contribute to the motion's velocity: mean over [t, t + h], h = 0: at t.
double tn_joint_prescribed(const tn_model *model, const tn_model_joint *joint, const tn_joint_motion *motion, double t,
                           double h);
// Rates of all coordinates of a joint at sides and v (3 n_blocks), with what kinematic bodies contribute.
void tn_joint_rates(const tn_model *model, const tn_model_joint *joint, const tn_joint_sides *sides, const double *v,
                    double t, double h, double out[TN_JOINT_COORDINATES]);
