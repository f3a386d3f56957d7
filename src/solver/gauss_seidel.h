// Block Gauss-Seidel over contacts: each contact solved exactly for its own force, the others held.
//
// With a dense N the contacts' velocities are kept up to date; with a block-sparse N (or W) rows are summed. Where A
// falls into small components packed.h is much faster and N is never formed.
#pragma once

#include "problem/delassus.h"
#include "solver/check.h"

typedef struct tn_gauss_seidel {
    const tn_problem *problem;
    tn_delassus delassus;
    const double *own; // (n, 9) own block of each contact with Omega [s/kg]
    const double *q;   // (n, 3) free contact velocities [m/s]
    double *running;   // (n, 3) dense: N lambda + q of the current forces, without Omega [m/s]
    double *lambda;    // (n, 3) current forces [N]
    double *u;         // (n, 3) contact velocities of the last tn_gauss_seidel_velocity [m/s]
} tn_gauss_seidel;

// Kind that suits sweeps: components (packed.h), dense where A couples more, explicit in local form.
tn_delassus_kind tn_gauss_seidel_choose(const tn_problem *problem, tn_arena *arena);
// Kind dense, columns or explicit. lambda starts at the given forces (n, 3). Free with destroy (also after a failure).
tn_status tn_gauss_seidel_create(tn_gauss_seidel *gs, const tn_problem *problem, tn_delassus_kind kind,
                                 const double *lambda, tn_arena *arena, tn_error *error);
void tn_gauss_seidel_destroy(tn_gauss_seidel *gs);

void tn_gauss_seidel_set(tn_gauss_seidel *gs, const double *lambda); // new forces
void tn_gauss_seidel_velocity(tn_gauss_seidel *gs);                  // u = N lambda + q (+ Omega lambda)

// Sweeps with Anderson acceleration of blocks of sweeps, from gs->lambda.
typedef struct tn_gauss_seidel_run {
    int max_sweeps;
    bool plain;       // no acceleration
    int stall_sweeps; // give up after so many sweeps without improving by a factor 0.7; 0: never
    // By components only: at the start (0 sweeps; the answer does not count) and after every few sweeps whether to
    // stop, given their number and the natural figure. NULL: never.
    bool (*ask)(void *context, int sweeps, double natural);
    void *context;
    double enough;    // natural figure that will soon do; 0: there is none
    int joint_sweeps; // after so many sweeps the figure of joint rows is below `joint`, or the run ends
    double joint;     // 0: never
    bool apart;       // it has ended so (out)
    bool unsettled;   // sweeps over joints alone at its end do not hold them to their tolerance (out)
    int sweeps;       // done (out)
    double score;     // of tn_check_score for the best iterate, which gs->lambda and u hold at the end (out)
} tn_gauss_seidel_run;

// Stops at score <= 1. TN_NO_MEMORY only.
tn_status tn_gauss_seidel_solve(tn_gauss_seidel *gs, const tn_check *check, tn_gauss_seidel_run *run, tn_arena *arena);

// Forces, velocities and counts of a run to the caller.
tn_status tn_gauss_seidel_finish(tn_gauss_seidel *gs, const tn_gauss_seidel_run *run, tn_solution *solution,
                                 tn_solve_report *report, tn_arena *arena, tn_error *error);
