// Soft bodies: how fast, how exact, how large.
#include "soft.h"

#include "base/memory.h"
#include "track.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { COUNTED_MAX = 1024 };

static double processor_time(void)
{
    struct timespec t;
    return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0 ? (double)t.tv_sec + 1e-9 * (double)t.tv_nsec : NAN;
}

static void count_step(const tn_step_report *r, double processor, soft_figures *f, int n, double (*times)[COUNTED_MAX])
{
    times[0][n] = r->collide_s + r->discretize_s;
    times[1][n] = r->solve_s;
    times[2][n] = r->certify_s;
    times[3][n] = r->total_s;
    times[4][n] = processor;
    f->worst_solver = fmax(f->worst_solver, r->solve_s);
    f->worst_total = fmax(f->worst_total, r->total_s);
    f->iterations += r->solve.iterations;
    f->contacts += r->n_contacts;
    f->momentum = fmax(f->momentum, r->solve.certificate.momentum);
    f->natural = fmax(f->natural, r->solve.certificate.natural);
    f->penetration = fmax(f->penetration, r->solve.certificate.penetration);
    f->open += !r->solve.converged;
}

static void summarise(soft_figures *f, int n, double (*times)[COUNTED_MAX])
{
    f->ok = n > 0;
    f->dynamics = bench_median(n, times[0]);
    f->solver = bench_median(n, times[1]);
    f->certify = bench_median(n, times[2]);
    f->total = bench_median(n, times[3]);
    f->processor = bench_median(n, times[4]);
    f->iterations /= n;
    f->contacts /= n;
}

soft_figures soft_play(const bench_options *options, const char *scene, int n_set, const char *const *set, soft_run run)
{
    double times[5][COUNTED_MAX];
    soft_figures f = {0};
    tn_error error = {0};
    tn_model *model = bench_model(options, scene, n_set, set);
    tn_state *state = model ? tn_state_create(model, &error) : NULL;
    tn_sim *sim = state ? tn_sim_create(model, &error) : NULL;
    tn_status status = sim ? TN_OK : TN_BAD_INPUT;
    int last = run.last_counted ? run.last_counted : run.n_steps, n = 0;
    for (int k = 1; k <= run.n_steps && status == TN_OK; k++) {
        tn_step_report report;
        long before = tn_memory_count();
        double start = processor_time();
        status = tn_sim_step(sim, NULL, state, &report, &error);
        if (status == TN_OK && k >= run.first_counted && k <= last && n < COUNTED_MAX) {
            f.allocations += (double)(tn_memory_count() - before);
            count_step(&report, processor_time() - start, &f, n++, times);
        }
    }
    if (status != TN_OK) {
        fprintf(stderr, "tenon-bench: %s: %s\n", scene, error.message);
    } else {
        f.n_nodes = model->n_nodes;
        f.n_dof = model->n_dof;
        summarise(&f, n, times);
    }
    tn_sim_destroy(sim);
    tn_state_destroy(state);
    tn_model_destroy(model);
    return f;
}

int bench_soft(const bench_options *options, table *t)
{
    static const struct {
        const char *names[4]; // of the part, and of parts of it
        int (*run)(const bench_options *, table *);
    } parts[] = {{{"speed"}, soft_speed},
                 {{"stiff"}, soft_stiff},
                 {{"accuracy", "mat", "ball", "gripper"}, soft_accuracy},
                 {{"lifted"}, soft_lifted},
                 {{"slab"}, soft_slab}};
    static const char *const names[] = {"speed", "stiff", "accuracy", "mat", "ball", "gripper", "lifted", "slab"};
    if (!bench_knows(options, "soft", 8, names)) {
        return BENCH_UNKNOWN;
    }
    int failures = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        bool chosen = !options->only;
        for (int k = 0; k < 4 && parts[i].names[k] && options->only; k++) {
            chosen = chosen || bench_listed(options->only, parts[i].names[k]);
        }
        failures += chosen ? parts[i].run(options, t) : 0;
    }
    return failures;
}
