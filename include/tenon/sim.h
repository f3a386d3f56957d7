// Simulation: step a state, ask about the step.
#pragma once

#include "tenon/input.h"
#include "tenon/problem.h"
#include "tenon/state.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) // all else is hidden

typedef struct tn_sim tn_sim; // scratch memory and solver choice of one thread of stepping

typedef struct tn_energy {
    double kinetic, gravity, elastic; // [J]
    double dissipated;                // by contacts and dampers, since the start [J], >= 0 up to rounding
    double injected;                  // by applied forces and kinematic bodies, since the start [J]
    double balance;                   // of the last step: change of the total - injected + dissipated [J]
    double momentum[3];               // linear [kg m/s]
    double angular_momentum[3];       // about the origin [kg m^2/s]
} tn_energy;

// Of a state, without a step; dissipated and injected are what led to it, balance 0. Works with memory of its own.
tn_status tn_state_energy(const tn_state *state, tn_energy *out, tn_error *error);

typedef enum tn_contact_condition {
    TN_CONTACT_OPEN,    // nothing presses: it is near, or parts
    TN_CONTACT_STUCK,   // presses, and friction holds
    TN_CONTACT_SLIDING, // presses, and friction gives all it has (all that presses where there is none)
} tn_contact_condition;

// One contact of the last step.
typedef struct tn_contact_info {
    int body_a, body_b;
    unsigned feature;               // what of the two shapes touches: the same from step to step while that does
    tn_contact_condition condition; // in the step's own problem, decided by force and velocity together
    double point[3], normal[3];     // world; normal from a to b
    double gap;                     // at the step's start [m]
    double force[3];                // on body b, world axes [N]
    double velocity[3]; // of b's point relative to a's: v^ of the step, frame (n, t1, t2) [m/s], without gap term
    // Of an element of a foundation (docs/compliant.md): its edges at the step's start, world axes [m]; it reaches from
    // point by half of each to both sides, patch[0] x patch[1] looks out of the box. Other contacts: zero. Pressure
    // [Pa]: force along normal over |patch[0] x patch[1]| [m^2].
    double patch[2][3];
} tn_contact_info;

typedef enum tn_joint_condition {
    TN_JOINT_FREE,
    TN_JOINT_AT_LOW,    // a limit presses
    TN_JOINT_AT_HIGH,   //
    TN_JOINT_STUCK,     // friction holds
    TN_JOINT_SATURATED, // the motor gives all it has
} tn_joint_condition;

// A joint in the last step.
typedef struct tn_joint_info {
    int body_a, body_b;              // of nodes: their soft body; -1: a gear
    double point[3];                 // on b, where the force acts, world [m]
    double force[3], torque[3];      // on b at that point, world axes, drives included [N], [N m]; gears: zero
    double violation[2];             // of what it locks, after the step: largest [m], largest [rad]; gears: in [0]
    double effort[3];                // force of each coordinate's drive: springs, motors, friction, limits [N, N m]; of
                                     // a gear in [0] on its second coordinate
    double motor[3];                 // of each coordinate what its motor and the step's input (tn_input.effort) give
    tn_joint_condition condition[3]; // of each coordinate
} tn_joint_info;

// What a step misses by far (docs/physics.md, The certificate), the worst of it.
typedef enum tn_miss_kind {
    TN_MISS_NONE,
    TN_MISS_NATURAL,         // relative natural map above 1e-3
    TN_MISS_COMPLEMENTARITY, // above a tenth of the step's velocities [m/s]
    TN_MISS_PENETRATION,     // above 1 mm (the smallest half width if less) and 1 % of that [m]
} tn_miss_kind;
typedef struct tn_step_miss {
    tn_miss_kind kind;
    double value, limit;
    int body_a, body_b; // of the contact that is furthest off
} tn_step_miss;
// In words, as "penetration 0.004 m (limit 0.001), at the contact of bodies 'a' and 'b'", cut off where it does not fit
// into size; "" where there is none. Returns text.
const char *tn_step_miss_text(const tn_step_miss *miss, const tn_model *model, char *text, size_t size);

// Jumps of prescribed motions in the step, of bodies without `teleport` and joints whose motor gives all it takes: what
// they touch or hold sees them pass within the step.
typedef struct tn_step_jump {
    int n;                    // bodies and coordinates that jump
    const char *owner, *name; // of the largest: "body" or "joint", and which; the model's strings
    double distance;          // [m]; turns: [rad]
    bool turns;
    double time; // [s]
} tn_step_jump;

enum { TN_STEP_SOLVES = 256 };

typedef struct tn_step_report {
    long step;   // number of the step just done, from 1
    double time; // at its end [s]
    int n_contacts;
    int rounds; // of collision and solve: more than 1 where the solve threw bodies against others it did not know of
    int solves; // calls of the solver, at most TN_STEP_SOLVES and 3 for each group of sleepers that it wakes
    tn_solve_report solve; // solver, iterations, certificate
    tn_energy energy;      // at its end
    // Wall time of the stages; certify: certificate, penetration and energies.
    double collide_s, discretize_s, solve_s, certify_s, total_s;
    bool tolerances_held; // all demanded figures
    tn_step_miss miss;    // by far, demanded or not
    tn_step_jump jump;
    double joint_yield;     // velocity by which rigid joints give way [m/s, rad/s]
    int joint_yielding;     // the joint of it where that is much, else -1
    bool joints_contradict; // then: because joints contradict one another; else its load is too much for the masses
    int newton_steps;       // scheme implicit: linear problems solved; else 0
    double newton_residual; // scheme implicit: relative residual of the implicit balance; else 0
    int spring_solves;      // solves that the laws of contacts' springs took; 0: no contact has a spring
    double spring_residual; // how far the forces are from these laws, of the largest contact force; else 0
    // Bodies asleep after the step. Energies, contacts and the certificate's figures hold for sleeping bodies too: as
    // they were when these fell asleep.
    int n_asleep;
} tn_step_report;

tn_sim *tn_sim_create(const tn_model *model, tn_error *error);
void tn_sim_destroy(tn_sim *sim);
// From the next step on as the scene's options with n_set overrides "path=value" say, as tn_scene_load takes them:
// solver and its tolerances, scheme, law, gravity, gap_term and whatever else leaves bodies, joints, materials and the
// step as they are. They take the place of earlier ones; n_set 0: as the scene says. The scene is compiled anew for it.
// States stay what they are, other simulations keep their options; what the last step tells of (contacts, joints) is
// gone. TN_BAD_INPUT, and nothing changes: an override is wrong ("--set:1:8", its number and place), or changes more.
tn_status tn_sim_set(tn_sim *sim, int n_set, const char *const *set, tn_error *error);
// Advance state by one step. On failure (TN_NUMERICS) the state is as before the step; error names body or contact.
// input: what acts beside the scene (tenon/input.h); NULL: nothing. TN_BAD_INPUT: the state is of another model, or
// the input has numbers that are not finite or targets of coordinates without a motor.
tn_status tn_sim_step(tn_sim *sim, const tn_input *input, tn_state *state, tn_step_report *report, tn_error *error);
// Hears of steps that deserve a look: one line of text without its end, in English; both valid during the call.
typedef void (*tn_log_function)(void *user, const tn_step_report *report, const char *text);
// From the next step on log is called within tn_sim_step, in its thread, once a line: where a step misses by far what
// it aims at, a prescribed motion jumps, joints give way. The report holds the same as numbers. NULL, as at first:
// nobody. user is passed on; the log must not call sim. TN_BAD_INPUT: sim is NULL.
tn_status tn_sim_set_log(tn_sim *sim, tn_log_function log, void *user, tn_error *error);
// Contacts of the last step; valid until the next one.
int tn_sim_contact_count(const tn_sim *sim);
void tn_sim_contact(const tn_sim *sim, int index, tn_contact_info *out);

// The same of all at once, into arrays of the caller with a row for each contact; what is NULL is left out. Fields as
// in tn_contact_info.
typedef struct tn_contact_results {
    int *bodies;       // (n, 2) a, b
    int *condition;    // (n) tn_contact_condition
    unsigned *feature; // (n)
    double *point;     // (n, 3) [m]
    double *normal;    // (n, 3) from a to b
    double *gap;       // (n) [m]
    double *force;     // (n, 3) on b [N], world axes
    double *velocity;  // (n, 3) of b relative to a along normal and tangents [m/s]
    double *patch;     // (n, 2, 3) [m]
} tn_contact_results;
// At most `most` contacts from `first` on (both at least 0); returns how many were written.
int tn_sim_get_contacts(const tn_sim *sim, int first, int most, const tn_contact_results *out);

// A joint in the last step, valid likewise: state is the state that the step led to.
void tn_sim_joint(const tn_sim *sim, const tn_state *state, int joint, tn_joint_info *out);
// The same of all joints, into arrays of the caller; what is NULL is left out. Fields as in tn_joint_info.
typedef struct tn_joint_results {
    double *point, *force, *torque; // (tn_model_joint_count, 3) [m], [N], [N m], world axes
    double *violation;              // (tn_model_joint_count, 2) [m], [rad]
    double *effort, *motor;         // (tn_model_coordinate_count) [N, N m]
    int *condition;                 // (tn_model_coordinate_count) tn_joint_condition
} tn_joint_results;
void tn_sim_get_joints(const tn_sim *sim, const tn_state *state, const tn_joint_results *out);
// Forces that hold a state at rest, without a step: contacts that touch and joints, against gravity, springs, applied
// forces and the stresses of soft bodies. All velocities, prescribed ones too, count as zero; what gives way (contacts,
// holds, limits, servos) is rigid where it is, or with `elastic` bears what its deformation in the state makes of it.
// Of forces that statics leaves open those of least norm: as equally stiff springs at all contacts and joints share
// them. Where no forces hold the state, the bodies get the accelerations that the law allows.
typedef struct tn_forces_options {
    bool elastic; // default false
} tn_forces_options;

typedef struct tn_forces_report {
    int n_contacts;
    bool equilibrium;      // nothing is left on any body
    int unbalanced_body;   // with the largest part left; -1: there are none
    double unbalanced;     // that part: of all that acts on the body, 0 to 1
    int refinements;       // solves that took the forces from nearly rigid to rigid
    bool held;             // the certificate of the rigid law is below 1e-8
    tn_solve_report solve; // of that law, v an acceleration [m/s^2], h = 1 s
} tn_forces_report;

// What the forces leave on a body, about its center of mass; of a soft body the sum over its nodes.
typedef struct tn_unbalance {
    double force[3], torque[3]; // world axes [N], [N m]
    double part;                // of all that acts on the body, 0 to 1 (above 1e-6: it does not stay at rest)
} tn_unbalance;

// The state is only read. Until the next step tn_sim_contact (velocity: the acceleration), tn_sim_joint and
// tn_sim_problem tell of these forces. options NULL: default.
tn_status tn_sim_forces(tn_sim *sim, const tn_state *state, const tn_forces_options *options, tn_forces_report *report,
                        tn_error *error);
// Of a body that forces can move, after tn_sim_forces; of others zero.
void tn_sim_unbalance(const tn_sim *sim, const tn_state *state, int body, tn_unbalance *out);

// The last step's problem and solution (until the next step), e.g. for tn_stored_problem_copy; without what was asleep.
// Where joints are, v is that of the step's way, on which they hold at its end: their rows, taken along the step, it
// misses by second order in h. In reduced coordinates the problem is that of rates.
const tn_problem *tn_sim_problem(const tn_sim *sim, const tn_solution **solution);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
