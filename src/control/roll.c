// Plans from inputs and forces: the states that follow, modes, cost, and how far all of it is off.
#include "control/lcs.h"
#include "control/planner.h"

#include <math.h>
#include <string.h>

static double slack(const tn_lcs *s, int i, const double *x, const double *u, const double *c, const double *next)
{
    const size_t n_x = (size_t)s->n_x, n_u = (size_t)s->n_u, n_c = (size_t)s->n_c, row = (size_t)i;
    return s->offset[i] + tn_dot(n_x, s->D + row * n_x, next) + tn_dot(n_x, s->D0 + row * n_x, x) +
           tn_dot(n_u, s->H + row * n_u, u) + tn_dot(n_c, s->E + row * n_c, c);
}

static double quadratic(int n, const double *Q, const double *y, const double *ref)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            sum += (y[i] - ref[i]) * Q[i * n + j] * (y[j] - ref[j]);
        }
    }
    return sum;
}

double tn_plan_cost(const tn_plan_problem *problem, const tn_plan *plan)
{
    const size_t n_x = (size_t)plan->n_x, n_u = (size_t)plan->n_u;
    double cost = 0.0;
    for (size_t k = 0; k <= (size_t)plan->horizon; k++) {
        const bool last = k == (size_t)plan->horizon;
        cost += quadratic(plan->n_x, last ? problem->Qf : problem->Q, plan->x + k * n_x, problem->x_ref + k * n_x);
        cost += last ? 0.0 : quadratic(plan->n_u, problem->R, plan->u + k * n_u, problem->u_ref + k * n_u);
    }
    return cost;
}

void tn_plan_roll(const tn_planner *p, const tn_plan_problem *problem, const double *z, tn_plan *plan)
{
    const tn_lcs *s = &problem->lcs;
    memcpy(plan->x, problem->x0, (size_t)p->n_x * sizeof *plan->x);
    for (int k = 0; k < p->N; k++) {
        double *x = plan->x + k * p->n_x, *u = plan->u + k * p->n_u, *c = plan->c + k * p->n_c;
        const double *from = z + tn_planner_u(p, k);
        memcpy(u, from, (size_t)p->n_u * sizeof *u);
        for (int i = 0; i < p->n_c; i++) {
            c[i] = fmax(from[p->n_u + i], 0.0);
        }
        for (int j = 0; j < p->n_x; j++) {
            x[p->n_x + j] = tn_lcs_next(s, j, x, u, c);
        }
        for (int i = 0; i < p->n_c; i++) {
            const double w = slack(s, i, x, u, c, x + p->n_x);
            plan->w[k * p->n_c + i] = w;
            plan->mode[k * p->n_c + i] = (uint8_t)tn_lcs_mode(c[i], w, tn_lcs_guard(s, i, x, u));
        }
    }
    plan->cost = tn_plan_cost(problem, plan);
    plan->residual = tn_plan_residual(problem, plan);
}

static double outside(const tn_polytope *set, const double *y)
{
    double worst = 0.0;
    for (int i = 0; i < set->n; i++) {
        worst = fmax(worst, fmax(y[i] - set->high[i], set->low[i] - y[i]));
    }
    for (int r = 0; r < set->n_rows; r++) {
        worst = fmax(worst, tn_dot((size_t)set->n, set->G + (size_t)r * (size_t)set->n, y) - set->g[r]);
    }
    return worst;
}

// How far a pair is from the nearest of its modes.
static double off_modes(double c, double w, double guard)
{
    const double acts = fmax(fabs(fmin(c, w)), guard), off = fmax(fabs(c), -guard);
    return fmin(acts, off);
}

double tn_plan_residual(const tn_plan_problem *problem, const tn_plan *plan)
{
    const tn_lcs *s = &problem->lcs;
    double worst = 0.0;
    for (int k = 0; k < plan->horizon; k++) {
        const double *x = plan->x + k * s->n_x, *u = plan->u + k * s->n_u, *c = plan->c + k * s->n_c;
        worst = fmax(worst, fmax(outside(&problem->X, x + s->n_x), outside(&problem->U, u)));
        for (int j = 0; j < s->n_x; j++) {
            worst = fmax(worst, fabs(tn_lcs_next(s, j, x, u, c) - x[s->n_x + j]));
        }
        for (int i = 0; i < s->n_c; i++) {
            worst = fmax(worst, off_modes(c[i], slack(s, i, x, u, c, x + s->n_x), tn_lcs_guard(s, i, x, u)));
        }
    }
    return worst;
}

void tn_plan_copy(tn_plan *to, const tn_plan *from)
{
    const size_t N = (size_t)from->horizon, n_x = (size_t)from->n_x, n_u = (size_t)from->n_u, n_c = (size_t)from->n_c;
    memcpy(to->x, from->x, (N + 1) * n_x * sizeof *to->x);
    memcpy(to->u, from->u, N * n_u * sizeof *to->u);
    memcpy(to->c, from->c, N * n_c * sizeof *to->c);
    memcpy(to->w, from->w, N * n_c * sizeof *to->w);
    memcpy(to->mode, from->mode, N * n_c);
    to->cost = from->cost;
    to->residual = from->residual;
}
