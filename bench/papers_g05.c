// Case G05 of the validation list: a disk of three diameters among small ones of random sizes, shaken at 10 Hz with 3
// g.
//
// On top: on the mean of STAYS seconds at most 10 % of the small disks are above the nut's top. A grain that convection
// carries round is up for some seconds only. A run ends with the first such time, or after 60 s.
#include "base/random.h"
#include "papers.h"
#include "papers_lcp.h"
#include "papers_nut.h"
#include "peers.h"

#include <math.h>

enum { N_GRAINS = 160, STAYS = 20, LONGEST = 60 };
static const double TOP = 0.1, NATURAL = 1e-4, RADIUS = 4e-3, SPREAD = 0.2;

typedef struct g05_run {
    bool ok;
    int windows, since;    // of 1 s; how many were over when it came on top; -1: never
    double above[LONGEST]; // share of the small disks above the nut's top, mean of each window
    double lowest;         // least mean of STAYS windows in a row
    long steps, loose;     // loose: natural map above NATURAL
    double worst, overlap; // largest natural map; overlap after a step [m]
    double seconds;        // wall time of the steps
} g05_run;

// Mean over the n windows that end with number `last`, from 1.
static double g05_mean(const g05_run *r, int last, int n)
{
    double sum = 0.0;
    for (int k = last - n; k < last; k++) {
        sum += r->above[k] / n;
    }
    return sum;
}

// The window that has just ended; returns whether the run goes on.
static bool g05_window(g05_run *r, double above)
{
    r->above[r->windows++] = above;
    if (r->windows >= STAYS) {
        double mean = g05_mean(r, r->windows, STAYS);
        r->lowest = fmin(r->lowest, mean);
        r->since = mean <= TOP ? r->windows - STAYS : -1;
    }
    return r->windows < LONGEST && r->since < 0;
}

static g05_run g05_shake(const bench_options *options, int n_set, const char *const *set, plot_curve *curve)
{
    track t;
    g05_run r = {.ok = track_open(&t, options, "lcp/brazil_nut_10hz.yaml", n_set, set), .since = -1, .lowest = 1.0};
    long per_window = r.ok ? lround(1.0 / t.model->settings.step) : 1, last = options->quick ? 1 : LONGEST;
    nut_view v = {0};
    bool goes_on = r.ok;
    while (goes_on) {
        double start = peer_seconds();
        r.ok = goes_on = track_step(&t);
        r.seconds += peer_seconds() - start;
        r.steps++;
        r.loose += !(t.report.solve.certificate.natural <= NATURAL);
        r.worst = fmax(r.worst, t.report.solve.certificate.natural);
        r.overlap = fmax(r.overlap, t.report.solve.certificate.penetration);
        nut_look(&t, &v);
        if (goes_on && r.steps % per_window == 0) {
            plot_add_point(curve, r.windows + 1, 100.0 * v.above / v.n);
            goes_on = g05_window(&r, v.above / v.n) && r.windows < last;
            v = (nut_view){0};
        }
    }
    track_close(&t);
    return r;
}

static void g05_row(table *t, const char *label, const g05_run *r)
{
    table_word(t, "%s", label);
    int first = r->windows < 5 ? r->windows : 5;
    table_number(t, "%.0f", r->since < 0 ? NAN : r->since);
    table_number(t, "%.0f", 100.0 * g05_mean(r, first, first));
    table_number(t, "%.0f", r->windows < STAYS ? NAN : 100.0 * r->lowest);
    table_number(t, "%.0f", r->windows);
    table_number(t, "%.2f", 100.0 * (double)r->loose / (double)r->steps);
    table_number(t, "%.1e", r->worst);
    table_number(t, "%.1e", r->overlap);
    table_number(t, "%.1f", 1e3 * r->seconds / (double)r->steps);
    table_row(t);
}

typedef struct g05_kind {
    const char *label;
    int seeds, n_set;
    const char *set[2];
} g05_kind;

// The grains' sizes and places are drawn anew for each seed.
static int g05_seeds(const bench_options *options, const g05_kind *kind, table *t, plot_panel *panel)
{
    int seeds = options->trials ? options->trials : options->quick ? 1 : kind->seeds, failures = 0, rises = 0;
    for (int seed = 1; seed <= seeds; seed++) {
        char with_seed[32], label[64], radius[N_GRAINS][48];
        const char *set[N_GRAINS + 3] = {with_seed, kind->set[0], kind->set[1]};
        snprintf(with_seed, sizeof with_seed, "seed=%d", seed);
        snprintf(label, sizeof label, "%s, %s", kind->label, with_seed);
        for (int k = 0; k < N_GRAINS; k++) {
            double u = tn_random_uniform((uint64_t)seed, 0, (uint64_t)k);
            snprintf(radius[k], sizeof radius[k], "bodies.g%03d.shape.disk=%.4e", k,
                     RADIUS * (1 + SPREAD * (2 * u - 1)));
            set[1 + kind->n_set + k] = radius[k];
        }
        g05_run r = g05_shake(options, 1 + kind->n_set + N_GRAINS, set, plot_add_curve(panel, ""));
        failures += !r.ok;
        rises += r.since >= 0;
        g05_row(t, label, &r);
    }
    table_note(t, "%s: on top in %d of %d", kind->label, rises, seeds);
    return failures;
}

int papers_g05(const bench_options *options, table *t)
{
    const char *heads[] = {"run",       "on top from, s",           "above it at first %", "least mean of 20 s %",
                           "run for s", "steps looser than 1e-4 %", "natural map",         "overlap m",
                           "ms a step"};
    // Friction of a grain and a wall is the geometric mean: 0.95 in the scene.
    const g05_kind kinds[] = {{"friction 0.6", 10, 0, {NULL}},
                              {"no friction", 10, 2, {"materials.default.friction=0", "materials.wall.friction=0"}},
                              {"equal size", 3, 1, {"bodies.nut.shape.disk=4e-3"}}};
    int failures = 0;
    table_open(t, "G05: Brazil nut at 10 Hz and 3 g, small disks of random sizes, h 5 ms, strict law",
               (int)(sizeof heads / sizeof *heads), heads);
    plot *p = lcp_plot_start(options);
    for (int k = 0; k < (int)(sizeof kinds / sizeof *kinds); k++) {
        failures +=
            g05_seeds(options, &kinds[k], t, lcp_panel(p, kinds[k].label, "time [s]", "small disks above it [%]"));
    }
    table_note(t, "on top: at most 10 %% of the small disks above its top on the mean of 20 s; validation list: within "
                  "60 s, not without friction, nor at equal size");
    table_close(t);
    return failures + lcp_plot_finish(options, p, "g05");
}
