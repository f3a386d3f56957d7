// Linear complementarity problems by Lemke's method (Cottle, Pang and Stone, The Linear Complementarity Problem, 1992,
// sec. 4.4) with the lexicographic ratio test (ibid. sec. 4.9), on a dense dictionary.
//
//     w = q + M z,   0 <= z perp w >= 0
//
// The right-hand side is corrected from M and q themselves every few dozen pivots, the whole dictionary made anew when
// that fails, so rounding does not pile up over the pivots.
#pragma once

#include "base/arena.h"

typedef struct tn_lcp {
    int n;
    const double *M;             // (n, n) row-major
    const double *q;             // (n)
    const struct tn_problem *of; // whose stop ends it (TN_LCP_CAP); NULL: nothing does
} tn_lcp;

typedef enum tn_lcp_end {
    TN_LCP_SOLVED,
    TN_LCP_RAY,    // no row blocks the entering variable: for some classes of M that proves that there is no solution
    TN_LCP_CAP,    // out of pivots
    TN_LCP_LOST,   // the basis became singular to rounding, or what it gives is off by more than rounding
    TN_LCP_MEMORY, // no memory
} tn_lcp_end;

typedef struct tn_lcp_report {
    int pivots;
    double residual; // max |min(z, w)| with w = q + M z
} tn_lcp_report;

// cover (n): positive covering vector. z (n): the solution, only if solved; far out on the ray where that is the end.
// spread: 0, or how much is added to q (relative to 1, a different part of it to each) until the basis is found: ties
// of rounding errors then cannot lead round in circles. z is of q itself; report->residual says whether the basis
// serves it.
tn_lcp_end tn_lcp_lemke(const tn_lcp *lcp, const double *cover, double spread, int max_pivots, tn_arena *arena,
                        double *z, tn_lcp_report *report);
