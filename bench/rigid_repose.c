// Grains: case G04, the slope of a heap that has run out.
#include "rigid_grains.h"
#include "rigid_granular.h"
#include "state/state.h"

#include <math.h>

enum { CELLS_X = 64, CELLS_Y = 16 };
static const double CELL = 0.1;                                     // mean diameter [m]
static const double FIRST_LOOK = 6.0, LAST_LOOK = 30.0, CALM = 0.1; // [s], [s], [degrees]

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

static double repose_angle(const bench_options *options, table *t, double mu)
{
    // The bed ends at 2.5 m; the slope is measured away from the edge and the wall.
    const region middle = {0.3, 2.1};
    overrides o = {0};
    overrides_add(&o, "materials.grain.friction=%g", mu);
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
        table_number(t, "%.0f", grains_above(&g, -0.2));
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
    const double mus[3] = {0.0, 0.3, 0.7};
    const char *heads[] = {"mu", "grains left", "time s", "a second before", "angle deg", "ms/step"};
    int failures = 0;
    table_open(t, "G04: angle of repose of spheres on a rough bed", 6, heads);
    for (int i = 0; i < 3; i++) {
        failures += isnan(repose_angle(options, t, mus[i]));
    }
    table_note(t,
               "asked: about 0, 15 to 25, 22 to 32, rising; without friction large heaps rest at 5.8 (Peyneau and Roux,"
               " 2008), and walls 7 d apart hold them too");
    table_close(t);
    return failures;
}
