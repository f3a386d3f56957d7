// W: the diagonal that stands for A^-1 on nodes, and the guard that keeps the iteration from diverging.
#include "solver/cond_system.h"

#include "base/random.h"
#include "kernels/block_product.h"
#include "math/blocks.h"

#include <math.h>

enum { POWER_ITERATIONS = 40 };
static const double guard = 1.8; // largest eigenvalue of W A that is let through; plain V-FPI diverges at 2

static double row_square(const tn_blocks *A, int row, int i)
{
    double sum = 0.0;
    for (int e = A->start[row]; e < A->start[row + 1]; e++) {
        const double *a = A->value + 9 * e + 3 * i;
        sum += a[0] * a[0] + a[1] * a[1] + a[2] * a[2];
    }
    return sum;
}

// W that minimises |I - W A|_F (source IV-C1): one number a row, or one a node that a contact touches as a node.
static void set_w(const tn_blocks *A, const tn_cond_bodies *bodies, const bool *touched, double *w)
{
    for (int row = 0; row < A->n_rows; row++) {
        if (!bodies->is_node[row]) {
            continue;
        }
        const double *own = tn_blocks_find(A, row, row);
        double diagonal[3], square[3];
        for (int i = 0; i < 3; i++) {
            diagonal[i] = own ? own[4 * i] : 0.0;
            square[i] = row_square(A, row, i);
        }
        double shared = (diagonal[0] + diagonal[1] + diagonal[2]) / (square[0] + square[1] + square[2]);
        for (int i = 0; i < 3; i++) {
            w[3 * row + i] = touched[row] ? shared : diagonal[i] / square[i];
        }
    }
}

// Bound of lambda_max(W A): the largest absolute row sum of W A on the nodes. Cheap; often enough.
static double row_sum_bound(const tn_cond_system *s)
{
    const tn_blocks *A = s->problem->A;
    double worst = 0.0;
    for (int row = 0; row < A->n_rows; row++) {
        for (int i = 0; i < 3 && s->bodies.is_node[row]; i++) {
            double sum = 0.0;
            for (int e = A->start[row]; e < A->start[row + 1]; e++) {
                const double *a = A->value + 9 * e + 3 * i;
                sum += fabs(a[0]) + fabs(a[1]) + fabs(a[2]);
            }
            worst = fmax(worst, s->w[3 * row + i] * sum);
        }
    }
    return worst;
}

double tn_cond_largest_eigenvalue(const tn_cond_system *s, tn_arena *arena)
{
    int n = 3 * s->n_rows;
    tn_arena_mark mark = tn_arena_get_mark(arena);
    double *x = TN_PUSH(arena, double, n);
    double *y = TN_PUSH(arena, double, n);
    if (!x || !y) {
        return -1.0;
    }
    if (s->bodies.n_nodes == 0) {
        tn_arena_release(arena, mark);
        return 0.0;
    }
    for (int i = 0; i < n; i++) {
        x[i] = s->bodies.is_node[i / 3] ? tn_random_uniform(1, 0, (uint64_t)i) - 0.5 : 0.0;
    }
    double eigenvalue = 0.0;
    for (int k = 0; k < POWER_ITERATIONS; k++) {
        // y = A x, and the Rayleigh quotient in the metric of W^-1, in which W A is symmetric, of the next iterate.
        tn_block_product(s->problem->A, x, y, s->n_threads);
        double yy = 0.0, xy = 0.0;
        for (int i = 0; i < n; i++) {
            if (s->bodies.is_node[i / 3]) {
                yy += s->w[i] * y[i] * y[i];
                xy += x[i] * y[i];
            }
        }
        if (!(xy > 0.0) || !isfinite(yy)) {
            break;
        }
        eigenvalue = yy / xy;
        double scale = 1.0 / sqrt(yy);
        for (int i = 0; i < n; i++) {
            x[i] = s->bodies.is_node[i / 3] ? scale * s->w[i] * y[i] : 0.0;
        }
    }
    tn_arena_release(arena, mark);
    return eigenvalue;
}

tn_status tn_cond_set_w(tn_cond_system *s, double uniform_w, const bool *touched, tn_arena *arena)
{
    s->w_guard = 1.0;
    if (uniform_w > 0.0) {
        for (int i = 0; i < 3 * s->n_rows; i++) {
            s->w[i] = uniform_w;
        }
        return TN_OK;
    }
    set_w(s->problem->A, &s->bodies, touched, s->w);
    if (row_sum_bound(s) <= guard) {
        return TN_OK;
    }
    double eigenvalue = tn_cond_largest_eigenvalue(s, arena);
    if (eigenvalue < 0.0) {
        return TN_NO_MEMORY;
    }
    if (eigenvalue > guard) {
        s->w_guard = guard / eigenvalue;
        for (int i = 0; i < 3 * s->n_rows; i++) {
            s->w[i] *= s->w_guard;
        }
    }
    return TN_OK;
}
