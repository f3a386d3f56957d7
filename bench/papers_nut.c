// The Brazil nut: a large disk among small ones in a shaken box; the lcp document's, and case G05 of the validation
// list.
#include "papers.h"
#include "papers_lcp.h"
#include "peers.h"
#include "track.h"

#include <math.h>
#include <string.h>

typedef struct rise {
    bool ok;
    int emerged;           // shake in which its top is, on the mean, among the highest tenth; -1: never
    int seen;              // shake in which at most one small disk was higher over its width, at some time
    double start, end;     // share of the small disks that lie higher, in the first and last five shakes
    double seconds, worst; // CPU time of the run, worst natural map
    double median;         // CPU time of a step [s]
} rise;

enum { STEPS_MAX = 1024 };

// How many small disks lie above the nut's top: all, and within its width.
static void count_above(const track *t, int nut, int box, double radius, int *above, int *over)
{
    double p[3], x[3], q[4];
    *above = *over = 0;
    tn_state_body_pose(t->state, nut, p, q);
    for (int b = 1; b < tn_model_body_count(t->model); b++) {
        if (b != nut && b != box) {
            tn_state_body_pose(t->state, b, x, q);
            bool higher = x[2] > p[2] + radius;
            *above += higher;
            *over += higher && fabs(x[0] - p[0]) < radius;
        }
    }
}

static rise shake(const bench_options *options, const char *scene, int n_set, const char *const *set, double period,
                  double radius, plot_curve *curve)
{
    track t;
    rise out = {.ok = track_open(&t, options, scene, n_set, set), .emerged = -1, .seen = -1};
    int nut = out.ok ? tn_model_find_body(t.model, "nut") : 0, box = out.ok ? tn_model_find_body(t.model, "box") : 0;
    int small = out.ok ? tn_model_body_count(t.model) - 3 : 1, steps = 0, least = 1 << 30, n_mean = 0;
    double duration = out.ok ? t.model->settings.duration : 0.0, mean = 0.0, ms[STEPS_MAX];
    long per_shake = out.ok ? lround(period / t.model->settings.step) : 1;
    int shakes = (int)lround(duration / period);
    while (out.ok && tn_state_time(t.state) < duration - 1e-9) {
        double start = peer_seconds();
        out.ok = track_step(&t);
        double spent = peer_seconds() - start;
        out.seconds += spent;
        ms[steps++ % STEPS_MAX] = spent;
        out.worst = fmax(out.worst, t.report.solve.certificate.natural);
        int above, over;
        count_above(&t, nut, box, radius, &above, &over);
        least = over < least ? over : least;
        mean += (double)above / small;
        n_mean++;
        if (t.report.step % per_shake == 0) {
            int now = (int)(t.report.step / per_shake);
            mean /= n_mean;
            out.seen = out.seen < 0 && least <= 1 ? now : out.seen;
            out.emerged = out.emerged < 0 && mean <= 0.1 ? now : out.emerged;
            out.start += now <= 5 ? mean / 5 : 0.0;
            out.end += now > shakes - 5 ? mean / 5 : 0.0;
            plot_add_point(curve, now, 100.0 * mean);
            mean = 0.0;
            n_mean = 0;
            least = 1 << 30;
        }
    }
    out.median = bench_median(steps < STEPS_MAX ? steps : STEPS_MAX, ms);
    track_close(&t);
    return out;
}

static void rise_row(table *t, const char *label, const rise *r, double simulated)
{
    table_word(t, "%s", label);
    table_number(t, "%.0f", r->emerged < 0 ? NAN : r->emerged);
    table_number(t, "%.0f", r->seen < 0 ? NAN : r->seen);
    table_number(t, "%.0f", 100.0 * r->start);
    table_number(t, "%.0f", 100.0 * r->end);
    table_number(t, "%.1f", simulated / r->seconds);
    table_number(t, "%.2f", 1e3 * r->median);
    table_number(t, "%.1e", r->worst);
    table_row(t);
}

enum { COLUMNS = 8 };
static const char *const HEADS[COLUMNS] = {"run",       "emerged, shake",  "first seen",       "above it at first %",
                                           "at last %", "times real time", "median ms a step", "natural map"};

int papers_lcp_nut(const bench_options *options, table *t)
{
    int trials = options->trials ? options->trials : options->quick ? 2 : 10, failures = 0, within = 0, seen = 0;
    table_open(t, "lcp: Brazil nut, 270 bodies, 60 shakes of 1 s, h 100 ms, restitution 0.5, convex law", COLUMNS,
               HEADS);
    plot *p = lcp_plot_start(options);
    plot_panel *with = lcp_panel(p, "Brazil nut, friction 0.5", "shakes", "small disks above it [%]");
    plot_panel *without = lcp_panel(p, "Brazil nut, no friction", "shakes", "small disks above it [%]");
    for (int k = 0; k < trials; k++) {
        char seed[32];
        snprintf(seed, sizeof seed, "seed=%d", k + 1);
        const char *set[] = {seed, "duration=60"};
        rise r = shake(options, "lcp/brazil_nut.yaml", 2, set, 1.0, 4.0, plot_add_curve(with, ""));
        failures += !r.ok;
        seen += r.seen >= 30 && r.seen <= 60;
        within += r.emerged >= 30 && r.emerged <= 60;
        rise_row(t, seed, &r, 60.0);
    }
    for (int k = 0; k < (trials < 3 ? 1 : 3); k++) {
        char seed[32], label[64];
        snprintf(seed, sizeof seed, "seed=%d", k + 1);
        snprintf(label, sizeof label, "no friction, %s", seed);
        const char *set[] = {seed, "duration=60", "materials.default.friction=0"};
        rise r = shake(options, "lcp/brazil_nut.yaml", 3, set, 1.0, 4.0, plot_add_curve(without, ""));
        failures += !r.ok;
        rise_row(t, label, &r, 60.0);
    }
    table_note(t,
               "emerged: top among the highest tenth of the small disks, mean of a shake; in 30 to 60 shakes: %d of %d",
               within, trials);
    table_note(t,
               "first seen: at most one small disk higher over its width: %d of %d. Document: emerges after about 40",
               seen, trials);
    table_close(t);
    return failures + lcp_plot_finish(options, p, "brazil_nut");
}

int papers_g05(const bench_options *options, table *t)
{
    static const struct {
        const char *label, *set;
        double radius;
    } runs[] = {{"three diameters", "seed=1", 0.015},
                {"no friction", "materials.default.friction=0", 0.015},
                {"as large as the others", "bodies.nut.shape.disk=5e-3", 5e-3}};
    table_open(t, "G05: Brazil nut at 10 Hz and 3 g", COLUMNS, HEADS);
    plot *p = lcp_plot_start(options);
    plot_panel *panel = lcp_panel(p, "G05: 10 Hz, 3 g", "shakes", "small disks above it [%]");
    int failures = 0;
    for (int k = 0; k < 3; k++) {
        const char *set[] = {runs[k].set, options->quick ? "duration=2" : "duration=60"};
        rise r = shake(options, "lcp/brazil_nut_10hz.yaml", 2, set, 0.1, runs[k].radius,
                       plot_add_curve(panel, runs[k].label));
        failures += !r.ok;
        rise_row(t, runs[k].label, &r, options->quick ? 2.0 : 60.0);
    }
    table_note(t, "validation list: rises to the top within 60 s; not without friction, nor at equal size");
    table_close(t);
    return failures + lcp_plot_finish(options, p, "g05");
}
