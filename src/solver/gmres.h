// GMRES (Saad and Schultz 1986) without restart, for an operator near the identity.
#pragma once

#include "base/arena.h"

#include <stdbool.h>

typedef struct tn_gmres {
    int n, most;           // numbers; products of one solve
    double *basis;         // (most + 1, n) orthonormal
    double *work;          // (n)
    double *R;             // (most, most + 1) by columns: the Hessenberg matrix, made triangular by rotations
    double *cosine, *sine; // (most) of the rotations
    double *g;             // (most + 1) the right-hand side, rotated likewise
    double *y;             // (most) coefficients of the basis
} tn_gmres;

// y = M x; both (n). False: give up.
typedef bool tn_gmres_apply(void *user, const double *x, double *y);

bool tn_gmres_create(tn_gmres *gmres, int n, int most, tn_arena *arena); // false: no memory
// x (n) = M^-1 b to |b - M x| <= tolerance |b| or `most` products. Returns the products done, -1: gave up.
int tn_gmres_solve(tn_gmres *gmres, tn_gmres_apply *apply, void *user, const double *b, double tolerance, double *x);
