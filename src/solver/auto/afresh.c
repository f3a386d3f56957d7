#include "solver/auto/afresh.h"

#include "kernels/block_product.h"
#include "problem/certificate.h"
#include "problem/problem.h"
#include "solver/auto/go_on.h"
#include "solver/check.h"
#include "solver/solvers.h"

#include <math.h>
#include <string.h>

bool tn_auto_best_create(tn_auto_best *best, const tn_problem *problem, tn_arena *arena)
{
    best->solution = (tn_solution){.v = TN_PUSH(arena, double, 3 * (size_t)problem->A->n_rows),
                                   .lambda = TN_PUSH(arena, double, 3 * (size_t)problem->rows->n_triples)};
    best->score = HUGE_VAL;
    return best->solution.v && best->solution.lambda;
}

tn_status tn_auto_score(const tn_problem *problem, const tn_tolerance *tolerance, const tn_solution *solution,
                        tn_arena *arena, double *score, tn_error *error)
{
    const size_t n = 3 * (size_t)problem->A->n_rows, m = 3 * (size_t)problem->rows->n_triples;
    tn_arena_mark mark = tn_arena_get_mark(arena);
    double *push = TN_PUSH(arena, double, n), *product = TN_PUSH(arena, double, n), *u = TN_PUSH(arena, double, m);
    double *q = TN_PUSH(arena, double, m); // zero: on the safe side for the fclib figure
    tn_check check;
    if (!push || !product || !u || !q || !tn_check_create(&check, problem, q, tolerance, arena)) {
        tn_arena_release(arena, mark);
        return tn_error_set(error, TN_NO_MEMORY, "no memory for solver 'auto'");
    }
    tn_problem_velocity(problem, solution->v, solution->lambda, u);
    double contact = tn_check_score(&check, solution->lambda, u), law = fmax(tolerance->natural, tolerance->fclib);
    double demanded = tolerance->momentum > 0.0 ? tolerance->momentum : law > 0.0 ? law : 1e-8;
    tn_problem_add_contact_force(problem, solution->lambda, push);
    tn_block_product(problem->A, solution->v, product, 1);
    double balance = tn_certificate_momentum(problem, product, push, NULL) / demanded;
    *score = isnan(contact) || isnan(balance) ? HUGE_VAL : fmax(contact, balance);
    tn_arena_release(arena, mark);
    return TN_OK;
}

tn_status tn_auto_best_keep(tn_auto_best *best, const tn_problem *problem, const tn_tolerance *tolerance,
                            const tn_solution *solution, tn_arena *arena, tn_error *error)
{
    double score = HUGE_VAL;
    tn_status status = tn_auto_score(problem, tolerance, solution, arena, &score, error);
    if (status == TN_OK && score < best->score) {
        best->score = score;
        tn_auto_copy(problem, solution, &best->solution);
    }
    return status;
}

tn_status tn_auto_newton_afresh(const tn_problem *problem, const tn_solve_options *options, int n_steps,
                                const tn_solution *start, tn_auto_best *best, tn_arena *arena, tn_solution *solution,
                                tn_solve_report *report, tn_error *error)
{
    tn_status status = TN_OK;
    for (int attempt = 0; attempt < 2 && status == TN_OK && !report->converged; ++attempt) {
        if (report->iterations >= options->max_iterations) {
            break;
        }
        if (attempt == 0) {
            memset(solution->v, 0, 3 * (size_t)problem->A->n_rows * sizeof *solution->v);
            memset(solution->lambda, 0, 3 * (size_t)problem->rows->n_triples * sizeof *solution->lambda);
        } else {
            tn_auto_copy(problem, start, solution);
        }
        status = tn_auto_go_on(&tn_solver_newton, problem, options, n_steps, arena, solution, report, error);
        if (status == TN_OK) {
            status = tn_auto_best_keep(best, problem, &options->tolerance, solution, arena, error);
        }
    }
    if (status == TN_OK && !report->converged && best->score < HUGE_VAL) {
        tn_auto_copy(problem, &best->solution, solution);
    }
    return status;
}
