#include "solver/ipm/interior_path.h"

#include <math.h>

static const double COUPLED = 0.1;       // gap from which the shift is an unknown; before it is 0
static const double LEAST_GAP = 1e-17;   // below there is only rounding
static const double PER_CONTACT = 1e4;   // operations of a step outside the factor
static const double TYPICAL_SOLVES = 40; // of a step

// Along the path: share of the gap that a step keeps, by how long the last one was.
static const double KEEP_FIRST = 0.5, KEEP_LEAST = 0.1, KEEP_MOST = 0.97;
static const double LONG = 0.8, SHORT = 0.5, NO_STEP = 0.1;
enum { FOLD = 3 }; // steps shorter than NO_STEP one after the other

// Across a fold: the gap is held below it, and the pace grows as steps are long. Where they get nowhere the gap is
// raised, and other folds are met.
static const double PACE_FIRST = 0.1, PACE_LEAST = 1e-3;
static const double CROSSED = 200.0; // pace from which on a fold counts as crossed
static const double PACE_LONG = 0.6, PACE_SHORT = 0.3, FALL = 0.3, RISE = 2.0, HEAT = 10.0, PACE_HEATED = 0.5;
enum { PATIENCE = 60 }; // steps

typedef struct walk {
    tn_interior_strict strict;
    double keep;
    int n_short;
    bool begun, folded, heated;
    double hold, pace; // of the last fold
    int waited;
} walk;

static void meet_fold(walk *w, const tn_interior_path *path)
{
    w->folded = true;
    w->hold = path->below * w->strict.interior->gap;
    w->pace = PACE_FIRST;
    w->waited = w->n_short = 0;
}

static tn_status go_along(walk *w, tn_error *error)
{
    tn_status status = tn_interior_strict_step(&w->strict, w->keep, w->keep, HUGE_VAL, error);
    double reach = w->strict.interior->reach;
    if (reach < SHORT) {
        w->keep = fmin(KEEP_MOST, 1.0 - 0.5 * (1.0 - w->keep));
    } else if (reach > LONG) {
        w->keep = fmax(KEEP_LEAST, 1.0 - 1.6 * (1.0 - w->keep));
    }
    w->n_short = reach < NO_STEP ? w->n_short + 1 : 0;
    return status;
}

static tn_status go_across(walk *w, tn_error *error)
{
    double gap = w->strict.interior->gap;
    if (++w->waited > PATIENCE) {
        w->hold *= HEAT;
        w->heated = true;
        w->pace = PACE_HEATED;
        w->waited = 0;
    }
    w->heated = w->heated && gap < 0.9 * w->hold;
    double target = fmin(fmax(w->hold / gap, FALL), w->heated ? RISE : 1.0);
    tn_status status = tn_interior_strict_step(&w->strict, target, 0.0, w->pace, error);
    double reach = w->strict.interior->reach;
    if (reach > PACE_LONG) {
        w->pace *= 2.0;
    } else if (reach < PACE_SHORT) {
        w->pace = fmax(0.5 * w->pace, PACE_LEAST);
    }
    if (w->pace > CROSSED) {
        w->folded = false;
        w->keep = KEEP_FIRST;
    }
    return status;
}

double tn_interior_path_work(const tn_interior *in)
{
    return in->factor.flops + 4.0 * TYPICAL_SOLVES * in->factor.entries + PER_CONTACT * in->n;
}

tn_status tn_interior_path_solve(tn_interior *in, tn_interior_path *path, tn_arena *arena, tn_error *error)
{
    walk w = {.keep = KEEP_FIRST};
    if (!tn_interior_strict_create(&w.strict, in, arena)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the interior point method");
    }
    path->steps = 0;
    path->converged = false;
    double work = 0.0;
    tn_status status = TN_OK;
    while (status == TN_OK && !path->converged && path->steps < path->max_steps && work < path->max_work) {
        int before = w.strict.solves;
        w.begun = w.begun || in->gap <= COUPLED;
        if (!w.begun) {
            status = tn_interior_step(in, w.strict.shift, error);
        } else {
            status = w.folded ? go_across(&w, error) : go_along(&w, error);
        }
        path->steps++;
        work += in->factor.flops + 4.0 * (w.strict.solves - before) * in->factor.entries + PER_CONTACT * in->n;
        if (w.n_short >= FOLD) {
            meet_fold(&w, path);
        }
        if (status == TN_OK) {
            double score = path->judge(path->user);
            path->converged = score <= 1.0;
            if (!(score < HUGE_VAL) || in->gap < LEAST_GAP) {
                break;
            }
        }
    }
    return status == TN_NUMERICS ? TN_OK : status; // the factor broke down: what is reached stands
}
