// Error against step over four decades: rotation alone, under a joint's torque, in a closed spatial mechanism.
//
// The reference is midpoint's result at two steps finer than any in the table, extrapolated (Richardson); for a heavy
// top and a tumbling body tests/physics/rotation_test.c has independent ones. An order that drops before the error
// reaches rounding is a kink and counts as failure.
#include "rigid.h"

#include <math.h>
#include <stdio.h>

typedef struct order_case {
    const char *scene, *body;
    double time, floor; // [s]; error that is rounding: joints are solved to 1e-9 of a step's forces
} order_case;

static const order_case CASES[] = {
    {"rigid/tumbling.yaml", "brick", 1.0, 5e-9}, // about its middle axis, which makes rounding grow
    {"joints/heavy_top.yaml", "top", 0.5, 1e-8},
    {"joints/bricard.yaml", "r3", 0.5, 1e-8},
};

typedef struct placed {
    double x[7];
    bool ok;
} placed;

// Pose of the body at the end.
static placed place_at(const bench_options *options, const order_case *c, const char *scheme, long n_steps)
{
    char step[64], name[32];
    snprintf(step, sizeof step, "step=%.17g", c->time / (double)n_steps);
    snprintf(name, sizeof name, "scheme=%s", scheme);
    const char *set[] = {step, name, "solver.tolerance.joint=1e-12", "solver.tolerance.momentum=1e-12"};
    tn_error error = {0};
    tn_model *model = bench_model(options, c->scene, 4, set);
    tn_state *state = model ? tn_state_create(model, &error) : NULL;
    tn_sim *sim = state ? tn_sim_create(model, &error) : NULL;
    placed out = {.ok = sim != NULL};
    for (long k = 0; k < n_steps && out.ok; k++) {
        out.ok = tn_sim_step(sim, NULL, state, NULL, &error) == TN_OK;
    }
    if (out.ok) {
        tn_state_body_pose(state, tn_model_find_body(model, c->body), out.x, out.x + 3);
    } else if (model) {
        fprintf(stderr, "%s: %s\n", c->scene, error.message);
    }
    tn_sim_destroy(sim);
    tn_state_destroy(state);
    tn_model_destroy(model);
    return out;
}

static double distance(const placed *a, const placed *b)
{
    double square = 0.0;
    for (int i = 0; i < 7; i++) {
        square += (a->x[i] - b->x[i]) * (a->x[i] - b->x[i]);
    }
    return sqrt(square);
}

// Steps of time/n for n = 50, 100, 200, ... over the decades.
enum { FIRST = 50 };

static long last_count(const bench_options *options)
{
    return (long)FIRST << (options->quick ? 8 : 13);
}

static placed reference(const bench_options *options, const order_case *c)
{
    long n = last_count(options) * 2;
    placed coarse = place_at(options, c, "midpoint", n), fine = place_at(options, c, "midpoint", 2 * n);
    for (int i = 0; i < 7; i++) {
        fine.x[i] += (fine.x[i] - coarse.x[i]) / 3.0;
    }
    fine.ok = fine.ok && coarse.ok;
    return fine;
}

// Errors of one scheme; returns the kinks.
static int run_scheme(const bench_options *options, table *t, const order_case *c, const char *scheme, double order,
                      const placed *exact)
{
    int kinks = 0;
    double last = NAN;
    for (long n = FIRST; n <= last_count(options); n *= 2) {
        placed end = place_at(options, c, scheme, n);
        double error = end.ok ? distance(&end, exact) : NAN, found = log2(last / error);
        // Coarse steps may converge faster while errors of higher order are still there; errors of the size of all are
        // no errors of any order.
        bool kink = !end.ok || (error > c->floor && last < 1.0 && found < order - 0.35);
        kinks += kink;
        table_word(t, "%s", c->scene);
        table_word(t, "%s", scheme);
        table_number(t, "%.3e", c->time / (double)n);
        table_number(t, "%.3e", error);
        table_number(t, "%.2f", found);
        table_word(t, "%s", kink ? "kink" : "");
        table_row(t);
        last = error;
    }
    return kinks;
}

int rigid_orders(const bench_options *options, table *t)
{
    static const struct {
        const char *scheme;
        double order; // of everything; free rotation alone is of second order in each
    } schemes[] = {{"euler", 1.0}, {"midpoint", 2.0}, {"implicit", 1.0}};
    const char *heads[] = {"scene", "scheme", "step s", "error", "order", ""};
    int failures = 0;
    table_open(t, "rigid: order of convergence of rotation", 6, heads);
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        placed exact = reference(options, &CASES[i]);
        for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++) {
            failures += exact.ok ? run_scheme(options, t, &CASES[i], schemes[k].scheme, schemes[k].order, &exact) : 1;
        }
    }
    table_note(t,
               "error: distance of position [m] and quaternion from the reference; kink: an order below the scheme's");
    table_close(t);
    return failures;
}
