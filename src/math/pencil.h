// Two symmetric positive semidefinite matrices as sums over the same directions.
#pragma once

#include <stdbool.h>

enum { TN_PENCIL = 6 };

// K = sum_i k_i t_i t_i^T, D = sum_i d_i t_i t_i^T, k_i and d_i >= 0 and not both 0. The t_i are independent, not at
// right angles; the largest entry of each is 1 or -1. Of diagonal K and D they are axes.
typedef struct tn_pencil {
    int n;                             // rank of K and D together
    double t[TN_PENCIL][TN_PENCIL];    // (n, 6)
    double k[TN_PENCIL], d[TN_PENCIL]; // (n)
} tn_pencil;

// K and D (6, 6); weight > 0: K times it is comparable to D. False: no memory.
bool tn_pencil_split(const double *K, const double *D, double weight, tn_pencil *out);

// Whether A (6, 6) is symmetric, and whether it is positive semidefinite, to rounding (1e-9 of its diagonal).
bool tn_pencil_is_symmetric(const double *A);
bool tn_pencil_is_semidefinite(const double *A);
