// lemke: the LCP of the polyhedral friction law (lemke/system.h) by pivoting (lcp.h) on the dense form of the rows that
// have a choice (dense/system.h). Exact up to rounding, for small problems.
#include "base/timer.h"
#include "problem/problem.h"
#include "solver/facets.h"
#include "solver/lemke/system.h"
#include "solver/solvers.h"

#include <math.h>
#include <string.h>

enum { MAX_UNKNOWNS = 6000 };        // two matrices of 288 MB
enum { ATTEMPTS = 8 };               // two for each covering vector before giving up
enum { WARM_STEPS = 12 };            // of Newton's method; what needs more mostly goes in circles
enum { LONG_PATH = 4 };              // pivots an unknown: most need fewer than two; longer ones mostly go in circles
static const double SPREAD = 1e-9;   // of q in every other attempt, from the first on: degenerate stacks
static const double REACHED = 1e-10; // of the LCP's residual in its scaled units, relative to 1 + |z|

// The first covering vector is all ones, which suits the scaled system; the others differ from it at random and so go
// along another path.
static void choose_cover(int attempt, int n, double *cover)
{
    for (int i = 0; i < n; ++i) {
        unsigned mixed = ((unsigned)i * 2654435761u + (unsigned)attempt * 40503u) >> 7;
        cover[i] = attempt == 0 ? 1.0 : 1.0 + (double)(mixed % 1024u) / 512.0;
    }
}

static tn_status fail(tn_lcp_end end, int pivots, tn_error *error)
{
    switch (end) {
    case TN_LCP_RAY:
        return tn_error_set(error, TN_NUMERICS,
                            "lemke ended on a ray after %d pivots: contacts and joints contradict one another, or the "
                            "friction cone is not pointed",
                            pivots);
    case TN_LCP_LOST:
        return tn_error_set(error, TN_NUMERICS, "lemke lost its basis to rounding after %d pivots", pivots);
    default:
        return tn_error_set(error, TN_NO_MEMORY, "no memory for lemke's dictionary");
    }
}

static bool is_solved(const tn_lemke_system *s, const double *z, tn_lcp_end end, double residual)
{
    double most = 1.0;
    for (int i = 0; i < s->lcp.n; ++i) {
        most = fmax(most, z[i]);
    }
    return end == TN_LCP_SOLVED && residual <= REACHED * most;
}

static tn_status solve_lcp(const tn_lemke_system *s, const tn_solve_options *options, tn_arena *arena, double *z,
                           tn_solve_report *report, tn_error *error)
{
    int n = s->lcp.n, pivots = 0, owners = s->n_owners > 0 ? s->n_owners : 1;
    double most = (double)options->max_iterations * owners;
    int max_pivots = most < 1e9 ? (int)most : 1000000000;
    double *cover = TN_PUSH_RAW(arena, double, n);
    tn_lcp_end end = cover ? TN_LCP_LOST : TN_LCP_MEMORY;
    tn_lcp_report lcp = {.residual = INFINITY};
    for (int k = 0; k < ATTEMPTS && cover && end != TN_LCP_MEMORY; ++k) {
        choose_cover(k / 2, n, cover);
        int left = max_pivots - pivots, usual = k + 1 < ATTEMPTS && left > LONG_PATH * n ? LONG_PATH * n : left;
        end = tn_lcp_lemke(&s->lcp, cover, k % 2 == 0 ? SPREAD : 0.0, usual, arena, z, &lcp);
        pivots += lcp.pivots;
        if (pivots >= max_pivots || is_solved(s, z, end, lcp.residual) || tn_problem_stopped(s->form->problem)) {
            break;
        }
    }
    report->iterations += (pivots + owners - 1) / owners;
    report->converged = is_solved(s, z, end, lcp.residual);
    return end == TN_LCP_SOLVED || end == TN_LCP_CAP ? TN_OK : fail(end, pivots, error);
}

// A start without forces says nothing about who sticks and slides.
static bool has_forces(const tn_dense *form)
{
    bool any = false;
    for (int i = 0; i < 3 * form->n; ++i) {
        any = any || form->x[i] != 0.0;
    }
    return any;
}

// Forces by pivots, and the motion that belongs to them; on a ray those that tell who has nowhere to go.
static tn_status pivot(tn_dense *form, const tn_solve_options *options, tn_arena *arena, tn_solution *solution,
                       tn_solve_report *report, tn_error *error)
{
    tn_lemke_system s;
    memset(form->x, 0, (size_t)form->size * sizeof *form->x);
    tn_dense_refresh(form);
    double *z = TN_PUSH(arena, double, (size_t)tn_lemke_size(form->problem));
    if (!z || !tn_lemke_system_create(form, arena, &s)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for an LCP of %.0f unknowns", tn_lemke_size(form->problem));
    }
    tn_status status = solve_lcp(&s, options, arena, z, report, error);
    if (status != TN_NO_MEMORY) {
        tn_lemke_system_forces(&s, z, form->x);
        tn_dense_refresh(form);
        tn_dense_put(form, solution);
    }
    return status;
}

// Newton steps of the dense form first where there are forces to start from; and after the pivots, since the form gives
// a little where bilateral rows hold.
static tn_status solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                       tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    tn_dense form;
    double start = tn_timer_now();
    tn_status status = tn_dense_create(&form, problem, NULL, solution, arena, NULL, error);
    report->setup_s = tn_timer_now() - start;
    if (status != TN_OK) {
        return status;
    }
    tn_dense_take(&form, solution);
    report->converged = false;
    if (has_forces(&form)) {
        tn_solve_options few = *options;
        few.max_iterations = few.max_iterations < WARM_STEPS ? few.max_iterations : WARM_STEPS;
        status = tn_dense_finish(&form, &few, arena, solution, report, error);
        if (status != TN_OK || report->converged) {
            return status;
        }
    }
    status = pivot(&form, options, arena, solution, report, error);
    return status == TN_OK ? tn_dense_finish(&form, options, arena, solution, report, error) : status;
}

static const char *refuses(const tn_problem *problem)
{
    if (tn_lemke_size(problem) > MAX_UNKNOWNS || 3.0 * problem->rows->n_triples > MAX_UNKNOWNS) {
        return "its dictionary is dense, and more than 6000 unknowns are too many; auto takes the round cone";
    }
    return tn_facets_refusal(problem);
}

const tn_solver tn_solver_lemke = {
    .name = "lemke",
    .summary = "pivoting on the linear complementarity problem of a polyhedral friction cone",
    .sets = TN_TAKES_CONES | TN_TAKES_POLYHEDRA | TN_TAKES_SINGLES,
    .refuses = refuses,
    .solve = solve,
};
