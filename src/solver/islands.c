// Islands taken out of the problem, solved and put back: large ones one after the other, each by all threads, small
// ones side by side. A problem that is one island is solved as it stands, but for its scales: so an island's solution
// is the same alone and in company.
#include "solver/islands.h"

#include "base/team.h"
#include "math/vec3.h"
#include "problem/islands.h"
#include "problem/rows.h"

#include <math.h>

// An island with more than this part of all rows has all threads to itself.
static const double LARGE = 0.4;

// What all islands are solved with.
typedef struct work {
    tn_island_solve *solve;
    const tn_solver *solver;
    const tn_problem *problem;
    const tn_solve_options *options;
    const tn_aims *aims; // or NULL
    tn_solution *solution;
    tn_islands islands;
    tn_solve_report *report; // (islands)
    tn_status *status;       // (islands)
} work;

static int row_count(const tn_islands *islands, int k)
{
    return 3 * (islands->triple_start[k + 1] - islands->triple_start[k]) + islands->single_start[k + 1] -
           islands->single_start[k];
}

// Some of the problem's constraints; NULL: all.
typedef struct chosen {
    int n_triples, n_singles, first_single;
    const int *triple, *single;
} chosen;

static int constraint_at(const chosen *c, int i)
{
    int k = i - c->n_triples;
    return k < 0 ? (c->triple ? c->triple[i] : i) : c->first_single + (c->single ? c->single[k] : k);
}

static chosen constraints_of(const work *w, int k)
{
    const tn_islands *all = &w->islands;
    return (chosen){.n_triples = all->triple_start[k + 1] - all->triple_start[k],
                    .n_singles = all->single_start[k + 1] - all->single_start[k],
                    .first_single = w->problem->rows->n_triples,
                    .triple = all->triple + all->triple_start[k],
                    .single = all->single + all->single_start[k]};
}

static chosen all_constraints(const tn_rows *rows)
{
    return (chosen){.n_triples = rows->n_triples, .n_singles = rows->n_singles, .first_single = rows->n_triples};
}

// Mean velocity of chosen contacts' points against one another at the step's start, of what gravity adds in the step;
// at most 1.
static double motion(const tn_problem *p, const chosen *c)
{
    int n = 0;
    double sum = 0.0;
    for (int i = 0; p->start_v && i < c->n_triples; i++) {
        int m = constraint_at(c, i);
        if (m < p->rows->n_triples - p->rows->n_frictions) {
            double u[3];
            tn_contact_velocity(p->rows, m, p->start_v, u);
            sum += tn_vec3_norm(u);
            n++;
        }
    }
    return sum > 0.0 ? fmin(1.0, sum / (n * p->change_scale)) : 0.0;
}

// What they ask for: *part for all of them, into the options too. False: none of them is due.
static bool take_aims(const tn_problem *problem, const tn_aims *aims, const chosen *c, tn_solve_options *options,
                      double *part)
{
    int n = c->n_triples + c->n_singles;
    bool due = !aims || (n == 0 && aims->free);
    *part = 1.0;
    for (int i = 0; aims && i < n; i++) {
        int k = constraint_at(c, i);
        due = due || aims->due[k];
        *part = aims->part[k] < *part ? aims->part[k] : *part;
    }
    double moves = due && options->moving > 0.0 ? motion(problem, c) : 0.0;
    if (options->tolerance.natural > 0.0) {
        options->tolerance.natural = fmax(options->tolerance.natural, moves * options->moving);
    }
    for (int i = 0; due && aims && i < n; i++) {
        aims->motion[constraint_at(c, i)] = moves;
    }
    options->tolerance.natural *= *part;
    options->enough *= *part;
    return due;
}

static void put_aims(const tn_aims *aims, const chosen *c, double part, bool converged)
{
    for (int i = 0; aims && i < c->n_triples + c->n_singles; i++) {
        aims->part[constraint_at(c, i)] = part;
        aims->due[constraint_at(c, i)] = converged;
    }
}

// Island k; arena as before. error: NULL where several threads are at work.
static tn_status solve_island(const work *w, int k, int n_threads, tn_arena *arena, tn_error *error)
{
    tn_arena_mark mark = tn_arena_get_mark(arena);
    tn_solve_options options = *w->options;
    options.n_threads = n_threads;
    w->report[k] = (tn_solve_report){.solver = w->solver->name, .converged = true, .theta = NAN};
    chosen constraints = constraints_of(w, k);
    double part;
    if (!take_aims(w->problem, w->aims, &constraints, &options, &part)) {
        return TN_OK;
    }
    tn_island island;
    tn_status status = tn_island_take(w->problem, &w->islands, k, w->solution, arena, &island);
    status = status == TN_OK
                 ? w->solve(w->solver, &island.problem, &options, arena, &island.solution, &w->report[k], error)
                 : tn_error_set(error, status, "no memory for an island of %d rows", row_count(&w->islands, k));
    if (status == TN_OK || status == TN_NUMERICS) { // whose forces may say what is the matter
        tn_island_put(w->problem, &w->islands, k, &island, w->solution);
        put_aims(w->aims, &constraints, part, status == TN_OK && w->report[k].converged);
    }
    tn_arena_release(arena, mark);
    return status;
}

typedef struct small_islands {
    const work *w;
    const int *which;
    tn_arena *arena;
} small_islands;

static void solve_some(const void *context, int first, int end, int thread)
{
    const small_islands *s = context;
    tn_arena *own = tn_arena_beside(s->arena, 1 + thread);
    for (int i = first; i < end; i++) {
        s->w->status[s->which[i]] = solve_island(s->w, s->which[i], 1, own, NULL);
    }
}

// What is not large, side by side. TN_NO_MEMORY only; w->status has the islands' own.
static tn_status solve_small(const work *w, int n_small, const int *small, tn_arena *arena)
{
    int n_threads = w->options->n_threads < n_small ? w->options->n_threads : n_small;
    if (!tn_arena_beside(arena, n_threads) || !tn_arena_level(arena, n_threads)) { // before several ask
        return TN_NO_MEMORY;
    }
    tn_team_share(n_threads, n_small, 1, solve_some, &(small_islands){w, small, arena});
    return TN_OK;
}

// The solver of the largest, the most iterations, all times.
static void sum_up(const work *w, tn_solve_report *report)
{
    int most = -1;
    *report = (tn_solve_report){.solver = w->solver->name, .converged = true, .theta = NAN};
    for (int k = 0; w->report && k < w->islands.n; k++) {
        const tn_solve_report *one = &w->report[k];
        bool largest = row_count(&w->islands, k) > most;
        most = largest ? row_count(&w->islands, k) : most;
        report->solver = largest ? one->solver : report->solver;
        report->theta = largest ? one->theta : report->theta;
        report->iterations = one->iterations > report->iterations ? one->iterations : report->iterations;
        report->setup_s += one->setup_s;
        report->converged = report->converged && one->converged;
    }
}

static tn_status solve_all(work *w, tn_arena *arena, tn_error *error)
{
    int n = w->islands.n, n_small = 0, all = 3 * w->problem->rows->n_triples + w->problem->rows->n_singles;
    int *small = TN_PUSH_RAW(arena, int, n);
    w->report = TN_PUSH_RAW(arena, tn_solve_report, n);
    w->status = TN_PUSH(arena, tn_status, n); // TN_OK
    if (!small || !w->report || !w->status) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for %d islands", n);
    }
    tn_status status = TN_OK;
    bool team = w->options->n_threads > 1;
    for (int k = 0; status == TN_OK && k < n; k++) {
        if (team && k != w->islands.whole && row_count(&w->islands, k) <= LARGE * all) {
            small[n_small++] = k;
        } else {
            status = solve_island(w, k, w->options->n_threads, arena, error);
        }
    }
    if (status == TN_OK && n_small > 0 && solve_small(w, n_small, small, arena) != TN_OK) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the islands of %d threads", w->options->n_threads);
    }
    for (int k = 0; status == TN_OK && k < n; k++) { // the first one that failed says why
        status = w->status[k] == TN_OK ? TN_OK : solve_island(w, k, 1, arena, error);
    }
    return status;
}

// One island, or a solver that wants all at once. own_scales: it is one.
static tn_status solve_whole(const work *w, bool own_scales, tn_arena *arena, tn_solve_report *report, tn_error *error)
{
    tn_problem problem = *w->problem;
    tn_solve_options options = *w->options;
    chosen constraints = all_constraints(problem.rows);
    double part;
    if (!take_aims(&problem, w->aims, &constraints, &options, &part)) {
        *report = (tn_solve_report){.solver = w->solver->name, .converged = true, .theta = NAN};
        return TN_OK;
    }
    if (own_scales) {
        tn_island_set_scales(&problem);
    }
    tn_status status = w->solve(w->solver, &problem, &options, arena, w->solution, report, error);
    put_aims(w->aims, &constraints, part, status == TN_OK && report->converged);
    return status;
}

tn_status tn_islands_solve(tn_island_solve *solve, const tn_solver *solver, const tn_problem *problem,
                           const tn_solve_options *options, const tn_aims *aims, tn_arena *arena, tn_solution *solution,
                           tn_solve_report *report, tn_error *error)
{
    work w = {
        .solve = solve, .solver = solver, .problem = problem, .options = options, .aims = aims, .solution = solution};
    if (!solver->by_islands || !problem->A) {
        return solve_whole(&w, false, arena, report, error);
    }
    tn_arena_mark mark = tn_arena_get_mark(arena);
    if (tn_islands_find(problem, arena, &w.islands) != TN_OK) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the islands of %d contacts", problem->rows->n_triples);
    }
    tn_status status = w.islands.n <= 1 ? solve_whole(&w, true, arena, report, error) : solve_all(&w, arena, error);
    if (w.islands.n > 1) {
        sum_up(&w, report);
    }
    tn_arena_release(arena, mark);
    return status;
}
