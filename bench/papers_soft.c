// Tables II to IX of the cond document: soft mat, ball and gripper, cable, randomised trials.
//
// The scene is played with solver auto; at sampled steps every solver gets the same problem and the same warm start, so
// that errors and iterations compare. The document's figures are averages over its own trajectories instead.
//   penetration          true geometry at the end of the sampled step
//   force error          the document's "internal force norm error": | |f_int(x')| - |f_int(x'*)| |, elastic forces at
//                        the step's end (its trajectories differ by all steps before, ours by the sampled one);
//                        gripper: the same of the sum of contact forces on the object; cable: of the force that its
//                        last joint puts on the hand (the document's 0.4 N are against a measurement)
//   velocity error       |v - v*| / |v*|, v* over-converged
#include "compare.h"
#include "experiment.h"
#include "papers.h"

#include <math.h>
#include <string.h>

enum { N_EXPERIMENTS = 4 };
static const experiment *const EXPERIMENTS[N_EXPERIMENTS] = {&EXPERIMENT_MAT, &EXPERIMENT_BALL, &EXPERIMENT_GRIPPER,
                                                             &EXPERIMENT_CABLE};

// Contenders of every table; the document's rule first.
enum {
    COND,
    PLAIN,
    ADAPTIVE,
    NODAL_THETA,
    PGS_DENSE,
    APGD_DENSE,
    PGS_GOOD,
    APGD_GOOD,
    AUTO_COARSE,
    AUTO,
    NEWTON,
    CCS,
    N_ROWS,
    COND_50 = N_ROWS,
    COND_100,
    CCS_50,
    CCS_100,
    N_CONTENDERS
};

static void fill_contenders(double theta, int cap, contender out[N_CONTENDERS])
{
    const tn_tolerance rule = {.theta = theta}, held = {.momentum = 1e-6, .natural = 1e-6},
                       coarse = {.momentum = 1e-4, .natural = 1e-4}, map = {.natural = 1e-4}, never = {.theta = 1e-300},
                       never_held = {.momentum = 1e-300, .natural = 1e-300};
    const contender all[N_CONTENDERS] = {
        [COND] = {"cond, document's, theta", "cond", true, TN_COND_CHEBYSHEV, rule, cap, false},
        [PLAIN] = {"cond without Chebyshev, theta", "cond", true, TN_COND_PLAIN, rule, cap, false},
        [ADAPTIVE] = {"cond, ours, theta", "cond", false, 0, rule, 3000, false},
        [NODAL_THETA] = {"nodal, theta", "nodal", false, 0, rule, cap, false},
        [PGS_DENSE] = {"PGS dense, natural 1e-4", "pgs-dense", false, 0, map, 3000, true},
        [APGD_DENSE] = {"APGD dense, natural 1e-4", "apgd-dense", false, 0, map, 3000, true},
        [PGS_GOOD] = {"PGS, good operator, natural 1e-4", "pgs", false, 0, map, 3000, true},
        [APGD_GOOD] = {"APGD, good operator, natural 1e-4", "apgd", false, 0, map, 3000, true},
        [AUTO_COARSE] = {"auto, certificate 1e-4", "auto", false, 0, coarse, 5000, false},
        [AUTO] = {"auto, certificate 1e-6", "auto", false, 0, held, 5000, false},
        [NEWTON] = {"newton, certificate 1e-6", "newton", false, 0, held, 200, true},
        [CCS] = {"ccs, certificate 1e-6", "ccs", false, 0, held, 3000, true},
        [COND_50] = {"cond (50)", "cond", true, TN_COND_CHEBYSHEV, never, 50, false},
        [COND_100] = {"cond (100)", "cond", true, TN_COND_CHEBYSHEV, never, 100, false},
        [CCS_50] = {"ccs (50)", "ccs", false, 0, never_held, 50, true},
        [CCS_100] = {"ccs (100)", "ccs", false, 0, never_held, 100, true},
    };
    memcpy(out, all, sizeof all);
}

static double force(const experiment *e, const tally *a)
{
    return tally_mean(a, e->contact_force ? verdict_contact : verdict_internal) / e->force_unit;
}

static void contender_row(table *t, const experiment *e, const comparison *c, int k, const char *label)
{
    const tally *a = &c->tallies[k];
    if (a->n == 0) {
        if (a->n_failed) {
            table_note(t, "%s: failed", label);
        }
        return;
    }
    table_word(t, "%s", label);
    table_number(t, "%.2g", tally_mean(a, verdict_penetration_mm));
    table_number(t, "%.4g", force(e, a));
    table_number(t, "%.2e", tally_median(a, verdict_error));
    table_number(t, "%.2e", tally_worst(a, verdict_error));
    table_number(t, "%.3f", tally_median(&c->steps, verdict_ms));
    table_number(t, "%.3f", tally_mean(a, verdict_ms));
    table_number(t, "%.1f", tally_mean(a, verdict_setup_ms));
    table_number(t, "%.1f", tally_mean(a, verdict_iterations));
    table_number(t, "%.0f", a->n_open + a->n_failed);
    table_row(t);
}

static void document_rows(table *t, const document_row *row, int n)
{
    for (int i = 0; i < n; i++, row++) {
        const double cells[] = {row->penetration, row->force,      NAN, NAN, row->dynamics, row->solver,
                                row->setup,       row->iterations, NAN};
        table_word(t, "%s", row->label);
        for (int k = 0; k < 9; k++) {
            table_number(t, "%.4g", cells[k]);
        }
        table_row(t);
    }
}

static void open_rows(table *t, const experiment *e, const char *title)
{
    const char *heads[] = {"solver",      "penetr. mm", e->force_head, "vel. error", "worst",
                           "dynamics ms", "solver ms",  "set-up ms",   "iterations", "unconverged"};
    table_open(t, title, 10, heads);
}

static void solver_table(table *t, const experiment *e, const comparison *c, const contender *all, int trials)
{
    open_rows(t, e, e->title);
    for (int k = 0; k < N_ROWS; k++) {
        contender_row(t, e, c, k, all[k].label);
    }
    document_rows(t, e->document, 3);
    table_note(t, "%d trials; means, velocity error and dynamics medians; theta %.0e; one thread; document: 4 cores",
               trials, e->theta);
    table_note(t, "PGS and APGD have no theta here: the document's for them is |A^-1 J^T dlambda|");
    table_note(t,
               "not the document's: size, density, damping and motion of the bodies, on which counts by theta depend");
    if (e == &EXPERIMENT_GRIPPER) {
        table_note(t,
                   "the document's method runs into the cap of %d, in double precision and without acceleration "
                   "too: slender fingers bend in modes whose steps are a thousandth of the error",
                   e->cap);
    }
    compare_note(c, t);
    table_close(t);
}

static void splitting_table(table *t, const comparison *c, const contender *all)
{
    static const document_row document[4] = {{"document: COND (50)", 0.0049, 0.9662, NAN, 10.85, NAN, 50},
                                             {"document: COND (100)", 0.0050, 0.1620, NAN, 20.90, NAN, 100},
                                             {"document: CCS (50)", 0.0051, 13.40, NAN, 65.99, NAN, 50},
                                             {"document: CCS (100)", 0.0053, 6.559, NAN, 107.9, NAN, 100}};
    open_rows(t, &EXPERIMENT_MAT, "cond, Table VII: fixed iterations on the mat");
    for (int k = COND_50; k < N_CONTENDERS; k++) {
        contender_row(t, &EXPERIMENT_MAT, c, k, all[k].label);
    }
    document_rows(t, document, 4);
    table_close(t);
}

typedef struct ablation {
    double plain, chebyshev;
} ablation;

// All trials of one experiment into c. Returns failures.
static int play(const bench_options *options, const experiment *e, plan *p, int trials, comparison *c)
{
    int failures = 0;
    for (int trial = 0; trial < trials; trial++) {
        char text[EXPERIMENT_SETS][EXPERIMENT_SET];
        const char *set[EXPERIMENT_SETS];
        int n = experiment_draw(e, trial, text, set);
        if (!compare_run(c, options, p, n, set)) {
            fprintf(stderr, "tenon-bench: %s: trial %d failed\n", e->name, trial);
            failures++;
        }
    }
    return failures;
}

static int run_experiment(const bench_options *options, const experiment *e, table *t, ablation *result)
{
    contender all[N_CONTENDERS];
    fill_contenders(e->theta, e->cap, all);
    int trials = options->trials > 0 ? options->trials : options->quick ? 3 : 20;
    comparison c = {0};
    plan p = {.scene = e->scene, .n_threads = 1, .contenders = all, .n = e == &EXPERIMENT_MAT ? N_CONTENDERS : N_ROWS};
    p.n_steps = options->quick ? e->steps * 2 / 15 : e->steps;
    p.first = options->quick ? p.n_steps : e == &EXPERIMENT_CABLE ? e->stride : 10;
    p.stride = e->stride;
    p.slow_every = options->quick ? 0 : e == &EXPERIMENT_GRIPPER ? 4 : 5; // coprime to its five samples a trial
    int failures = play(options, e, &p, trials, &c);
    solver_table(t, e, &c, all, trials);
    if (e == &EXPERIMENT_MAT) {
        splitting_table(t, &c, all);
    }
    *result =
        (ablation){tally_mean(&c.tallies[PLAIN], verdict_iterations), tally_mean(&c.tallies[COND], verdict_iterations)};
    compare_free(&c);
    return failures;
}

// Mean iterations of every contender at each stiffness.
static int stiffness_runs(const bench_options *options, const contender *all, double found[N_ROWS][3])
{
    static const double young[3] = {1e5, 1e6, 1e7};
    plan p = {.scene = EXPERIMENT_BALL.scene, .n_threads = 1, .contenders = all, .n = N_ROWS};
    p.n_steps = options->quick ? 40 : 120;
    p.first = p.stride = options->quick ? 40 : 20;
    p.slow_every = options->quick ? 0 : 2;
    int failures = 0;
    for (int k = 0; k < 3; k++) {
        char text[EXPERIMENT_SET];
        snprintf(text, sizeof text, "%s=%g", EXPERIMENT_BALL.young, young[k]);
        const char *set[2] = {text, "solver.max_iterations=5000"};
        comparison c = {0};
        failures += !compare_run(&c, options, &p, 2, set);
        for (int i = 0; i < N_ROWS; i++) {
            found[i][k] = tally_mean(&c.tallies[i], verdict_iterations);
        }
        compare_free(&c);
    }
    return failures;
}

static void iterations_row(table *t, const char *label, const double row[3])
{
    if (isnan(row[0]) && isnan(row[1]) && isnan(row[2])) {
        return;
    }
    table_word(t, "%s", label);
    for (int k = 0; k < 3; k++) {
        table_number(t, "%.1f", row[k]);
    }
    table_row(t);
}

static int stiffness_table(const bench_options *options, table *t)
{
    static const double document[3][3] = {{39.72, 37.93, 34.99}, {145.8, 224.0, 306.7}, {48.07, 100.9, 200.5}};
    static const char *const names[3] = {"document: COND", "document: PGS", "document: APGD"};
    contender all[N_CONTENDERS];
    double found[N_ROWS][3];
    fill_contenders(EXPERIMENT_BALL.theta, EXPERIMENT_BALL.cap, all);
    int failures = stiffness_runs(options, all, found);
    const char *heads[] = {"iterations", "0.1 MPa", "1 MPa", "10 MPa"};
    table_open(t, "cond, Table IV: iterations on the ball", 4, heads);
    for (int i = 0; i < N_ROWS; i++) {
        iterations_row(t, all[i].label, found[i]);
    }
    for (int i = 0; i < 3; i++) {
        iterations_row(t, names[i], document[i]);
    }
    table_close(t);
    return failures;
}

static bool is_wanted(const bench_options *options, const experiment *e)
{
    bool one = false;
    for (int k = 0; k < N_EXPERIMENTS; k++) {
        one = one || (options->only && bench_listed(options->only, EXPERIMENTS[k]->name));
    }
    return !one || bench_listed(options->only, e->name);
}

static void ablation_table(table *t, const ablation found[N_EXPERIMENTS])
{
    const char *heads[] = {"Chebyshev", "without", "with", "ratio", "doc. without", "doc. with", "doc. ratio"};
    table_open(t, "cond, Table IX: iterations without and with Chebyshev acceleration", 7, heads);
    for (int k = 0; k < N_EXPERIMENTS; k++) {
        const experiment *e = EXPERIMENTS[k];
        if (found[k].plain > 0.0) {
            table_word(t, "%s", e->name);
            table_number(t, "%.1f", found[k].plain);
            table_number(t, "%.1f", found[k].chebyshev);
            table_number(t, "%.2f", found[k].plain / found[k].chebyshev);
            table_number(t, "%.1f", e->plain);
            table_number(t, "%.2f", e->chebyshev);
            table_number(t, "%.2f", e->plain / e->chebyshev);
            table_row(t);
        }
    }
    table_close(t);
}

int papers_soft_tables(const bench_options *options, table *t)
{
    ablation found[N_EXPERIMENTS] = {{0.0, 0.0}};
    int failures = 0;
    for (int k = 0; k < N_EXPERIMENTS; k++) {
        const experiment *e = EXPERIMENTS[k];
        failures += is_wanted(options, e) ? run_experiment(options, e, t, &found[k]) : 0;
        failures += is_wanted(options, e) && e == &EXPERIMENT_BALL ? stiffness_table(options, t) : 0;
    }
    ablation_table(t, found);
    return failures;
}
