// Rows of the friction table: Siconos' Gauss-Seidel and our solvers, the time to an error.
#include "peer_siconos.h"
#include "peers.h"
#include "siconos_parts.h"
#include "solver/solver.h"

#include <math.h>
#include <string.h>

enum { OURS = 4, REPEATS = 5, PROBE = 20 };
static const char *const OUR[OURS] = {"auto", "pgs", "ipm", "newton"};

#ifdef WITH_SICONOS
static siconos_attempt theirs(siconos_problem *j, double goal)
{
    siconos_attempt a = {.reached = NAN};
    size_t n = 3 * (size_t)j->contacts.n;
    memset(j->r, 0, n * sizeof *j->r);
    siconos_run probe = siconos_nsgs(j->local.W, j->contacts.offset, j->mu, 1e-14, PROBE, j->r);
    int most = (int)fmin(1e6, SICONOS_PATIENCE / fmax(1e-7, probe.seconds / PROBE));
    for (int k = 0; k < REPEATS && (k == 0 || a.seconds * REPEATS < SICONOS_PATIENCE); k++) {
        memset(j->r, 0, n * sizeof *j->r);
        siconos_run run = siconos_nsgs(j->local.W, j->contacts.offset, j->mu, goal, most, j->r);
        a.seconds = k == 0 ? run.seconds : fmin(a.seconds, run.seconds);
        a.iterations = run.iterations;
    }
    a.reached = siconos_fclib(j, j->r);
    return a;
}
#else
static siconos_attempt theirs(siconos_problem *j, double goal)
{
    (void)j;
    (void)goal;
    return (siconos_attempt){.seconds = NAN, .reached = NAN};
}
#endif

static siconos_attempt ours(siconos_problem *j, const char *name, double goal)
{
    const tn_problem *p = j->problem;
    const tn_solver *solver = tn_solver_find(name);
    siconos_attempt a = {.seconds = NAN, .reached = NAN};
    int n = p->contacts->n;
    size_t n_lambda = 3 * (size_t)n, n_v = p->A ? 3 * (size_t)p->A->n_rows : 0;
    if (tn_solver_refusal(solver, p) || (!strcmp(name, "newton") && n > 700)) {
        return a; // its matrix is dense
    }
    tn_solution solution = {.v = TN_PUSH(j->arena, double, n_v + 1), .lambda = TN_PUSH(j->arena, double, n_lambda)};
    tn_solve_options options = tn_solve_options_default();
    options.tolerance = (tn_tolerance){.fclib = goal};
    options.max_iterations = (int)(2e7 / (n + 50.0));
    for (int k = 0; k < REPEATS && solution.v && solution.lambda && (k == 0 || a.seconds * REPEATS < SICONOS_PATIENCE);
         k++) {
        memset(solution.v, 0, n_v * sizeof(double));
        memset(solution.lambda, 0, n_lambda * sizeof(double));
        tn_solve_report report = {.iterations = 0};
        double start = peer_seconds();
        tn_status status = solver->solve(p, &options, j->scratch, &solution, &report, NULL);
        double seconds = peer_seconds() - start;
        tn_arena_reset(j->scratch);
        if (status != TN_OK) {
            return a;
        }
        a.seconds = k == 0 ? seconds : fmin(a.seconds, seconds);
        a.iterations = report.iterations;
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
        siconos_attempt a = ours(j, OUR[s], goal);
        first = s == 0 ? a : first;
        if (holds(&a, goal) && a.seconds < best.seconds) {
            best = a;
            by = OUR[s];
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
    table_number(t, "%.0f", j->contacts.n);
    table_number(t, "%.0e", goal);
    table_number(t, "%.3f", 1e3 * rival.seconds);
    table_number(t, "%.1e", rival.reached);
    table_number(t, "%.3f", 1e3 * first.seconds);
    table_number(t, "%.1e", first.reached);
    table_word(t, "%s", by);
    table_number(t, "%.3f", we ? 1e3 * best.seconds : NAN);
    table_number(t, "%.1f", we && they ? rival.seconds / best.seconds : NAN);
    table_row(t);
}
