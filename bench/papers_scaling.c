// Fig. 11 of the cond document: time of an iteration against the number of degrees of freedom, a straight line inside
// each memory level.
#include "bandwidth.h"
#include "base/timer.h"
#include "judge.h"
#include "papers.h"

#include <math.h>

enum { POINTS_MAX = 32 };

typedef enum level { IN_L2, IN_L3, BETWEEN, IN_MEMORY, N_LEVELS } level;

typedef struct point {
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

// One solve of exactly so many iterations [s]; NaN: failed.
static double timed(track *t, int iterations)
{
    contender c = {"cond", "cond", true, TN_COND_CHEBYSHEV, {.theta = 1e-300}, iterations, false, 0.0};
    reference none = {.v = t->warm_v, .lambda = t->warm_lambda};
    verdict v = judge_solve(t, &c, &none, 1, 1);
    return v.ok ? v.seconds : NAN;
}

// Time of an iteration, set-up taken out: from the fastest solves of three lengths within a second or so, the lower of
// two slopes, since now and then the solver looks for a bound of W's step between iterations [s].
static double iteration(track *t, int window)
{
    double fastest[3] = {NAN, NAN, NAN}, start = tn_timer_now();
    for (int k = 0; k < 3 || (k < 60 && tn_timer_now() - start < 1.5); k++) {
        for (int i = 0; i < 3; i++) {
            fastest[i] = fmin(fastest[i], timed(t, (i + 1) * window));
        }
    }
    double whole = fastest[2] - fastest[0], less = fmin(fastest[1] - fastest[0], fastest[2] - fastest[1]);
    return (less > 0.25 * whole ? less : 0.5 * whole) / window; // much less than half: another program's time in it
}

// L3 is shared with other cores, and on rented machines with other guests: only a quarter counts as ours, and memory is
// what twice its size does not fit in (of a set just above its size much stays in it).
static level level_of(double bytes, cache_sizes caches)
{
    return bytes < 0.9 * (double)caches.l2    ? IN_L2
           : bytes < 0.25 * (double)caches.l3 ? IN_L3
           : bytes < 1.9 * (double)caches.l3  ? BETWEEN
                                              : IN_MEMORY;
}

static bool measure(const bench_options *options, int divisions, cache_sizes caches, point *out)
{
    char text[64];
    snprintf(text, sizeof text, "soft.mat.grid.divisions=[%d, %d, 1]", divisions, divisions);
    const char *set[] = {text, "solver.name=cond", "solver.max_iterations=20"};
    track t;
    bool ok = track_open(&t, options, "cond/soft_mat.yaml", 3, set) && track_step(&t) && track_step(&t);
    if (ok) {
        const tn_blocks *A = t.sim->problem.A;
        int nodes = A->n_rows;
        bool single = nodes >= tn_cond_options_default().single_from;
        out->dof = tn_model_dof(t.model);
        // Blocks with their columns; x, its predecessor, b, w in doubles and a difference in floats, four numbers a
        // node.
        out->bytes = (double)A->start[nodes] * (9 * (single ? 4 : 8) + 4) + 4.0 * nodes * (4 * 8 + 4);
        out->contacts = t.sim->problem.contacts->n;
        out->level = level_of(out->bytes, caches);
        out->seconds = iteration(&t, out->dof < 1e5 ? 100 : out->level == IN_MEMORY ? 8 : 50);
        ok = isfinite(out->seconds);
    }
    track_close(&t);
    return ok;
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
    static const char *const names[N_LEVELS] = {"in L2", "in L3", NULL, "in memory"};
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
    table_note(t,
               "levels by the bytes that an iteration reads: L2 %.1f MB, a quarter of L3's %.0f MB (shared); the "
               "document's text does "
               "not name its range",
               (double)caches.l2 * 1e-6, (double)caches.l3 * 1e-6);
    table_close(t);
}

int papers_scaling(const bench_options *options, table *t)
{
    static const char *const names[N_LEVELS] = {"L2", "L3", "between", "memory"};
    static const int all[] = {12, 13, 14, 15, 16, 17, 20,  23,  26,  31,  34,  37,  41,  45, 49,
                              54, 60, 66, 74, 82, 88, 105, 125, 147, 240, 275, 310, 350, 390},
                     few[] = {12, 16, 20, 26};
    int n = options->quick ? 4 : (int)(sizeof all / sizeof *all), done = 0, failures = 0;
    point points[POINTS_MAX];
    cache_sizes caches = bandwidth_caches();
    const char *heads[] = {"grid", "DOF", "contacts", "MB read", "us an iteration", "GB/s", "level"};
    table_open(t, "cond, Fig. 11: processor time of an iteration of cond with Chebyshev, one thread", 7, heads);
    for (int i = 0; i < n; i++) {
        int divisions = options->quick ? few[i] : all[i];
        point *p = &points[done];
        if (!measure(options, divisions, caches, p)) {
            failures++;
            continue;
        }
        done++;
        table_word(t, "%d x %d x 2 nodes", divisions + 1, divisions + 1);
        table_number(t, "%.0f", p->dof);
        table_number(t, "%.0f", p->contacts);
        table_number(t, "%.2f", p->bytes * 1e-6);
        table_number(t, "%.2f", 1e6 * p->seconds);
        table_number(t, "%.1f", p->bytes * 1e-9 / p->seconds);
        table_word(t, "%s", names[p->level]);
        table_row(t);
    }
    table_close(t);
    fit_table(t, done, points, caches);
    return failures;
}
