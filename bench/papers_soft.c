// Tables II to IX of the cond document: soft mat, ball and gripper, randomised trials.
//
// The scene is played with solver auto; at sampled steps every solver gets the same problem and the same warm start, so
// that errors and iterations compare. The document's figures are averages over its own trajectories instead.
//   penetration          true geometry at the end of the sampled step
//   force error          the document's "internal force norm error": | |f_int(x')| - |f_int(x'*)| |, elastic forces at
//                        the step's end (its trajectories differ by all steps before, ours by the sampled one);
//                        gripper: the same of the sum of contact forces on the object
//   velocity error       |v - v*| / |v*|, v* over-converged
#include "base/random.h"
#include "compare.h"
#include "papers.h"

#include <math.h>
#include <string.h>

enum { SETS_MAX = 8, SET_SIZE = 96, SEED = 20 };

typedef struct range {
    double low, high;
} range;

typedef struct document_row {
    const char *label;
    double penetration, force, dynamics, solver, setup, iterations;
} document_row;

typedef struct experiment {
    const char *name, *title, *scene;
    const char *young, *poisson; // paths of the overrides
    const char *friction[3];     // all that follow the trial's friction
    range youngs, poissons, mus; // the document's
    double theta;                // the document's threshold [m/s]
    bool contact_force;          // force error of the contact force instead
    const char *force_head;
    double force_unit; // of the table, in N
    document_row document[3];
    double plain, chebyshev; // Table IX
} experiment;

static const experiment MAT = {
    "mat",
    "cond, Table II: soft mat folding",
    "cond/soft_mat.yaml",
    "soft.mat.young",
    "soft.mat.poisson",
    {"materials.mat.friction", "pairs.0.friction"},
    {50e3, 100e3},
    {0.3, 0.4},
    {0.1, 0.5},
    1e-4,
    false,
    "force error mN",
    1e-3,
    {{"document: COND", 0.0033, 1.868, 9.568, 8.650, NAN, 39.72},
     {"document: PGS", 0.0328, 0.917, 9.599, 1412 - 898, 898, 50.59},
     {"document: APGD", 0.0576, 1.492, 9.563, 1645 - 890, 890, 81.57}},
    167.4,
    39.72,
};
static const experiment BALL = {
    "ball",
    "cond, Table III: soft ball gripping",
    "cond/soft_ball.yaml",
    "soft.ball.young",
    "soft.ball.poisson",
    {"materials.rubber.friction", "materials.pad.friction"},
    {0.5e6, 2e6},
    {0.3, 0.4},
    {0.4, 0.6},
    1e-5,
    false,
    "force error N",
    1.0,
    {{"document: COND", 0.0058, 0.1560, 18.61, 8.464, NAN, 37.51},
     {"document: PGS", 1.9933, 0.3189, 18.51, 805.1 - 624, 624, 233.9},
     {"document: APGD", 0.2325, 0.1235, 18.43, 676.7 - 626, 626, 100.4}},
    138.8,
    37.51,
};
static const experiment GRIPPER = {
    "gripper",
    "cond, Table VI: soft gripper",
    "cond/soft_gripper.yaml",
    "defaults.soft.young",
    "defaults.soft.poisson",
    {"materials.ecoflex.friction", "materials.object.friction"},
    {50e3, 100e3},
    {0.4, 0.49},
    {0.5, 2.1},
    1e-6,
    true,
    "force error N",
    1.0,
    {{"document: COND", 0.0005, 0.1169, 43.24, 18.24, NAN, 30.88},
     {"document: PGS", 0.0397, 0.1175, 42.89, 547.0 - 533, 533, 59.06},
     {"document: APGD", 0.0409, 0.1172, 42.78, 547.3 - 533, 533, 57.81}},
    155.7,
    30.88,
};

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

static void fill_contenders(double theta, contender out[N_CONTENDERS])
{
    const tn_tolerance rule = {.theta = theta}, held = {.momentum = 1e-6, .natural = 1e-6},
                       coarse = {.momentum = 1e-4, .natural = 1e-4}, never = {.theta = 1e-300},
                       never_held = {.momentum = 1e-300, .natural = 1e-300};
    const contender all[N_CONTENDERS] = {
        [COND] = {"cond, document's, theta", "cond", true, TN_COND_CHEBYSHEV, rule, 3000, false},
        [PLAIN] = {"cond without Chebyshev, theta", "cond", true, TN_COND_PLAIN, rule, 3000, false},
        [ADAPTIVE] = {"cond, ours, theta", "cond", false, 0, rule, 3000, false},
        [NODAL_THETA] = {"nodal, theta", "nodal", false, 0, rule, 3000, false},
        [PGS_DENSE] = {"PGS dense, theta", "pgs_dense", false, 0, rule, 3000, true},
        [APGD_DENSE] = {"APGD dense, theta", "apgd_dense", false, 0, rule, 3000, true},
        [PGS_GOOD] = {"PGS, good operator, theta", "pgs", false, 0, rule, 3000, true},
        [APGD_GOOD] = {"APGD, good operator, theta", "apgd", false, 0, rule, 3000, true},
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

// Overrides of one trial: material drawn at random from the document's ranges. Returns their number.
static int draw(const experiment *e, int trial, char text[SETS_MAX][SET_SIZE], const char *set[SETS_MAX])
{
    const range ranges[3] = {e->youngs, e->poissons, e->mus};
    double value[3];
    for (int k = 0; k < 3; k++) {
        double u = tn_random_uniform(SEED, (uint64_t)trial, (uint64_t)k);
        value[k] = ranges[k].low + u * (ranges[k].high - ranges[k].low);
    }
    int n = 0;
    snprintf(text[n++], SET_SIZE, "%s=%.17g", e->young, value[0]);
    snprintf(text[n++], SET_SIZE, "%s=%.17g", e->poisson, value[1]);
    for (int k = 0; k < 3 && e->friction[k]; k++) {
        snprintf(text[n++], SET_SIZE, "%s=%.17g", e->friction[k], value[2]);
    }
    snprintf(text[n++], SET_SIZE, "solver.max_iterations=5000");
    for (int i = 0; i < n; i++) {
        set[i] = text[i];
    }
    return n;
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
    compare_note(c, t);
    table_close(t);
}

static void splitting_table(table *t, const comparison *c, const contender *all)
{
    static const document_row document[4] = {{"document: COND (50)", 0.0049, 0.9662, NAN, 10.85, NAN, 50},
                                             {"document: COND (100)", 0.0050, 0.1620, NAN, 20.90, NAN, 100},
                                             {"document: CCS (50)", 0.0051, 13.40, NAN, 65.99, NAN, 50},
                                             {"document: CCS (100)", 0.0053, 6.559, NAN, 107.9, NAN, 100}};
    open_rows(t, &MAT, "cond, Table VII: fixed iterations on the mat");
    for (int k = COND_50; k < N_CONTENDERS; k++) {
        contender_row(t, &MAT, c, k, all[k].label);
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
        char text[SETS_MAX][SET_SIZE];
        const char *set[SETS_MAX];
        int n = draw(e, trial, text, set);
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
    fill_contenders(e->theta, all);
    int trials = options->trials > 0 ? options->trials : options->quick ? 3 : 20;
    comparison c = {0};
    plan p = {.scene = e->scene, .n_threads = 1, .contenders = all, .n = e == &MAT ? N_CONTENDERS : N_ROWS};
    p.n_steps = options->quick ? 50 : 150;
    p.first = options->quick ? 40 : 10;
    p.stride = 10;
    p.slow_every = 5;
    int failures = play(options, e, &p, trials, &c);
    solver_table(t, e, &c, all, trials);
    if (e == &MAT) {
        splitting_table(t, &c, all);
    }
    *result =
        (ablation){tally_mean(&c.tallies[PLAIN], verdict_iterations), tally_mean(&c.tallies[COND], verdict_iterations)};
    compare_free(&c);
    return failures;
}

static int stiffness_table(const bench_options *options, table *t)
{
    static const double young[3] = {1e5, 1e6, 1e7},
                        document[3][3] = {{39.72, 37.93, 34.99}, {145.8, 224.0, 306.7}, {48.07, 100.9, 200.5}};
    static const int rows[3] = {COND, PGS_DENSE, APGD_DENSE};
    double found[N_ROWS][3];
    int failures = 0;
    for (int k = 0; k < 3; k++) {
        contender all[N_CONTENDERS];
        fill_contenders(BALL.theta, all);
        plan p = {.scene = BALL.scene, .n_threads = 1, .contenders = all, .n = N_ROWS};
        p.n_steps = options->quick ? 40 : 120;
        p.first = p.stride = options->quick ? 40 : 20;
        p.slow_every = 2;
        char text[SET_SIZE];
        snprintf(text, sizeof text, "%s=%g", BALL.young, young[k]);
        const char *set[2] = {text, "solver.max_iterations=5000"};
        comparison c = {0};
        failures += !compare_run(&c, options, &p, 2, set);
        for (int i = 0; i < N_ROWS; i++) {
            found[i][k] = tally_mean(&c.tallies[i], verdict_iterations);
        }
        compare_free(&c);
    }
    const char *heads[] = {"iterations", "0.1 MPa", "1 MPa", "10 MPa"};
    table_open(t, "cond, Table IV: iterations on the ball", 4, heads);
    for (int i = 0; i < N_ROWS + 3; i++) {
        static const char *const names[3] = {"document: COND", "document: PGS", "document: APGD"};
        contender all[N_CONTENDERS];
        fill_contenders(BALL.theta, all);
        const double *row = i < N_ROWS ? found[i] : document[i - N_ROWS];
        if (isnan(row[0]) && isnan(row[1]) && isnan(row[2])) {
            continue;
        }
        table_word(t, "%s", i < N_ROWS ? all[i].label : names[i - N_ROWS]);
        for (int k = 0; k < 3; k++) {
            table_number(t, "%.1f", row[k]);
        }
        table_row(t);
    }
    (void)rows;
    table_close(t);
    return failures;
}

static void ablation_table(table *t, const experiment *const *experiments, const ablation *found)
{
    const char *heads[] = {"Chebyshev", "without", "with", "ratio", "doc. without", "doc. with", "doc. ratio"};
    table_open(t, "cond, Table IX: iterations without and with Chebyshev acceleration", 7, heads);
    for (int k = 0; k < 3; k++) {
        const experiment *e = experiments[k];
        table_word(t, "%s", e->name);
        table_number(t, "%.1f", found[k].plain);
        table_number(t, "%.1f", found[k].chebyshev);
        table_number(t, "%.2f", found[k].plain / found[k].chebyshev);
        table_number(t, "%.1f", e->plain);
        table_number(t, "%.2f", e->chebyshev);
        table_number(t, "%.2f", e->plain / e->chebyshev);
        table_row(t);
    }
    table_close(t);
}

int papers_soft_tables(const bench_options *options, table *t)
{
    static const experiment *const experiments[3] = {&MAT, &BALL, &GRIPPER};
    ablation found[3];
    int failures = 0;
    for (int k = 0; k < 3; k++) {
        failures += run_experiment(options, experiments[k], t, &found[k]);
        if (experiments[k] == &BALL) {
            failures += stiffness_table(options, t);
        }
    }
    ablation_table(t, experiments, found);
    return failures;
}
