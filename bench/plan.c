// tenon bench plan: the planners on the same problems. The example of the mpc document from both sides; a cart with a
// pole between walls from random starts; a budget of 5 ms a solve; closed loops (plan_closed.c).
#include "tenon/plan.h"
#include "bench.h"
#include "control_problem.h"
#include "peer_bonmin.h"
#include "plan_closed.h"

#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { SOLVES = 100, BUDGETED = 10000, BONMIN_PAIRS = 20 };

typedef struct rig {
    tn_planner *planner;
    tn_plan plan;
    double used; // processor time of the last solve [s]
    tn_error error;
} rig;

// Processor time of this thread [s].
static double used(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static bool rig_make(rig *r, const tn_plan_problem *p)
{
    r->planner = tn_planner_create(p, &r->error);
    return r->planner && tn_plan_create(p, &r->plan, &r->error) == TN_OK;
}

static void rig_free(rig *r)
{
    tn_planner_destroy(r->planner);
    tn_plan_destroy(&r->plan);
}

static bool rig_solve(rig *r, const tn_plan_problem *p, tn_plan_options o)
{
    const double begun = used();
    tn_status status = tn_planner_solve(r->planner, p, &o, &r->plan, &r->error);
    r->used = used() - begun;
    if (status != TN_OK) {
        fprintf(stderr, "tenon-bench: %s\n", r->error.message);
        return false;
    }
    return true;
}

static tn_plan_options by(tn_plan_method method)
{
    tn_plan_options o = tn_plan_options_default();
    o.method = method;
    return o;
}

static void print_modes(table *t, const tn_plan *plan)
{
    char text[TABLE_CELL] = "";
    for (int k = 0; k < plan->horizon && k < TABLE_CELL - 1; k++) {
        const int a = plan->mode[k * 2], b = plan->mode[k * 2 + 1];
        text[k] = a == TN_PLAN_CLOSED && b == TN_PLAN_CLOSED ? 'X'
                  : a == TN_PLAN_CLOSED                      ? '1'
                  : b == TN_PLAN_CLOSED                      ? '2'
                                                             : '.';
    }
    table_word(t, "%s", plan->cost < INFINITY ? text : "-");
}

// One row a method; the first, the proved optimum, is what the others' costs are relative to. At the velocity level a
// pair has three modes.
static int document_rows(table *t, int N, int side, bool velocity)
{
    tn_plan_problem p = control_three_coordinates(N, 0.3 * side);
    rig r = {0};
    if (velocity) {
        control_to_velocity_level(&p);
    }
    int failures = !rig_make(&r, &p);
    double best = 0.0;
    for (int m = TN_PLAN_MIQP; m <= TN_PLAN_ENUMERATE && !failures; m++) {
        if ((m == TN_PLAN_MPCC && (velocity || !tn_plan_has_mpcc())) || (m == TN_PLAN_ENUMERATE && N > 6)) {
            continue;
        }
        failures += !rig_solve(&r, &p, by((tn_plan_method)m));
        best = m == TN_PLAN_MIQP ? r.plan.cost : best;
        table_word(t, "%d", N);
        table_word(t, velocity ? "velocity" : "position");
        table_word(t, side > 0 ? "right" : "left");
        table_word(t, "%s", tn_plan_method_name((tn_plan_method)m));
        table_word(t, "%s", tn_plan_status_name(r.plan.status));
        table_number(t, "%.8f", r.plan.cost);
        table_number(t, "%.1e", r.plan.cost / best - 1.0);
        table_number(t, "%.1e", r.plan.gap);
        table_number(t, "%.0f", (double)r.plan.nodes);
        table_number(t, "%.2f", 1e3 * r.used);
        print_modes(t, &r.plan);
        table_row(t);
    }
    rig_free(&r);
    tn_plan_problem_destroy(&p);
    return failures;
}

static int document(table *t)
{
    static const char *const heads[] = {"N",
                                        "level",
                                        "side",
                                        "method",
                                        "status",
                                        "cost",
                                        "relative",
                                        "gap",
                                        "nodes",
                                        "processor ms",
                                        "modes (1, 2: touches)"};
    table_open(t, "The mpc document's example: a middle coordinate between two moving walls", 11, heads);
    int failures = 0;
    for (int N = 4; N <= 20; N += N < 6 ? 2 : N < 10 ? 4 : 5) {
        for (int velocity = 0; velocity <= 1; velocity++) {
            failures += document_rows(t, N, 1, velocity) + document_rows(t, N, -1, velocity);
        }
    }
    table_close(t);
    return failures;
}

static tn_plan_problem wall_start(uint64_t seed, int N)
{
    static const double spread[4] = {0.3, 0.15, 0.7, 0.7};
    double x0[4];
    int at = 0;
    for (int j = 0; j < 4; j++) {
        x0[j] = spread[j] * control_normal(5000 + seed, &at);
    }
    return control_cart_pole(N, x0);
}

// Times and costs from SOLVES starts, beside the optimal ones (NULL: these are they); warm: one step on from each,
// begun with the plan before.
static int walls_row(table *t, tn_plan_options o, bool warm, const double *best, double *costs)
{
    static double ms[SOLVES], nodes[SOLVES], off[SOLVES];
    rig r = {0};
    int n = 0, near = 0, failures = 0;
    for (int i = 0; i < SOLVES && !failures; i++) {
        tn_plan_problem p = wall_start((uint64_t)i, 10);
        failures += i == 0 && !rig_make(&r, &p);
        failures += failures || !rig_solve(&r, &p, o);
        costs[i] = failures ? INFINITY : r.plan.cost;
        if (!failures && warm && costs[i] < INFINITY) {
            tn_plan_options next = o;
            next.warm_start = true;
            memcpy(p.x0, r.plan.x + 4, 4 * sizeof *p.x0);
            failures += !rig_solve(&r, &p, next);
        }
        if (!failures && (best ? best[i] : costs[i]) < INFINITY) {
            ms[n] = 1e3 * r.used;
            nodes[n] = (double)r.plan.nodes;
            off[n] = best ? costs[i] / best[i] - 1.0 : 0.0;
            near += off[n++] < 0.03;
        }
        tn_plan_problem_destroy(&p);
    }
    table_word(t, "%s%s", tn_plan_method_name(o.method), warm ? ", warm" : "");
    table_number(t, "%.0f", n);
    table_number(t, "%.2f", bench_median(n, ms));
    table_number(t, "%.2f", n ? ms[n - 1] : 0.0);
    table_number(t, "%.0f", bench_median(n, nodes));
    table_number(t, "%.0f", n ? nodes[n - 1] : 0.0);
    table_number(t, "%.1e", bench_median(n, off));
    table_number(t, "%.0f", near);
    table_row(t);
    rig_free(&r);
    return failures;
}

static int walls(table *t)
{
    static const char *const heads[] = {"method",       "feasible starts", "ms median",     "ms worst",
                                        "nodes median", "nodes worst",     "excess median", "within 3 %"};
    static double best[SOLVES], costs[SOLVES];
    table_open(t, "Cart and pole between walls, N = 10, 100 random starts, one thread, processor time", 8, heads);
    int failures = walls_row(t, by(TN_PLAN_MIQP), false, NULL, best);
    failures += walls_row(t, by(TN_PLAN_MIQP), true, best, costs);
    failures += walls_row(t, by(TN_PLAN_ADMM), false, best, costs);
    failures += tn_plan_has_mpcc() ? walls_row(t, by(TN_PLAN_MPCC), false, best, costs) : 0;
    table_close(t);
    return failures;
}

#ifdef WITH_BONMIN
static int bonmin_row(table *t, const char *name, tn_plan_problem p)
{
    rig r = {0};
    double c_high[BONMIN_PAIRS], w_high[BONMIN_PAIRS], cost = INFINITY;
    const tn_plan_bounds bounds = {.c_high = c_high, .w_high = w_high};
    long nodes = 0;
    bool feasible = false;
    int failures = !rig_make(&r, &p) || !rig_solve(&r, &p, by(TN_PLAN_MIQP));
    failures += !failures && tn_planner_bounds(r.planner, &p, &bounds, &feasible, &r.error) != TN_OK;
    if (!failures && r.plan.status == TN_PLAN_OPTIMAL) {
        const double begun = used();
        failures += !peer_bonmin(&p, c_high, w_high, &cost, &nodes);
        const double seconds = used() - begun, off = cost / r.plan.cost - 1.0;
        table_word(t, "%s", name);
        table_number(t, "%.8f", r.plan.cost);
        table_number(t, "%.1e", off);
        table_number(t, "%.0f", (double)r.plan.nodes);
        table_number(t, "%.0f", (double)nodes);
        table_number(t, "%.2f", 1e3 * r.used);
        table_number(t, "%.0f", 1e3 * seconds);
        table_row(t);
        failures += !(fabs(off) < 1e-5);
    }
    rig_free(&r);
    tn_plan_problem_destroy(&p);
    return failures;
}

static int bonmin(table *t)
{
    static const char *const heads[] = {"problem", "cost",     "Bonmin's, relative", "nodes",
                                        "Bonmin",  "miqp, ms", "Bonmin, ms"};
    table_open(t, "The same mixed-integer programs by Bonmin (B-BB), N = 10, processor time", 7, heads);
    int failures = bonmin_row(t, "document", control_three_coordinates(10, 0.3));
    for (int i = 0; i < 5; i++) {
        char name[32];
        snprintf(name, sizeof name, "walls, start %d", i);
        failures += bonmin_row(t, name, wall_start((uint64_t)i, 10));
    }
    table_close(t);
    return failures;
}
#endif

static int budget(const bench_options *options, table *t)
{
    static const char *const heads[] = {
        "solves",   "over 5 ms", "ms median", "ms 99.9 %", "ms worst", "processor over 5 ms",
        "ms worst", "proved",    "none",      "repeated"};
    static double ms[BUDGETED];
    double worst = 0.0;
    const int n = options->quick ? BUDGETED / 10 : BUDGETED;
    rig r = {0};
    int over = 0, over_used = 0, proved = 0, none = 0, same = 0, failures = 0;
    for (int i = 0; i < n && !failures; i++) {
        tn_plan_problem p = wall_start((uint64_t)(10000 + i), 20);
        tn_plan_options o = by(TN_PLAN_MIQP);
        o.time_budget = 5e-3;
        failures += i == 0 && !rig_make(&r, &p);
        failures += failures || !rig_solve(&r, &p, o);
        ms[i] = 1e3 * r.plan.seconds;
        over += ms[i] > 5.0;
        over_used += r.used > 5e-3;
        worst = fmax(worst, 1e3 * r.used);
        proved += r.plan.status == TN_PLAN_OPTIMAL || r.plan.status == TN_PLAN_INFEASIBLE;
        none += r.plan.status == TN_PLAN_NONE;
        const double cost = r.plan.cost, bound = r.plan.bound;
        o.time_budget = 0.0;
        o.node_budget = r.plan.nodes;
        if (i % 10 == 0 && r.plan.status == TN_PLAN_FEASIBLE && !failures) {
            failures += !rig_solve(&r, &p, o);
            same += r.plan.cost == cost && r.plan.bound == bound ? 0 : 1;
        }
        tn_plan_problem_destroy(&p);
    }
    table_open(t, "Cart and pole between walls, N = 20: MIQP within 5 ms a solve", 10, heads);
    table_number(t, "%.0f", n);
    table_number(t, "%.0f", over);
    table_number(t, "%.2f", bench_median(n, ms));
    table_number(t, "%.2f", ms[n - 1 - n / 1000]);
    table_number(t, "%.2f", ms[n - 1]);
    table_number(t, "%.0f", over_used);
    table_number(t, "%.2f", worst);
    table_number(t, "%.0f", proved);
    table_number(t, "%.0f", none);
    table_word(t, "%d differ", same);
    table_row(t);
    table_close(t);
    rig_free(&r);
    return failures + same;
}

enum { THREADED_REPEATS = 5, THREADS_MAX = 16 };

// One problem by 1, 2, 4, ... threads, up to the processors that there are.
static int threads_rows(table *t, const char *name, tn_plan_problem p, long motions)
{
    rig r = {0};
    int failures = !rig_make(&r, &p);
    double alone = 0.0;
    for (int n = 1; n <= THREADS_MAX && n <= (int)sysconf(_SC_NPROCESSORS_ONLN) && !failures; n *= 2) {
        tn_plan_options o = by(TN_PLAN_MIQP);
        o.n_threads = n;
        o.motions = motions;
        double ms[THREADED_REPEATS];
        for (int i = 0; i < THREADED_REPEATS && !failures; i++) {
            failures += !rig_solve(&r, &p, o);
            ms[i] = 1e3 * r.plan.seconds;
        }
        const double median = bench_median(THREADED_REPEATS, ms);
        alone = n == 1 ? median : alone;
        table_word(t, "%s", name);
        table_word(t, "%d", n);
        table_number(t, "%.2f", median);
        table_number(t, "%.2f", alone / median);
        table_number(t, "%.0f", (double)r.plan.nodes);
        table_number(t, "%.10f", r.plan.cost);
        table_word(t, "%s", tn_plan_status_name(r.plan.status));
        table_row(t);
    }
    rig_free(&r);
    tn_plan_problem_destroy(&p);
    return failures;
}

static int threads(table *t)
{
    static const char *const heads[] = {"problem", "threads", "ms", "times one thread", "nodes", "cost", "status"};
    table_open(t, "MIQP on several threads, wall time, medians of 5", 7, heads);
    int failures = threads_rows(t, "document, N = 15", control_three_coordinates(15, 0.3), 0);
    failures += threads_rows(t, "document, N = 20", control_three_coordinates(20, 0.3), 0);
    failures += threads_rows(t, "document, N = 25", control_three_coordinates(25, 0.3), 0);
    failures += threads_rows(t, "walls, N = 20", wall_start(10003, 20), 0);
    failures += threads_rows(t, "walls, N = 20, 5000 motions", wall_start(10003, 20), 5000);
    table_close(t);
    return failures;
}

int bench_plan(const bench_options *options, table *t)
{
    static const char *const parts[] = {"document", "walls", "bonmin",    "budget",    "threads",
                                        "push",     "catch", "tune_push", "tune_catch"};
    if (!bench_knows(options, "plan", 9, parts)) {
        return BENCH_UNKNOWN;
    }
    int failures = 0;
    failures += !options->only || bench_listed(options->only, "document") ? document(t) : 0;
    failures += !options->only || bench_listed(options->only, "walls") ? walls(t) : 0;
#ifdef WITH_BONMIN
    failures += !options->only || bench_listed(options->only, "bonmin") ? bonmin(t) : 0;
#endif
    failures += !options->only || bench_listed(options->only, "budget") ? budget(options, t) : 0;
    failures += !options->only || bench_listed(options->only, "threads") ? threads(t) : 0;
    failures += !options->only || bench_listed(options->only, "push") ? bench_plan_closed(options, t, "push") : 0;
    failures += !options->only || bench_listed(options->only, "catch") ? bench_plan_closed(options, t, "catch") : 0;
    failures += options->only && bench_listed(options->only, "tune_push") ? bench_plan_tune(options, t, "push") : 0;
    failures += options->only && bench_listed(options->only, "tune_catch") ? bench_plan_tune(options, t, "catch") : 0;
    return failures;
}
