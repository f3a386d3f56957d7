// Sums over long arrays in a fixed order, the same bits on every processor; their largest number.
#pragma once

#include <math.h>
#include <stddef.h>

// x . y of n numbers. Four sums that do not wait for one another; a NaN stays.
static inline double tn_dot(size_t n, const double *x, const double *y)
{
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        for (size_t k = 0; k < 4; k++) {
            sum[k] += x[i + k] * y[i + k];
        }
    }
    for (; i < n; i++) {
        sum[i % 4] += x[i] * y[i];
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// y += a x of n numbers.
static inline void tn_add_scaled(size_t n, double a, const double *restrict x, double *restrict y)
{
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        for (size_t k = 0; k < 4; k++) {
            y[i + k] += a * x[i + k];
        }
    }
    for (; i < n; i++) {
        y[i] += a * x[i];
    }
}

// Largest |x_i| of n numbers, 0 of none; a NaN does not count.
static inline double tn_largest(size_t n, const double *x)
{
    double most[4] = {0.0, 0.0, 0.0, 0.0};
    for (size_t i = 0; i < n; i++) {
        double size = fabs(x[i]);
        most[i % 4] = size > most[i % 4] ? size : most[i % 4];
    }
    return fmax(fmax(most[0], most[1]), fmax(most[2], most[3]));
}
