// Time of a step and memory from 10^2 to 10^5 spheres; two threads beside one.
#include "rigid.h"
#include "rigid_pile.h"
#include "rival.h"

#include "base/memory.h"
#include "base/timer.h"
#include "state/state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { SIZES = 7 };

typedef struct pile_size {
    int nx, ny, nz;
    int n_steps, n_counted;
} pile_size;

// Cubes: the higher a pile the longer it falls. The large ones are watched while they do.
static const pile_size CUBES[SIZES] = {{5, 5, 4, 400, 100},   {7, 7, 7, 400, 100},   {10, 10, 10, 400, 100},
                                       {15, 15, 15, 300, 50}, {22, 22, 21, 200, 20}, {32, 32, 31, 150, 20},
                                       {46, 46, 48, 100, 15}};
// Ten layers, of which only the base grows: all sizes are in the same state at the same time.
static const pile_size LAYERS[SIZES] = {{3, 3, 11, 250, 100},   {6, 6, 10, 250, 100},  {10, 10, 10, 250, 100},
                                        {18, 19, 10, 250, 50},  {32, 32, 10, 250, 20}, {56, 57, 10, 250, 20},
                                        {100, 100, 10, 250, 20}};

typedef struct run {
    bool ok;
    int n_bodies;
    double contacts, sweeps; // means of the counted steps
    double ms[5];            // collide, discretize, solve, certify, total: medians of processor time
    double kilobytes;        // of model, state and simulation, as the process' resident memory grew
} run;

// Resident memory of this process [kB] that is no file's: not the program itself, whose pages come as they are first
// run. 0: unknown. The pages are counted one by one: RssAnon of /proc/self/status can be some ten of them off.
static double resident(void)
{
    char line[256];
    double kilobytes = 0.0;
    FILE *file = fopen("/proc/self/smaps_rollup", "r");
    while (file && fgets(line, sizeof line, file)) {
        if (!strncmp(line, "Anonymous:", 10)) {
            kilobytes = atof(line + 10);
        }
    }
    if (file) {
        fclose(file);
    }
    return kilobytes;
}

static double thread_seconds(void)
{
    struct timespec t;
    return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) ? NAN : (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static run play(const bench_options *options, const pile_size *size)
{
    pile p;
    run r = {0};
    tn_error error = {0};
    double times[5][128];
    tn_memory_trim(); // what the size before has left
    double before = resident();
    pile_of(&p, size->nx, size->ny, size->nz);
    pile_add(&p, "solver.threads=1");
    pile_add(&p, "solver.tolerance.natural=1e-3");
    tn_model *model = bench_model(options, "rigid/balls1000.yaml", p.n_set, p.set);
    tn_state *state = model ? tn_state_create(model, &error) : NULL;
    tn_sim *sim = state ? tn_sim_create(model, &error) : NULL;
    tn_status status = sim ? TN_OK : TN_BAD_INPUT;
    for (int k = 0, n = 0; k < size->n_steps && status == TN_OK; k++) {
        tn_step_report report;
        double start = thread_seconds();
        status = tn_sim_step(sim, NULL, state, &report, &error);
        if (k >= size->n_steps - size->n_counted && status == TN_OK) {
            // The stages' wall times, in proportion: other work on the machine does not count.
            double share = (thread_seconds() - start) / report.total_s;
            const double stage[5] = {report.collide_s, report.discretize_s, report.solve_s, report.certify_s,
                                     report.total_s};
            for (int s = 0; s < 5; s++) {
                times[s][n] = 1e3 * share * stage[s];
            }
            r.contacts += (double)report.n_contacts / size->n_counted;
            r.sweeps += (double)report.solve.iterations / size->n_counted;
            n++;
        }
    }
    if (status == TN_OK) {
        r.n_bodies = size->nx * size->ny * size->nz;
        r.kilobytes = resident() - before;
        for (int s = 0; s < 5; s++) {
            r.ms[s] = bench_median(size->n_counted, times[s]);
        }
        r.ok = true;
    } else {
        fprintf(stderr, "tenon-bench: %d spheres: %s\n", size->nx * size->ny * size->nz, error.message);
    }
    tn_sim_destroy(sim);
    tn_state_destroy(state);
    tn_model_destroy(model);
    return r;
}

static void size_row(table *t, const run *r)
{
    table_number(t, "%.0f", r->n_bodies);
    table_number(t, "%.0f", r->contacts);
    table_number(t, "%.1f", r->sweeps);
    for (int s = 0; s < 5; s++) {
        table_number(t, "%.3f", r->ms[s]);
    }
    table_number(t, "%.3f", 1e3 * r->ms[4] / r->n_bodies);
    table_number(t, "%.2f", r->kilobytes / r->n_bodies);
    table_number(t, "%.2f", r->kilobytes / (2.0 * r->n_bodies + 1.0 * r->contacts));
    table_row(t);
}

double rigid_exponent(int n, const double *x, const double *y)
{
    double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
    for (int i = 0; i < n; i++) {
        double a = log(x[i]), b = log(y[i]);
        sx += a;
        sy += b;
        sxx += a * a;
        sxy += a * b;
    }
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

// A pile of the table's kind, step by step.
typedef struct player {
    tn_model *model;
    tn_state *state;
    tn_sim *sim;
    double ms[5];      // fastest of each stage and of the whole among the counted steps
    double processors; // that the counted steps had, processor time over wall time
} player;

static bool player_open(const bench_options *options, const pile_size *size, int n_threads, player *p)
{
    pile heap;
    char threads[48];
    tn_error error = {0};
    *p = (player){.ms = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY}};
    pile_of(&heap, size->nx, size->ny, size->nz);
    snprintf(threads, sizeof threads, "solver.threads=%d", n_threads);
    pile_add(&heap, threads);
    pile_add(&heap, "solver.tolerance.natural=1e-3");
    p->model = bench_model(options, "rigid/balls1000.yaml", heap.n_set, heap.set);
    p->state = p->model ? tn_state_create(p->model, &error) : NULL;
    p->sim = p->state ? tn_sim_create(p->model, &error) : NULL;
    return p->sim != NULL;
}

static void player_close(player *p)
{
    tn_sim_destroy(p->sim);
    tn_state_destroy(p->state);
    tn_model_destroy(p->model);
}

static double processor_seconds(void)
{
    struct timespec t;
    return clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t) ? NAN : (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool player_step(player *p, tn_step_report *report)
{
    tn_error error = {0};
    if (tn_sim_step(p->sim, NULL, p->state, report, &error) != TN_OK) {
        fprintf(stderr, "tenon-bench: %s\n", error.message);
        return false;
    }
    return true;
}

static bool player_counted_step(player *p, int n_counted)
{
    tn_step_report report;
    double start = processor_seconds();
    bool ok = player_step(p, &report);
    const double stage[5] = {report.collide_s, report.discretize_s, report.solve_s, report.certify_s, report.total_s};
    for (int s = 0; s < 5 && ok; s++) {
        p->ms[s] = fmin(p->ms[s], 1e3 * stage[s]);
    }
    p->processors += (processor_seconds() - start) / report.total_s / n_counted;
    return ok;
}

// The same bits everywhere?
static bool same_velocities(const player *p)
{
    return !memcmp(p[0].state->v, p[1].state->v, 3 * (size_t)p[0].model->n_blocks * sizeof(double));
}

// One and two threads take turns, so that what else the machine does falls on both; the fastest step of each counts.
int rigid_threads(const bench_options *options, table *t)
{
    const char *heads[] = {"threads",    "collide ms", "discretize ms", "solve ms",
                           "certify ms", "total ms",   "processors",    "bitwise equal"};
    table_open(t, "rigid: two threads on 10^4 spheres", 8, heads);
    pile_size one = CUBES[4];
    if (options->quick) {
        one = (pile_size){7, 7, 7, 30, 10};
    }
    player p[2] = {{0}};
    bool ok = player_open(options, &one, 1, &p[0]), equal = true;
    ok = player_open(options, &one, 2, &p[1]) && ok;
    for (int k = 0; k < one.n_steps && ok; k++) {
        tn_step_report report;
        bool counted = k >= one.n_steps - one.n_counted;
        for (int i = 0; i < 2 && ok; i++) {
            ok = counted ? player_counted_step(&p[i], one.n_counted) : player_step(&p[i], &report);
        }
        equal = equal && ok && same_velocities(p);
    }
    for (int i = 0; i < 2 && ok; i++) {
        table_number(t, "%.0f", i + 1);
        for (int s = 0; s < 5; s++) {
            table_number(t, "%.3f", p[i].ms[s]);
        }
        table_number(t, "%.2f", p[i].processors);
        table_word(t, "%s", i == 0 ? "-" : equal ? "yes" : "no");
        table_row(t);
    }
    table_note(t, "%.2f times faster in all (asked: 1.6 on a machine that leaves it two processors)",
               p[0].ms[4] / p[1].ms[4]);
    table_close(t);
    player_close(&p[0]);
    player_close(&p[1]);
    return !ok + (ok && !equal);
}

static int size_series(const bench_options *options, table *t, const char *title, const pile_size *sizes,
                       const char *state)
{
    const char *heads[] = {"spheres",    "contacts", "sweeps",    "collide ms", "discretize ms",           "solve ms",
                           "certify ms", "total ms", "us/sphere", "kB/sphere",  "of 2 kB + 1 kB a contact"};
    table_open(t, title, 11, heads);
    int failures = 0, n = 0;
    double x[SIZES], y[5][SIZES], per_sweep[SIZES];
    for (int i = 0; i < (options->quick ? 2 : SIZES); i++) {
        run r = play(options, &sizes[i]);
        failures += !r.ok;
        if (r.ok) {
            size_row(t, &r);
            x[n] = r.n_bodies;
            for (int s = 0; s < 5; s++) {
                y[s][n] = r.ms[s];
            }
            per_sweep[n++] = r.ms[2] / r.sweeps;
        }
    }
    table_note(t,
               "%s; natural map 1e-3; exponents of time: a step %.2f (asked: below 1.1), collide %.2f, discretize "
               "%.2f, solve %.2f (a sweep %.2f), certify %.2f",
               state, rigid_exponent(n, x, y[4]), rigid_exponent(n, x, y[0]), rigid_exponent(n, x, y[1]),
               rigid_exponent(n, x, y[2]), rigid_exponent(n, x, per_sweep), rigid_exponent(n, x, y[3]));
    table_close(t);
    return failures;
}

int rigid_scaling(const bench_options *options, table *t)
{
    int failures = size_series(options, t, "rigid: size, spheres settling in a box, 5 ms, one thread", CUBES,
                               "cubes, each after less time than the smaller ones: the large piles still fall");
    failures += size_series(options, t, "rigid: size, spheres settled in ten layers, 5 ms, one thread", LAYERS,
                            "the base alone grows: all sizes in the same state, 1.25 s after the drop");
    return failures + rigid_threads(options, t);
}
