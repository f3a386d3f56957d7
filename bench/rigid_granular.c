// Grains: validation cases G01 to G04 in the list's sizes (weight, Janssen's silo, Beverloo's hopper, slopes).
#include "rigid_granular.h"

#include "rigid.h"
#include "rigid_grains.h"
#include "state/state.h"

#include <math.h>
#include <string.h>

enum { MEAN = 100, MEAN_FLOW = 300 }; // steps over which forces are averaged, at rest and where grains slide

// For forces: at a natural figure of 1e-3 heaps tremble by millimetres a second, 4e-4 of a heap's weight in the mean
// over half a second, and creep; a silo's load then differs by a tenth from the one at 1e-4.
static const char *const TIGHT[] = {"solver.tolerance={momentum: 1e-6, natural: 1e-4}", "solver.max_iterations=300"};

static int weight(const bench_options *options, table *t)
{
    const char *heads[] = {"N", "floor / weight - 1", "wall / weight", "walls x", "walls y", "ms/step"};
    overrides o = {0};
    table_open(t, "G01: 1000 spheres in a box, forces over the weight", 6, heads);
    const char *walls[] = {"floor", "left", "right", "front", "back"};
    // Smooth walls: materials combine to the geometric mean.
    overrides_add(&o, "materials={stone: {density: 1000, friction: 0.5}, smooth: {friction: 0}}");
    for (int i = 0; i < 5; i++) {
        overrides_add(&o, "bodies.%s.material=smooth", walls[i]);
    }
    overrides_add(&o, "%s", TIGHT[0]);
    overrides_add(&o, "%s", TIGHT[1]);
    grains g = grains_open(options, "rigid/balls1000.yaml", &o);
    grains_run(&g, options->quick ? 0.3 : 6.0);
    double force[5][3];
    grains_forces(&g, MEAN, 5, walls, force);
    if (g.ok) {
        double pull = 9.81 * g.model->total_mass;
        table_number(t, "%.0f", g.model->n_bodies - 6);
        table_number(t, "%.1e", force[0][2] / pull - 1.0);
        table_number(t, "%.3f", force[1][0] / pull);
        table_number(t, "%.1e", fabs(force[1][0] + force[2][0]) / fabs(force[1][0]));
        table_number(t, "%.1e", fabs(force[3][1] + force[4][1]) / fabs(force[3][1]));
        table_number(t, "%.2f", grains_ms(&g));
        table_row(t);
    }
    table_note(t, "asked: floor 1e-4; opposite walls' difference over their force 1e-3");
    table_close(t);
    int failures = !g.ok;
    grains_close(&g);
    return failures;
}

// Load on the silo's floor over the weight of a layer of diameter D.
static double silo_load(const bench_options *options, table *t, int layers, double mu, double *weight_of_grains)
{
    overrides o = {0};
    overrides_add(&o, "bodies.middle.array.count=[7,7,%d]", layers);
    overrides_add(&o, "bodies.sides.array.count=[5,2,%d]", layers);
    overrides_add(&o, "bodies.ends.array.count=[2,5,%d]", layers);
    overrides_add(&o, "materials.wall.friction=%g", mu);
    overrides_add(&o, "%s", TIGHT[0]);
    overrides_add(&o, "%s", TIGHT[1]);
    grains g = grains_open(options, "rigid/silo.yaml", &o);
    grains_run(&g, options->quick ? 0.1 : 3.5);
    double force[1][3], result = NAN;
    const char *floor[] = {"floor"};
    grains_forces(&g, options->quick ? MEAN : MEAN_FLOW, 1, floor, force);
    if (g.ok) {
        *weight_of_grains = 9.81 * g.model->total_mass;
        result = force[0][2];
        table_number(t, "%.0f", 69.0 * layers);
        table_number(t, "%.2f", layers / 22.7); // measured: grains fill 0.6 of the space, 69 a layer
        table_number(t, "%.1f", mu);
        table_number(t, "%.0f", *weight_of_grains);
        table_number(t, "%.0f", result);
        table_number(t, "%.3f", result / *weight_of_grains);
        table_number(t, "%.1f", grains_ms(&g));
        table_row(t);
    }
    grains_close(&g);
    return result;
}

// Janssen's curve, s (1 - exp(-w / l)).
typedef struct janssen {
    double saturation, length; // s and l, both as weights [N]
    double r2;
} janssen;

// Fitted to loads at weights w: for each l the best s by least squares.
static janssen fit_janssen(int n, const double *w, const double *load)
{
    double mean = 0.0, spread = 0.0, best = INFINITY;
    janssen fit = {NAN, NAN, NAN};
    for (int i = 0; i < n; i++) {
        mean += load[i] / n;
    }
    for (int i = 0; i < n; i++) {
        spread += (load[i] - mean) * (load[i] - mean);
    }
    for (double l = 1e-3 * w[n - 1]; l < 10.0 * w[n - 1]; l *= 1.002) {
        double ff = 0.0, fl = 0.0, square = 0.0;
        for (int i = 0; i < n; i++) {
            double f = 1.0 - exp(-w[i] / l);
            ff += f * f;
            fl += f * load[i];
        }
        for (int i = 0; i < n; i++) {
            double d = load[i] - fl / ff * (1.0 - exp(-w[i] / l));
            square += d * d;
        }
        if (square < best) {
            best = square;
            fit = (janssen){.saturation = fl / ff, .length = l, .r2 = 1.0 - best / spread};
        }
    }
    return fit;
}

static int silo(const bench_options *options, table *t)
{
    enum { FILLS = 5 };
    const int layers[FILLS] = {23, 45, 68, 91, 136};
    const char *heads[] = {"N", "height / D", "mu wall", "weight N", "load N", "load / weight", "ms/step"};
    double w[FILLS] = {0}, load[FILLS] = {0}, smooth;
    int n = options->quick ? 2 : FILLS, failures = 0;
    table_open(t, "G02: load on the floor of a silo, D = 12 d (Janssen)", 7, heads);
    for (int i = 0; i < n; i++) {
        load[i] = silo_load(options, t, layers[i], 0.5, &w[i]);
        failures += isnan(load[i]);
    }
    failures += isnan(silo_load(options, t, options->quick ? 23 : 45, 0.0, &smooth));
    janssen fit = failures ? (janssen){NAN, NAN, NAN} : fit_janssen(n, w, load);
    table_note(t,
               "Janssen's curve: saturation %.0f N, over the length's weight %.3f, R^2 %.4f (asked: above 0.98); "
               "load at 6 D / at 4 D %.3f (1.1)",
               fit.saturation, fit.saturation / fit.length, fit.r2, n == FILLS ? load[4] / load[3] : NAN);
    table_close(t);
    return failures;
}

int rigid_granular(const bench_options *options, table *t)
{
    const struct {
        const char *name;
        int (*run)(const bench_options *, table *);
    } cases[] = {{"weight", weight}, {"silo", silo}, {"hopper", granular_hopper}, {"repose", granular_repose}};
    int failures = 0;
    for (int i = 0; i < 4; i++) {
        if (!options->only || bench_listed(options->only, "granular") || bench_listed(options->only, cases[i].name)) {
            failures += cases[i].run(options, t);
        }
    }
    return failures;
}
