// The modes of a pair (planner.h): which sides of zero its force, slack and guard may be on in each, what follows for
// the rows' bounds, and how far a point is from a mode.
#include "control/lcs.h"
#include "control/planner.h"

#include <math.h>
#include <string.h>

const tn_side tn_sides[TN_SIDES] = {[TN_SIDE_C] = {TN_PAIR_C, 1.0},
                                    [TN_SIDE_W] = {TN_PAIR_W, 1.0},
                                    [TN_SIDE_W_BELOW] = {TN_PAIR_W, -1.0},
                                    [TN_SIDE_GUARD] = {TN_PAIR_GUARD, 1.0},
                                    [TN_SIDE_GUARD_BELOW] = {TN_PAIR_GUARD, -1.0}};

void tn_planner_find_modes(tn_planner *p, const tn_lcs *s)
{
    for (int pair = 0; pair < p->n_pairs; pair++) {
        const bool guarded = tn_lcs_has_guard(s, pair % p->n_c);
        const bool acts = !guarded || p->most[TN_SIDE_GUARD_BELOW][pair] >= 0.0;
        const bool off = guarded && p->most[TN_SIDE_GUARD][pair] >= 0.0;
        p->modes[pair] = (acts ? TN_PAIR_OPEN | TN_PAIR_CLOSED : 0) | (off ? TN_PAIR_OFF : 0);
    }
}

void tn_planner_forget_bounds(tn_planner *p, const tn_lcs *s)
{
    for (int side = 0; side < TN_SIDES; side++) {
        for (int pair = 0; pair < p->n_pairs; pair++) {
            p->most[side][pair] = INFINITY;
        }
    }
    tn_planner_find_modes(p, s);
}

void tn_planner_fix(tn_planner *p, int pair, int modes)
{
    const int sides = tn_sides_of(modes);
    for (int row = pair; row < p->row_sum; row += p->n_pairs) {
        const bool left_out = !isfinite(p->zero[row]);
        p->qp.low[row] = left_out ? p->low[row] : p->zero[row];
        p->qp.high[row] = left_out ? p->high[row] : p->zero[row];
    }
    for (int side = 0; side < TN_SIDES; side++) {
        const int row = tn_sides[side].quantity * p->n_pairs + pair;
        if (sides >> side & 1 && row < p->row_sum) {
            double *bound = tn_sides[side].sign > 0.0 ? p->qp.high : p->qp.low;
            bound[row] = tn_sides[side].sign > 0.0 ? p->high[row] : p->low[row];
        }
    }
}

void tn_planner_fix_all(tn_planner *p, const uint8_t *modes)
{
    memcpy(p->qp.low, p->low, (size_t)p->qp.m * sizeof *p->low);
    memcpy(p->qp.high, p->high, (size_t)p->qp.m * sizeof *p->high);
    for (int pair = 0; pair < p->n_pairs; pair++) {
        tn_planner_fix(p, pair, modes[pair]);
    }
}

double tn_planner_value(const tn_planner *p, int quantity, int pair, const double *z)
{
    const int row = quantity * p->n_pairs + pair, first = p->qp.first[row];
    if (quantity >= p->n_quantities || !isfinite(p->zero[row])) {
        return -INFINITY;
    }
    return quantity == TN_PAIR_C
               ? z[tn_planner_c(p, pair)]
               : tn_dot((size_t)(p->qp.n - first), p->qp.G + (size_t)row * (size_t)p->qp.n + first, z + first) -
                     p->zero[row];
}

int tn_planner_nearest_mode(const tn_planner *p, int pair, int modes, const double *z, double *gap)
{
    const int own = tn_sides_of(p->modes[pair]);
    double off[TN_SIDES];
    int nearest = 0;
    for (int side = 0; side < p->n_sides; side++) {
        const double x = tn_planner_value(p, tn_sides[side].quantity, pair, z), most = p->most[side][pair];
        const bool counts = own >> side & 1 && x > -INFINITY;
        off[side] = counts ? tn_sides[side].sign * x / (most < INFINITY ? most : 1.0) : -INFINITY;
    }
    *gap = INFINITY;
    for (int mode = 1; mode <= modes; mode <<= 1) {
        double worst = -INFINITY;
        for (int side = 0; side < p->n_sides; side++) {
            worst = fmax(worst, tn_sides_of(mode) >> side & 1 ? -INFINITY : off[side]);
        }
        if (modes & mode && (nearest == 0 || worst < *gap)) {
            *gap = worst;
            nearest = mode;
        }
    }
    return nearest;
}
