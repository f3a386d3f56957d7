// Receding horizon: the controller of a scene's section `mpc` (docs/scene.md, docs/planning.md). The system about each
// state is planned for, the simulator is the plant.
//
//     tn_mpc *mpc = tn_mpc_create(model, &error);
//     every step of the section: tn_mpc_solve(mpc, state, &error);
//     every step of the scene:   tn_sim_step(sim, tn_mpc_input(mpc, state), state, &report, &error);
#pragma once

#include "tenon/input.h"
#include "tenon/lcs_source.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) // all else is hidden

typedef struct tn_mpc tn_mpc; // one thread at a time

// model stays the caller's and must outlive it. NULL on failure: the scene has no `mpc`, or a name in it is wrong.
tn_mpc *tn_mpc_create(const tn_model *model, tn_error *error);
void tn_mpc_destroy(tn_mpc *mpc); // NULL is fine
// What the section says; arrays and strings are the model's.
typedef struct tn_mpc_info {
    double step;   // of the planner's system, and from one solve to the next [s]
    double budget; // wall time that a solve may take [s]; 0: none
    int n_coordinates, n_inputs;
    const char *const *coordinates, *const *inputs; // their names, as in tenon/lcs_source.h
    const double *goal;                             // (n_coordinates) [m, rad]
} tn_mpc_info;
void tn_mpc_get_info(const tn_mpc *mpc, tn_mpc_info *out);
// Ends solves early, as tn_plan_options.stop does: asked while they plan. NULL: nothing does.
void tn_mpc_set_stop(tn_mpc *mpc, bool (*stop)(void *user), void *user);
// A plan from the state on. TN_OK also where none was found: then what the plan before had for that time is applied.
tn_status tn_mpc_solve(tn_mpc *mpc, const tn_state *state, tn_error *error);
// Inputs of another controller (as many as the section's) instead of a plan's, until the next solve or the next ones.
tn_status tn_mpc_hold(tn_mpc *mpc, const double *u, tn_error *error);
// Of the last solve; its seconds are those of the system too. NULL: there was none.
const tn_plan *tn_mpc_plan(const tn_mpc *mpc);
// What its pairs are (n_c of the plan); NULL: there was no solve.
const tn_lcs_row *tn_mpc_rows(const tn_mpc *mpc);
// Where the last plan has the model's bodies after so many of its steps, 0 to its horizon, into poses (bodies of the
// model, 7: position [m] and quaternion w x y z); what it does not plan is as in the state. TN_BAD_INPUT: there is no
// plan, or no such step.
tn_status tn_mpc_poses(tn_mpc *mpc, const tn_state *state, int step, double *poses, tn_error *error);
// Coordinates, then rates, of a state as the controller sees them, into x (twice as many as coordinates). False: no
// controller, state or x.
bool tn_mpc_state(tn_mpc *mpc, const tn_state *state, double *x);
// What acts in the step from a state on: inputs of the last solve, and the section's random pushes, which are the same
// for the same seed and time. Its memory is the controller's.
const tn_input *tn_mpc_input(tn_mpc *mpc, const tn_state *state);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
