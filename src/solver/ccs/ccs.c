#include "solver/ccs/ccs.h"

#include "problem/problem.h"
#include "solver/ccs/system.h"
#include "solver/check.h"
#include "solver/solvers.h"

#include <math.h>
#include <string.h>

tn_ccs_options tn_ccs_options_default(void)
{
    return (tn_ccs_options){.rho = 0.1, .relaxation = 1.6, .balance_first = 8};
}

static void keep(tn_ccs *s, double score)
{
    s->score = score;
    memcpy(s->best_v, s->v, (size_t)s->n_v * sizeof *s->v);
    memcpy(s->best_lambda, s->lambda, (size_t)(3 * s->n) * sizeof *s->lambda);
}

// Keeps the best iterate; true: what is demanded holds.
static bool judge(tn_ccs *s)
{
    const tn_tolerance *t = &s->tolerance;
    if (!tn_demands_figures(t)) {
        keep(s, 0.0);
        return t->theta > 0.0 && s->theta < t->theta;
    }
    double score = tn_check_score(&s->check, s->lambda, s->u);
    if (t->momentum > 0.0) {
        double figure = tn_ccs_momentum(s) / (0.9 * t->momentum);
        if (figure <= 1.0 && score <= 1.0) {
            figure = tn_ccs_true_momentum(s) / (0.9 * t->momentum);
            s->refines = s->refines || figure > 1.0;
        }
        score = isnan(figure) ? HUGE_VAL : fmax(score, figure);
    }
    if (score < s->score) {
        keep(s, score);
    }
    return score <= 1.0 && (!(t->theta > 0.0) || s->theta < t->theta);
}

static tn_status iterate(tn_ccs *s, int max_iterations, tn_solve_report *report, tn_error *error)
{
    int next = s->options->balance_first;
    for (int l = 1; l <= max_iterations; ++l) {
        tn_status status = tn_ccs_balance(s, error);
        if (status != TN_OK) {
            return status;
        }
        tn_ccs_split(s);
        report->iterations = l;
        if (judge(s) || tn_problem_stopped(s->problem)) {
            report->converged = true;
            return TN_OK;
        }
        if (l == next - (next + 3) / 4) {
            tn_ccs_remember(s);
        }
        if (l == next) {
            status = tn_ccs_rebalance(s, l > s->options->balance_first, error);
            next *= 4;
            if (status != TN_OK) {
                return status;
            }
        }
    }
    // Nothing demanded is nothing missed: a fixed number of iterations was what the caller wanted.
    report->converged = !tn_demands_figures(&s->tolerance) && !(s->tolerance.theta > 0.0);
    return TN_OK;
}

tn_status tn_ccs_solve(const tn_problem *problem, const tn_solve_options *options, const tn_ccs_options *ccs,
                       tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    tn_ccs s = {.problem = problem, .options = ccs, .tolerance = options->tolerance};
    s.n = problem->rows->n_triples;
    s.n_v = 3 * problem->A->n_rows;
    s.n_threads = options->n_threads;
    if (!(s.tolerance.natural > 0.0) && !(s.tolerance.fclib > 0.0)) {
        s.tolerance.natural = s.tolerance.momentum; // the balance alone does not see the law
    }
    report->iterations = 0;
    report->converged = false;
    tn_status status = tn_ccs_create(&s, solution, arena, error);
    status = status == TN_OK ? iterate(&s, options->max_iterations, report, error) : status;
    if (status == TN_OK && s.score < HUGE_VAL) {
        memcpy(solution->v, s.best_v, (size_t)s.n_v * sizeof *s.best_v);
        memcpy(solution->lambda, s.best_lambda, (size_t)(3 * s.n) * sizeof *s.best_lambda);
    }
    report->theta = s.theta;
    report->setup_s = s.setup;
    tn_cholesky_destroy(s.cholesky);
    return status;
}

static tn_status solve_ccs(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                           tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    tn_ccs_options ccs = tn_ccs_options_default();
    return tn_ccs_solve(problem, options, &ccs, arena, solution, report, error);
}

const tn_solver tn_solver_ccs = {
    .name = "ccs",
    .summary = "ADMM: one Cholesky factor of A + rho J^T J, then contact by contact; any law, global form",
    .sets = TN_TAKES_CONES | TN_TAKES_SINGLES,
    .by_multipliers = true,
    .global = true,
    .solve = solve_ccs,
};
