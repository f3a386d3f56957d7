// The Brazil nut: a large disk among small ones in a shaken box, the lcp document's.
#include "papers_nut.h"
#include "papers.h"
#include "papers_lcp.h"
#include "peers.h"

#include <math.h>
#include <string.h>

// What one run shows. Emerged: seen from above, half of the nut's width is free, on the mean over a shake.
typedef struct rise {
    bool ok;
    int emerged;           // shake at the end of the first such window; -1: never
    double stays;          // share of the windows from then on that are such
    int tenth;             // shake from which its top is among the highest tenth of the small disks; -1: never
    double start, end;     // share of the small disks above its top, in the first and last five windows
    double seconds, worst; // CPU time of the run, worst natural map
    double median;         // CPU time of a step [s]
    double deepest;        // overlap after a step [m]
    double rounds;         // convex problems a step, mean
} rise;

// A run and how it is looked at.
typedef struct shaking {
    const char *scene;
    int n_set;        // of
    const char **set; // the scene's overrides
} shaking;

enum { STEPS_MAX = 1024, COLUMNS_SEEN = 200 };
static const double PERIOD = 1.0; // of a shake, and the window of the means [s]

static double disk_radius(const tn_model *model, int body)
{
    double radius = 0.0;
    for (int s = 0; s < model->n_shapes; s++) {
        radius = model->shapes[s].body == body ? model->shapes[s].shape.size[0] : radius;
    }
    return radius;
}

// The nut from above: a column of its width is covered where a small disk's centre is higher than its own.
void nut_look(const track *t, nut_view *v)
{
    int nut = tn_model_find_body(t->model, "nut"), box = tn_model_find_body(t->model, "box");
    bool covered[COLUMNS_SEEN] = {false};
    double p[3], x[3], q[4], radius = disk_radius(t->model, nut);
    int above = 0, small = 0, open = 0;
    tn_state_body_pose(t->state, nut, p, q);
    for (int s = 0; s < t->model->n_shapes; s++) {
        int b = t->model->shapes[s].body;
        if (b == nut || b == box) {
            continue;
        }
        tn_state_body_pose(t->state, b, x, q);
        small++;
        above += x[2] > p[2] + radius;
        for (int c = 0; x[2] > p[2] && c < COLUMNS_SEEN; c++) {
            double column = p[0] + radius * ((2 * c + 1.0) / COLUMNS_SEEN - 1.0);
            covered[c] = covered[c] || fabs(column - x[0]) < t->model->shapes[s].shape.size[0];
        }
    }
    for (int c = 0; c < COLUMNS_SEEN; c++) {
        open += !covered[c];
    }
    v->above += (double)above / small;
    v->open += (double)open / COLUMNS_SEEN;
    v->n++;
}

// The window that ends with shake `now` of `last`.
static void close_window(rise *out, const nut_view *sum, int now, int last, int *since)
{
    double above = sum->above / sum->n, open = sum->open / sum->n;
    out->tenth = out->tenth < 0 && above <= 0.1 ? now : out->tenth;
    out->emerged = out->emerged < 0 && open >= 0.5 ? now : out->emerged;
    *since += out->emerged >= 0;
    out->stays += out->emerged >= 0 && open >= 0.5;
    out->start += now <= 5 ? above / 5 : 0.0;
    out->end += now > last - 5 ? above / 5 : 0.0;
}

static rise shake(const bench_options *options, const shaking *s, plot_curve *curve)
{
    track t;
    rise out = {.ok = track_open(&t, options, s->scene, s->n_set, s->set), .emerged = -1, .tenth = -1};
    int since = 0;
    long steps = 0;
    double duration = out.ok ? t.model->settings.duration : 0.0, ms[STEPS_MAX];
    long per_window = out.ok ? lround(PERIOD / t.model->settings.step) : 1;
    nut_view sum = {0};
    while (out.ok && tn_state_time(t.state) < duration - 1e-9) {
        double start = peer_seconds();
        out.ok = track_step(&t);
        double spent = peer_seconds() - start;
        out.seconds += spent;
        ms[steps++ % STEPS_MAX] = spent;
        out.worst = fmax(out.worst, t.report.solve.certificate.natural);
        out.deepest = fmax(out.deepest, t.report.solve.certificate.penetration);
        out.rounds += t.report.rounds;
        nut_look(&t, &sum);
        if (steps % per_window == 0) {
            int now = (int)(steps / per_window);
            plot_add_point(curve, now, 100.0 * sum.above / sum.n);
            close_window(&out, &sum, now, (int)lround(duration / PERIOD), &since);
            sum = (nut_view){0};
        }
    }
    out.stays = since > 0 ? out.stays / since : 0.0;
    out.rounds = steps > 0 ? out.rounds / (double)steps : 0.0;
    out.median = bench_median(steps < STEPS_MAX ? (int)steps : STEPS_MAX, ms);
    track_close(&t);
    return out;
}

static void rise_row(table *t, const char *label, const rise *r, double simulated)
{
    table_word(t, "%s", label);
    table_number(t, "%.0f", r->emerged < 0 ? NAN : r->emerged);
    table_number(t, "%.0f", 100.0 * r->stays);
    table_number(t, "%.0f", r->tenth < 0 ? NAN : r->tenth);
    table_number(t, "%.0f", 100.0 * r->start);
    table_number(t, "%.0f", 100.0 * r->end);
    table_number(t, "%.1f", simulated / r->seconds);
    table_number(t, "%.2f", 1e3 * r->median);
    table_number(t, "%.2f", r->rounds);
    table_number(t, "%.1e", r->deepest);
    table_number(t, "%.1e", r->worst);
    table_row(t);
}

enum { COLUMNS = 11 };
static const char *const HEADS[COLUMNS] = {
    "run",        "emerged, shake",  "stays %",          "top tenth, shake", "above it at first %",
    "at last %",  "times real time", "median ms a step", "solves a step",    "overlap m",
    "natural map"};

// The seeds from `first` on; returns how many emerged within 30 to 60 shakes.
static int nut_seeds(const bench_options *options, int first, int n, bool rough, table *t, plot_panel *panel,
                     int *failures)
{
    int within = 0;
    for (int k = first; k < first + n; k++) {
        char seed[32], label[64];
        snprintf(seed, sizeof seed, "seed=%d", k);
        snprintf(label, sizeof label, "%s, %s", !rough ? "no friction" : first > 100 ? "fresh" : "calibrated", seed);
        const char *set[] = {seed, "duration=60", "materials.default.friction=0"};
        shaking s = {.scene = "lcp/brazil_nut.yaml", .n_set = rough ? 2 : 3, .set = set};
        rise r = shake(options, &s, rough && first <= 100 ? NULL : plot_add_curve(panel, ""));
        *failures += !r.ok;
        within += r.emerged >= 30 && r.emerged <= 60;
        rise_row(t, label, &r, 60.0);
    }
    return within;
}

int papers_lcp_nut(const bench_options *options, table *t)
{
    int trials = options->trials ? options->trials : options->quick ? 1 : 10, failures = 0;
    table_open(t, "lcp: Brazil nut, 270 bodies, 60 shakes of 1 s, h 100 ms, restitution 0.5, convex law", COLUMNS,
               HEADS);
    plot *p = lcp_plot_start(options);
    plot_panel *with = lcp_panel(p, "Brazil nut, friction 0.5", "shakes", "small disks above it [%]");
    plot_panel *without = lcp_panel(p, "Brazil nut, no friction", "shakes", "small disks above it [%]");
    int known = trials < 4 ? trials : 4, calibrated = nut_seeds(options, 1, known, true, t, with, &failures);
    int fresh = nut_seeds(options, 301, trials, true, t, with, &failures);
    nut_seeds(options, 301, trials < 3 ? 1 : 3, false, t, without, &failures);
    table_note(
        t,
        "emerged: seen from above half of its width is free, mean of a shake; in 30 to 60 shakes: %d of %d seeds "
        "by which the scene's sizes were chosen, %d of %d fresh ones. Document: about 40 shakes",
        calibrated, known, fresh, trials);
    table_note(t, "top tenth: its top is among the highest tenth of the small disks, mean of a shake");
    table_close(t);
    return failures + lcp_plot_finish(options, p, "brazil_nut");
}
