#include "solver/qp/working_factor.h"

#include "kernels/processor.h"
#include "kernels/quad.h"

enum { LANES = 4 };

bool tn_working_factor_create(int capacity, tn_arena *arena, tn_working_factor *out)
{
    size_t stride = ((size_t)capacity + LANES - 1) / LANES * LANES;
    *out = (tn_working_factor){.capacity = capacity, .stride = stride};
    out->L = TN_PUSH_RAW(arena, double, (size_t)capacity *stride);
    out->first = TN_PUSH_RAW(arena, int, capacity);
    out->turn = TN_PUSH_RAW(arena, double, 2 * (size_t)capacity);
    return out->L && out->first && out->turn;
}

static double *row_of(const tn_working_factor *s, int i)
{
    return s->L + (size_t)i * s->stride;
}

// ---- triangular solves, compiled once per instruction set

enum { CHAINS = 8 }; // sums that do not wait for one another

TN_QUAD_INLINE double dot(int n, const double *x, const double *y)
{
    quad sum[CHAINS] = {{0.0}};
    double rest = 0.0;
    int i = 0;
    for (; i + CHAINS * LANES <= n; i += CHAINS * LANES) {
#pragma GCC unroll 8
        for (int k = 0; k < CHAINS; k++) {
            sum[k] += quad_load(x + i + k * LANES) * quad_load(y + i + k * LANES);
        }
    }
    for (; i + LANES <= n; i += LANES) {
        sum[0] += quad_load(x + i) * quad_load(y + i);
    }
    for (; i < n; i++) {
        rest += x[i] * y[i];
    }
    quad even = (sum[0] + sum[2]) + (sum[4] + sum[6]), odd = (sum[1] + sum[3]) + (sum[5] + sum[7]);
    return quad_sum(even + odd) + rest;
}

TN_QUAD_INLINE void forward_body(const tn_working_factor *s, double *x)
{
    int from = 0;
    while (from < s->n && x[from] == 0.0) {
        ++from;
    }
    for (int i = from; i < s->n; i++) {
        const double *row = row_of(s, i);
        int begin = s->first[i] > from ? s->first[i] : from;
        x[i] = (x[i] - (begin < i ? dot(i - begin, row + begin, x + begin) : 0.0)) / row[i];
    }
}

TN_QUAD_INLINE void backward_body(const tn_working_factor *s, double *x)
{
    for (int i = s->n - 1; i >= 0; --i) {
        const double *row = row_of(s, i);
        double value = x[i] / row[i];
        x[i] = value;
        int j = s->first[i];
        for (; j + LANES <= i; j += LANES) {
            quad_store(x + j, quad_load(x + j) - quad_load(row + j) * value);
        }
        for (; j < i; j++) {
            x[j] -= row[j] * value;
        }
    }
}

TN_VARIANTS(forward, (const tn_working_factor *s, double *x), (s, x))
TN_VARIANTS(backward, (const tn_working_factor *s, double *x), (s, x))

void tn_working_factor_forward(const tn_working_factor *s, double *x)
{
    TN_BEST(forward)(s, x);
}

void tn_working_factor_backward(const tn_working_factor *s, double *x)
{
    TN_BEST(backward)(s, x);
}

// ---- rows in and out

void tn_working_factor_append(tn_working_factor *s, const double *x, double pivot)
{
    double *row = row_of(s, s->n);
    int first = 0;
    while (first < s->n && x[first] == 0.0) {
        ++first;
    }
    memcpy(row + first, x + first, (size_t)(s->n - first) * sizeof *row);
    s->first[s->n] = first;
    row[s->n++] = sqrt(pivot);
}

// The rows below move up and have a number right of their diagonal: rotations of neighbouring columns, each found by
// the row that it is for, take these away.
void tn_working_factor_remove(tn_working_factor *s, int r)
{
    int n = --s->n;
    double *cosine = s->turn, *sine = s->turn + s->capacity;
    for (int i = r; i < n; i++) {
        int first = s->first[i + 1], begin = first > r ? first - 1 : r;
        double *row = row_of(s, i);
        memcpy(row + first, row_of(s, i + 1) + first, (size_t)(i + 2 - first) * sizeof *row);
        double x = first <= begin ? row[begin] : 0.0;
        for (int k = begin; k < i; k++) {
            double y = row[k + 1];
            row[k] = cosine[k] * x + sine[k] * y;
            x = cosine[k] * y - sine[k] * x;
        }
        double y = row[i + 1], size = sqrt(x * x + y * y);
        cosine[i] = x / size;
        sine[i] = y / size;
        row[i] = size;
        s->first[i] = first > begin ? begin : first;
    }
}
