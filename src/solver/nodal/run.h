// A running solve of nodal: its point, its reference, and what was seen on the way.
#pragma once

#include "kernels/mixer/mixer.h"
#include "solver/check.h"
#include "solver/nodal/check.h"
#include "solver/nodal/cycle.h"
#include "solver/nodal/nodal.h"
#include "solver/nodal/system.h"

enum { TN_NODAL_SPAN = 6 }; // steps over which the rate of the sweeps is measured

// A running solve. x holds the packed velocities, then the general forces times their scale [m/s], all relative to the
// system's reference: what rounds is as small as the change since that was set. Only there are figures exact, so every
// point that is kept or ends the solve is one.
typedef struct tn_nodal_run {
    tn_nodal_system *system;
    tn_tolerance tolerance;
    tn_nodal_options options;
    tn_arena *arena;
    tn_solution *solution; // the best point so far
    tn_nodal_check check;
    tn_mixer mixer;
    tn_nodal_cycle cycle;
    bool made;                     // cycle is valid
    bool coarse;                   // cycle is in use
    int n_v;                       // packed velocities
    int n;                         // numbers of x, a multiple of 16
    float *x, *g;                  // (n) start and end of a step
    float *r;                      // (n_v) A g - f
    double *lambda;                // (general, 3) forces of the step [N]
    double lengths[TN_NODAL_SPAN]; // |f| of the last steps
    double looked_length;          // |f| of the step that was looked at last, and its merit
    double looked_merit;
    double v;       // |v| of the reference [m/s]
    double v_floor; // size of v below which a relative error means nothing [m/s]

    int reference_at; // step that set the reference
    double farthest;  // largest |f| since
    bool unbalanced;  // the system's balance is not yet that of the reference

    bool kept;         // solution holds a step's end, and no start any more
    double best_merit; // of that, and until then of the first step
    int stuck;         // steps since the smallest |f| with the coarse level
    double least;      // that |f|
    int failures;      // times that it had to start anew
    int rest_until;    // step until which sweeps alone go on

    int passes_at; // step since which so many passes over the contacts are made

    double third; // of the figures when they last had fallen by so much, or of |f| where none are demanded
    int third_at; // step of that
} tn_nodal_run;

// The reference at the start; x and g there.
void tn_nodal_run_restart(tn_nodal_run *it);
// At the solution, which is the start. TN_NO_MEMORY only.
tn_status tn_nodal_run_create(tn_nodal_system *system, const tn_solve_options *options, const tn_nodal_options *nodal,
                              tn_solution *solution, tn_arena *arena, tn_nodal_run *it, tn_error *error);
// Forces of the step from g = x.
void tn_nodal_run_begin(tn_nodal_run *it);
// The step's forces into g.
void tn_nodal_run_store_forces(tn_nodal_run *it);
// The reference moves to the end of the step, and x with it; the mixer does not notice. Its balance is left for later.
void tn_nodal_run_move_reference(tn_nodal_run *it, int l);
// The balance of a reference that moved, and r with it. Returns the exact |balance|.
double tn_nodal_run_balance(tn_nodal_run *it);
// The step's end, with this merit, to the solution if it is the best.
void tn_nodal_run_keep(tn_nodal_run *it, double merit);
