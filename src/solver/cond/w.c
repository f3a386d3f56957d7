// The guard that keeps the iteration from diverging: the largest eigenvalue of W A, where plain V-FPI diverges at 2.
#include "solver/cond/system.h"

#include "base/random.h"

#include <math.h>

enum { POWER_ITERATIONS = 40 };

// y = A x on the nodes; returns y^T W y and x^T y.
static void product(const tn_cond_system *s, const double *x, double *y, double *yy, double *xy)
{
    tn_sell_product(&s->matrix, x, y, s->n_threads);
    *yy = *xy = 0.0;
    for (int at = 0; at < TN_SELL_LANES * s->fpi.n_slices; at++) {
        for (size_t i = 4 * (size_t)at; i < 4 * (size_t)at + 3; i++) {
            *yy += s->fpi.w[at] * y[i] * y[i];
            *xy += x[i] * y[i];
        }
    }
}

double tn_cond_largest_eigenvalue(const tn_cond_system *s, tn_arena *arena)
{
    if (s->bodies.n_nodes == 0) {
        return 0.0;
    }
    tn_arena_mark mark = tn_arena_get_mark(arena);
    double *x = TN_PUSH(arena, double, s->n_packed), *y = TN_PUSH(arena, double, s->n_packed);
    if (!x || !y) {
        return -1.0;
    }
    const double *w = s->fpi.w;
    for (int at = 0; at < TN_SELL_LANES * s->fpi.n_slices; at++) {
        for (int i = 0; i < 3 && w[at] > 0.0; i++) {
            x[4 * at + i] = tn_random_uniform(1, (uint64_t)i, (uint64_t)at) - 0.5;
        }
    }
    double eigenvalue = 0.0;
    for (int k = 0; k < POWER_ITERATIONS; k++) {
        // The Rayleigh quotient in the metric of W^-1, in which W A is symmetric, of the next iterate.
        double yy, xy;
        product(s, x, y, &yy, &xy);
        if (!(xy > 0.0) || !isfinite(yy)) {
            break;
        }
        eigenvalue = yy / xy;
        double scale = 1.0 / sqrt(yy);
        for (int at = 0; at < TN_SELL_LANES * s->fpi.n_slices; at++) {
            for (int i = 0; i < 3; i++) {
                x[4 * at + i] = scale * w[at] * y[4 * at + i];
            }
        }
    }
    tn_arena_release(arena, mark);
    return eigenvalue;
}
