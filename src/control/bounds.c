// Bound tightening: intervals of states, inputs, contact forces and slacks that every feasible plan keeps to, by
// propagation along the horizon (feasibility-based tightening; Belotti et al. 2009). The forces' bounds come from the
// dynamics, whose next state is in X, and from complementarity: with S the pairs in contact, E_SS c_S = -r_S for the
// rest r of w, so that the inverses of all blocks E_SS bound c, however forces push at one another.
#include "control/lcs.h"
#include "control/planner.h"

#include "math/dense.h"

#include <math.h>

enum { SWEEPS = 3, PASSES = 2, BLOCK_MAX = TN_PLANNER_BLOCK_MAX };
static const double SLACK = 1e-9; // relative and absolute: rounding must not cut anything off

typedef struct span {
    double low, high;
} span;

static span add_scaled(span s, double a, double low, double high)
{
    if (a > 0.0) {
        return (span){s.low + a * low, s.high + a * high};
    }
    return a < 0.0 ? (span){s.low + a * high, s.high + a * low} : s;
}

static span add_product(span s, int n, const double *a, const double *low, const double *high)
{
    for (int i = 0; i < n; i++) {
        s = add_scaled(s, a[i], low[i], high[i]);
    }
    return s;
}

// The forces' part of a row, without force `but` (-1: all).
static span add_forces(span s, int n, const double *a, const double *high, int but)
{
    for (int i = 0; i < n; i++) {
        s = i == but ? s : add_scaled(s, a[i], 0.0, high[i]);
    }
    return s;
}

static double padded(double high)
{
    return high + SLACK * (1.0 + fabs(high));
}

// A box by rows G y <= g: each entry by the row's others. False: a row cannot hold.
static bool tighten_by_rows(const tn_polytope *set, double *low, double *high)
{
    for (int r = 0; r < set->n_rows; r++) {
        const double *G = set->G + (size_t)r * (size_t)set->n;
        for (int i = 0; i < set->n; i++) {
            span rest = {-set->g[r], -set->g[r]};
            for (int j = 0; j < set->n; j++) {
                rest = j == i ? rest : add_scaled(rest, G[j], low[j], high[j]);
            }
            const double limit = -rest.low / G[i];
            if (G[i] > 0.0 && isfinite(limit)) {
                high[i] = fmin(high[i], padded(limit));
            } else if (G[i] < 0.0 && isfinite(limit)) {
                low[i] = fmax(low[i], -padded(-limit));
            }
            if (low[i] > high[i]) {
                return false;
            }
        }
    }
    return true;
}

// Next state j without force `but`, less itself: C_j,but c_but + this = 0.
static span row_of_dynamics(const tn_planner *p, const tn_lcs *s, int k, int j, int but)
{
    const double *x = p->x_low + (size_t)k * (size_t)p->n_x, *to = p->x_high + (size_t)k * (size_t)p->n_x;
    span sum = {s->F[j], s->F[j]};
    sum = add_product(sum, p->n_x, s->A + (size_t)j * (size_t)p->n_x, x, to);
    sum = add_product(sum, p->n_u, s->B + (size_t)j * (size_t)p->n_u, p->u_low, p->u_high);
    return add_forces(sum, p->n_c, s->C + (size_t)j * (size_t)p->n_c, p->most[TN_SIDE_C] + (size_t)k * (size_t)p->n_c,
                      but);
}

// w_i without its own force, or without any.
static span row_of_slack(const tn_planner *p, int k, int i, bool forces)
{
    const double *x = p->x_low + (size_t)k * (size_t)p->n_x, *to = p->x_high + (size_t)k * (size_t)p->n_x;
    span sum = {p->ow[i], p->ow[i]};
    sum = add_product(sum, p->n_x, p->Dx + (size_t)i * (size_t)p->n_x, x, to);
    sum = add_product(sum, p->n_u, p->Hw + (size_t)i * (size_t)p->n_u, p->u_low, p->u_high);
    return !forces ? sum
                   : add_forces(sum, p->n_c, p->Ew + (size_t)i * (size_t)p->n_c,
                                p->most[TN_SIDE_C] + (size_t)k * (size_t)p->n_c, i);
}

static span row_of_guard(const tn_planner *p, int k, int i)
{
    const double *x = p->x_low + (size_t)k * (size_t)p->n_x, *to = p->x_high + (size_t)k * (size_t)p->n_x;
    span sum = {p->og[i], p->og[i]};
    sum = add_product(sum, p->n_x, p->Gx + (size_t)i * (size_t)p->n_x, x, to);
    return add_product(sum, p->n_u, p->Gu + (size_t)i * (size_t)p->n_u, p->u_low, p->u_high);
}

static bool has(int set, int i)
{
    return set >> i & 1;
}

// Inverse of the block of E of a set of pairs, at their places in (n_c, n_c); false: singular.
static bool invert_block(const tn_planner *p, int set, double *inverse)
{
    double block[BLOCK_MAX * BLOCK_MAX], unit[BLOCK_MAX];
    int pivot[BLOCK_MAX], at[BLOCK_MAX], n = 0;
    for (int i = 0; i < p->n_c; i++) {
        if (has(set, i)) {
            at[n++] = i;
        }
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            block[i * n + j] = p->Ew[at[i] * p->n_c + at[j]];
        }
    }
    if (!tn_dense_lu(n, block, pivot)) {
        return false;
    }
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            unit[i] = i == j;
        }
        tn_dense_lu_solve(n, block, pivot, unit);
        for (int i = 0; i < n; i++) {
            inverse[at[i] * p->n_c + at[j]] = unit[i];
            if (!(fabs(unit[i]) < 1e12)) {
                return false;
            }
        }
    }
    return true;
}

void tn_planner_invert_blocks(tn_planner *p)
{
    p->has_blocks = p->n_c <= BLOCK_MAX;
    for (int set = 1; p->has_blocks && set < 1 << p->n_c; set++) {
        p->has_blocks = invert_block(p, set, p->blocks + (size_t)set * (size_t)(p->n_c * p->n_c));
    }
}

// All forces of a step by the blocks of E.
static void tighten_by_blocks(tn_planner *p, int k)
{
    const int n = p->n_c;
    span r[BLOCK_MAX];
    double most[BLOCK_MAX] = {0};
    for (int i = 0; i < n; i++) {
        r[i] = row_of_slack(p, k, i, false);
    }
    for (int set = 1; set < 1 << n; set++) {
        const double *inverse = p->blocks + (size_t)set * (size_t)(n * n);
        for (int i = 0; i < n; i++) {
            span c = {0.0, 0.0};
            for (int j = 0; j < n && has(set, i); j++) {
                c = has(set, j) ? add_scaled(c, -inverse[i * n + j], r[j].low, r[j].high) : c;
            }
            most[i] = fmax(most[i], c.high);
        }
    }
    for (int i = 0; i < n; i++) {
        p->most[TN_SIDE_C][k * n + i] =
            most[i] < INFINITY ? fmin(p->most[TN_SIDE_C][k * n + i], padded(most[i])) : p->most[TN_SIDE_C][k * n + i];
    }
}

static void tighten_side(tn_planner *p, int side, int pair, double most)
{
    p->most[side][pair] = fmin(p->most[side][pair], padded(most));
}

// Of a pair with a guard, whose slack without its own force is between those of `rest`.
static void tighten_guarded(tn_planner *p, int k, int i, span rest)
{
    const int pair = k * p->n_c + i;
    const span guard = row_of_guard(p, k, i);
    tighten_side(p, TN_SIDE_W_BELOW, pair, fmax(-rest.low, 0.0));
    tighten_side(p, TN_SIDE_GUARD, pair, guard.high);
    tighten_side(p, TN_SIDE_GUARD_BELOW, pair, -guard.low);
    if (p->most[TN_SIDE_GUARD_BELOW][pair] < 0.0) {
        tighten_side(p, TN_SIDE_C, pair, 0.0);
    }
}

static void tighten_force(tn_planner *p, const tn_lcs *s, int k, int i)
{
    double *high = p->most[TN_SIDE_C] + k * p->n_c + i;
    const double *next_low = p->x_low + (size_t)(k + 1) * (size_t)p->n_x;
    const double *next_high = p->x_high + (size_t)(k + 1) * (size_t)p->n_x;
    for (int j = 0; j < p->n_x; j++) {
        const double C = s->C[j * p->n_c + i];
        if (C != 0.0) {
            const span rest = row_of_dynamics(p, s, k, j, i);
            const double limit = C > 0.0 ? (next_high[j] - rest.low) / C : (next_low[j] - rest.high) / C;
            *high = isfinite(limit) ? fmin(*high, fmax(padded(limit), 0.0)) : *high;
        }
    }
    const span rest = row_of_slack(p, k, i, true); // w = E_ii c + rest; c > 0 only where it is zero
    const double E = p->Ew[i * p->n_c + i];
    if (E > 0.0 && isfinite(rest.low)) {
        *high = fmin(*high, padded(fmax(-rest.low / E, 0.0)));
    }
    tighten_side(p, TN_SIDE_W, k * p->n_c + i, fmax(rest.high, 0.0));
    if (tn_lcs_has_guard(s, i)) {
        tighten_guarded(p, k, i, rest);
    }
}

// False: no next state is in X.
static bool tighten_next_state(tn_planner *p, const tn_plan_problem *problem, int k)
{
    double *low = p->x_low + (size_t)(k + 1) * (size_t)p->n_x, *high = p->x_high + (size_t)(k + 1) * (size_t)p->n_x;
    for (int j = 0; j < p->n_x; j++) {
        const span next = row_of_dynamics(p, &problem->lcs, k, j, -1);
        low[j] = fmax(low[j], -padded(-next.low));
        high[j] = fmin(high[j], padded(next.high));
        if (low[j] > high[j]) {
            return false;
        }
    }
    return tighten_by_rows(&problem->X, low, high);
}

static void begin(tn_planner *p, const tn_plan_problem *problem)
{
    for (int k = 0; k <= p->N; k++) {
        for (int j = 0; j < p->n_x; j++) {
            p->x_low[k * p->n_x + j] = k == 0 ? problem->x0[j] : problem->X.low[j];
            p->x_high[k * p->n_x + j] = k == 0 ? problem->x0[j] : problem->X.high[j];
        }
    }
    for (int i = 0; i < p->n_u; i++) {
        p->u_low[i] = problem->U.low[i];
        p->u_high[i] = problem->U.high[i];
    }
    tn_planner_forget_bounds(p, &problem->lcs);
}

bool tn_planner_tighten(tn_planner *p, const tn_plan_problem *problem, tn_plan_set *set, int *step)
{
    begin(p, problem);
    *step = 0;
    *set = TN_PLAN_SET_U;
    if (!tighten_by_rows(&problem->U, p->u_low, p->u_high)) {
        return false;
    }
    *set = TN_PLAN_SET_X;
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        for (int k = 0; k < p->N; k++) {
            *step = k + 1;
            if (p->has_blocks) {
                tighten_by_blocks(p, k);
            }
            for (int i = 0; i < PASSES * p->n_c; i++) {
                tighten_force(p, &problem->lcs, k, i % p->n_c);
            }
            if (!tighten_next_state(p, problem, k)) {
                return false;
            }
        }
    }
    tn_planner_find_modes(p, &problem->lcs);
    *set = TN_PLAN_SET_NONE;
    return true;
}
