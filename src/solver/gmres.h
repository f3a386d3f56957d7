// GMRES (Saad and Schultz 1986) without restart, for an operator near the identity.
#pragma once

#include "base/arena.h"

#include <stdbool.h>

enum { TN_GMRES_MAX = 30 };

typedef struct tn_gmres {
    int n;
    double *basis; // (TN_GMRES_MAX + 1, n) orthonormal
    double *work;  // (n)
} tn_gmres;

// y = M x; both (n). False: give up.
typedef bool tn_gmres_apply(void *user, const double *x, double *y);

bool tn_gmres_create(tn_gmres *gmres, int n, tn_arena *arena); // false: no memory
// x (n) = M^-1 b to |b - M x| <= tolerance |b| or TN_GMRES_MAX products. Returns the products done, -1: gave up.
int tn_gmres_solve(tn_gmres *gmres, tn_gmres_apply *apply, void *user, const double *b, double tolerance, double *x);
