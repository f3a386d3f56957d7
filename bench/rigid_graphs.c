// Joints without contacts against the size of their graph: chains, trees, rows of four-bars, loops, rings of 10 to
// 10 000 links; the stages of the assembly, one solve by dense and by auto, how exactly the rows are held.
#include "link_graph.h"
#include "peers.h"
#include "rigid.h"

#include "problem/certificate.h"
#include "problem/rows.h"
#include "solver/dense/motion.h"
#include "solver/solver.h"

#include <math.h>
#include <string.h>

enum { SIZES = 4, STAGES = 5, LEAST = 3 };
static const int LINKS[SIZES] = {10, 100, 1000, 10000};
static const char *const NAMES[LINK_GRAPHS] = {"chain", "binary tree", "row of four-bars", "chain with ten loops",
                                               "planar ring"};
static const double ENOUGH = 0.15; // of processor time for one row [s], repeats or not
static const double HELD = 1e-12;  // of the velocity scale, asked of every row

typedef struct outcome {
    double seconds[STAGES]; // prepare, factor, solve; dense, auto
    double held, momentum;  // worst of dense and auto: row's velocity over the scale; the certificate's
    double *v;              // (6 links) of auto
    const char *solver;     // of auto
} outcome;

// Stages of the assembly by themselves. False: no memory, or it does not fit.
static bool time_stages(const tn_problem *p, tn_arena *arena, outcome *out)
{
    bool *held = TN_PUSH(arena, bool, p->rows->n_singles), fits = false;
    for (int i = 0; held && i < p->rows->n_singles; i++) {
        held[i] = true;
    }
    tn_motion motion;
    double start = peer_seconds();
    bool ok = held && tn_motion_create(&motion, p, held, held, arena, &fits) == TN_OK && fits;
    double prepared = peer_seconds();
    ok = ok && tn_motion_factor(&motion);
    double factored = peer_seconds();
    for (int i = 0; ok && i < p->A->n_rows; i++) {
        memcpy(motion.push + motion.assembly.block_at[i], p->b + 3 * (size_t)i, 3 * sizeof(double));
    }
    if (ok) {
        tn_motion_find(&motion);
    }
    double solved = peer_seconds();
    const double seconds[3] = {prepared - start, factored - prepared, solved - factored};
    for (int k = 0; k < 3 && ok; k++) {
        out->seconds[k] = fmin(out->seconds[k], seconds[k]);
    }
    return ok;
}

// solver: as whoever solves a problem calls it, but for the certificate.
static bool time_solver(const tn_problem *p, const char *solver, int stage, tn_arena *arena, outcome *out)
{
    tn_solution solution = {.v = out->v, .lambda = TN_PUSH(arena, double, p->rows->n_singles)};
    tn_solve_options options = tn_solve_options_default();
    tn_solve_report report = {.solver = solver};
    tn_error error = {0};
    memset(out->v, 0, 3 * (size_t)p->A->n_rows * sizeof *out->v);
    double start = peer_seconds();
    tn_status status =
        solution.lambda ? tn_solver_solve(tn_solver_find(solver), p, &options, NULL, arena, &solution, &report, &error)
                        : TN_NO_MEMORY;
    out->seconds[stage] = fmin(out->seconds[stage], peer_seconds() - start);
    tn_certificate c;
    if (status != TN_OK || tn_certificate_compute(p, &solution, false, arena, &c) != TN_OK) {
        fprintf(stderr, "tenon-bench: %s: %s\n", solver, error.message);
        return false;
    }
    for (int i = 0; i < p->rows->n_singles; i++) {
        out->held = fmax(out->held, fabs(tn_single_velocity(p->rows, i, out->v)) / p->velocity_scale);
    }
    out->momentum = fmax(out->momentum, c.momentum);
    out->solver = report.solver;
    return true;
}

static bool measure(const link_graph *g, tn_arena *arena, outcome *out)
{
    double begin = peer_seconds();
    bool ok = true;
    for (int k = 0; k < STAGES; k++) {
        out->seconds[k] = INFINITY;
    }
    for (int k = 0; ok && (k < LEAST || peer_seconds() - begin < ENOUGH); k++) {
        tn_arena_reset(arena);
        ok = time_stages(&g->problem, arena, out);
        tn_arena_reset(arena);
        ok = ok && time_solver(&g->problem, "dense", 3, arena, out);
        tn_arena_reset(arena);
        ok = ok && time_solver(&g->problem, "auto", 4, arena, out);
    }
    return ok;
}

// How far the velocities are from those without the redundant rows, over the scale; NaN: there are none.
static double against_lean(link_graph_kind kind, int n, const link_graph *g, const double *v, tn_arena *arena)
{
    link_graph *lean = g->n_redundant > 0 ? link_graph_create(kind, n, true) : NULL;
    if (!lean) {
        return NAN;
    }
    outcome other = {.v = TN_PUSH(lean->arena, double, 6 * (size_t)n)};
    double most = NAN;
    tn_arena_reset(arena);
    if (other.v && time_solver(&lean->problem, "auto", 4, arena, &other)) {
        most = 0.0;
        for (int i = 0; i < 6 * g->n_links; i++) {
            most = fmax(most, fabs(v[i] - other.v[i]) / g->problem.velocity_scale);
        }
    }
    link_graph_destroy(lean);
    return most;
}

static void print_row(table *t, const char *name, const link_graph *g, const outcome *o, double lean)
{
    table_word(t, "%s", name);
    table_number(t, "%.0f", g->n_links);
    table_number(t, "%.0f", g->rows.n_singles);
    table_number(t, "%.0f", g->n_redundant);
    for (int k = 0; k < STAGES; k++) {
        table_number(t, "%.4g", 1e3 * o->seconds[k]);
    }
    table_word(t, "%s", o->solver);
    table_number(t, "%.2f", 1e6 * o->seconds[4] / g->n_links);
    table_number(t, "%.1e", o->held);
    table_number(t, "%.1e", o->momentum);
    table_number(t, "%.1e", lean);
    table_row(t);
}

static int run_graph(const bench_options *options, table *t, link_graph_kind kind, tn_arena *arena)
{
    double x[SIZES], y[STAGES][SIZES];
    int failures = 0, n = 0;
    for (int i = 0; i < SIZES - (options->quick ? 3 : 0); i++) {
        link_graph *g = link_graph_create(kind, LINKS[i], false);
        outcome o = {.v = g ? TN_PUSH(g->arena, double, 6 * (size_t)LINKS[i]) : NULL};
        bool ok = o.v && measure(g, arena, &o);
        if (ok) {
            print_row(t, NAMES[kind], g, &o, against_lean(kind, LINKS[i], g, o.v, arena));
            x[n] = g->n_links;
            for (int k = 0; k < STAGES; k++) {
                y[k][n] = o.seconds[k];
            }
            n++;
        } else {
            table_note(t, "%s, %d links: not solved", NAMES[kind], LINKS[i]);
        }
        failures += !ok || !(o.held <= HELD);
        link_graph_destroy(g);
    }
    table_note(t, "%s: exponents of time prepare %.2f, factor %.2f, solve %.2f; dense %.2f, auto %.2f", NAMES[kind],
               rigid_exponent(n, x, y[0]), rigid_exponent(n, x, y[1]), rigid_exponent(n, x, y[2]),
               rigid_exponent(n, x, y[3]), rigid_exponent(n, x, y[4]));
    return failures;
}

int rigid_graphs(const bench_options *options, table *t)
{
    const char *heads[] = {"graph",    "links",   "rows", "redundant", "prepare ms", "factor ms", "solve ms",
                           "dense ms", "auto ms", "by",   "us a link", "rows held",  "momentum",  "without redundant"};
    tn_arena *arena = tn_arena_create(0);
    int failures = 0;
    table_open(t, "rigid: joints against the size of their graph", 14, heads);
    for (int kind = 0; kind < LINK_GRAPHS && arena; kind++) {
        failures += run_graph(options, t, (link_graph_kind)kind, arena);
    }
    table_note(t,
               "one solve from rest, fastest of %d or more, processor time; exponents by least squares (asked: below "
               "1.1)",
               LEAST);
    table_note(t,
               "rows held: worst velocity of a row over the velocity scale, by dense and auto (asked: %.0e); without "
               "redundant: how far velocities are from those of the same joints with independent rows",
               HELD);
    table_close(t);
    tn_arena_destroy(arena);
    return failures + !arena;
}
