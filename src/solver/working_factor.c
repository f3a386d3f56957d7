#include "solver/working_factor.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

typedef double lanes __attribute__((vector_size(64)));
enum { LANES = 8 };

bool tn_working_factor_create(int capacity, tn_arena *arena, tn_working_factor *out)
{
    size_t stride = ((size_t)capacity + LANES - 1) / LANES * LANES;
    *out = (tn_working_factor){.capacity = capacity, .stride = stride};
    out->L = TN_PUSH_RAW(arena, double, (size_t)capacity *stride);
    return out->L != NULL;
}

// Sums eight by eight, in a fixed order.
static double dot(int n, const double *x, const double *y)
{
    lanes sum = {0.0};
    double rest = 0.0;
    int i = 0;
    for (; i + LANES <= n; i += LANES) {
        lanes a, b;
        memcpy(&a, x + i, sizeof a);
        memcpy(&b, y + i, sizeof b);
        sum += a * b;
    }
    for (; i < n; ++i) {
        rest += x[i] * y[i];
    }
    return ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7])) + rest;
}

static double *row_of(const tn_working_factor *s, int i)
{
    return s->L + (size_t)i * s->stride;
}

// LAPACK wants n numbers a row: packed to that, factored, and spread again.
bool tn_working_factor_all(tn_working_factor *s, int n, double least)
{
    size_t width = (size_t)n;
    for (size_t i = 1; i < width; ++i) {
        memmove(s->L + i * width, s->L + i * s->stride, width * sizeof *s->L);
    }
    bool ok = tn_dense_cholesky(n, s->L);
    for (size_t i = width; i-- > 1;) {
        memmove(s->L + i * s->stride, s->L + i * width, width * sizeof *s->L);
    }
    for (int i = 0; ok && i < n; ++i) {
        double pivot = row_of(s, i)[i];
        ok = pivot * pivot > least;
    }
    s->n = ok ? n : 0;
    return ok;
}

void tn_working_factor_forward(const tn_working_factor *s, double *x)
{
    for (int i = 0; i < s->n; ++i) {
        const double *row = row_of(s, i);
        x[i] = (x[i] - dot(i, row, x)) / row[i];
    }
}

void tn_working_factor_backward(const tn_working_factor *s, double *x)
{
    for (int i = s->n - 1; i >= 0; --i) {
        const double *row = row_of(s, i);
        double value = x[i] / row[i];
        x[i] = value;
        for (int j = 0; j < i; ++j) {
            x[j] -= row[j] * value;
        }
    }
}

void tn_working_factor_append(tn_working_factor *s, const double *x, double pivot)
{
    double *row = row_of(s, s->n);
    memcpy(row, x, (size_t)s->n * sizeof *row);
    row[s->n++] = sqrt(pivot);
}

// The rows below lose their entry in this column by rotations of neighbouring columns.
void tn_working_factor_remove(tn_working_factor *s, int r)
{
    int n = s->n;
    for (int i = r + 1; i < n; ++i) {
        memcpy(row_of(s, i - 1), row_of(s, i), (size_t)(i + 1) * sizeof(double));
    }
    --s->n;
    for (int k = r; k < s->n; ++k) { // row k has an entry in column k + 1
        double *own = row_of(s, k), a = own[k], b = own[k + 1], size = sqrt(a * a + b * b);
        double c = a / size, d = b / size;
        own[k] = size;
        for (int i = k + 1; i < s->n; ++i) {
            double *row = row_of(s, i), x = row[k], y = row[k + 1];
            row[k] = c * x + d * y;
            row[k + 1] = c * y - d * x;
        }
    }
}
