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

// ---- triangular solves, compiled once per instruction set; the compiler splits the lanes where registers are shorter

enum { CHAINS = 4 }; // sums that do not wait for one another

static inline __attribute__((always_inline)) double dot(int n, const double *x, const double *y)
{
    lanes sum[CHAINS] = {{0.0}};
    double rest = 0.0;
    int i = 0;
    for (; i + CHAINS * LANES <= n; i += CHAINS * LANES) {
        for (int k = 0; k < CHAINS; ++k) {
            lanes a, b;
            memcpy(&a, x + i + k * LANES, sizeof a);
            memcpy(&b, y + i + k * LANES, sizeof b);
            sum[k] += a * b;
        }
    }
    for (; i + LANES <= n; i += LANES) {
        lanes a, b;
        memcpy(&a, x + i, sizeof a);
        memcpy(&b, y + i, sizeof b);
        sum[0] += a * b;
    }
    for (; i < n; ++i) {
        rest += x[i] * y[i];
    }
    lanes all = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    return ((all[0] + all[4]) + (all[1] + all[5])) + ((all[2] + all[6]) + (all[3] + all[7])) + rest;
}

static inline __attribute__((always_inline)) void forward_body(const tn_working_factor *s, double *x)
{
    for (int i = 0; i < s->n; ++i) {
        const double *row = row_of(s, i);
        x[i] = (x[i] - dot(i, row, x)) / row[i];
    }
}

static inline __attribute__((always_inline)) void backward_body(const tn_working_factor *s, double *x)
{
    for (int i = s->n - 1; i >= 0; --i) {
        const double *row = row_of(s, i);
        double value = x[i] / row[i];
        x[i] = value;
        int j = 0;
        for (; j + LANES <= i; j += LANES) {
            lanes a, b;
            memcpy(&a, row + j, sizeof a);
            memcpy(&b, x + j, sizeof b);
            b -= a * value;
            memcpy(x + j, &b, sizeof b);
        }
        for (; j < i; ++j) {
            x[j] -= row[j] * value;
        }
    }
}

static void forward_baseline(const tn_working_factor *s, double *x)
{
    forward_body(s, x);
}

static void backward_baseline(const tn_working_factor *s, double *x)
{
    backward_body(s, x);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void forward_avx2(const tn_working_factor *s, double *x)
{
    forward_body(s, x);
}

__attribute__((target("avx2"))) static void backward_avx2(const tn_working_factor *s, double *x)
{
    backward_body(s, x);
}

__attribute__((target("avx512f"))) static void forward_avx512(const tn_working_factor *s, double *x)
{
    forward_body(s, x);
}

__attribute__((target("avx512f"))) static void backward_avx512(const tn_working_factor *s, double *x)
{
    backward_body(s, x);
}
#endif

void tn_working_factor_forward(const tn_working_factor *s, double *x)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) {
        forward_avx512(s, x);
        return;
    }
    if (__builtin_cpu_supports("avx2")) {
        forward_avx2(s, x);
        return;
    }
#endif
    forward_baseline(s, x);
}

void tn_working_factor_backward(const tn_working_factor *s, double *x)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) {
        backward_avx512(s, x);
        return;
    }
    if (__builtin_cpu_supports("avx2")) {
        backward_avx2(s, x);
        return;
    }
#endif
    backward_baseline(s, x);
}

// ---- rows in and out

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
