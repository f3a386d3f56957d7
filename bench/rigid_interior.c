// How solver ipm's interior point iteration grows: heaps of spheres, the convex law to a relative duality gap of 1e-10,
// balance and law to that as well.
#include "heap_spheres.h"
#include "rigid.h"

#include "problem/delassus.h"
#include "solver/ipm/interior.h"

#include <time.h>

enum { SIZES = 5, REPEATS = 3, MOST_STEPS = 60 };
static const double GOAL = 1e-10, FRICTION = 0.5;
static const double ENOUGH = 300.0; // of processor time for one size [ms], repeats or not

typedef struct heap_size {
    int side, layers;
} heap_size;

static const heap_size CUBES[SIZES] = {{3, 3}, {5, 5}, {7, 7}, {10, 9}, {13, 12}};
static const heap_size LAYERS[SIZES] = {{3, 10}, {5, 10}, {7, 10}, {10, 10}, {14, 10}};

typedef struct outcome {
    bool reached;
    int steps;
    double gap, ms, megabytes;
} outcome;

static double sum_of(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

// What the gap is relative to [W]: the dual function at its maximum, or where that vanishes a share of the start.
// q (contacts, 3): free velocities.
static double objective(const tn_interior *s, const double *q)
{
    return fmax(fabs(0.5 * sum_of(3 * s->n, q, s->lambda)), 1e-3 * s->energy * s->n);
}

static bool iterate(tn_interior *s, const double *q, const double *v, outcome *out)
{
    tn_error error = {0};
    tn_interior_start(s, v);
    for (out->steps = 0; out->steps < MOST_STEPS; out->steps++) {
        tn_interior_error e = tn_interior_measure(s, NULL);
        out->gap = e.gap / objective(s, q);
        if (out->gap <= GOAL && e.balance <= GOAL && e.law <= GOAL) {
            return true;
        }
        if (tn_interior_step(s, NULL, &error) != TN_OK) {
            break;
        }
    }
    return false;
}

static outcome solve(const tn_problem *problem, tn_arena *arena)
{
    tn_problem p = *problem;
    p.law = TN_LAW_CONVEX;
    outcome out = {.gap = NAN};
    tn_error error = {0};
    tn_delassus delassus;
    tn_check check;
    tn_interior s;
    tn_tolerance tolerance = {.natural = GOAL};
    size_t n_v = 3 * (size_t)p.A->n_rows;
    double *v = TN_PUSH(arena, double, n_v);
    tn_status status = tn_delassus_create(&p, tn_delassus_choose(&p, arena), arena, &delassus, &error);
    if (status == TN_OK && v && tn_check_create(&check, &p, delassus.q, &tolerance, arena)) {
        clock_t start = clock();
        status = tn_interior_create(&s, &p, &check, check.q_norm / sqrt(p.rows->n_triples), arena, &error);
        out.reached = status == TN_OK && iterate(&s, delassus.q, v, &out);
        out.ms = 1e3 * (double)(clock() - start) / CLOCKS_PER_SEC;
        tn_interior_destroy(&s);
    }
    tn_delassus_destroy(&delassus);
    out.megabytes = 1e-6 * (double)tn_arena_peak(arena);
    return out;
}

// The fastest of some, in memory that is warm but for the first.
static outcome solve_often(const tn_problem *problem)
{
    tn_arena *arena = tn_arena_create(0);
    outcome best = {.gap = NAN};
    double spent = 0.0;
    for (int k = 0; (k < REPEATS || spent < ENOUGH) && arena; k++) {
        outcome o = solve(problem, arena);
        spent += o.ms;
        best = k == 0 || o.ms < best.ms ? o : best;
        if (!o.reached) {
            break;
        }
        tn_arena_reset(arena);
    }
    tn_arena_destroy(arena);
    return best;
}

static int series(const bench_options *options, table *t, const char *title, const heap_size *sizes)
{
    const char *heads[] = {"spheres", "contacts", "steps", "gap", "ms", "us a contact", "MB"};
    double x[SIZES], ms[SIZES], megabytes[SIZES];
    int failures = 0, n = options->quick ? 2 : SIZES;
    table_open(t, title, 7, heads);
    for (int i = 0; i < n; i++) {
        heap_problem *heap = heap_create(sizes[i].side, sizes[i].layers, FRICTION, 1);
        outcome o = heap ? solve_often(&heap->problem) : (outcome){.gap = NAN};
        failures += !o.reached;
        x[i] = heap ? heap->contacts.n_triples : NAN;
        ms[i] = o.ms;
        megabytes[i] = o.megabytes;
        table_number(t, "%.0f", heap ? heap->n_bodies : NAN);
        table_number(t, "%.0f", x[i]);
        table_number(t, "%.0f", o.steps);
        table_number(t, "%.1e", o.gap);
        table_number(t, "%.2f", o.ms);
        table_number(t, "%.1f", 1e3 * o.ms / x[i]);
        table_number(t, "%.1f", o.megabytes);
        table_row(t);
        if (heap) {
            heap_destroy(heap);
        }
    }
    table_note(
        t,
        "convex law, friction %.1f, gap, balance and law to %.0e, cold; processor time, fastest of %d solves or more",
        FRICTION, GOAL, REPEATS);
    table_note(t, "exponents by least squares: time %.2f, memory %.2f", rigid_exponent(n, x, ms),
               rigid_exponent(n, x, megabytes));
    table_close(t);
    return failures;
}

int rigid_interior(const bench_options *options, table *t)
{
    return series(options, t, "rigid: interior point iteration, heaps as high as wide", CUBES) +
           series(options, t, "rigid: interior point iteration, heaps of ten layers", LAYERS);
}
