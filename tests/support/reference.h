// The over-converged solution that benches and tests measure true errors against.
#pragma once

#include "solver/solver.h"

#include <math.h>
#include <string.h>

// What a reference has to reach: momentum and natural figure of the certificate, at most.
static const double REFERENCE_TOLERANCE = 1e-12;

// In this order. A solver that refuses the problem is passed over.
static const struct {
    const char *name;
    int max_iterations;
} REFERENCE_CHAIN[] = {{"newton", 300}, {"pgs", 20000}, {"ccs", 5000}, {"cond", 50000}, {"newton", 1000}};

// The worse figure; a momentum that does not apply counts as none.
static inline double reference_figure(const tn_certificate *c)
{
    double momentum = isnan(c->momentum) ? 0.0 : c->momentum;
    return isnan(c->natural) ? HUGE_VAL : fmax(momentum, c->natural);
}

typedef struct reference_point {
    int n_v, n_lambda;
    double *v, *lambda; // NULL where there are none
    tn_solve_report report;
} reference_point;

static inline void reference_copy(const reference_point *sizes, double *v_to, const double *v, double *lambda_to,
                                  const double *lambda)
{
    if (sizes->n_v > 0) {
        memcpy(v_to, v, (size_t)sizes->n_v * sizeof *v);
    }
    memcpy(lambda_to, lambda, (size_t)sizes->n_lambda * sizeof *lambda);
}

// Solver after solver, the most robust first, each from the best point so far, until momentum and natural of the
// problem's law are at most REFERENCE_TOLERANCE by the certificate. solution: warm start
// in, best point out. report->converged says whether it got there, report->certificate how far, report->solver who
// did it, report->iterations all steps of all solvers. Takes its time: a tenth of a second for a mat of 1500 nodes.
static inline tn_status reference_solve(const tn_problem *problem, tn_arena *arena, tn_solution *solution,
                                        tn_solve_report *report, tn_error *error)
{
    tn_arena_mark mark = tn_arena_get_mark(arena);
    reference_point best = {.n_v = problem->A ? 3 * problem->A->n_rows : 0, .n_lambda = 3 * problem->rows->n_triples};
    best.v = TN_PUSH(arena, double, best.n_v);
    best.lambda = TN_PUSH(arena, double, best.n_lambda);
    if (!best.v || !best.lambda) {
        tn_arena_release(arena, mark);
        return tn_error_set(error, TN_NO_MEMORY, "no memory for a reference solution");
    }
    reference_copy(&best, best.v, solution->v, best.lambda, solution->lambda);
    best.report.certificate.natural = NAN;
    best.report.solver = "none";
    tn_solve_options options = tn_solve_options_default();
    options.tolerance = (tn_tolerance){.momentum = REFERENCE_TOLERANCE, .natural = REFERENCE_TOLERANCE};
    tn_status last = TN_OK;
    int iterations = 0;
    for (size_t k = 0; k < sizeof REFERENCE_CHAIN / sizeof REFERENCE_CHAIN[0] &&
                       !(reference_figure(&best.report.certificate) <= REFERENCE_TOLERANCE);
         ++k) {
        const tn_solver *solver = tn_solver_find(REFERENCE_CHAIN[k].name);
        options.max_iterations = REFERENCE_CHAIN[k].max_iterations;
        if (tn_solver_refusal(solver, problem)) {
            continue;
        }
        last = tn_solver_run(solver, problem, &options, arena, solution, report, error);
        if (last == TN_OK) {
            iterations += report->iterations;
            if (!(reference_figure(&report->certificate) >= reference_figure(&best.report.certificate))) {
                best.report = *report;
                reference_copy(&best, best.v, solution->v, best.lambda, solution->lambda);
            }
        }
        reference_copy(&best, solution->v, best.v, solution->lambda, best.lambda);
    }
    *report = best.report;
    report->iterations = iterations;
    report->converged = reference_figure(&report->certificate) <= REFERENCE_TOLERANCE;
    tn_arena_release(arena, mark);
    // A solver that failed while another one got somewhere is no error.
    return isnan(report->certificate.natural) ? last : TN_OK;
}
