#include "solver/ipm/interior_run.h"

#include <math.h>

// Gap over the shift's residual (relative to the start): forces and velocities that are at their cones' boundary
// already cannot follow a shift any more.
static const double BEHIND = 0.001;
enum { STALL_STEPS = 30, SHORT_STEPS = 3 };
static const double SHORT = 1e-3;   // a step this short gets nowhere
static const double PROGRESS = 0.7; // of the score within STALL_STEPS
static const double LEAST = 1e-15;  // gap below which only rounding is left
static const double FOLLOW = 1e-1;  // gap from which the shift follows

tn_status tn_interior_follow(tn_interior *in, tn_shift *shift, tn_interior_run *run, tn_error *error)
{
    bool strict = shift->problem->law == TN_LAW_COULOMB && shift->problem->rows->n_triples > 0;
    double milestone = HUGE_VAL;
    int pairs = in->n + in->joints.n_pairs;
    int n_short = 0, stalled = 0;
    while (run->steps < run->max_steps && n_short < SHORT_STEPS && stalled < STALL_STEPS) {
        tn_status status = tn_interior_step(in, run->shifted ? NULL : shift->value, error);
        ++run->steps;
        if (status != TN_OK) {
            return status == TN_NUMERICS ? TN_OK : status; // the factor broke down: what is reached stands
        }
        const double *u = NULL;
        double score = run->judge(run->user, &u);
        run->converged = score <= 1.0;
        if (run->converged || !(score < HUGE_VAL) || (pairs > 0 && in->gap < LEAST)) {
            break;
        }
        if (strict && in->gap < FOLLOW) {
            in->least_gap = BEHIND * tn_shift_residual(shift, u) / (in->start_y * sqrt((double)in->n));
            if (!tn_shift_update(shift, u)) {
                break;
            }
            if (run->shifted) {
                run->shifted(run->user);
            }
        }
        n_short = in->reach < SHORT ? n_short + 1 : 0;
        stalled = score < PROGRESS * milestone ? 0 : stalled + 1;
        milestone = fmin(milestone, score);
    }
    return TN_OK;
}
