// Siconos' solvers through its C interface (Debian: libsiconos-numerics-dev), on a friction problem in local form.
#pragma once

#include "tenon/problem.h"

typedef struct siconos_run {
    int status;     // what the solver returns: 0 says that it reached the tolerance by its own check
    int iterations; // done
    double seconds; // processor time of this thread, without building Siconos' matrices; of one call
} siconos_run;

typedef struct siconos_ask {
    double tolerance;
    int max_iterations;
    int calls; // between two looks at the clock, each from zero
} siconos_ask;

// Nonsmooth Gauss-Seidel with the package's default options but tolerance and number of iterations, on block-sparse W.
// u = W r + q, mu (n): r (3 n) is the result.
siconos_run siconos_nsgs(const tn_blocks *W, const double *q, const double *mu, const siconos_ask *ask, double *r);
// Lexicographic Lemke on 0 <= z perp M z + q >= 0, M (n, n) row-major: z (n) is the result.
siconos_run siconos_lemke(int n, const double *M, const double *q, double tolerance, double *z);
