// What happens when the iteration diverges or does not get on: a smaller W, or back to the best iterate.
#include "solver/cond/run.h"

#include <limits.h>
#include <math.h>

enum {
    WINDOW = 50,        // iterations over which theta must not grow
    GUARD_STALL = 60,   // iterations without a better merit before W is looked at
    PLAIN_STEPS = 200,  // after a divergence
    DIVERGENCES_MAX = 9 // times that the safe setting is made safer before giving up
};

static const double W_MAX = 1.8;  // largest eigenvalue of W A that is let through; plain V-FPI diverges at 2
static const double GROWTH = 1e3; // of the residual over its least that is divergence

// Once a solve, when it does not get on: is W too large? Then it shrinks and all starts again from the kept iterate.
// The eigenvalue costs as much as forty iterations, which most solves do not need in all.
static tn_status guard(tn_cond_run *it, int l, tn_error *error)
{
    it->guarded = true;
    double eigenvalue = tn_cond_largest_eigenvalue(it->system, it->arena);
    if (eigenvalue < 0.0) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory to iterate");
    }
    if (it->alpha * eigenvalue > W_MAX) {
        it->alpha = W_MAX / eigenvalue;
        tn_cond_go_back(it, it->kind);
    }
    it->best_at = l;
    return TN_OK;
}

// Back to the kept iterate, with a smaller W, larger gamma and no acceleration. False: there is no safer setting left.
// Where W is known to be small enough, Chebyshev alone is to blame: it starts again, or leaves the field.
static bool fall_back(tn_cond_run *it, int l)
{
    it->window_least = it->last_least = INFINITY;
    if (it->kind == TN_COND_CHEBYSHEV && it->guarded && it->system->general.n_triples == 0) {
        bool adaptive = it->options.acceleration == TN_COND_ADAPTIVE;
        tn_cond_go_back(it, adaptive ? TN_COND_ANDERSON : TN_COND_CHEBYSHEV);
        it->phase = 0;
        it->phase_merit = it->best_merit;
        it->idle_rate = 0.0;
        return true;
    }
    if (it->divergences++ > 0) {
        it->alpha *= 0.5;
        it->gamma *= 1.5;
    }
    tn_cond_go_back(it, TN_COND_PLAIN);
    it->rest_until = it->divergences > 2 ? INT_MAX : l + PLAIN_STEPS;
    it->best_at = l;
    return it->divergences <= DIVERGENCES_MAX;
}

// True when theta grew tenfold from one window to the next, or the balance got much worse than it was. What has no
// balance to speak of (bodies) may well pass through far worse points than it has seen.
static bool is_diverging(tn_cond_run *it, int l, double theta, double residual)
{
    bool growing = !(residual <= GROWTH * it->least_residual) && it->kind != TN_COND_ANDERSON;
    it->least_residual = fmin(it->least_residual, residual);
    it->window_least = fmin(it->window_least, theta);
    if (l % WINDOW == WINDOW - 1) {
        growing = growing || it->window_least > 10.0 * it->last_least;
        it->last_least = it->window_least;
        it->window_least = INFINITY;
    }
    return growing || !isfinite(residual) || !isfinite(theta);
}

tn_status tn_cond_control(tn_cond_run *it, int l, const tn_fpi_sums *sums, bool *give_up, tn_error *error)
{
    bool diverging = is_diverging(it, l, sqrt(sums->theta), sqrt(sums->residual));
    if (!it->guarded && (diverging || l - it->best_at > GUARD_STALL)) {
        return guard(it, l, error);
    }
    if (diverging) {
        *give_up = !fall_back(it, l);
    } else if (tn_demands_figures(it->tolerance)) {
        tn_cond_rest_or_resume(it, l);
        if (it->options.acceleration == TN_COND_ADAPTIVE) {
            tn_cond_race(it, l);
        }
    }
    return TN_OK;
}
