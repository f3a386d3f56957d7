#include "solver/cond/bodies.h"

#include "base/assert.h"

#include <math.h>
#include <string.h>

// Lower Cholesky factor in place (n <= 12). Plain loops: a library call costs more than the work.
static bool factor_small(int n, double *a)
{
    for (int j = 0; j < n; j++) {
        for (int i = j; i < n; i++) {
            double sum = a[i * n + j];
            for (int k = 0; k < j; k++) {
                sum -= a[i * n + k] * a[j * n + k];
            }
            if (i == j) {
                if (!(sum > 0.0)) {
                    return false;
                }
                a[j * n + j] = sqrt(sum);
            } else {
                a[i * n + j] = sum / a[j * n + j];
            }
        }
    }
    return true;
}

// inverse (n, n) from the lower factor, column by column; made exactly symmetric.
static void invert_factor(int n, const double *factor, double *inverse)
{
    for (int c = 0; c < n; c++) {
        double x[3 * TN_COND_BODY_MAX] = {0.0};
        x[c] = 1.0;
        for (int i = c; i < n; i++) {
            for (int k = c; k < i; k++) {
                x[i] -= factor[i * n + k] * x[k];
            }
            x[i] /= factor[i * n + i];
        }
        for (int i = n - 1; i >= 0; i--) {
            for (int k = i + 1; k < n; k++) {
                x[i] -= factor[k * n + i] * x[k];
            }
            x[i] /= factor[i * n + i];
        }
        for (int i = c; i < n; i++) {
            inverse[i * n + c] = inverse[c * n + i] = x[i];
        }
    }
}

static bool invert_component(const tn_blocks *A, const tn_components *components, int c, double *inverse)
{
    int first = components->start[c];
    int n = 3 * (components->start[c + 1] - first);
    double dense[9 * TN_COND_BODY_MAX * TN_COND_BODY_MAX] = {0.0};
    for (int i = 0; i < n / 3; i++) {
        int row = components->blocks[first + i];
        for (int e = A->start[row]; e < A->start[row + 1]; e++) {
            int j = components->place[A->column[e]];
            for (int k = 0; k < 9; k++) {
                dense[(3 * i + k / 3) * n + 3 * j + k % 3] = A->value[9 * e + k];
            }
        }
    }
    if (!factor_small(n, dense)) {
        return false;
    }
    invert_factor(n, dense, inverse);
    return true;
}

// Which components are inverted, and where their inverses go.
static void lay_out(int max_blocks, tn_cond_bodies *out)
{
    const tn_components *components = &out->components;
    for (int c = 0; c < components->n; c++) {
        int size = components->start[c + 1] - components->start[c];
        bool small = size <= max_blocks;
        out->inverse_start[c + 1] = out->inverse_start[c] + (small ? 9 * size * size : 0);
        for (int i = components->start[c]; i < components->start[c + 1] && !small; i++) {
            out->is_node[components->blocks[i]] = true;
            out->n_nodes++;
        }
    }
}

tn_status tn_cond_bodies_create(const tn_blocks *A, int max_blocks, tn_arena *arena, tn_cond_bodies *out,
                                tn_error *error)
{
    *out = (tn_cond_bodies){0};
    tn_components components;
    if (tn_components_find(A, arena, &components) != TN_OK) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the components of A");
    }
    return tn_cond_bodies_of(A, &components, max_blocks, arena, out, error);
}

tn_status tn_cond_bodies_of(const tn_blocks *A, const tn_components *known, int max_blocks, tn_arena *arena,
                            tn_cond_bodies *out, tn_error *error)
{
    TN_ASSERT(max_blocks <= TN_COND_BODY_MAX);
    *out = (tn_cond_bodies){.components = *known};
    const tn_components *components = &out->components;
    out->is_node = TN_PUSH(arena, bool, A->n_rows);
    out->inverse_start = TN_PUSH(arena, int, components->n + 1);
    if (!out->is_node || !out->inverse_start) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the components of A");
    }
    lay_out(max_blocks, out);
    out->inverse = TN_PUSH(arena, double, out->inverse_start[components->n]);
    if (!out->inverse) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the inverses of the components of A");
    }
    for (int c = 0; c < components->n; c++) {
        if (out->inverse_start[c + 1] > out->inverse_start[c] &&
            !invert_component(A, components, c, out->inverse + out->inverse_start[c])) {
            return tn_error_set(error, TN_NUMERICS, "A is not positive definite to rounding at block row %d",
                                components->blocks[components->start[c]]);
        }
    }
    return TN_OK;
}

static void solve_one(const tn_cond_bodies *bodies, int c, const double *f, double *v)
{
    const int *rows = bodies->components.blocks + bodies->components.start[c];
    int k = bodies->components.start[c + 1] - bodies->components.start[c], n = 3 * k;
    const double *line = bodies->inverse + bodies->inverse_start[c];
    double x[3 * TN_COND_BODY_MAX];
    TN_ASSERT(k > 0);
    for (int i = 0; i < k; i++) {
        memcpy(x + 3 * i, f + 3 * rows[i], 3 * sizeof(double));
    }
    for (int i = 0; i < n; i++, line += n) {
        double sum = 0.0;
        for (int j = 0; j < n; j++) {
            sum += line[j] * x[j];
        }
        v[3 * rows[i / 3] + i % 3] = sum;
    }
}

void tn_cond_bodies_solve(const tn_cond_bodies *bodies, const double *f, double *v)
{
    for (int c = 0; c < bodies->components.n; c++) {
        if (bodies->inverse_start[c + 1] > bodies->inverse_start[c]) {
            solve_one(bodies, c, f, v);
        }
    }
}
