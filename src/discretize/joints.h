// Joint rows of the step's problem: Jacobians, drift terms, motors, limits, friction, springs.
//
// A row y = G v^ + c + R f with bounds on f (tn_rows); q a coordinate, theta an error of what is locked, w what
// kinematic bodies contribute:
//
//     hold       c = w + s(theta)                       R = 1e-6 h/m any f
//     compliant  c = w + k theta R                      R = 1/(kappa h k + d)
//     bushing    up to six of these, each along a mix of the joint's motions (model/joint_geometry.h)
//     spring     c = w + k (q - rest) R                 R = 1/(kappa h k + d)
//     armature   c = w - u_k (joint_armature.h)         R = h/I
//     motor      c = w + e + (q - target(t + h))/h, or w + e - target(t + h/2)    |f| <= strength
//     servo      c = w + e + (k (q - target(t + kappa h)) - d target') R      R = 1/(kappa h k + d), |f| <= strength
//     friction   c = w + e                              |f| <= friction
//     low        c = w + s(q - low)                     f >= 0
//     high       G negated, c = -w + s(high - q)        f >= 0
//     across     c = w                                  R = 1/(h k), k of taut.h
//     soft limit c = w + k (q - low) R, w + (q - low)/h before it is reached; R = 1/(kappa h k + d), f >= 0
//
// Rigid rows have R = 0; those that depend on one another bear the forces of least norm (solver/direct/joints.c).
// s is the stabilization: full x/h; baumgarte beta x/h; none 0; x less what may be left of an error of the start, which
// goes at the speed push_out. A limit that is not reached has x/h in all modes.
//
// Rows hold at the step's start, where euler takes G. Over the step a value x moves on by h (G v^ + w + e), e its
// curvature. euler, of first order, leaves it out but in motors, servos and friction, which take that of the last step
// (tn_state.joint_bend): what they say of a coordinate then holds over the step, to second order. midpoint takes G
// along the step, from q_k to q_k (+) h v^ (tn_joint_look_between), so that G v^ is the change of what is held over h:
// forces that hold it do no work, springs store what they take, whatever the step (discrete gradients: Gonzalez 1999,
// "Mechanical systems subject to holonomic constraints: differential-algebraic formulations and conservative
// integration"). G then depends on v^: rows are taken at v = 2 v_k - v^_{k-1} first, again at each solution
// (tn_joint_step_renew) until it stays, with
//
//     e = (x(q_k (+) h v) - x(q_k))/h - (G v + w).
//
// Torques act in the bodies' axes half-way, at the step's start and at its end: a thin rod that is pulled along its
// axis is not spun about it.
//
// e is zero then but for what G leaves out: free rotation within the step, free angles. Redundant rows, as those of
// closed loops, remain so: the motion that they allow is one that G v^ = 0 allows. A second solve (impact.h) takes away
// what velocities at the step's end violate there, of third order, which lowers the kinetic energy. Where the rows do
// not settle (links that turn by a radian or so) they are taken as euler's, errors of positions are corrected after the
// step, and the second solve finds all of what holds and limits do from v_k: of first order, and the kinetic energy
// cannot grow by it.
#pragma once

#include "discretize/balance.h"
#include "model/joint_geometry.h"

// The arrays behind tn_rows.
typedef struct tn_joint_arrays {
    int *start, *block, *joint;
    double *jacobian, *offset, *compliance, *lower, *upper;
} tn_joint_arrays;

typedef struct tn_joint_step {
    tn_rows rows;   // for tn_problem; arrays in the arena
    int *source;    // (rows.n) number in model->joint_rows
    double *driven; // (rows.n) w, with its sign [m/s, rad/s]
    double *push;   // (rows.n) of the offset: what takes out passed limits and errors of the start [m/s, rad/s]
    tn_joint_geometry *geometry; // (n_joints) where G is taken
    tn_joint_sides sides;        // in whose axes torques are
    tn_pose *middle;             // (n_bodies) midpoint: those
    tn_joint_arrays arrays;
    int n_far, *far; // (n_far) of model->joint_rows: limits that are no rows (tn_joint_step_build)
} tn_joint_step;

// Of the first solve. Rows that nothing moves along are left out, and but for `all` limits of trees' joints so far away
// that it takes 40 rad/s or m/s to get there within the step: who finds that one is passed completes the rows.
tn_status tn_joint_step_build(const tn_model *model, const tn_state *state, const tn_balance *balance, bool all,
                              tn_arena *arena, tn_joint_step *out, tn_error *error);
// The same with all rows, in the step's arrays.
tn_status tn_joint_step_complete(const tn_model *model, const tn_state *state, const tn_balance *balance,
                                 tn_arena *arena, tn_joint_step *step, tn_error *error);
// What the first solve says to the second one.
typedef struct tn_joint_first {
    const double *force;   // (n_joint_rows) what stays of it, which the bounds allow for
    const bool *closed;    // (n_joint_rows) limits that press
    const tn_input *input; // the step's; or NULL
} tn_joint_first;
// The same rows of midpoint for v (3 n_blocks), in their arrays; v NULL: at the step's start, as euler's.
tn_status tn_joint_step_renew(const tn_model *model, const tn_state *state, const tn_balance *balance, const double *v,
                              tn_arena *arena, tn_joint_step *step, tn_error *error);
// v (3 n_blocks) that midpoint's rows are taken at first.
void tn_joint_step_expect(const tn_model *model, const tn_state *state, double *v);
// What rigid holds ask of velocities at the state's place and time, and nothing else.
tn_status tn_joint_step_start(const tn_model *model, const tn_state *state, tn_arena *arena, tn_joint_step *out,
                              tn_error *error);
// Of midpoint's second solve: sides and coordinates at the step's end.
tn_status tn_joint_step_end(const tn_model *model, const tn_state *state, const tn_joint_sides *sides,
                            const double *coordinates, const tn_joint_first *first, tn_arena *arena, tn_joint_step *out,
                            tn_error *error);
// Of a system at rest, without velocities: c = 0, R = 0. Holds and motors bear what they must, touched limits push,
// friction holds by what `last` (n_joint_rows) presses it; springs and servos have lower = upper, what they bear at the
// state's coordinates. elastic: so have holds, limits and servos that give way, which are rigid otherwise.
tn_status tn_joint_step_rest(const tn_model *model, const tn_state *state, const double *last, bool elastic,
                             tn_arena *arena, tn_joint_step *out, tn_error *error);
// Of a correction of positions, whose velocities count as ways: c = theta, limits where they are passed. What they are
// weighed by is M over the time h. end: when [s].
tn_status tn_joint_step_position(const tn_model *model, const tn_joint_sides *sides, const double *coordinates,
                                 double h, double end, tn_arena *arena, tn_joint_step *out, tn_error *error);
// Its offsets (arrays.offset) elsewhere, the Jacobian untouched. False: there it would not have the same rows.
bool tn_joint_step_errors(const tn_model *model, const tn_joint_sides *sides, const double *coordinates, double h,
                          double end, tn_joint_step *step);
// The same of n holds alone, by their numbers in model->joint_rows, those of a joint one after the other. room
// (n_joints) is overwritten.
void tn_joint_hold_errors(const tn_model *model, const tn_joint_sides *sides, const double *coordinates, double end,
                          int n, const int *number, tn_joint_geometry *room, double *out);

// q_2 - ratio q_1 of a gear, less that at the start.
double tn_joint_gear_error(const tn_model_joint *joint, const double *coordinates);
// Free nodes moved from x along v (3 n_blocks) for a time [s], into out (3 n_nodes); nothing where joints hold none.
void tn_joint_move_nodes(const tn_model *model, const double *x, const double *v, double time, double *out);
// By how much rigid holds and motors of endless strength miss their velocity: by what the solver leaves, but where rows
// contradict one another. Without rows all zero.
typedef struct tn_joint_yield {
    double speed; // the largest [m/s, rad/s]
    int joint;    // whose; -1: none
} tn_joint_yield;
tn_joint_yield tn_joint_step_yield(const tn_model *model, const tn_joint_step *step, const double *v);
// What all rows' forces f (rows.n) leave on the bodies, as part of their sum: of rows that contradict one another they
// grow without end, and cancel. room (3 n_blocks) is overwritten.
double tn_joint_step_net(const tn_model *model, const tn_joint_step *step, const double *f, double *room);
// Largest error of what the rigid holds of joint i lock, by where bodies are [m, rad].
double tn_joint_off(const tn_model *model, int i, const tn_joint_sides *sides, const double *coordinates);
// Largest error of what rigid holds lock, and of limits [m, rad]: of joint i, and of all of them.
double tn_joint_drift(const tn_model *model, int i, const tn_joint_sides *sides, const double *coordinates);
double tn_joints_drift(const tn_model *model, const tn_joint_sides *sides, const double *coordinates);
// Of springs, and of holds and limits that give way, at these positions [J].
double tn_joints_energy(const tn_model *model, const tn_joint_sides *sides, const double *coordinates);
