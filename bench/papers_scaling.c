// Fig. 11 of the cond document: time of an iteration against the number of degrees of freedom, a straight line inside
// each memory level.
//
// On a machine that others use too single times mean little: another program takes the caches, the memory's bandwidth
// or the core's clock for a while, and processor time counts that. So the sizes of a level take turns in many short
// rounds, all meet the same moments, and the lower quartile of its samples is a size's time. Rounds of all levels are
// spread over the whole run. What an iteration reads lies in pages of 2 MB, whatever its size, so that no size has more
// misses of the tables of pages than another; and at another place of them in each round, since where the vectors lie
// beside A decides which lines push each other out of the caches: a few per cent, the same in every round of a size.
#include "bandwidth.h"
#include "base/random.h"
#include "papers.h"
#include "peers.h"
#include "solver/cond/cond.h"
#include "track.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS_MAX = 48, GROUP_MAX = 12, SAMPLES_MAX = 4000, SETTLING = 32, SHIFT_MAX = 256 << 10, PAGE = 2 << 20 };

typedef enum level { IN_L2, BETWEEN_CACHES, IN_L3, BETWEEN, IN_MEMORY, N_LEVELS } level;

// Sizes that take turns; how often they are opened, and processor time for them all [s].
typedef struct group {
    int n, divisions[GROUP_MAX], openings;
    double budget;
} group;

// Times of an iteration, one a round [s].
typedef struct samples {
    int n;
    double seconds[SAMPLES_MAX];
} samples;

// A size of the mat, opened and stepped, its problem solved in turn with the others of its level.
typedef struct subject {
    track t;
    tn_solution solution;
} subject;

typedef struct point {
    int divisions;
    double dof, seconds, bytes; // of an iteration; of A and the vectors that it reads
    double contacts;
    level level;
} point;

typedef struct line {
    int n;
    double intercept, slope, r_squared;
} line;

// Least squares; R^2 = 1 - residual / variance.
static line fit(int n, const point *points, const bool *chosen)
{
    double x = 0.0, y = 0.0, xx = 0.0, xy = 0.0, yy = 0.0;
    line l = {0};
    for (int i = 0; i < n; i++) {
        if (chosen[i]) {
            l.n++;
            x += points[i].dof;
            y += points[i].seconds;
        }
    }
    for (int i = 0; i < n; i++) {
        if (chosen[i]) {
            double dx = points[i].dof - x / l.n, dy = points[i].seconds - y / l.n;
            xx += dx * dx;
            xy += dx * dy;
            yy += dy * dy;
        }
    }
    l.slope = xy / xx;
    l.intercept = (y - l.slope * x) / l.n;
    l.r_squared = xy * xy / (xx * yy);
    return l;
}

// Under-relaxed (u of Algorithm 3): the same arithmetic, and no solve within LENGTH[1] iterations stops to look for a
// bound of W's step, which costs as much as forty and comes at another place for each size. Nor does it get so far (a
// hundredth of the residual, 47 iterations at 20 x 20 nodes, 53 at 18 x 18, above 56 elsewhere) that the single
// precision asks for a new reference: a product in doubles, 4 % of 48 iterations in some sizes alone.
static const double RELAXATION = 0.5;
static const int LENGTH[2] = {8, 40};

// One solve of exactly so many iterations from the warm start, processor time [s]; NaN: failed.
static double timed(subject *s, int iterations)
{
    const tn_problem *p = &s->t.sim->solving.eq.problem;
    memcpy(s->solution.v, s->t.warm_v, 3 * (size_t)p->A->n_rows * sizeof(double));
    memcpy(s->solution.lambda, s->t.warm_lambda, 3 * (size_t)p->rows->n_triples * sizeof(double));
    tn_solve_options options = tn_solve_options_default();
    options.tolerance = (tn_tolerance){.theta = 1e-300};
    options.max_iterations = iterations;
    options.n_threads = 1;
    tn_cond_options cond = tn_cond_options_default();
    cond.acceleration = TN_COND_CHEBYSHEV;
    cond.relaxation = RELAXATION;
    tn_solve_report report = {.theta = NAN};
    tn_error error = {0};
    tn_arena_mark mark = tn_arena_get_mark(s->t.solver);
    double start = peer_seconds();
    tn_status status = tn_cond_solve(p, &options, &cond, s->t.solver, &s->solution, &report, &error);
    double seconds = peer_seconds() - start;
    tn_arena_release(s->t.solver, mark);
    return status == TN_OK && report.iterations == iterations ? seconds : NAN;
}

// L3 is shared with other cores, and on rented machines with other guests: only a quarter counts as ours, and memory is
// what its size and a fifth does not fit in. A set near L2's size loses lines
// to others of the same place, and just above it much stays: both belong to no level.
static level level_of(double bytes, cache_sizes caches)
{
    return bytes < 0.6 * (double)caches.l2    ? IN_L2
           : bytes < 2.0 * (double)caches.l2  ? BETWEEN_CACHES
           : bytes < 0.25 * (double)caches.l3 ? IN_L3
           : bytes < 1.2 * (double)caches.l3  ? BETWEEN
                                              : IN_MEMORY;
}

// What an iteration reads: blocks of A in floats with their columns; x, its predecessor, b, w in doubles and a
// difference in floats, four numbers a node.
static double bytes_read(const tn_blocks *A)
{
    bool single = A->n_rows >= tn_cond_options_default().single_from;
    return (double)A->start[A->n_rows] * (9 * (single ? 4 : 8) + 4) + 4.0 * A->n_rows * (4 * 8 + 4);
}

// The solver's memory anew, whole pages of 2 MB and one to shift what is pushed: an arena that grows by itself ends in
// small ones.
static bool take_huge_pages(subject *s)
{
    size_t peak = tn_arena_peak(s->t.solver);
    tn_arena_destroy(s->t.solver);
    s->t.solver = tn_arena_create((peak / PAGE + 2) * PAGE);
    return s->t.solver != NULL;
}

// A solution of some iterations is the start of all solves.
static bool settle(subject *s)
{
    const tn_problem *p = &s->t.sim->solving.eq.problem;
    bool ok = isfinite(timed(s, SETTLING));
    memcpy(s->t.warm_v, s->solution.v, 3 * (size_t)p->A->n_rows * sizeof(double));
    memcpy(s->t.warm_lambda, s->solution.lambda, 3 * (size_t)p->rows->n_triples * sizeof(double));
    return ok;
}

static bool subject_open(subject *s, const bench_options *options, int divisions, cache_sizes caches, point *out)
{
    char text[64];
    snprintf(text, sizeof text, "soft.mat.grid.divisions=[%d, %d, 1]", divisions, divisions);
    const char *set[] = {text, "solver.name=cond", "solver.max_iterations=20"};
    *s = (subject){0};
    if (!track_open(&s->t, options, "cond/soft_mat.yaml", 3, set) || !track_step(&s->t) || !track_step(&s->t)) {
        return false;
    }
    const tn_problem *p = &s->t.sim->solving.eq.problem;
    s->solution.v = TN_PUSH(s->t.kept, double, 3 * (size_t)p->A->n_rows);
    s->solution.lambda = TN_PUSH(s->t.kept, double, 3 * (size_t)p->rows->n_triples);
    *out = (point){.divisions = divisions, .dof = tn_model_dof(s->t.model), .contacts = p->rows->n_triples};
    out->bytes = bytes_read(p->A);
    out->level = level_of(out->bytes, caches);
    return s->solution.v && s->solution.lambda && settle(s) && take_huge_pages(s);
}

// One more sample: two solves, one after the other, whose set-up is the same and drops out of their difference.
static bool sample(subject *s, samples *out)
{
    tn_arena_mark mark = tn_arena_get_mark(s->t.solver);
    bool ok = TN_PUSH_RAW(s->t.solver, char, tn_random_u64(1, 1, (uint64_t)out->n) % SHIFT_MAX);
    ok = ok && isfinite(timed(s, LENGTH[1])); // brings its data to the caches, after the others'
    double less = timed(s, LENGTH[0]), more = timed(s, LENGTH[1]);
    out->seconds[out->n] = (more - less) / (LENGTH[1] - LENGTH[0]);
    ok = ok && isfinite(out->seconds[out->n]);
    out->n += out->n < SAMPLES_MAX - 1;
    tn_arena_release(s->t.solver, mark);
    return ok;
}

// The numbers 0..n-1 in an order drawn anew for each round.
static void draw_order(int n, int round, int *order)
{
    for (int k = 0; k < n; k++) {
        int j = (int)(tn_random_u64(2, (uint64_t)round, (uint64_t)k) % (uint64_t)(k + 1));
        order[k] = j < k ? order[j] : k;
        order[j] = k;
    }
}

// Rounds over the open subjects until their budget of processor time is spent [s]. What a size leaves in a shared cache
// is the next one's share of it to begin with, so another comes before it each time.
static bool take_turns(int n, subject *subjects, double budget, samples *found)
{
    double start = peer_seconds();
    bool ok = true;
    for (int round = 0; ok && found[0].n < SAMPLES_MAX && (round < 3 || peer_seconds() - start < budget); round++) {
        int order[GROUP_MAX];
        draw_order(n, found[0].n, order);
        for (int k = 0; k < n && ok; k++) {
            ok = sample(&subjects[order[k]], &found[order[k]]);
        }
    }
    return ok;
}

// Some sizes, all open at once.
static bool measure_once(const bench_options *options, const group *g, cache_sizes caches, samples *found,
                         point *points)
{
    subject subjects[GROUP_MAX];
    int open = 0;
    bool ok = true;
    while (ok && open < g->n) {
        ok = subject_open(&subjects[open], options, g->divisions[open], caches, &points[open]);
        open++; // a failed one is closed too
    }
    ok = ok && take_turns(g->n, subjects, g->budget / g->openings, found);
    for (int i = 0; i < open; i++) {
        track_close(&subjects[i].t);
    }
    return ok;
}

// Every group once, those that have openings left; then the next opening. points: one group's after the other's.
static bool measure(const bench_options *options, int n, const group *groups, cache_sizes caches, samples *found,
                    point *points)
{
    bool ok = true, more = true;
    for (int k = 0; ok && more; k++) {
        more = false;
        for (int g = 0, first = 0; g < n && ok; first += groups[g++].n) {
            if (k < groups[g].openings) {
                ok = measure_once(options, &groups[g], caches, found + first, points + first);
                more = true;
            }
        }
    }
    return ok;
}

static void take_quartiles(int n, samples *found, point *points)
{
    for (int i = 0; i < n; i++) {
        bench_median(found[i].n, found[i].seconds); // sorted by it
        points[i].seconds = found[i].seconds[found[i].n / 4];
    }
}

static void fit_row(table *t, const char *name, int n, const point *points, const bool *chosen, double document)
{
    line l = fit(n, points, chosen);
    if (l.n < 3) {
        return;
    }
    table_word(t, "%s", name);
    table_number(t, "%.0f", l.n);
    table_number(t, "%.3f", 1e9 * l.slope);
    table_number(t, "%.2f", 1e6 * l.intercept);
    table_number(t, "%.4f", l.r_squared);
    table_number(t, "%.4f", document);
    table_row(t);
}

static void fit_table(table *t, int n, const point *points, cache_sizes caches)
{
    static const char *const names[N_LEVELS] = {"in L2", NULL, "in L3", NULL, "in memory"};
    const char *heads[] = {"straight line", "points", "ns a DOF", "offset us", "R^2", "document R^2"};
    table_open(t, "cond, Fig. 11: linear fits inside each memory level", 6, heads);
    bool chosen[POINTS_MAX];
    for (int k = 0; k < N_LEVELS; k++) {
        for (int i = 0; i < n; i++) {
            chosen[i] = points[i].level == (level)k;
        }
        if (names[k]) {
            fit_row(t, names[k], n, points, chosen, NAN);
        }
    }
    for (int i = 0; i < n; i++) {
        chosen[i] = points[i].dof <= 2e4;
    }
    fit_row(t, "document's range, up to 2e4 DOF", n, points, chosen, 0.9997);
    for (int i = 0; i < n; i++) {
        chosen[i] = points[i].dof <= 3.1e5;
    }
    fit_row(t, "all up to 3e5 DOF", n, points, chosen, NAN);
    table_note(t,
               "levels by the bytes that an iteration reads: L2 up to 0.6 of %.1f MB; L3 from 2 L2 to a quarter of "
               "%.0f MB (shared); memory from 1.2 L3; the document's text does not name its range",
               (double)caches.l2 * 1e-6, (double)caches.l3 * 1e-6);
    table_close(t);
}

static void point_row(table *t, const point *p)
{
    static const char *const names[N_LEVELS] = {"L2", "L2 to L3", "L3", "L3 to memory", "memory"};
    table_word(t, "%d x %d x 2 nodes", p->divisions + 1, p->divisions + 1);
    table_number(t, "%.0f", p->dof);
    table_number(t, "%.0f", p->contacts);
    table_number(t, "%.2f", p->bytes * 1e-6);
    table_number(t, "%.2f", 1e6 * p->seconds);
    table_number(t, "%.2f", 1e9 * p->seconds / p->dof);
    table_number(t, "%.1f", p->bytes * 1e-9 / p->seconds);
    table_word(t, "%s", names[p->level]);
    table_row(t);
}

static const group QUICK = {4, {12, 16, 20, 26}, 1, 1.0};
static const group GROUPS[4] = {{9, {12, 13, 14, 15, 16, 18, 19, 20, 22}, 12, 24.0},
                                {11, {27, 31, 35, 45, 49, 54, 60, 66, 71, 77, 82}, 12, 60.0},
                                {3, {105, 130, 160}, 1, 4.0},
                                {7, {200, 212, 223, 240, 260, 280, 300}, 4, 90.0}};

int papers_scaling(const bench_options *options, table *t)
{
    const group *groups = options->quick ? &QUICK : GROUPS;
    int n_groups = options->quick ? 1 : 4, n = 0;
    for (int g = 0; g < n_groups; g++) {
        n += groups[g].n;
    }
    point points[POINTS_MAX];
    cache_sizes caches = bandwidth_caches();
    samples *found = calloc(POINTS_MAX, sizeof *found);
    bool ok = found && measure(options, n_groups, groups, caches, found, points);
    if (ok) {
        const char *heads[] = {"grid", "DOF", "contacts", "MB read", "us an iteration", "ns a DOF", "GB/s", "level"};
        table_open(t,
                   "cond, Fig. 11: processor time of an iteration of cond with Chebyshev, one thread, lower quartile",
                   8, heads);
        take_quartiles(n, found, points);
        for (int i = 0; i < n; i++) {
            point_row(t, &points[i]);
        }
        table_close(t);
        fit_table(t, n, points, caches);
    }
    free(found);
    return ok ? 0 : 1;
}
