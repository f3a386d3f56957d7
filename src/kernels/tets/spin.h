// Private to tets_pack.h: the rotations' own stiffness of TET_WIDTH elements,
//
//     M = sum_k max(0, tau_k) w_k w_k^T,   tau_k = 2 mu - c/b_k,   c = 2 (2 mu - lambda tr e),
//
// with w_k, b_k = s_i + s_j the eigenpairs of B = tr W - W, W = R S R^T. tau rises with b (c > 0) and changes sign at
// b* = c/(2 mu), so it is enough to count the b_k above b*. Three: M = 2 mu - c B^-1. One: its eigenvector. Two: that
// of the third, taken out. So one outer eigenpair of B will do, and it is separate from the others unless the tau that
// matter are nearly zero, where its error does not.
//
// At the best rotation b_k >= 0. It vanishes where two singular values cancel; tau then goes to minus infinity,
// harmless, unless tr e > 2 mu/lambda (c < 0): there b counts as TET_LEAST_SUM at least, which only blunts E.
#pragma once

#include "kernels/tets/lanes.h"

static const double TET_LEAST_SUM = 0.0625;

// Adjugate of the symmetric a (xx yy zz yz xz xy).
LANES_INLINE void adjugate(lanes c[6], const lanes a[6])
{
    c[0] = a[1] * a[2] - a[3] * a[3];
    c[1] = a[0] * a[2] - a[4] * a[4];
    c[2] = a[0] * a[1] - a[5] * a[5];
    c[3] = a[4] * a[5] - a[0] * a[3];
    c[4] = a[3] * a[5] - a[1] * a[4];
    c[5] = a[3] * a[4] - a[2] * a[5];
}

LANES_INLINE lanes determinant(const lanes a[6], const lanes c[6])
{
    return a[0] * c[0] + a[5] * c[5] + a[4] * c[4];
}

// Largest eigenvalue of a symmetric matrix of trace 0 by Newton from above on x^3 + m x - d.
LANES_INLINE lanes largest_eigenvalue(lanes m, lanes d)
{
    enum { MAX_STEPS = 12 };
    const lanes zero = lanes_all(0.0);
    // m <= 0 but for rounding, which is all there is of a matrix of zeros.
    lanes x = lanes_sqrt(lanes_select(lanes_less(m, zero), (-4.0 / 3.0) * m, zero));
    lanes_mask on = lanes_less(zero, x);
    for (int k = 0; k < MAX_STEPS && lanes_any(on); k++) {
        lanes x2 = x * x, step = (x * (x2 + m) - d) / (3.0 * x2 + m);
        on &= lanes_less(1e-12 * x, lanes_abs(step));
        x -= (lanes)((lanes_mask)step & on);
    }
    return x;
}

// The eigenpair of B that the count asks for: the largest where one b is above b*, the smallest (of = -1) where two
// are. mean = tr B/3. projector = w w^T.
LANES_INLINE lanes outer_eigenpair(const lanes B[6], lanes mean, lanes of, lanes projector[6])
{
    lanes A[6], C[6];
    LANES_UNROLL
    for (int i = 0; i < 6; i++) {
        A[i] = of * (i < 3 ? B[i] - mean : B[i]);
    }
    adjugate(C, A);
    lanes x = largest_eigenvalue(C[0] + C[1] + C[2], determinant(A, C));
    LANES_UNROLL
    for (int i = 0; i < 3; i++) {
        A[i] -= x;
    }
    adjugate(C, A);
    lanes factor = 1.0 / (C[0] + C[1] + C[2] + 1e-290); // zero matrix: no direction, and none needed
    LANES_UNROLL
    for (int i = 0; i < 6; i++) {
        projector[i] = C[i] * factor;
    }
    return mean + of * x;
}

// M, times scale, from W = R S R^T (both xx yy zz yz xz xy).
LANES_INLINE void spin_stiffness(const lanes W[6], lanes lambda, lanes mu, lanes scale, lanes M[6])
{
    const lanes zero = lanes_all(0.0);
    lanes trace = W[0] + W[1] + W[2], mean = trace * (2.0 / 3.0), mu2 = 2.0 * mu;
    lanes c = 2.0 * (mu2 - lambda * (trace - 3.0)), limit = c / mu2;
    lanes B[6], D[6], C[6], inverse[6], P[6];
    LANES_UNROLL
    for (int i = 0; i < 6; i++) {
        B[i] = i < 3 ? trace - W[i] : -W[i];
        D[i] = i < 3 ? B[i] - limit : B[i];
    }
    // Signs of the eigenvalues of D = B - b*, by its invariants (Descartes: all roots are real).
    adjugate(C, D);
    lanes first = D[0] + D[1] + D[2], second = C[0] + C[1] + C[2], third = determinant(D, C);
    lanes_mask positive = lanes_less(zero, third), definite = lanes_less(zero, second);
    lanes_mask all = (positive & definite & lanes_less(zero, first)) | lanes_less(limit, zero);
    lanes_mask none = ~positive & definite & lanes_less(first, zero);
    lanes_mask one = ~all & ~none & positive;
    lanes b = outer_eigenpair(B, mean, lanes_select(one, zero + 1.0, zero - 1.0), P);

    // Inverse of B; for two: on the plane at right angles to w.
    adjugate(C, B);
    lanes det = determinant(B, C), least = zero + TET_LEAST_SUM * TET_LEAST_SUM * TET_LEAST_SUM;
    lanes sum = trace + trace - b, product = C[0] + C[1] + C[2] - b * sum;
    det = 1.0 / lanes_select(lanes_less(least, det), det, least);
    product = 1.0 / lanes_select(lanes_less(zero + 1e-100, product), product, zero + 1e-100);
    lanes tau = mu2 - c / b;
    tau = lanes_select(lanes_less(zero, tau), tau, zero);
    LANES_UNROLL
    for (int i = 0; i < 6; i++) {
        lanes unit = zero + (i < 3), plane = unit - P[i];
        inverse[i] = (sum * plane - (B[i] - b * P[i])) * product;
        lanes of_two = mu2 * plane - c * inverse[i], of_all = mu2 * unit - c * det * C[i];
        M[i] = lanes_select(one, tau * P[i], lanes_select(all, of_all, of_two));
        M[i] = scale * lanes_select(none, zero, M[i]);
    }
}
