// MPCC by relaxation (Scholtes 2001; Posa, Cantu, Tedrake 2014): c w <= t with t to zero, each nonlinear program begun
// at the solution before. Ipopt behind its C interface; without it the method says that it is not there.
#include "control/mpcc.h"

#include "control/branch.h"
#include "math/sums.h"

#ifdef TENON_IPOPT

#include <IpStdCInterface.h>
#include <math.h>
#include <string.h>

typedef struct program {
    tn_planner *p;
    double relaxation;          // t
    int n_rows;                 // live rows that are no bounds of variables, then one product a pair
    int *row;                   // (n_rows)
    double *low, *high, *value; // (n_rows + n_pairs)
    double *z, *z_low, *z_high; // (n)
} program;

static double row_value(const tn_qp *qp, int row, const double *z)
{
    const size_t n = (size_t)qp->n, first = (size_t)qp->first[row];
    return tn_dot(n - first, qp->G + (size_t)row * n + first, z + first);
}

static int w_row(const tn_planner *p, int pair)
{
    return TN_PAIR_W * p->n_pairs + pair;
}

static Bool objective(Index n, Number *z, Bool is_new, Number *value, UserDataPtr user)
{
    const tn_qp *qp = &((program *)user)->p->qp;
    *value = 0.0;
    for (int i = 0; i < n; i++) {
        double sum = 0.0;
        for (int j = 0; j < n; j++) {
            sum += qp->H[(size_t)i * (size_t)n + (size_t)j] * z[j];
        }
        *value += z[i] * (0.5 * sum + qp->g[i]);
    }
    return TRUE;
}

static Bool gradient(Index n, Number *z, Bool is_new, Number *out, UserDataPtr user)
{
    const tn_qp *qp = &((program *)user)->p->qp;
    for (int i = 0; i < n; i++) {
        out[i] = qp->g[i];
        for (int j = 0; j < n; j++) {
            out[i] += qp->H[(size_t)i * (size_t)n + (size_t)j] * z[j];
        }
    }
    return TRUE;
}

static Bool constraints(Index n, Number *z, Bool is_new, Index m, Number *out, UserDataPtr user)
{
    const program *s = user;
    for (int i = 0; i < s->n_rows; i++) {
        out[i] = row_value(&s->p->qp, s->row[i], z);
    }
    for (int pair = 0; pair < s->p->n_pairs; pair++) {
        out[s->n_rows + pair] = z[tn_planner_c(s->p, pair)] * tn_planner_value(s->p, TN_PAIR_W, pair, z);
    }
    return TRUE;
}

static Bool jacobian(Index n, Number *z, Bool is_new, Index m, Index count, Index *at_row, Index *at_column,
                     Number *values, UserDataPtr user)
{
    const program *s = user;
    const tn_qp *qp = &s->p->qp;
    for (int i = 0; i < m; i++) {
        const int pair = i - s->n_rows;
        const double *G = qp->G + (size_t)(pair < 0 ? s->row[i] : w_row(s->p, pair)) * (size_t)n;
        const int c = pair < 0 ? 0 : tn_planner_c(s->p, pair);
        for (int j = 0; j < n; j++) {
            if (!values) {
                at_row[i * n + j] = i;
                at_column[i * n + j] = j;
            } else {
                values[i * n + j] = pair < 0 ? G[j] : z[c] * G[j];
            }
        }
        if (values && pair >= 0) {
            values[i * n + c] += tn_planner_value(s->p, TN_PAIR_W, pair, z);
        }
    }
    return TRUE;
}

static Bool hessian(Index n, Number *z, Bool is_new, Number factor, Index m, Number *lambda, Bool is_new_lambda,
                    Index count, Index *at_row, Index *at_column, Number *values, UserDataPtr user)
{
    const program *s = user;
    const tn_qp *qp = &s->p->qp;
    for (int i = 0, at = 0; i < n; i++) {
        for (int j = 0; j <= i; j++, at++) {
            if (!values) {
                at_row[at] = i;
                at_column[at] = j;
            } else {
                values[at] = factor * qp->H[(size_t)i * (size_t)n + (size_t)j];
            }
        }
    }
    for (int pair = 0; pair < s->p->n_pairs && values; pair++) {
        const double *G = qp->G + (size_t)w_row(s->p, pair) * (size_t)n, f = lambda[s->n_rows + pair];
        const int c = tn_planner_c(s->p, pair);
        for (int j = 0; j < n; j++) {
            const int i = j > c ? j : c, k = j > c ? c : j;
            values[i * (i + 1) / 2 + k] += f * G[j] * (j == c ? 2.0 : 1.0);
        }
    }
    return TRUE;
}

// After each iteration; FALSE ends the program.
static Bool goes_on(Index mode, Index iteration, Number value, Number primal, Number dual, Number mu, Number step,
                    Number regularization, Number dual_length, Number primal_length, Index trials, UserDataPtr user)
{
    return tn_qp_is_late(&((program *)user)->p->qp) ? FALSE : TRUE;
}

static bool make(program *s, tn_planner *p)
{
    const tn_qp *qp = &p->qp;
    const size_t n = (size_t)qp->n, m = (size_t)qp->n_live + (size_t)p->n_pairs;
    double *numbers = TN_PUSH(p->arena, double, 3 * m + 3 * n);
    s->row = TN_PUSH(p->arena, int, qp->n_live);
    if (!numbers || !s->row) {
        return false;
    }
    s->p = p;
    s->low = numbers, s->high = numbers + m, s->value = numbers + 2 * m;
    s->z = numbers + 3 * m, s->z_low = s->z + n, s->z_high = s->z_low + n;
    for (size_t i = 0; i < n; i++) {
        s->z_low[i] = -1e20, s->z_high[i] = 1e20; // Ipopt's infinity
        s->z[i] = qp->z[i];
    }
    for (int k = 0; k < qp->n_live; k++) {
        const int row = qp->live[k], unit = qp->unit[row];
        const double low = fmax(p->low[row], -1e20), high = fmin(p->high[row], 1e20);
        if (unit >= 0) {
            s->z_low[unit] = low, s->z_high[unit] = high;
        } else if (row < p->row_sum || row >= p->row_u) { // the rows of the relaxed binaries say nothing here
            s->low[s->n_rows] = low, s->high[s->n_rows] = high;
            s->row[s->n_rows++] = row;
        }
    }
    for (int pair = 0; pair < p->n_pairs; pair++) {
        s->low[s->n_rows + pair] = -1e20;
    }
    return true;
}

static const double TIGHTEST = 1e-7;

// t from 1 to TIGHTEST by tenths while there is time; returns the programs, -1: no memory. Without variables nothing is
// to be found.
static long relax(program *s)
{
    const int n = s->p->qp.n, m = s->n_rows + s->p->n_pairs;
    long solves = 0;
    for (double t = 1.0; n > 0 && t > 0.5 * TIGHTEST && !tn_qp_is_late(&s->p->qp); t *= 0.1) {
        for (int pair = 0; pair < s->p->n_pairs; pair++) {
            s->high[s->n_rows + pair] = t;
        }
        IpoptProblem nlp = CreateIpoptProblem(n, s->z_low, s->z_high, m, s->low, s->high, m * n, n * (n + 1) / 2, 0,
                                              objective, constraints, gradient, jacobian, hessian);
        if (!nlp) {
            return -1;
        }
        SetIntermediateCallback(nlp, goes_on);
        AddIpoptIntOption(nlp, "print_level", 0);
        AddIpoptStrOption(nlp, "sb", "yes");
        AddIpoptNumOption(nlp, "tol", 1e-8);
        AddIpoptIntOption(nlp, "max_iter", 200);
        if (t < 1.0) {
            AddIpoptNumOption(nlp, "mu_init", 0.1 * t);
        }
        Number value;
        IpoptSolve(nlp, s->z, s->value, &value, NULL, NULL, NULL, s);
        FreeIpoptProblem(nlp);
        solves++;
    }
    return solves;
}

// Tries the modes that z is nearest to: c against w in the units of w, or each against its bound.
static void round_off(const program *s, const tn_plan_problem *problem, uint8_t *how)
{
    tn_planner *p = s->p;
    for (int way = 0; way < 2; way++) {
        for (int pair = 0; pair < p->n_pairs; pair++) {
            const double made = fmax(p->Ew[pair % p->n_c * (p->n_c + 1)], 1e-6);
            const double scale = way == 0 ? made : p->most[TN_SIDE_W][pair] / p->most[TN_SIDE_C][pair];
            const double c = s->z[tn_planner_c(p, pair)] * (scale > 0.0 && scale < INFINITY ? scale : 1.0);
            how[pair] = c > tn_planner_value(p, TN_PAIR_W, pair, s->z) ? TN_PAIR_CLOSED : TN_PAIR_OPEN;
        }
        tn_branch_try(p, problem, how, INFINITY);
    }
}

tn_status tn_mpcc_solve(tn_planner *p, const tn_plan_problem *problem, const tn_plan_options *o, tn_plan *plan,
                        tn_error *error)
{
    const tn_arena_mark mark = tn_arena_get_mark(p->arena);
    program s = {0};
    const tn_qp_status status = tn_qp_solve(&p->qp, INFINITY);
    plan->bound = status == TN_QP_INFEASIBLE ? INFINITY : p->constant + p->qp.bound;
    plan->status = status == TN_QP_INFEASIBLE ? TN_PLAN_INFEASIBLE : TN_PLAN_NONE;
    if (status == TN_QP_INFEASIBLE) {
        return TN_OK;
    }
    uint8_t *how = TN_PUSH(p->arena, uint8_t, p->n_pairs);
    bool made = how && make(&s, p);
    for (int k = 0; made && o->warm_start && k < p->N; k++) {
        memcpy(s.z + tn_planner_u(p, k), plan->u + k * p->n_u, (size_t)p->n_u * sizeof *s.z);
        memcpy(s.z + tn_planner_u(p, k) + p->n_u, plan->c + k * p->n_c, (size_t)p->n_c * sizeof *s.z);
    }
    if (made && (plan->nodes = relax(&s)) >= 0) {
        round_off(&s, problem, how);
        if (p->best.cost < INFINITY) {
            tn_search_nearby(p, problem, how);
            tn_plan_copy(plan, &p->best);
            plan->status = TN_PLAN_FEASIBLE;
            plan->gap = (plan->cost - plan->bound) / (1.0 + fabs(plan->cost));
        }
    } else {
        made = false;
    }
    tn_arena_release(p->arena, mark);
    return made ? TN_OK : tn_error_set(error, TN_NO_MEMORY, "no memory for Ipopt's program");
}

bool tn_plan_has_mpcc(void)
{
    return true;
}

#else

tn_status tn_mpcc_solve(tn_planner *p, const tn_plan_problem *problem, const tn_plan_options *o, tn_plan *plan,
                        tn_error *error)
{
    return tn_error_set(error, TN_BAD_INPUT,
                        "method 'mpcc' needs Ipopt, which this build is without "
                        "(tools/install-deps installs it)");
}

bool tn_plan_has_mpcc(void)
{
    return false;
}

#endif
