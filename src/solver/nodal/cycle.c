#include "solver/nodal/cycle.h"

#include "kernels/mixer/mixer.h"
#include "kernels/nodal/free.h"

#include <math.h>

// A truncation is stale when more than this part of the closed contacts changed, and built anew while steps do not
// shrink at least so fast. While sliding contacts are held back along their slip (secant) they come to rest in front
// after front, whatever the truncation: it may be older.
static const double STALE = 0.05, STALE_SECANT = 0.2, GOOD_RATE = 0.4;
// A line search that stops before so much of the step: friction's kinks are in the way.
static const double HINDERED = 0.2;
enum {
    SEARCH = 4,   // steps of line search after one that did not get on
    HALVINGS = 8, // of the interval of the line search
};

tn_status tn_nodal_cycle_create(tn_nodal_system *system, int group_size, tn_arena *arena, tn_nodal_cycle *out)
{
    size_t n = (size_t)tn_sell_packed_size(system->order);
    *out = (tn_nodal_cycle){.d = TN_PUSH(arena, float, n), .Ad = TN_PUSH(arena, float, n)};
    tn_nodal_cycle_restart(out);
    return out->d && out->Ad ? tn_nodal_coarse_create(system, group_size, arena, &out->coarse) : TN_NO_MEMORY;
}

// Length of the step along d that the energy wants, at most 1, x having moved by d already; g the gradient that led to
// d. The power of friction counts with its kinks, normal forces held: convex, so its slope has one root.
static double best_length(tn_nodal_cycle *c, const float *x, const double *lambda, const float *g)
{
    const tn_nodal_system *s = c->coarse.system;
    int n = tn_sell_packed_size(s->order);
    tn_nodal_residual(&s->rows, NULL, c->d, c->Ad, s->n_threads);
    double gd = tn_mixer_dot(n, g, c->d), dAd = tn_mixer_dot(n, c->d, c->Ad);
    double base = tn_nodal_friction_slope(&s->rows, x, c->d, 0.0), low = 0.0, high = 1.0;
    for (int k = 0; k <= HALVINGS; k++) {
        double alpha = k == 0 ? 1.0 : 0.5 * (low + high);
        double slope = gd + alpha * dAd + tn_nodal_friction_slope(&s->rows, x, c->d, alpha) - base +
                       tn_nodal_coarse_friction_slope(&c->coarse, lambda, x, c->d, alpha, NULL);
        if (slope <= 0.0) {
            low = alpha;
        } else {
            high = alpha;
        }
        if (k == 0 && slope <= 0.0) {
            return 1.0;
        }
    }
    return 0.5 * (low + high);
}

// A new truncation where the one there is no longer fits.
static tn_status renew(tn_nodal_cycle *c, const double *lambda)
{
    bool differs = tn_nodal_coarse_change(&c->coarse) > (c->secant ? STALE_SECANT : STALE);
    bool stale = c->hindered || (c->rate > GOOD_RATE && differs);
    c->changed = false;
    if (c->coarse.built && !stale && !tn_nodal_coarse_ties_changed(&c->coarse, lambda)) {
        return TN_OK;
    }
    c->changed = c->coarse.built && differs;
    return tn_nodal_coarse_build(&c->coarse, c->secant, lambda);
}

tn_status tn_nodal_cycle_correct(tn_nodal_cycle *c, float *x, double *lambda, float *r)
{
    tn_nodal_system *s = c->coarse.system;
    tn_nodal_truncate(&s->rows, x, r);
    tn_status status = renew(c, lambda);
    if (status != TN_OK) {
        return status;
    }
    tn_nodal_coarse_solve(&c->coarse, r, c->d);
    bool turned = tn_nodal_apply(&s->rows, x, c->d);
    tn_nodal_coarse_friction_slope(&c->coarse, lambda, x, c->d, 1.0, &turned);
    c->hindered = false;
    c->secant = c->secant && turned;
    if (turned || c->search > 0) {
        double alpha = best_length(c, x, lambda, r);
        c->hindered = alpha < HINDERED;
        c->secant = c->secant || c->hindered;
        for (int i = 0; i < tn_sell_packed_size(s->order) && alpha < 1.0; i++) {
            x[i] += (float)(alpha - 1.0) * c->d[i];
        }
    }
    tn_nodal_coarse_forces(&c->coarse, x, lambda);
    return TN_OK;
}

void tn_nodal_cycle_note(tn_nodal_cycle *c, double length)
{
    c->rate = length / c->last;
    c->last = length;
    c->search = length > 0.9 * c->least ? SEARCH : c->search > 0 ? c->search - 1 : 0;
    c->least = fmin(c->least, length);
}

void tn_nodal_cycle_restart(tn_nodal_cycle *c)
{
    c->last = c->least = INFINITY;
    c->rate = 1.0;
    c->search = 0;
    c->secant = c->hindered = c->changed = false;
    c->coarse.built = false;
}
