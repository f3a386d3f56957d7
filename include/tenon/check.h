// Whether a state is one that a run can begin with: what overlaps, where joints are off, velocities that they do not
// allow, rows of joints that depend on others. What `tenon check` says of a scene. Any thread; each function works with
// memory of its own and reads the state only, but for the one that writes it. TN_BAD_INPUT: no state, or no place for
// the answer; TN_NO_MEMORY.
#pragma once

#include "tenon/state.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) // all else is hidden

// Places that shapes and joints are in and should not be.
typedef struct tn_overlaps {
    int n_contacts;     // that a step from here would have, all within the margin
    int n_pairs;        // pairs of shapes that overlap by more than rounding
    double deepest;     // largest overlap, of what does not give way; 0: none [m]
    int body_a, body_b; // of it
    bool matters;       // it is more than rounding
    double speed;       // by which it is taken out at most [m/s]
    double joint_off;   // largest error of what a rigid joint holds [m, rad]
    int joint;          // whose; -1: none
    bool joint_matters; // it is more than rounding
} tn_overlaps;
tn_status tn_state_overlaps(const tn_state *state, tn_overlaps *out, tn_error *error);

// Rows by which joints hold bodies. Degrees of freedom that they leave: tn_model_dof - n_rows + n_dependent.
typedef struct tn_joint_census {
    int n_rows;           // of holds and motors of endless strength that bodies answer to
    int n_dependent;      // of them, that follow from the others in this state: their forces are shared evenly
    int n_uncounted;      // rows in groups of joined bodies too large to look; they count as independent
    double contradiction; // largest velocity that is left of what they ask for, by least squares [m/s, rad/s]
    int joint;            // whose row that is
} tn_joint_census;
tn_status tn_state_joint_census(const tn_state *state, tn_joint_census *out, tn_error *error);

// Velocities across what rigid joints hold.
typedef struct tn_velocity_mismatch {
    double mismatch; // the largest [m/s, rad/s]
    int joint;       // whose; -1: none
    double kinetic;  // energy of the velocities as they are [J]
    double change;   // 1/2 dv M dv of what takes them to the nearest that joints allow [J]
    double allowed;  // kinetic energy of these [J]
    bool matters;    // more than a thousandth of the kinetic energy is at stake
} tn_velocity_mismatch;
// Nearest by the mass. Limits, motors and contacts do not count: what they stop is an impact.
tn_status tn_state_velocity_mismatch(const tn_state *state, tn_velocity_mismatch *out, tn_error *error);
// Takes those velocities, in a state at the start of its run whose scene says `initial: {velocities: project}`; others
// stay as they are. The first step of such a state does so itself.
tn_status tn_state_project_velocities(tn_state *state, tn_error *error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
