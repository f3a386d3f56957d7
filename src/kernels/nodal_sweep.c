#include "kernels/nodal_sweep.h"

#include "kernels/lanes.h"

#include <stdbool.h>

// r = A x - b of one slice.
TN_INLINE void residual_of(const tn_nodal_rows *rows, const double *b, const double *x, int s, lanes r[3])
{
    r[0] = -load(b + 24 * (size_t)s);
    r[1] = -load(b + 24 * (size_t)s + 8);
    r[2] = -load(b + 24 * (size_t)s + 16);
    for (int q = rows->start[s]; q < rows->start[s + 1]; q++) {
        const double *a = rows->value + 72 * (size_t)q;
        const int *at = rows->column + 8 * (size_t)q;
        lanes x0 = gather(x, at), x1 = gather(x + 8, at), x2 = gather(x + 16, at);
        r[0] += load(a) * x0 + load(a + 8) * x1 + load(a + 16) * x2;
        r[1] += load(a + 24) * x0 + load(a + 32) * x1 + load(a + 40) * x2;
        r[2] += load(a + 48) * x0 + load(a + 56) * x1 + load(a + 64) * x2;
    }
}

// Push of eight contacts that move with u = (u_n, t), |t| = slip: sets the normal push and the factor that is left of
// t; returns the states.
TN_INLINE lane_masks push_of(tn_law law, lanes mu, lanes u_n, lanes slip, lanes *normal, lanes *left)
{
    const lanes zero = {0.0}, one = zero + 1.0;
    lanes safe = larger(slip, zero + 1e-200);
    lane_masks stick;
    if (law == TN_LAW_CONVEX) {
        *normal = larger(zero, (mu * slip - u_n) / (one + mu * mu));
        stick = slip <= -(mu * u_n);
        *normal = choose(stick, larger(zero, -u_n), *normal);
        *left = choose(stick, zero, one - mu * *normal / safe);
    } else {
        if (law == TN_LAW_FRICTIONLESS) {
            mu = zero;
        }
        *normal = larger(zero, -u_n);
        *left = larger(zero, one - mu * *normal / safe);
        stick = *left <= zero;
    }
    lane_masks closed = *normal > zero;
    return (closed & 1) + (closed & ~stick & 1);
}

TN_INLINE void contact_step(tn_nodal_contacts *c, tn_law law, const lanes r[3], const lanes v[3], lanes y[3])
{
    lanes w = load(c->w), n[3], u[3], offset[3], normal, left;
    lane_masks mask;
    __builtin_memcpy(&mask, c->mask, sizeof mask);
    for (int k = 0; k < 3; k++) {
        n[k] = load(c->normal[k]);
        offset[k] = load(c->offset[k]);
        u[k] = v[k] - w * r[k] + offset[k];
    }
    lanes u_n = n[0] * u[0] + n[1] * u[1] + n[2] * u[2];
    lanes t[3] = {u[0] - u_n * n[0], u[1] - u_n * n[1], u[2] - u_n * n[2]};
    lanes slip = roots(t[0] * t[0] + t[1] * t[1] + t[2] * t[2]);
    lane_masks state = push_of(law, load(c->mu), u_n, slip, &normal, &left) & mask;
    for (int k = 0; k < 3; k++) {
        // Not z - u: an open contact's push is zero to the last bit.
        lanes push = normal * n[k] - (1.0 - left) * t[k];
        store(c->push[k], choose(mask, push, (lanes){0.0}));
        y[k] = choose(mask, (u_n + normal) * n[k] + left * t[k] - offset[k], y[k]);
    }
    __builtin_memcpy(c->state, &state, sizeof state);
}

TN_INLINE void sweep_slice(const tn_nodal_rows *rows, const double *b, double *x, int s)
{
    lanes r[3], y[3];
    residual_of(rows, b, x, s, r);
    double *own = x + 24 * (size_t)s;
    const double *inverse = rows->inverse + 72 * (size_t)s;
    lanes v[3] = {load(own), load(own + 8), load(own + 16)};
    for (int k = 0; k < 3; k++) {
        const double *line = inverse + 24 * k;
        y[k] = v[k] - (load(line) * r[0] + load(line + 8) * r[1] + load(line + 16) * r[2]);
    }
    if (rows->contact_of_slice[s] >= 0) {
        contact_step(rows->contacts + rows->contact_of_slice[s], rows->law, r, v, y);
    }
    store(own, y[0]);
    store(own + 8, y[1]);
    store(own + 16, y[2]);
}

TN_INLINE void sweep_body(const tn_nodal_rows *rows, const double *b, double *x, int first, int end)
{
    for (int s = first; s < end; s++) {
        sweep_slice(rows, b, x, s);
    }
}

TN_INLINE void residual_body(const tn_nodal_rows *rows, const double *b, const double *x, double *r, int first, int end)
{
    for (int s = first; s < end; s++) {
        lanes sum[3];
        residual_of(rows, b, x, s, sum);
        for (int k = 0; k < 3; k++) {
            store(r + 24 * (size_t)s + 8 * k, sum[k]);
        }
    }
}

TN_VARIANTS(sweep, (const tn_nodal_rows *rows, const double *b, double *x, int first, int end),
            (rows, b, x, first, end))
TN_VARIANTS(residual, (const tn_nodal_rows *rows, const double *b, const double *x, double *r, int first, int end),
            (rows, b, x, r, first, end))

// Slices under which a team of threads costs more than it gains.
enum { WORTH_A_TEAM = 16 };

void tn_nodal_sweep(const tn_nodal_rows *rows, const double *b, double *x, int n_threads)
{
    sweep_function *sweep = TN_BEST(sweep);
    if (n_threads < 2 || rows->n_slices < WORTH_A_TEAM * rows->n_colours) {
        sweep(rows, b, x, 0, rows->n_slices);
        return;
    }
#pragma omp parallel num_threads(n_threads)
    for (int c = 0; c < rows->n_colours; c++) {
        // The loop's barrier keeps the colours apart.
#pragma omp for schedule(static)
        for (int s = rows->colour_start[c]; s < rows->colour_start[c + 1]; s++) {
            sweep(rows, b, x, s, s + 1);
        }
    }
}

void tn_nodal_residual(const tn_nodal_rows *rows, const double *b, const double *x, double *r, int n_threads)
{
    residual_function *residual = TN_BEST(residual);
    if (n_threads < 2 || rows->n_slices < WORTH_A_TEAM) {
        residual(rows, b, x, r, 0, rows->n_slices);
        return;
    }
#pragma omp parallel for schedule(static) num_threads(n_threads)
    for (int s = 0; s < rows->n_slices; s++) {
        residual(rows, b, x, r, s, s + 1);
    }
}
