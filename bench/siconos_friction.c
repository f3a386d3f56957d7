// Rows of the friction table: Siconos' Gauss-Seidel and our solvers, the time to an error.
//
// What is timed is one call of either library's interface for such a problem: fc3d_driver, which ends with its own
// error, and tn_problem_solve, which looks at the input, solves and computes the certificate. Problems that take less
// than a reading of the clock does are solved several times between two readings.
#include "peer_siconos.h"
#include "peers.h"
#include "siconos_parts.h"
#include "solver/solver.h"

#include <math.h>
#include <string.h>

enum { REPEATS = 7, SHORT_REPEATS = 150, PROBE = 20, CALLS_MOST = 500 }; // the least counts
static const double SPAN = 2e-4; // between two readings of the clock, at least [s]

// One of ours: by its name, on the problem as it came or on the W that Siconos is given.
typedef struct contender {
    const char *solver, *label;
    bool local;
} contender;
static const contender OUR[] = {{"auto", "auto", false},
                                {"pgs", "pgs", false},
                                {"ipm", "ipm", false},
                                {"newton", "newton", false},
                                {"auto", "auto on W", true}};
enum { OURS = sizeof OUR / sizeof OUR[0] };

// Calls that fill the span, from the time of one.
static int calls_for(double seconds)
{
    return (int)fmin(CALLS_MOST, 1.0 + SPAN / fmax(seconds, 1e-9));
}

// Whether repetition k, so many calls of this time each, is worth it.
static bool again(int k, int calls, double seconds)
{
    return k == 0 || (k < (calls > 1 ? SHORT_REPEATS : REPEATS) && seconds * REPEATS < SICONOS_PATIENCE);
}

#ifdef WITH_SICONOS
static siconos_attempt theirs(siconos_problem *j, double goal)
{
    siconos_attempt a = {.reached = NAN};
    siconos_ask ask = {.tolerance = 1e-14, .max_iterations = PROBE, .calls = 1};
    siconos_run probe = siconos_nsgs(j->local.W, j->contacts.offset, j->mu, &ask, j->r);
    ask.tolerance = goal;
    ask.max_iterations = (int)fmin(1e6, SICONOS_PATIENCE / fmax(1e-7, probe.seconds / PROBE));
    for (int k = 0; again(k, ask.calls, a.seconds); k++) {
        siconos_run run = siconos_nsgs(j->local.W, j->contacts.offset, j->mu, &ask, j->r);
        a.seconds = k == 0 ? run.seconds : fmin(a.seconds, run.seconds);
        a.iterations = run.iterations;
        ask.calls = calls_for(a.seconds);
    }
    a.reached = siconos_fclib(j, j->r);
    return a;
}
#else
static siconos_attempt theirs(siconos_problem *j, double goal)
{
    return (siconos_attempt){.seconds = NAN, .reached = NAN};
}
#endif

// Mean time of `calls` solves from zero; NAN: an error.
static double time_calls(const tn_problem *p, const char *name, const tn_solve_options *options, int calls,
                         tn_solution *solution, tn_solve_report *report)
{
    size_t n_lambda = 3 * (size_t)p->rows->n_triples, n_v = p->A ? 3 * (size_t)p->A->n_rows : 0;
    tn_status status = TN_OK;
    double start = peer_seconds();
    for (int k = 0; k < calls && status == TN_OK; k++) {
        memset(solution->v, 0, n_v * sizeof(double));
        memset(solution->lambda, 0, n_lambda * sizeof(double));
        status = tn_problem_solve(p, name, options, solution, report, NULL);
    }
    return status == TN_OK ? (peer_seconds() - start) / calls : (double)NAN;
}

static siconos_attempt ours(siconos_problem *j, const contender *c, double goal)
{
    const tn_problem *p = c->local ? &j->local : j->problem;
    siconos_attempt a = {.seconds = NAN, .reached = NAN};
    int n = p->rows->n_triples, calls = 1;
    size_t n_lambda = 3 * (size_t)n, n_v = p->A ? 3 * (size_t)p->A->n_rows : 0;
    bool dense = !strcmp(c->solver, "newton") || c->local;
    if ((c->local && !j->problem->A) || tn_solver_refusal(tn_solver_find(c->solver), p) || (dense && n > 700)) {
        return a;
    }
    tn_solution solution = {.v = TN_PUSH(j->arena, double, n_v + 1), .lambda = TN_PUSH(j->arena, double, n_lambda)};
    tn_solve_options options = tn_solve_options_default();
    tn_solve_report report = {.iterations = 0};
    options.tolerance = (tn_tolerance){.fclib = goal};
    options.max_iterations = (int)(2e7 / (n + 50.0));
    for (int k = 0; solution.v && solution.lambda && again(k, calls, a.seconds); k++) {
        double seconds = time_calls(p, c->solver, &options, calls, &solution, &report);
        if (isnan(seconds)) {
            return a;
        }
        a.seconds = k == 0 ? seconds : fmin(a.seconds, seconds);
        a.iterations = report.iterations;
        calls = calls_for(a.seconds);
    }
    for (size_t k = 0; k < n_lambda; k++) {
        j->r[k] = p->step * solution.lambda[k];
    }
    a.reached = siconos_fclib(j, j->r);
    return a;
}

static bool holds(const siconos_attempt *a, double goal)
{
    return a->reached <= goal * 1.0001; // printed digits of a check that stops right there
}

void siconos_friction_row(table *t, siconos_problem *j, double goal, siconos_tally *count)
{
    siconos_attempt best = {.seconds = INFINITY, .reached = NAN}, first = {.seconds = NAN, .reached = NAN};
    const char *by = "-";
    for (int s = 0; s < OURS; s++) {
        siconos_attempt a = ours(j, &OUR[s], goal);
        first = s == 0 ? a : first;
        if (holds(&a, goal) && a.seconds < best.seconds) {
            best = a;
            by = OUR[s].label;
        }
    }
    siconos_attempt rival = theirs(j, goal);
    bool we = best.seconds < INFINITY, they = holds(&rival, goal);
    count->rows++;
    count->faster += we && they && rival.seconds >= 3.0 * best.seconds;
    count->only_ours += we && !they;
    count->only_theirs += they && !we;
    count->neither += !we && !they;
    table_word(t, "%s", j->name);
    table_number(t, "%.0f", j->contacts.n_triples);
    table_number(t, "%.0e", goal);
    table_number(t, "%.4f", 1e3 * rival.seconds);
    table_number(t, "%.1e", rival.reached);
    table_number(t, "%.4f", 1e3 * first.seconds);
    table_number(t, "%.1e", first.reached);
    table_word(t, "%s", by);
    table_number(t, "%.4f", we ? 1e3 * best.seconds : NAN);
    table_number(t, "%.1f", we && they ? rival.seconds / best.seconds : NAN);
    table_row(t);
}
