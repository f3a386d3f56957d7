// Consensus ADMM (C3; Aydinoglu, Wei, Huang, Posa 2024): the rows r = G z of the QP (forces, slacks, sets) have copies
// s that keep complementarity and the sets, each alone; in turns z minimises the cost with a penalty on r - s, s is
// projected, and the multipliers add up what remains. Copies of slacks make the projection of a pair a choice of two
// (C3+, Bui et al. 2025). The QP of the copies' modes gives plans that are feasible, of which the best is improved by
// single moves (nearby.c).
#include "control/admm.h"

#include "control/branch.h"
#include "math/dense.h"
#include "math/sums.h"

#include <math.h>
#include <string.h>

enum { ROUND = 10 }; // iterations with one penalty, so that few factors are needed

struct tn_admm {
    double *K;             // (n, n) factor of H + G^T diag(rho) G
    double *rho, *s, *y;   // (m) penalties, copies, scaled multipliers
    double *r;             // (m)
    double *z;             // (n)
    uint8_t *how, *before; // (n_pairs)
};

tn_admm *tn_admm_create(tn_planner *p)
{
    tn_admm *a = TN_PUSH(p->arena, tn_admm, 1);
    const size_t n = (size_t)p->qp.n, m = (size_t)p->qp.m;
    if (a) {
        double *rows = TN_PUSH(p->arena, double, 4 * m);
        *a = (tn_admm){.K = TN_PUSH(p->arena, double, n *n),
                       .rho = rows,
                       .s = rows ? rows + m : NULL,
                       .y = rows ? rows + 2 * m : NULL,
                       .r = rows ? rows + 3 * m : NULL,
                       .z = TN_PUSH(p->arena, double, n),
                       .how = TN_PUSH(p->arena, uint8_t, p->n_pairs),
                       .before = TN_PUSH(p->arena, uint8_t, p->n_pairs)};
    }
    return a && a->K && a->rho && a->z && a->how && a->before ? a : NULL;
}

static bool is_sum(const tn_planner *p, int row)
{
    return row >= p->row_sum && row < p->row_u;
}

// A row's penalty: the curvature of the cost along it, so that the problem's units do not matter; of a force that of
// the slack which it makes.
static void weigh_rows(const tn_planner *p, tn_admm *a, double penalty)
{
    const tn_qp *qp = &p->qp;
    for (int k = 0; k < qp->n_live; k++) {
        const int row = qp->live[k];
        const double norm = qp->norm[row];
        a->rho[row] = is_sum(p, row) || norm == 0.0 ? 0.0 : penalty / (norm * norm);
    }
    for (int pair = 0; pair < p->n_pairs; pair++) {
        const double made = p->Ew[pair % p->n_c * (p->n_c + 1)];
        if (made > 0.0) {
            a->rho[TN_PAIR_C * p->n_pairs + pair] = a->rho[TN_PAIR_W * p->n_pairs + pair] * made * made;
        }
    }
}

static bool factor(const tn_planner *p, tn_admm *a)
{
    const tn_qp *qp = &p->qp;
    const int n = qp->n;
    memcpy(a->K, qp->H, (size_t)n * (size_t)n * sizeof *a->K);
    for (int i = 0; i < n; i++) {
        a->K[(size_t)i * (size_t)n + (size_t)i] += qp->eps[i];
    }
    for (int k = 0; k < qp->n_live; k++) {
        const int row = qp->live[k], first = qp->first[row];
        const double *G = qp->G + (size_t)row * (size_t)n, rho = a->rho[row];
        const int to = qp->unit[row] >= 0 ? qp->unit[row] + 1 : n;
        for (int i = first; i < to && rho > 0.0; i++) {
            tn_add_scaled((size_t)(i + 1 - first), rho * G[i], G + first, a->K + (size_t)i * (size_t)n + first);
        }
    }
    return n == 0 || tn_dense_cholesky(n, a->K);
}

// r = G z of a row.
static void find_row(const tn_qp *qp, tn_admm *a, int row)
{
    const int unit = qp->unit[row], first = qp->first[row];
    a->r[row] = unit >= 0 ? a->z[unit]
                          : tn_dot((size_t)(qp->n - first), qp->G + (size_t)row * (size_t)qp->n + first, a->z + first);
}

static void minimise(const tn_planner *p, tn_admm *a)
{
    const tn_qp *qp = &p->qp;
    const int n = qp->n;
    double *z = a->z;
    for (int i = 0; i < n; i++) {
        z[i] = -qp->g[i];
    }
    for (int k = 0; k < qp->n_live; k++) {
        const int row = qp->live[k], unit = qp->unit[row];
        const double *G = qp->G + (size_t)row * (size_t)n, f = a->rho[row] * (a->s[row] - a->y[row]);
        if (unit >= 0) {
            z[unit] += f;
        } else if (f != 0.0) {
            tn_add_scaled((size_t)(n - qp->first[row]), f, G + qp->first[row], z + qp->first[row]);
        }
    }
    tn_dense_cholesky_solve(n, a->K, z);
    for (int k = 0; k < qp->n_live; k++) {
        find_row(qp, a, qp->live[k]);
    }
}

// A pair's quantities to the nearest of its modes, in the metric of the penalties.
static void project_pair(const tn_planner *p, tn_admm *a, int pair)
{
    const int own = tn_sides_of(p->modes[pair]);
    double beyond[TN_SIDES] = {0.0}, cost[TN_SIDES] = {0.0}, least = INFINITY;
    for (int side = 0; side < p->n_sides; side++) {
        const int row = tn_sides[side].quantity * p->n_pairs + pair;
        if (own >> side & 1 && row < p->row_sum && isfinite(p->zero[row])) {
            beyond[side] = fmax(tn_sides[side].sign * (a->r[row] + a->y[row] - p->zero[row]), 0.0);
            cost[side] = a->rho[row] * beyond[side] * beyond[side];
        }
    }
    for (int mode = 1; mode <= p->modes[pair]; mode <<= 1) {
        double off = 0.0;
        for (int side = 0; side < p->n_sides; side++) {
            off += tn_sides_of(mode) >> side & 1 ? 0.0 : cost[side];
        }
        if (p->modes[pair] & mode && off < least) {
            least = off;
            a->how[pair] = (uint8_t)mode;
        }
    }
    for (int row = pair; row < p->row_sum; row += p->n_pairs) {
        a->s[row] = p->zero[row];
    }
    for (int side = 0; side < p->n_sides; side++) {
        if (tn_sides_of(a->how[pair]) >> side & 1 && beyond[side] > 0.0) {
            a->s[tn_sides[side].quantity * p->n_pairs + pair] += tn_sides[side].sign * beyond[side];
        }
    }
}

static void project(const tn_planner *p, tn_admm *a)
{
    for (int pair = 0; pair < p->n_pairs; pair++) {
        project_pair(p, a, pair);
    }
    for (int k = 0; k < p->qp.n_live; k++) {
        const int row = p->qp.live[k];
        if (row >= p->row_u) {
            a->s[row] = fmin(fmax(a->r[row] + a->y[row], p->low[row]), p->high[row]);
        }
        a->y[row] += is_sum(p, row) ? 0.0 : a->r[row] - a->s[row];
    }
}

// Copies begin at the relaxation, or at a given plan.
static double begin(tn_planner *p, tn_admm *a, const tn_plan *given)
{
    tn_qp *qp = &p->qp;
    tn_planner_fix_all(p, p->modes);
    const tn_qp_status status = tn_qp_solve(qp, INFINITY);
    memcpy(a->z, qp->z, (size_t)qp->n * sizeof *a->z);
    for (int pair = 0; pair < p->n_pairs && given; pair++) {
        a->z[tn_planner_c(p, pair)] = given->c[pair];
    }
    for (int k = 0; k < p->N * p->n_u && given; k++) {
        a->z[tn_planner_u(p, k / p->n_u) + k % p->n_u] = given->u[k];
    }
    for (int k = 0; k < qp->n_live; k++) {
        find_row(qp, a, qp->live[k]);
        a->y[qp->live[k]] = 0.0;
    }
    return status == TN_QP_INFEASIBLE ? INFINITY : p->constant + qp->bound;
}

// The plan with the modes of the copies, or where there is none with those of the motion under the inputs.
static void try_modes(tn_planner *p, tn_admm *a, const tn_plan_problem *problem)
{
    if (tn_branch_try(p, problem, a->how, INFINITY) != TN_QP_SOLVED) {
        tn_branch_move(p, problem, a->z);
    }
    memcpy(a->before, a->how, (size_t)p->n_pairs);
}

void tn_admm_solve(tn_planner *p, const tn_plan_problem *problem, const tn_plan_options *o, tn_plan *plan)
{
    tn_admm *a = p->admm;
    plan->bound = begin(p, a, o->warm_start ? plan : NULL);
    plan->status = plan->bound < INFINITY ? TN_PLAN_NONE : TN_PLAN_INFEASIBLE;
    double penalty = o->penalty;
    weigh_rows(p, a, penalty);
    project(p, a);
    if (plan->status == TN_PLAN_NONE) {
        try_modes(p, a, problem);
    }
    long done = 0;
    for (bool go = plan->status == TN_PLAN_NONE; go && done < o->iterations; done++) {
        if (done % ROUND == 0) {
            weigh_rows(p, a, penalty);
            go = factor(p, a);
            for (int row = 0; row < p->qp.m && done > 0; row++) {
                a->y[row] /= o->penalty_grow;
            }
            penalty *= o->penalty_grow;
        }
        minimise(p, a);
        project(p, a);
        if ((done + 1) % ROUND == 0 && memcmp(a->before, a->how, (size_t)p->n_pairs) != 0) {
            try_modes(p, a, problem);
        }
        go = go && !tn_qp_is_late(&p->qp);
    }
    if (p->best.cost < INFINITY) {
        tn_search_nearby(p, problem, a->how);
        tn_plan_copy(plan, &p->best);
        plan->status = TN_PLAN_FEASIBLE;
        plan->gap = (plan->cost - plan->bound) / (1.0 + fabs(plan->cost));
    }
    plan->nodes = done;
}
