// What a tighter answer would cost: the last step's problem is solved on, from the forces that the step has found,
// until its natural figure is a tenth of the step's. No estimate from rates: what follows is another method often, or
// the same at another pace.
#include "base/memory.h"
#include "base/timer.h"
#include "cli/run.h"

#include <math.h>
#include <string.h>

enum { MORE = 500 };               // iterations at most
static const double TENTH = 0.1;   // of the step's natural figure
static const double EXACT = 1e-11; // a figure that rounding leaves little of

static bool solve_on(const tn_problem *problem, const tn_solution *from, const cli_run_parts *r, cli_tighter *out)
{
    size_t n_v = problem->A ? 3 * (size_t)problem->A->n_rows : 0;
    size_t n_lambda = 3 * (size_t)problem->rows->n_triples + (size_t)problem->rows->n_singles;
    tn_solution on = {.v = tn_calloc(n_v + 1, sizeof *on.v), .lambda = tn_calloc(n_lambda + 1, sizeof *on.lambda)};
    tn_solve_options options = tn_solve_options_default();
    tn_solve_report report;
    bool done = false;
    if (on.v && on.lambda) {
        memcpy(on.v, from->v, n_v * sizeof *on.v);
        memcpy(on.lambda, from->lambda, n_lambda * sizeof *on.lambda);
        options.tolerance.natural = TENTH * r->natural;
        options.max_iterations = MORE;
        options.n_threads = r->method.threads;
        double start = tn_timer_now();
        done = tn_problem_solve(problem, r->method.solver, &options, &on, &report, NULL) == TN_OK;
        *out = (cli_tighter){.natural = options.tolerance.natural,
                             .ms = 1e3 * (tn_timer_now() - start),
                             .iterations = done ? report.iterations : 0,
                             .reached = done && report.certificate.natural <= options.tolerance.natural};
    }
    tn_free(on.v);
    tn_free(on.lambda);
    return done;
}

void cli_run_try_tighter(const cli_run_parts *r, cli_tighter *out)
{
    const tn_solution *solution = NULL;
    const tn_problem *problem = r->done > 0 ? tn_sim_problem(r->sim, &solution) : NULL;
    *out = (cli_tighter){.natural = NAN};
    if (!problem || !solution || problem->rows->n_triples == 0 || !(r->natural > EXACT) ||
        !solve_on(problem, solution, r, out)) {
        out->natural = NAN;
    }
}
