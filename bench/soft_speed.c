// Speed of a step's stages on soft mat, ball and gripper, beside what reading memory costs on this machine.
#include "bandwidth.h"
#include "base/timer.h"
#include "judge.h"
#include "kernels/sell.h"
#include "soft.h"

#include <math.h>

typedef struct subject {
    const char *name, *scene, *rule; // the document's threshold
    double dynamics, solver;         // goals on one thread [ms]
    double dynamics2, solver2;       // on two
} subject;

enum { ROUNDS = 6 };
static const int ITERATIONS[2] = {20, 220};

static const subject SUBJECTS[3] = {
    {"mat", "cond/soft_mat.yaml", "solver.tolerance.theta=1e-4", 0.8, 1.0, 0.5, 0.6},
    {"ball", "cond/soft_ball.yaml", "solver.tolerance.theta=1e-5", 1.2, 1.5, NAN, NAN},
    {"gripper", "cond/soft_gripper.yaml", "solver.tolerance.theta=1e-6", 3.0, 4.0, NAN, NAN},
};

static int speed_row(const bench_options *options, table *t, const subject *s, const char *solver, bool by_rule,
                     int threads)
{
    char name[48], n_threads[48];
    snprintf(name, sizeof name, "solver.name=%s", solver);
    snprintf(n_threads, sizeof n_threads, "solver.threads=%d", threads);
    const char *set[] = {name, n_threads, by_rule ? s->rule : "solver.max_iterations=500", "solver.max_iterations=500"};
    soft_run run = options->quick ? (soft_run){.n_steps = 12, .first_counted = 5}
                                  : (soft_run){.n_steps = 150, .first_counted = 21};
    soft_figures f = soft_play(options, s->scene, 4, set, run);
    if (!f.ok) {
        return 1;
    }
    table_word(t, "%s, %s, %s", s->name, solver, by_rule ? "theta" : "certificate");
    table_number(t, "%.0f", threads);
    table_number(t, "%.3f", 1e3 * f.dynamics);
    table_number(t, "%.3f", 1e3 * f.solver);
    table_number(t, "%.3f", 1e3 * f.certify);
    table_number(t, "%.3f", 1e3 * f.total);
    table_number(t, "%.3f", threads == 1 ? 1e3 * f.processor : NAN);
    table_number(t, "%.3f", 1e3 * f.worst_total);
    table_number(t, "%.1f", f.iterations);
    table_number(t, "%.0f", f.open);
    table_number(t, "%.1e", f.momentum);
    table_number(t, "%.0f", f.allocations);
    table_number(t, "%.1f", threads == 1 ? s->dynamics : s->dynamics2);
    table_number(t, "%.1f", threads == 1 ? s->solver : s->solver2);
    table_row(t);
    return 0;
}

static int stages(const bench_options *options, table *t)
{
    const char *heads[] = {"scene, solver, rule", "threads",       "dynamics ms",  "solver ms",
                           "certify ms",          "step ms",       "processor ms", "worst ms",
                           "iterations",          "unconverged",   "momentum",     "allocations",
                           "goal dyn. ms",        "goal solver ms"};
    table_open(t, "soft: stages of a step, medians", 14, heads);
    int failures = 0;
    for (int i = 0; i < (options->quick ? 1 : 3); i++) {
        for (int threads = 1; threads <= 2; threads++) {
            failures += speed_row(options, t, &SUBJECTS[i], "cond", true, threads);
            failures += speed_row(options, t, &SUBJECTS[i], "auto", true, threads);
            failures += speed_row(options, t, &SUBJECTS[i], "auto", false, threads);
        }
    }
    table_note(t, "unconverged steps feed on each other: cond's 500 iterations do not hold the gripper, whose fingers "
                  "collapse into thousands of contacts, for which room is asked as they come");
    table_note(t, "rule: theta 1e-4 mat, 1e-5 ball, 1e-6 gripper; certificate: momentum and natural map 1e-6; the "
                  "document's mat: 18.2 ms a step on 4 cores");
    table_close(t);
    return failures;
}

// Fastest y = A x of the step's matrix [s]; bytes: what it reads. NaN: no memory.
static double product(track *t, bool single, int n_threads, double *bytes)
{
    const tn_blocks *A = t->sim->solving.eq.problem.A;
    tn_parts parts;
    tn_layout *layout;
    tn_sell sell;
    double *x = NULL, *y = NULL, best = INFINITY;
    if (tn_parts_find(A, t->solver, &parts) != TN_OK ||
        tn_layout_create(A, &parts, NULL, t->solver, &layout) != TN_OK ||
        tn_sell_create(&layout->plain, single, t->solver, &sell) != TN_OK ||
        !(x = TN_PUSH(t->solver, double, tn_sell_packed_size(&layout->plain))) ||
        !(y = TN_PUSH(t->solver, double, tn_sell_packed_size(&layout->plain)))) {
        return NAN;
    }
    tn_sell_fill(&sell, A, NULL, 1);
    tn_sell_pack(&layout->plain, t->warm_v, x);
    for (int k = 0; k < 300 / ROUNDS; k++) {
        double start = tn_timer_now();
        tn_sell_product(&sell, x, y, n_threads);
        best = fmin(best, tn_timer_now() - start);
    }
    const tn_ordering *o = &layout->plain;
    *bytes = (double)o->start[o->n_slices] * TN_SELL_LANES * (9 * (single ? 4 : 8) + 4);
    tn_arena_reset(t->solver);
    return best;
}

// Fastest times of cond with Chebyshev for two numbers of iterations [s].
static void iterations(track *t, int n_threads, double best[2])
{
    reference none = {.v = t->warm_v, .lambda = t->warm_lambda};
    for (int k = 0; k < 12 / ROUNDS; k++) {
        for (int i = 0; i < 2; i++) {
            contender c = {"cond", "cond", true, TN_COND_CHEBYSHEV, {.theta = 1e-300}, ITERATIONS[i], false};
            verdict v = judge_solve(t, &c, &none, 1, n_threads);
            best[i] = v.ok ? fmin(best[i], v.seconds) : best[i];
        }
    }
}

static int kernels(const bench_options *options, table *t)
{
    const char *heads[] = {"kernel",       "threads", "MB",   "product us", "in floats us",
                           "iteration us", "ratio",   "GB/s", "read GB/s",  "memory GB/s"};
    table_open(t, "soft: one iteration against one product y = A v and plain reading", 10, heads);
    const char *set[] = {"solver.name=cond"};
    int failures = 0;
    double memory = bandwidth_of((size_t)256 << 20);
    for (int i = 0; i < (options->quick ? 1 : 3); i++) {
        track run;
        bool ok = track_open(&run, options, SUBJECTS[i].scene, 1, set);
        for (int step = 0; step < 3 && ok; step++) {
            ok = track_step(&run);
        }
        for (int threads = 1; threads <= 2 && ok; threads++) {
            // In turns: what neighbours take of the machine changes from second to second.
            double bytes = 0.0, half = 0.0, seconds = INFINITY, single = INFINITY, both[2] = {INFINITY, INFINITY};
            for (int round = 0; round < (options->quick ? 1 : ROUNDS); round++) {
                seconds = fmin(seconds, product(&run, false, threads, &bytes));
                single = fmin(single, product(&run, true, threads, &half));
                iterations(&run, threads, both);
            }
            double whole = (both[1] - both[0]) / (ITERATIONS[1] - ITERATIONS[0]); // set-up taken out
            table_word(t, "%s (%s)", SUBJECTS[i].name, tn_sell_kind());
            table_number(t, "%.0f", threads);
            table_number(t, "%.2f", bytes * 1e-6);
            table_number(t, "%.1f", 1e6 * seconds);
            table_number(t, "%.1f", 1e6 * single);
            table_number(t, "%.1f", 1e6 * whole);
            table_number(t, "%.2f", whole / seconds);
            table_number(t, "%.1f", bytes * 1e-9 / seconds);
            table_number(t, "%.1f", bandwidth_of((size_t)bytes));
            table_number(t, "%.1f", memory);
            table_row(t);
        }
        failures += !ok;
        track_close(&run);
    }
    table_note(t, "fastest of many repeats; read: one thread reading as many bytes; iteration (in floats) over product "
                  "in doubles; goals: ratio 1.25, GB/s 60 %% of read");
    table_close(t);
    return failures;
}

int soft_speed(const bench_options *options, table *t)
{
    int failures = stages(options, t);
    failures += kernels(options, t);
    return failures;
}
