// Grains: case G04, the slope of a heap that has run out.
#include "rigid_grains.h"
#include "rigid_granular.h"
#include "state/state.h"

#include <math.h>

enum { CELLS_X = 64, CELLS_Y = 16 };
static const double CELL = 0.1;                                     // mean diameter [m]
static const double FIRST_LOOK = 8.0, LAST_LOOK = 20.0, CALM = 0.3; // [s], [s], [degrees]

typedef struct region {
    double low, high; // x, of the slope that is measured [m]
} region;

// Least squares of the surface's height over x: the highest centre in each cell of a grid. Returns the angle [deg].
static double slope(const grains *g, region r)
{
    double top[CELLS_X][CELLS_Y], n = 0, sx = 0, sz = 0, sxx = 0, sxz = 0;
    for (int i = 0; i < CELLS_X * CELLS_Y; i++) {
        top[i / CELLS_Y][i % CELLS_Y] = -INFINITY;
    }
    for (int b = 1; b < g->model->n_bodies; b++) {
        const double *p = g->state->pose[b].position;
        double u = (p[0] - r.low) / CELL, v = p[1] / CELL + 1.0;
        bool inside = g->model->bodies[b].kind == TN_BODY_FREE && u >= 0.0 && p[0] < r.high && u < CELLS_X &&
                      v >= 0.0 && v < CELLS_Y;
        if (inside) {
            top[(int)u][(int)v] = fmax(top[(int)u][(int)v], p[2]);
        }
    }
    for (int i = 0; i < CELLS_X * CELLS_Y; i++) {
        double x = r.low + CELL * (i / CELLS_Y), z = top[i / CELLS_Y][i % CELLS_Y];
        if (isfinite(z)) {
            n += 1.0;
            sx += x;
            sz += z;
            sxx += x * x;
            sxz += x * z;
        }
    }
    return -atan((n * sxz - sx * sz) / (n * sxx - sx * sx)) * 180 / acos(-1.0);
}

static double repose_angle(const bench_options *options, table *t, double mu, int seed)
{
    // From where the block's top has run off, to the foot.
    const region middle = {0.6, 2.2};
    overrides o = {0};
    overrides_add(&o, "materials.grain.friction=%g", mu);
    overrides_add(&o, "seed=%d", seed);
    grains g = grains_open(options, "rigid/repose.yaml", &o);
    // Until the slope changes by less than CALM degrees a second; without friction it takes long.
    double time = options->quick ? 0.2 : FIRST_LOOK, before, angle = NAN;
    grains_run(&g, time);
    do {
        before = g.ok ? slope(&g, middle) : NAN;
        grains_run(&g, time += 1.0);
        angle = g.ok ? slope(&g, middle) : NAN;
    } while (g.ok && !options->quick && fabs(angle - before) > CALM && time < LAST_LOOK);
    if (g.ok) {
        table_number(t, "%.1f", mu);
        table_number(t, "%.0f", seed);
        table_number(t, "%.0f", grains_above(&g, 0.0));
        table_number(t, "%.0f", time);
        table_number(t, "%.2f", before);
        table_number(t, "%.2f", angle);
        table_number(t, "%.2f", grains_ms(&g));
        table_row(t);
    }
    grains_close(&g);
    return angle;
}

int granular_repose(const bench_options *options, table *t)
{
    enum { MUS = 5, SEEDS = 3 };
    const double mus[MUS] = {0.0, 0.1, 0.3, 0.5, 0.7};
    const char *heads[] = {"mu", "seed", "grains left", "time s", "a second before", "angle deg", "ms/step"};
    double mean[MUS] = {0};
    int failures = 0, rising = 0, seeds = options->quick ? 1 : SEEDS;
    table_open(t, "G04: angle of repose of spheres", 7, heads);
    for (int seed = 1; seed <= seeds; seed++) {
        double before = -INFINITY;
        bool rises = true;
        for (int i = 0; i < MUS; i++) {
            double angle = repose_angle(options, t, mus[i], seed);
            failures += isnan(angle);
            mean[i] += angle / seeds;
            rises = rises && angle > before;
            before = angle;
        }
        rising += rises;
    }
    table_note(t, "means %.1f, %.1f, %.1f, %.1f, %.1f degrees; rising with mu for %d of %d seeds", mean[0], mean[1],
               mean[2], mean[3], mean[4], rising, seeds);
    table_note(t, "asked: about 0 without friction, 15 to 25 at 0.3, 22 to 32 at 0.7, rising");
    table_close(t);
    return failures;
}
