// The mat at 10 MPa dragged over the ground: time and iterations for a true error of 1e-4 at every step, and how they
// grow with the mesh.
#include "compare.h"
#include "soft.h"

#include <math.h>

enum { TOLERANCES = 6, SOLVERS = 3, CONTENDERS = TOLERANCES * SOLVERS, LABEL = 40 };
static const double LIMIT = 1e-4; // of the true velocity error

static int make_contenders(contender out[CONTENDERS], char label[CONTENDERS][LABEL])
{
    static const double tolerances[TOLERANCES] = {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9};
    static const char *const solvers[SOLVERS] = {"auto", "nodal", "cond"};
    int n = 0;
    for (int s = 0; s < SOLVERS; s++) {
        for (int k = 0; k < TOLERANCES; k++) {
            double e = tolerances[k];
            snprintf(label[n], LABEL, "%s, certificate %.0e", solvers[s], e);
            out[n] = (contender){label[n], solvers[s], false, 0, {.momentum = e, .natural = e}, 10000, false};
            n++;
        }
    }
    return n;
}

static void stiff_row(table *t, const char *label, const tally *a)
{
    int beyond = 0;
    for (int i = 0; i < a->n; i++) {
        beyond += a->verdicts[i].error > LIMIT;
    }
    table_word(t, "%s", label);
    table_number(t, "%.3f", tally_median(a, verdict_ms));
    table_number(t, "%.3f", tally_worst(a, verdict_ms));
    table_number(t, "%.1e", tally_median(a, verdict_error));
    table_number(t, "%.1e", tally_worst(a, verdict_error));
    table_number(t, "%.0f", beyond);
    table_number(t, "%.1f", tally_mean(a, verdict_iterations));
    table_number(t, "%.0f", tally_worst(a, verdict_iterations));
    table_row(t);
}

// Of solver s the loosest tolerance whose every step is within the limit, or -1.
static int sufficient(const comparison *c, int s)
{
    for (int k = s * TOLERANCES; k < (s + 1) * TOLERANCES; k++) {
        if (c->tallies[k].n > 0 && c->tallies[k].n_failed == 0 && tally_worst(&c->tallies[k], verdict_error) <= LIMIT) {
            return k;
        }
    }
    return -1;
}

static int every_step(const bench_options *options, table *t)
{
    contender contenders[CONTENDERS];
    char label[CONTENDERS][LABEL];
    plan p = {.scene = "soft/dragged_mat.yaml", .n_threads = 1, .contenders = contenders};
    p.n = make_contenders(contenders, label);
    p.n_steps = options->quick ? 6 : 100;
    p.first = 1;
    p.stride = options->quick ? 3 : 1;
    const char *set[] = {"solver.tolerance.momentum=1e-8", "solver.tolerance.natural=1e-8",
                         "solver.max_iterations=20000"};
    comparison c = {0};
    int failures = !compare_run(&c, options, &p, 3, set);
    const char *heads[] = {"solver",      "ms (median)", "worst ms",   "error (median)",
                           "worst error", "above 1e-4",  "iterations", "worst"};
    table_open(t, "soft: mat at 10 MPa dragged over the ground, one thread, every step", 8, heads);
    for (int k = 0; k < p.n; k++) {
        stiff_row(t, label[k], &c.tallies[k]);
    }
    for (int s = 0; s < SOLVERS; s++) {
        int k = sufficient(&c, s);
        if (k >= 0) {
            table_note(t, "every step within 1e-4: %s: %.2f ms (median), %.2f (worst); goal 3", label[k],
                       tally_median(&c.tallies[k], verdict_ms), tally_worst(&c.tallies[k], verdict_ms));
        } else {
            table_note(t, "every step within 1e-4: no tolerance of %s", contenders[s * TOLERANCES].name);
        }
    }
    table_note(t, "dynamics %.3f ms (median)", tally_median(&c.steps, verdict_ms));
    compare_note(&c, t);
    table_close(t);
    compare_free(&c);
    return failures;
}

static int mesh_row(const bench_options *options, table *t, int divisions, int factor, double *first)
{
    contender contenders[CONTENDERS];
    char label[CONTENDERS][LABEL], grid[64];
    plan p = {.scene = "soft/dragged_mat.yaml", .n_threads = 1, .contenders = contenders};
    p.n = make_contenders(contenders, label);
    p.n = 2 * TOLERANCES; // auto, nodal
    p.n_steps = options->quick ? 3 : factor == 1 ? 60 : 25;
    p.first = p.stride = options->quick ? 3 : 12;
    snprintf(grid, sizeof grid, "soft.mat.grid.divisions=[%d, %d, 1]", divisions, divisions);
    const char *set[] = {grid, "solver.max_iterations=5000"};
    comparison c = {0};
    int failures = !compare_run(&c, options, &p, 2, set);
    for (int s = 0; s < 2; s++) {
        int k = sufficient(&c, s);
        double iterations = k < 0 ? NAN : tally_mean(&c.tallies[k], verdict_iterations);
        first[s] = factor == 1 ? iterations : first[s];
        table_word(t, "x%d: %s", factor, k < 0 ? contenders[s * TOLERANCES].name : label[k]);
        table_number(t, "%.0f", 2.0 * (divisions + 1) * (divisions + 1));
        table_number(t, "%.0f", c.n_samples ? c.n_contacts / c.n_samples : NAN);
        table_number(t, "%.2f", k < 0 ? NAN : tally_median(&c.tallies[k], verdict_ms));
        table_number(t, "%.1f", iterations);
        table_number(t, "%.2f", iterations / first[s]);
        table_number(t, "%.1e", k < 0 ? NAN : tally_worst(&c.tallies[k], verdict_error));
        table_number(t, "%.1e", c.loosest);
        table_row(t);
    }
    compare_free(&c);
    return failures;
}

static int finer_meshes(const bench_options *options, table *t)
{
    const char *heads[] = {"mesh",       "nodes", "contacts",    "ms (median)",
                           "iterations", "of x1", "worst error", "reference"};
    table_open(t, "soft: the same with more nodes, true error 1e-4", 8, heads);
    const int divisions[4] = {26, 37, 53, 107}, factor[4] = {1, 2, 4, 16};
    double first[2] = {NAN, NAN};
    int failures = 0;
    for (int i = 0; i < (options->quick ? 1 : 4); i++) {
        failures += mesh_row(options, t, divisions[i], factor[i], first);
    }
    table_note(t, "at the loosest tolerance whose every sampled step is within 1e-4; goal: iterations grow at most 1.5 "
                  "times from x1 to x16");
    table_close(t);
    return failures;
}

int soft_stiff(const bench_options *options, table *t)
{
    int failures = every_step(options, t);
    failures += finer_meshes(options, t);
    return failures;
}
