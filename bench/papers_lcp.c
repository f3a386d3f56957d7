// The lcp document's experiments: drift of a pendulum, an ellipse on a table, 21 disks on a plank. The document prints
// curves and few numbers; those are beside ours.
#include "papers_lcp.h"
#include "base/memory.h"
#include "papers.h"
#include "peers.h"
#include "track.h"

#include <math.h>
#include <string.h>

plot *lcp_plot_start(const bench_options *options)
{
    return options->svg ? tn_calloc(1, sizeof(plot)) : NULL;
}

int lcp_plot_finish(const bench_options *options, plot *p, const char *name)
{
    char path[4096];
    int length = options->svg ? (int)strlen(options->svg) : 0;
    if (length > 4 && strcmp(options->svg + length - 4, ".svg") == 0) {
        length -= 4;
    }
    snprintf(path, sizeof path, "%.*s_%s.svg", length, options->svg ? options->svg : "", name);
    bool ok = !options->svg || (p && plot_write(p, path));
    if (!ok) {
        fprintf(stderr, "tenon-bench: cannot write %s\n", path);
    }
    tn_free(p);
    return !ok;
}

plot_panel *lcp_panel(plot *p, const char *title, const char *x, const char *y)
{
    return p ? plot_add_panel(p, title, x, y) : NULL;
}

// ---- pendulum of length 1, released horizontal

typedef struct drift {
    bool ok;
    double worst, C; // [m], [1/m]
} drift;

static drift swing(const bench_options *options, double h, bool stabilized, plot_curve *curve)
{
    char step[64];
    snprintf(step, sizeof step, "step=%.17g", h);
    const char *set[] = {step, stabilized ? "stabilization=full" : "stabilization=none", "projection=0"};
    track t;
    drift out = {.ok = track_open(&t, options, "lcp/pendulum_drift.yaml", 3, set)};
    int bob = out.ok ? tn_model_find_body(t.model, "bob") : 0;
    while (out.ok && tn_state_time(t.state) < 10.0 - 1e-9) {
        out.ok = track_step(&t);
        double x[3], q[4], v[3], w[3];
        tn_state_body_pose(t.state, bob, x, q);
        tn_state_body_velocity(t.state, bob, v, w);
        double off = fabs(sqrt(x[0] * x[0] + x[2] * x[2]) - 1.0), square = v[0] * v[0] + v[2] * v[2];
        out.worst = fmax(out.worst, off);
        if (square > 1e-3) {
            out.C = fmax(out.C, off / (h * h * square));
        }
        if (curve && (t.report.step % (long)fmax(1.0, 0.02 / h + 0.5)) == 0) {
            plot_add_point(curve, tn_state_time(t.state), off);
        }
    }
    track_close(&t);
    return out;
}

int papers_lcp_pendulum(const bench_options *options, table *t)
{
    const char *heads[] = {"h ms", "drift m, unstabilized", "stabilized", "ratio", "C 1/m", "expected ratio"};
    const double steps[] = {0.04, 0.02, 0.01, 5e-3, 2.5e-3}, ratios[] = {55, 139, 330, 755, NAN};
    table_open(t, "lcp: pendulum released horizontal, 10 s, largest violation of its length", 6, heads);
    plot *p = lcp_plot_start(options);
    plot_panel *panel = lcp_panel(p, "Pendulum, h = 10 ms", "time [s]", "violation of the length [m]");
    if (panel) {
        panel->logarithmic = true;
        panel->floor = 1e-9;
    }
    int failures = 0;
    for (int k = 0; k < 5; k++) {
        plot_panel *shown = k == 2 ? panel : NULL;
        drift none = swing(options, steps[k], false, plot_add_curve(shown, "velocity level (unstabilized)"));
        drift full = swing(options, steps[k], true, plot_add_curve(shown, "stabilized"));
        failures += !none.ok || !full.ok;
        table_number(t, "%.1f", 1e3 * steps[k]);
        table_number(t, "%.4f", none.worst);
        table_number(t, "%.3e", full.worst);
        table_number(t, "%.0f", none.worst / full.worst);
        table_number(t, "%.3f", full.C);
        table_number(t, "%.0f", ratios[k]);
        table_row(t);
    }
    table_note(t, "document: \"ratio of infeasibilities gets to about 10^3\"; C: violation <= C |h v|^2 (theorem)");
    table_close(t);
    return failures + lcp_plot_finish(options, p, "pendulum");
}

// ---- elliptic body on a table

typedef struct sinking {
    bool ok;
    double worst, last; // [m]: deepest, mean of the last two seconds
} sinking;

// Ten outlines side by side, with a line from the middle to a vertex.
static void draw_outline(const track *t, int body, plot_panel *panel)
{
    double x[3], q[4];
    plot_curve *curve = plot_add_curve(panel, "");
    tn_state_body_pose(t->state, body, x, q);
    double turn = 2.0 * atan2(q[2], q[0]), c = cos(turn), s = sin(turn);
    x[0] += 9.0 * panel->n;
    for (int k = 0; k <= 60; k++) {
        double u = 4.0 * cos(2.0 * M_PI * k / 60), w = 2.0 * sin(2.0 * M_PI * k / 60);
        plot_add_point(curve, x[0] + c * u + s * w, x[2] - s * u + c * w);
    }
    plot_add_point(curve, x[0], x[2]);
}

static sinking drop(const bench_options *options, double h, const char *gap, plot_curve *curve, plot_panel *frames)
{
    char step[64];
    snprintf(step, sizeof step, "step=%.17g", h);
    const char *set[] = {step, gap};
    track t;
    int n = 0;
    sinking out = {.ok = track_open(&t, options, "lcp/ellipse.yaml", 2, set)};
    int egg = out.ok ? tn_model_find_body(t.model, "egg") : 0;
    while (out.ok && tn_state_time(t.state) < 20.0 - 1e-9) {
        out.ok = track_step(&t);
        double deep = t.report.solve.certificate.penetration;
        out.worst = fmax(out.worst, deep);
        if (tn_state_time(t.state) > 18.0) {
            out.last += deep;
            n++;
        }
        plot_add_point(curve, tn_state_time(t.state), deep);
        if (frames && fmod(tn_state_time(t.state) + 1e-9, 0.35) < h && frames->n < 10) {
            draw_outline(&t, egg, frames);
        }
    }
    out.last /= n ? n : 1;
    track_close(&t);
    return out;
}

int papers_lcp_ellipse(const bench_options *options, table *t)
{
    const char *heads[] = {"h ms", "deepest m, unstabilized", "stabilized", "last 2 s, unstabilized", "stabilized"};
    const double steps[] = {0.1, 0.05, 0.025, 0.0125};
    table_open(t, "lcp: ellipse of axes 4 and 8, dropped from 8 with spin 3, 20 s: how deep it sinks", 5, heads);
    plot *p = lcp_plot_start(options);
    plot_panel *panel = lcp_panel(p, "Ellipse, h = 50 ms", "time [s]", "infeasibility [m]");
    plot_panel *frames = lcp_panel(p, "Ten frames, stabilized", "x [m], each 9 m further", "z [m]");
    if (frames) {
        panel->logarithmic = frames->shape = true;
        panel->floor = 1e-6;
    }
    int failures = 0;
    for (int k = 0; k < 4; k++) {
        plot_panel *shown = k == 1 ? panel : NULL;
        sinking none = drop(options, steps[k], "gap=none", plot_add_curve(shown, "unstabilized"), NULL);
        sinking full = drop(options, steps[k], "gap=full", plot_add_curve(shown, "stabilized"), k == 1 ? frames : NULL);
        failures += !none.ok || !full.ok;
        table_number(t, "%.1f", 1e3 * steps[k]);
        table_number(t, "%.4f", none.worst);
        table_number(t, "%.5f", full.worst);
        table_number(t, "%.4f", none.last);
        table_number(t, "%.2e", full.last);
        table_row(t);
    }
    table_note(t,
               "document: drift becomes catastrophic without, remains in a narrow range with stabilization (curves)");
    table_close(t);
    return failures + lcp_plot_finish(options, p, "ellipse");
}

// ---- 21 disks

enum { DISK_STEPS = 200 };

static bool stack(const bench_options *options, table *t, const char *gap, const char *solver, plot_curve *curve)
{
    char name[64];
    snprintf(name, sizeof name, "solver.name=%s", solver);
    const char *set[] = {gap, name};
    track k;
    double ms[DISK_STEPS], natural = 0.0, deep = 0.0;
    int n = 0, contacts = 0, open = 0;
    bool ok = track_open(&k, options, "lcp/disks21.yaml", 2, set);
    while (ok && n < DISK_STEPS) {
        double start = peer_seconds();
        ok = track_step(&k);
        ms[n++] = 1e3 * (peer_seconds() - start);
        natural = fmax(natural, k.report.solve.certificate.natural);
        deep = fmax(deep, k.report.solve.certificate.penetration);
        contacts = k.report.n_contacts > contacts ? k.report.n_contacts : contacts;
        open += !k.report.solve.converged;
        plot_add_point(curve, k.report.time, k.report.solve.certificate.penetration);
    }
    track_close(&k);
    double median = bench_median(n, ms);
    table_word(t, "%s, %s", solver, gap + 4);
    table_number(t, "%.0f", contacts);
    table_number(t, "%.3f", median);
    table_number(t, "%.3f", n ? ms[n - 1] : NAN);
    table_number(t, "%.1e", natural);
    table_number(t, "%.0f", open);
    table_number(t, "%.1e", deep);
    table_number(t, "%.0f", !strcmp(solver, "lemke") ? 30 : NAN);
    table_row(t);
    return ok;
}

int papers_lcp_disks(const bench_options *options, table *t)
{
    const char *heads[] = {"solver, gap term", "contacts", "median ms", "worst ms",
                           "natural map",      "unsolved", "deepest m", "document worst ms"};
    table_open(t, "lcp: 21 disks on a plank, h 50 ms, 200 steps: thread CPU time of a whole step", 8, heads);
    plot *p = lcp_plot_start(options);
    plot_panel *panel = lcp_panel(p, "21 disks, h = 50 ms", "time [s]", "infeasibility [m]");
    if (panel) {
        panel->logarithmic = true;
        panel->floor = 1e-16;
    }
    bool ok = stack(options, t, "gap=none", "lemke", plot_add_curve(panel, "unstabilized"));
    ok = stack(options, t, "gap=full", "lemke", plot_add_curve(panel, "stabilized")) && ok;
    ok = stack(options, t, "gap=full", "auto", NULL) && ok;
    table_note(t,
               "document: the LCP is solved in at most 30 ms at every step, on hardware of 2003; polyhedral law, two "
               "facets (exact in the plane)");
    table_close(t);
    return !ok + lcp_plot_finish(options, p, "disks21");
}
