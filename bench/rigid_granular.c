// Grains: validation cases G01 to G04 in the list's sizes (weight, Janssen's silo, Beverloo's hopper, slopes).
#include "rigid.h"
#include "state/state.h"

#include "base/timer.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { SETS = 16, SET = 96, MEAN = 100 }; // MEAN: steps over which forces are averaged

typedef struct overrides {
    int n;
    char text[SETS][SET];
    const char *set[SETS];
} overrides;

__attribute__((format(printf, 2, 3))) static void add(overrides *o, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (o->n < SETS) {
        o->set[o->n] = o->text[o->n];
        vsnprintf(o->text[o->n++], SET, format, arguments);
    }
    va_end(arguments);
}

typedef struct grains {
    tn_model *model;
    tn_state *state;
    tn_sim *sim;
    double seconds; // wall time spent in steps
    long n_steps;
    bool ok;
} grains;

static grains open_grains(const bench_options *options, const char *scene, overrides *o)
{
    tn_error error = {0};
    add(o, "solver.tolerance={momentum: 1e-6, natural: 1e-3}");
    add(o, "solver.max_iterations=100");
    grains g = {.model = bench_model(options, scene, o->n, o->set)};
    g.state = g.model ? tn_state_create(g.model, &error) : NULL;
    g.sim = g.state ? tn_sim_create(g.model, &error) : NULL;
    g.ok = g.sim != NULL;
    return g;
}

static void close_grains(grains *g)
{
    tn_sim_destroy(g->sim);
    tn_state_destroy(g->state);
    tn_model_destroy(g->model);
}

static void step(grains *g)
{
    tn_error error = {0};
    tn_step_report report;
    g->ok = g->ok && tn_sim_step(g->sim, g->state, &report, &error) == TN_OK;
    if (g->ok) {
        g->seconds += report.total_s;
        g->n_steps++;
    } else if (error.message[0]) {
        fprintf(stderr, "tenon-bench: %s\n", error.message);
    }
}

static void run_to(grains *g, double time)
{
    while (g->ok && tn_state_time(g->state) < time - 1e-9) {
        step(g);
    }
}

// Mean force of the body of the lower number on all others over the next steps [N].
static void mean_force(grains *g, const char *name, double sum[3])
{
    int body = g->ok ? tn_model_find_body(g->model, name) : -1;
    sum[0] = sum[1] = sum[2] = 0.0;
    for (int k = 0; k < MEAN && g->ok; k++) {
        step(g);
        for (int i = 0; g->ok && i < tn_sim_contact_count(g->sim); i++) {
            tn_contact_info c;
            tn_sim_contact(g->sim, i, &c);
            for (int d = 0; c.body_a == body && d < 3; d++) {
                sum[d] += c.force[d] / MEAN;
            }
        }
    }
}

static double ms_per_step(const grains *g)
{
    return g->n_steps ? 1e3 * g->seconds / (double)g->n_steps : NAN;
}

static int weight(const bench_options *options, table *t)
{
    const char *heads[] = {"N", "floor / weight - 1", "walls x", "walls y", "ms/step"};
    overrides o = {0};
    table_open(t, "G01: 1000 spheres in a box, forces over the weight", 5, heads);
    const char *walls[] = {"floor", "left", "right", "front", "back"};
    // Smooth walls: materials combine to the geometric mean.
    add(&o, "materials={stone: {density: 1000, friction: 0.5}, smooth: {friction: 0}}");
    for (int i = 0; i < 5; i++) {
        add(&o, "bodies.%s.material=smooth", walls[i]);
    }
    grains g = open_grains(options, "rigid/balls1000.yaml", &o);
    run_to(&g, options->quick ? 0.3 : 4.0);
    double force[5][3];
    for (int i = 0; i < 5; i++) {
        mean_force(&g, walls[i], force[i]);
    }
    if (g.ok) {
        double pull = 9.81 * g.model->total_mass;
        table_number(t, "%.0f", g.model->n_bodies - 6);
        table_number(t, "%.1e", force[0][2] / pull - 1.0);
        table_number(t, "%.1e", fabs(force[1][0] + force[2][0]) / fabs(force[1][0]));
        table_number(t, "%.1e", fabs(force[3][1] + force[4][1]) / fabs(force[3][1]));
        table_number(t, "%.2f", ms_per_step(&g));
        table_row(t);
    }
    table_note(t, "asked: floor 1e-4; opposite walls' difference over their force 1e-3");
    table_close(t);
    int failures = !g.ok;
    close_grains(&g);
    return failures;
}

// Load on the silo's floor over the weight of a layer of diameter D.
static double silo_load(const bench_options *options, table *t, int layers, double mu, double *weight_of_grains)
{
    overrides o = {0};
    add(&o, "bodies.middle.array.count=[7,7,%d]", layers);
    add(&o, "bodies.sides.array.count=[5,2,%d]", layers);
    add(&o, "bodies.ends.array.count=[2,5,%d]", layers);
    add(&o, "materials.wall.friction=%g", mu);
    grains g = open_grains(options, "rigid/silo.yaml", &o);
    run_to(&g, options->quick ? 0.1 : 3.5);
    double force[3], result = NAN;
    mean_force(&g, "floor", force);
    if (g.ok) {
        *weight_of_grains = 9.81 * g.model->total_mass;
        result = force[2];
        table_number(t, "%.0f", 69.0 * layers);
        table_number(t, "%.2f", layers / 22.7); // measured: grains fill 0.6 of the space, 69 a layer
        table_number(t, "%.1f", mu);
        table_number(t, "%.0f", *weight_of_grains);
        table_number(t, "%.0f", result);
        table_number(t, "%.3f", result / *weight_of_grains);
        table_number(t, "%.1f", ms_per_step(&g));
        table_row(t);
    }
    close_grains(&g);
    return result;
}

// W_s (1 - exp(-w / W_s)) fitted to loads at weights w by the golden section; returns R^2.
static double fit_janssen(int n, const double *w, const double *load, double *saturation)
{
    double low = 1e-3 * w[n - 1], high = 10.0 * w[n - 1], mean = 0.0, spread = 0.0, best = INFINITY;
    for (int i = 0; i < n; i++) {
        mean += load[i] / n;
    }
    for (int i = 0; i < n; i++) {
        spread += (load[i] - mean) * (load[i] - mean);
    }
    for (double s = low; s < high; s *= 1.002) {
        double square = 0.0;
        for (int i = 0; i < n; i++) {
            double d = load[i] - s * (1.0 - exp(-w[i] / s));
            square += d * d;
        }
        if (square < best) {
            best = square;
            *saturation = s;
        }
    }
    return 1.0 - best / spread;
}

static int silo(const bench_options *options, table *t)
{
    enum { FILLS = 5 };
    const int layers[FILLS] = {23, 45, 68, 91, 136};
    const char *heads[] = {"N", "height / D", "mu wall", "weight N", "load N", "load / weight", "ms/step"};
    double w[FILLS], load[FILLS], saturation = NAN, smooth;
    int n = options->quick ? 2 : FILLS, failures = 0;
    table_open(t, "G02: load on the floor of a silo, D = 12 d (Janssen)", 7, heads);
    for (int i = 0; i < n; i++) {
        load[i] = silo_load(options, t, layers[i], 0.5, &w[i]);
        failures += isnan(load[i]);
    }
    failures += isnan(silo_load(options, t, options->quick ? 23 : 45, 0.0, &smooth));
    double r2 = failures ? NAN : fit_janssen(n, w, load, &saturation);
    table_note(t, "Janssen's curve: saturation %.0f N, R^2 %.4f (asked: above 0.98); load at 6 D / at 4 D %.3f (1.1)",
               saturation, r2, n == FILLS ? load[4] / load[3] : NAN);
    table_close(t);
    return failures;
}

static int grains_above(const grains *g, double z)
{
    int n = 0;
    for (int b = 1; b < g->model->n_bodies; b++) {
        n += g->model->bodies[b].kind == TN_BODY_FREE && g->state->pose[b].position[2] > z;
    }
    return n;
}

static double flow_rate(const bench_options *options, table *t, double width_in_d)
{
    const double d = 0.05;
    double edge = 0.5 * width_in_d * d + 1.0; // the slabs are 2 m wide
    overrides o = {0};
    add(&o, "bodies.floor_left.position=[%.6g,0,-0.05]", -edge);
    add(&o, "bodies.floor_right.position=[%.6g,0,-0.05]", edge);
    add(&o, "bodies.floor_front.position=[0,%.6g,-0.05]", -edge);
    add(&o, "bodies.floor_back.position=[0,%.6g,-0.05]", edge);
    add(&o, "bodies.grain.array.count=[24,24,%d]", options->quick ? 4 : 24);
    grains g = open_grains(options, "rigid/hopper.yaml", &o);
    // The flow settles within a second; the two halves of the time tell whether it depends on the filling.
    double times[3] = {1.0, 1.75, 2.5}, left[3] = {0};
    for (int k = 0; k < 3; k++) {
        run_to(&g, options->quick ? 0.1 * (k + 1) : times[k]);
        left[k] = g.ok ? grains_above(&g, -0.1) : NAN;
        times[k] = g.ok ? tn_state_time(g.state) : NAN;
    }
    double early = (left[0] - left[1]) / (times[1] - times[0]), late = (left[1] - left[2]) / (times[2] - times[1]);
    double rate = (left[0] - left[2]) / (times[2] - times[0]);
    if (g.ok) {
        table_number(t, "%.1f", width_in_d);
        table_number(t, "%.0f", left[0]);
        table_number(t, "%.0f", rate);
        table_number(t, "%.3f", late / early);
        table_number(t, "%.1f", ms_per_step(&g));
        table_row(t);
    }
    close_grains(&g);
    return rate;
}

static int hopper(const bench_options *options, table *t)
{
    enum { HOLES = 4 };
    const double holes[HOLES] = {5, 6.5, 8, 10};
    const char *heads[] = {"hole / d", "grains at 1 s", "rate 1/s", "late / early", "ms/step"};
    double rate[HOLES], best = INFINITY, k_best = NAN, p_best = NAN;
    int n = options->quick ? 2 : HOLES, failures = 0;
    table_open(t, "G03: grains out of a square hole (Beverloo)", 5, heads);
    for (int i = 0; i < n; i++) {
        rate[i] = flow_rate(options, t, holes[i]);
        failures += !(rate[i] >= 0.0);
    }
    // rate = c (D - k d)^p: for each k of the list's range the power by least squares of the logarithms.
    for (double k = 1.3; k <= 2.9 && !failures; k += 0.01) {
        double sx = 0, sy = 0, sxx = 0, sxy = 0, square = 0;
        for (int i = 0; i < n; i++) {
            double x = log(holes[i] - k), y = log(rate[i]);
            sx += x;
            sy += y;
            sxx += x * x;
            sxy += x * y;
        }
        double p = (n * sxy - sx * sy) / (n * sxx - sx * sx), c = (sy - p * sx) / n;
        for (int i = 0; i < n; i++) {
            double e = log(rate[i]) - c - p * log(holes[i] - k);
            square += e * e;
        }
        if (square < best) {
            best = square;
            k_best = k;
            p_best = p;
        }
    }
    table_note(
        t, "rate = c (D - k d)^p with k = %.2f, p = %.2f (asked: k 1.3 to 2.9, p 2.5 +- 0.3; late / early 1 +- 0.1)",
        k_best, p_best);
    table_close(t);
    return failures;
}

static double repose_angle(const bench_options *options, table *t, double mu)
{
    enum { BINS = 16 };
    overrides o = {0};
    add(&o, "materials.grain.friction=%g", mu);
    grains g = open_grains(options, "rigid/repose.yaml", &o);
    run_to(&g, options->quick ? 0.2 : 6.0);
    double top[BINS] = {0}, n = 0, sx = 0, sz = 0, sxx = 0, sxz = 0, angle = NAN;
    for (int b = 1; g.ok && b < g.model->n_bodies; b++) {
        const double *p = g.state->pose[b].position;
        int bin = (int)floor((p[0] + 0.05) / 0.1);
        if (g.model->bodies[b].kind == TN_BODY_FREE && bin >= 0 && bin < BINS) {
            top[bin] = fmax(top[bin], p[2]);
        }
    }
    for (int i = 1; i < BINS; i++) {
        double x = 0.1 * i;
        n += 1.0;
        sx += x;
        sz += top[i];
        sxx += x * x;
        sxz += x * top[i];
    }
    if (g.ok) {
        angle = -atan((n * sxz - sx * sz) / (n * sxx - sx * sx)) * 180 / acos(-1.0);
        table_number(t, "%.1f", mu);
        table_number(t, "%.1f", angle);
        table_number(t, "%.2f", ms_per_step(&g));
        table_row(t);
    }
    close_grains(&g);
    return angle;
}

static int repose(const bench_options *options, table *t)
{
    const double mus[3] = {0.0, 0.3, 0.7};
    const char *heads[] = {"mu", "angle deg", "ms/step"};
    int failures = 0;
    table_open(t, "G04: angle of repose of spheres on a rough bed", 3, heads);
    for (int i = 0; i < 3; i++) {
        failures += isnan(repose_angle(options, t, mus[i]));
    }
    table_note(t, "asked: about 0, 15 to 25, 22 to 32, rising");
    table_close(t);
    return failures;
}

int rigid_granular(const bench_options *options, table *t)
{
    const struct {
        const char *name;
        int (*run)(const bench_options *, table *);
    } cases[] = {{"weight", weight}, {"silo", silo}, {"hopper", hopper}, {"repose", repose}};
    int failures = 0;
    for (int i = 0; i < 4; i++) {
        if (!options->only || !strcmp(options->only, "granular") || !strcmp(options->only, cases[i].name)) {
            failures += cases[i].run(options, t);
        }
    }
    return failures;
}
