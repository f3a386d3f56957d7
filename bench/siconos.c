// Siconos beside our solvers on the same friction problems: the public FCLIB files and piles of spheres; time to an
// error, which our certificate measures for both.
#include "bench.h"
#include "peer_siconos.h"
#include "peers.h"
#include "problem/certificate.h"
#include "problem/delassus.h"
#include "problem/fclib.h"
#include "rigid_pile.h"
#include "solver/solver.h"
#include "track.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GOALS = 3, OURS = 4, PILES = 4, REPEATS = 5, FILES_MAX = 256, PROBE = 20 };
static const double GOAL[GOALS] = {1e-4, 1e-6, 1e-8};
static const char *const OUR[OURS] = {"auto", "pgs", "ipm", "newton"};
static const int SIDE[PILES] = {4, 6, 8, 10};
static const double PATIENCE = 5.0; // of any solver on one problem [s]

// One problem: as it came, and as Siconos takes it.
typedef struct judged {
    const char *name;
    const tn_problem *problem; // ours: global form of a simulation, or a file's
    tn_problem local;          // u = W r + q with impulses r
    tn_contacts contacts;
    double *mu, *r;
    tn_arena *arena, *scratch;
} judged;

typedef struct attempt {
    double seconds, reached;
    int iterations;
} attempt;

static double fclib_of(judged *j, const double *r)
{
    tn_certificate c;
    tn_solution solution = {.lambda = (double *)r};
    tn_status status = tn_certificate_compute(&j->local, &solution, true, j->scratch, &c);
    tn_arena_reset(j->scratch);
    return status == TN_OK ? c.fclib : NAN;
}

// W, q and one mu a contact of j->problem, explicit.
static bool make_local(judged *j, tn_error *error)
{
    const tn_problem *p = j->problem;
    int n = p->contacts->n;
    tn_delassus delassus = {.n = 0};
    if (tn_delassus_create(p, TN_DELASSUS_EXPLICIT, j->arena, &delassus, error) != TN_OK) {
        return false;
    }
    tn_blocks *W = TN_PUSH(j->arena, tn_blocks, 1);
    size_t n_values = 9 * (size_t)delassus.N->start[n];
    double *value = TN_PUSH(j->arena, double, n_values);
    j->mu = TN_PUSH(j->arena, double, n);
    j->r = TN_PUSH(j->arena, double, 3 * (size_t)n);
    if (!W || !value || !j->mu || !j->r) {
        tn_delassus_destroy(&delassus);
        return false;
    }
    *W = *delassus.N;
    W->value = value;
    for (size_t k = 0; k < n_values; k++) {
        value[k] = delassus.N->value[k] / p->step;
    }
    for (int m = 0; m < n; m++) {
        j->mu[m] = p->contacts->mu[2 * (size_t)m];
    }
    j->contacts = (tn_contacts){.n = n, .offset = delassus.q, .mu = p->contacts->mu};
    j->local = (tn_problem){.W = W, .contacts = &j->contacts, .law = TN_LAW_COULOMB, .step = 1.0};
    tn_delassus_destroy(&delassus);
    return true;
}

// ---- the two sides

#ifdef WITH_SICONOS
static attempt theirs(judged *j, double goal)
{
    attempt a = {.reached = NAN};
    size_t n = 3 * (size_t)j->contacts.n;
    memset(j->r, 0, n * sizeof *j->r);
    siconos_run probe = siconos_nsgs(j->local.W, j->contacts.offset, j->mu, 1e-14, PROBE, j->r);
    int most = (int)fmin(1e6, PATIENCE / fmax(1e-7, probe.seconds / PROBE));
    for (int k = 0; k < REPEATS && (k == 0 || a.seconds * REPEATS < PATIENCE); k++) {
        memset(j->r, 0, n * sizeof *j->r);
        siconos_run run = siconos_nsgs(j->local.W, j->contacts.offset, j->mu, goal, most, j->r);
        a.seconds = k == 0 ? run.seconds : fmin(a.seconds, run.seconds);
        a.iterations = run.iterations;
    }
    a.reached = fclib_of(j, j->r);
    return a;
}
#else
static attempt theirs(judged *j, double goal)
{
    (void)j;
    (void)goal;
    return (attempt){.seconds = NAN, .reached = NAN};
}
#endif

static attempt ours(judged *j, const char *name, double goal)
{
    const tn_problem *p = j->problem;
    const tn_solver *solver = tn_solver_find(name);
    attempt a = {.seconds = NAN, .reached = NAN};
    int n = p->contacts->n;
    size_t n_lambda = 3 * (size_t)n, n_v = p->A ? 3 * (size_t)p->A->n_rows : 0;
    if (tn_solver_refusal(solver, p) || (!strcmp(name, "newton") && n > 700)) {
        return a; // its matrix is dense
    }
    tn_solution solution = {.v = TN_PUSH(j->arena, double, n_v + 1), .lambda = TN_PUSH(j->arena, double, n_lambda)};
    tn_solve_options options = tn_solve_options_default();
    options.tolerance = (tn_tolerance){.fclib = goal};
    options.max_iterations = (int)(2e7 / (n + 50.0));
    for (int k = 0; k < REPEATS && solution.v && solution.lambda && (k == 0 || a.seconds * REPEATS < PATIENCE); k++) {
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
    a.reached = fclib_of(j, j->r);
    return a;
}

// ---- the table

typedef struct tally {
    int rows, faster, only_ours, only_theirs, neither;
} tally;

static bool holds(const attempt *a, double goal)
{
    return a->reached <= goal * 1.0001; // printed digits of a check that stops right there
}

static void row(table *t, judged *j, double goal, tally *count)
{
    attempt best = {.seconds = INFINITY, .reached = NAN}, first = {.seconds = NAN, .reached = NAN};
    const char *by = "-";
    for (int s = 0; s < OURS; s++) {
        attempt a = ours(j, OUR[s], goal);
        first = s == 0 ? a : first;
        if (holds(&a, goal) && a.seconds < best.seconds) {
            best = a;
            by = OUR[s];
        }
    }
    attempt rival = theirs(j, goal);
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

static void lemke_row(table *t, judged *j, bool planar);

// count NULL: the table of Lemke.
static int rows_of(table *t, judged *j, bool planar, tally *count)
{
    tn_error error = {0};
    bool ok = make_local(j, &error);
    if (!ok) {
        fprintf(stderr, "tenon-bench: %s: %s\n", j->name, error.message);
    }
    if (ok && !count) {
        lemke_row(t, j, planar);
    }
    for (int g = 0; g < GOALS && ok && count; g++) {
        row(t, j, GOAL[g], count);
    }
    return !ok;
}

static int run_file(const char *folder, const char *file, table *t, tally *count)
{
    char path[4096], name[64];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    snprintf(name, sizeof name, "%.*s", (int)(strstr(file, ".hdf5") - file), file);
    judged j = {.name = name, .arena = tn_arena_create("siconos", 0), .scratch = tn_arena_create("siconos", 0)};
    tn_fclib_problem loaded;
    tn_error error = {0};
    int failures = 0;
    if (tn_fclib_read(path, j.arena, &loaded, &error) != TN_OK) {
        fprintf(stderr, "tenon-bench: %s\n", error.message);
        failures = 1;
    } else if (loaded.space_dimension == 3 || !count) {
        j.problem = &loaded.problem;
        failures = rows_of(t, &j, loaded.space_dimension == 2, count);
    }
    tn_arena_destroy(j.arena);
    tn_arena_destroy(j.scratch);
    return failures;
}

// ---- polyhedral friction: Lemke's pivoting on both sides

enum { FACETS = 4, LEMKE_CONTACTS = 100 };

// The LCP of the polyhedral law in (c_n, beta, lambda) of W and q; directions evenly turned from the first tangent.
// M (size, size) and q (size), size = n (2 + facets).
static void make_lcp(const judged *j, int facets, double *M, double *q)
{
    int n = j->contacts.n;
    size_t size = (size_t)n * (size_t)(2 + facets);
    const tn_blocks *W = j->local.W;
    for (int i = 0; i < n; i++) {
        for (int row = 0; row <= facets; row++) {
            double angle = row == 0 ? 0.0 : 2.0 * M_PI * (row - 1) / facets;
            double left[3] = {row == 0, row == 0 ? 0.0 : cos(angle), row == 0 ? 0.0 : sin(angle)};
            size_t at = row == 0 ? (size_t)i : (size_t)(n + i * facets + row - 1);
            const double *own = &j->contacts.offset[3 * (size_t)i];
            q[at] = left[0] * own[0] + left[1] * own[1] + left[2] * own[2];
            for (int e = W->start[i]; e < W->start[i + 1]; e++) {
                const double *w = &W->value[9 * (size_t)e];
                for (int column = 0; column <= facets; column++) {
                    double turn = column == 0 ? 0.0 : 2.0 * M_PI * (column - 1) / facets, sum = 0.0;
                    double right[3] = {column == 0, column == 0 ? 0.0 : cos(turn), column == 0 ? 0.0 : sin(turn)};
                    for (int k = 0; k < 9; k++) {
                        sum += left[k / 3] * w[k] * right[k % 3];
                    }
                    int k = W->column[e];
                    M[at * size + (column == 0 ? (size_t)k : (size_t)(n + k * facets + column - 1))] = sum;
                }
            }
            if (row > 0) {
                size_t bound = (size_t)(n + n * facets + i);
                M[at * size + bound] = 1.0;
                M[bound * size + at] = -1.0;
                M[bound * size + (size_t)i] = j->mu[i];
            }
        }
    }
}

static double polyhedral_error(judged *j, const double *r)
{
    tn_certificate c;
    tn_solution solution = {.lambda = (double *)r};
    tn_status status = tn_certificate_compute(&j->local, &solution, false, j->scratch, &c);
    tn_arena_reset(j->scratch);
    return status == TN_OK ? c.natural : NAN;
}

static attempt their_lemke(judged *j, int facets)
{
    attempt a = {.seconds = NAN, .reached = NAN};
#ifdef WITH_SICONOS
    int n = j->contacts.n, size = n * (2 + facets);
    double *M = TN_PUSH(j->arena, double, (size_t)size *(size_t)size), *q = TN_PUSH(j->arena, double, size);
    double *z = TN_PUSH(j->arena, double, size);
    if (!M || !q || !z) {
        return a;
    }
    make_lcp(j, facets, M, q);
    siconos_run run = siconos_lemke(size, M, q, 1e-12, z);
    a.seconds = run.seconds;
    a.iterations = run.iterations;
    for (int i = 0; i < n; i++) {
        double *r = &j->r[3 * (size_t)i];
        r[0] = z[i];
        r[1] = r[2] = 0.0;
        for (int k = 0; k < facets; k++) {
            r[1] += cos(2.0 * M_PI * k / facets) * z[n + i * facets + k];
            r[2] += sin(2.0 * M_PI * k / facets) * z[n + i * facets + k];
        }
    }
    a.reached = polyhedral_error(j, j->r);
#else
    (void)j;
    (void)facets;
#endif
    return a;
}

static attempt our_lemke(judged *j)
{
    attempt a = {.seconds = NAN, .reached = NAN};
    tn_solution solution = {.lambda = j->r};
    tn_solve_options options = tn_solve_options_default();
    tn_solve_report report = {.iterations = 0};
    memset(j->r, 0, 3 * (size_t)j->contacts.n * sizeof *j->r);
    double start = peer_seconds();
    tn_status status = tn_solver_find("lemke")->solve(&j->local, &options, j->scratch, &solution, &report, NULL);
    a.seconds = peer_seconds() - start;
    tn_arena_reset(j->scratch);
    a.iterations = report.iterations;
    a.reached = status == TN_OK ? polyhedral_error(j, j->r) : NAN;
    return a;
}

static void lemke_row(table *t, judged *j, bool planar)
{
    if (j->contacts.n > LEMKE_CONTACTS) {
        return;
    }
    j->local.facets = planar ? 2 : FACETS;
    attempt they = their_lemke(j, j->local.facets), we = our_lemke(j);
    table_word(t, "%s", j->name);
    table_number(t, "%.0f", j->contacts.n);
    table_number(t, "%.0f", j->local.facets);
    table_number(t, "%.3f", 1e3 * they.seconds);
    table_number(t, "%.1e", they.reached);
    table_number(t, "%.3f", 1e3 * we.seconds);
    table_number(t, "%.1e", we.reached);
    table_number(t, "%.0f", we.iterations);
    table_number(t, "%.1f", they.reached <= 1e-8 ? they.seconds / we.seconds : NAN);
    table_row(t);
    j->local.facets = 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int run_files(const bench_options *options, table *t, tally *count)
{
    DIR *folder = options->data ? opendir(options->data) : NULL;
    if (!folder) {
        table_note(t,
                   "no files: --data DIR names a folder of FCLIB files (https://github.com/FrictionalContactLibrary)");
        return 0;
    }
    char *names[FILES_MAX];
    int n = 0, failures = 0;
    for (struct dirent *entry; n < FILES_MAX && (entry = readdir(folder));) {
        if (strstr(entry->d_name, ".hdf5")) {
            names[n++] = strdup(entry->d_name);
        }
    }
    closedir(folder);
    qsort(names, (size_t)n, sizeof *names, by_name);
    for (int i = 0; i < n; i++) {
        failures += names[i] ? run_file(options->data, names[i], t, count) : 1;
        free(names[i]);
    }
    return failures;
}

// The last step's problem of a scene.
static int run_scene(const bench_options *options, table *t, const char *name, const char *scene, int n_set,
                     const char *const *set, int steps, tally *count)
{
    track settled;
    bool ok = track_open(&settled, options, scene, n_set, set);
    for (int k = 0; k < (options->quick ? 60 : steps) && ok; k++) {
        ok = track_step(&settled);
    }
    int failures = !ok;
    if (ok) {
        judged j = {.name = name, .problem = &settled.sim->problem, .arena = settled.kept, .scratch = settled.solver};
        failures += rows_of(t, &j, false, count);
    }
    track_close(&settled);
    return failures;
}

static int run_pile(const bench_options *options, table *t, int i, tally *count)
{
    pile p;
    char name[64];
    pile_of(&p, SIDE[i], SIDE[i], SIDE[i]);
    snprintf(name, sizeof name, "%d spheres", SIDE[i] * SIDE[i] * SIDE[i]);
    return run_scene(options, t, name, "rigid/balls1000.yaml", p.n_set, p.set, 500, count);
}

// Flat sides and stacks: what sweeps find hard.
static int run_stacks(const bench_options *options, table *t, tally *count)
{
    static const char *const stacks[][2] = {{"heap of boxes", "rigid/box_heap.yaml"},
                                            {"arch", "rigid/arch.yaml"},
                                            {"card house", "rigid/card_house.yaml"},
                                            {"balls and boxes", "ccp/heap.yaml"}};
    int failures = 0;
    for (int i = 0; i < (options->quick ? 2 : 4); i++) {
        const char *law = "law=coulomb";
        failures += run_scene(options, t, stacks[i][0], stacks[i][1], 1, &law, 200, count);
    }
    return failures;
}

static int compare_lemke(const bench_options *options, table *t)
{
    const char *heads[] = {"problem", "contacts", "facets",     "Siconos ms",    "natural",
                           "ours ms", "natural",  "our pivots", "Siconos / ours"};
    table_open(t, "Siconos: Lemke on the polyhedral law", 9, heads);
    int failures = 0;
    for (int i = 0; i < 1; i++) {
        failures += run_pile(options, t, i, NULL);
    }
    failures += run_files(options, t, NULL);
    table_note(t,
               "lcp_lexicolemke against lemke, at most %d contacts; natural map of the polyhedral law; a ratio where "
               "Siconos reaches 1e-8",
               LEMKE_CONTACTS);
    table_close(t);
    return failures;
}

static int compare_friction(const bench_options *options, table *t)
{
    const char *heads[] = {"problem", "contacts",    "goal",     "NSGS ms", "reached",
                           "auto ms", "its reached", "our best", "ms",      "NSGS / ours"};
    table_open(t, "Siconos: time to an fclib error, from zero forces", 10, heads);
    tally count = {0};
    int failures = 0;
    for (int i = 0; i < (options->quick ? 2 : PILES); i++) {
        failures += run_pile(options, t, i, &count);
    }
    failures += run_stacks(options, t, &count);
    failures += run_files(options, t, &count);
    table_note(
        t, "%d rows: ours at least 3 times faster on %d, only ours gets there on %d, only NSGS on %d, neither on %d",
        count.rows, count.faster, count.only_ours, count.only_theirs, count.neither);
    table_note(t,
               "NSGS: Siconos 4.4, default options, on W; at most %.0f s. Ours: auto, pgs, ipm, newton; of piles "
               "with the set-up of W or what stands for it, NSGS without",
               PATIENCE);
#ifndef WITH_SICONOS
    table_note(t, "built without Siconos (Debian: libsiconos-numerics-dev)");
#endif
    table_close(t);
    return failures;
}

int bench_siconos(const bench_options *options, table *t)
{
    int failures = 0;
    if (!options->only || !strcmp(options->only, "friction")) {
        failures += compare_friction(options, t);
    }
    if (!options->only || !strcmp(options->only, "lemke")) {
        failures += compare_lemke(options, t);
    }
    return failures;
}
