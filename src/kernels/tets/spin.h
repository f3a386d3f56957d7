// Private to pack.h: the rotations' own stiffness of TET_WIDTH elements,
//
//     M = sum_k tau_k w_k w_k^T,   tau(b) = max(0, 2 mu - c/max(b, TET_LEAST_SUM)),   c = 2 (2 mu - lambda tr e),
//
// with w_k, b_k = s_i + s_j the eigenpairs of B = tr W - W, W = R S R^T. B without its mean always has one eigenvalue
// apart from the two others: the largest where its determinant is positive, else the smallest. Its eigenvector w is
// found first; what is left of B in the plane at right angles to w is a matrix of two by two, whose eigenvalues are
// s/2 -+ r and whose projectors (1 -+ N/r)/2, N its part without trace, |N| = sqrt(2) r. In an element without strain B
// is a multiple of the identity and what is left without its mean is rounding: w and N/r are then of no meaning, but of
// length one whatever comes out, and no tau is negative. So M is never indefinite beyond rounding of mu.
//
// At the best rotation b_k >= 0. It vanishes where two singular values cancel; 2 mu - c/b then goes to minus infinity,
// harmless, unless tr e > 2 mu/lambda (c < 0): that b counts as TET_LEAST_SUM at least only blunts E.
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

// Largest eigenvalue of a symmetric matrix of trace 0 by Newton from above on x^3 + m x - d; d >= 0: it is simple.
LANES_INLINE lanes largest_eigenvalue(lanes m, lanes d)
{
    enum { MAX_STEPS = 12 };
    const lanes zero = lanes_all(0.0);
    // m <= 0 but for rounding, which is all there is of a matrix of zeros.
    lanes x = lanes_sqrt(lanes_choose(lanes_less(m, zero), (-4.0 / 3.0) * m, zero));
    lanes_mask on = lanes_less(zero, x);
    for (int k = 0; k < MAX_STEPS && lanes_any(on); k++) {
        lanes x2 = x * x, step = (x * (x2 + m) - d) / (3.0 * x2 + m);
        on &= lanes_less(1e-12 * x, lanes_abs(step));
        x -= (lanes)((lanes_mask)step & on);
    }
    return x;
}

// Unit vector along the longest column of a symmetric matrix; along x where all are (to rounding of 1) zero.
LANES_INLINE void longest_column(const lanes C[6], lanes w[3])
{
    lanes most = lanes_all(1e-200);
    w[0] = lanes_all(1.0);
    w[1] = w[2] = lanes_all(0.0);
    const lanes *column[3][3] = {{&C[0], &C[5], &C[4]}, {&C[5], &C[1], &C[3]}, {&C[4], &C[3], &C[2]}};
    LANES_UNROLL
    for (int k = 0; k < 3; k++) {
        const lanes x = *column[k][0], y = *column[k][1], z = *column[k][2];
        lanes square = x * x + y * y + z * z;
        lanes_mask longer = lanes_less(most, square);
        most = lanes_choose(longer, square, most);
        w[0] = lanes_choose(longer, x, w[0]);
        w[1] = lanes_choose(longer, y, w[1]);
        w[2] = lanes_choose(longer, z, w[2]);
    }
    lanes factor = 1.0 / lanes_sqrt(w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
    w[0] *= factor;
    w[1] *= factor;
    w[2] *= factor;
}

// Unit eigenvector of B's eigenvalue that is apart from the two others, from W.
LANES_INLINE void separate_direction(const lanes W[6], lanes trace, lanes w[3])
{
    const lanes zero = lanes_all(0.0);
    lanes A[6], C[6], most = zero;
    LANES_UNROLL
    for (int i = 0; i < 6; i++) {
        A[i] = i < 3 ? trace * (1.0 / 3.0) - W[i] : -W[i];
        lanes size = lanes_abs(A[i]);
        most = lanes_choose(lanes_less(most, size), size, most);
    }
    lanes scale = lanes_choose(lanes_less(zero, most), most, zero + 1.0);
    LANES_UNROLL
    for (int i = 0; i < 6; i++) {
        A[i] /= scale;
    }
    adjugate(C, A);
    lanes d = determinant(A, C);
    lanes of = lanes_choose(lanes_less(d, zero), zero - 1.0, zero + 1.0);
    lanes x = of * largest_eigenvalue(C[0] + C[1] + C[2], of * d);
    LANES_UNROLL
    for (int i = 0; i < 3; i++) {
        A[i] -= x;
    }
    adjugate(C, A);
    longest_column(C, w);
}

// tau(b).
LANES_INLINE lanes spin_tau(lanes mu2, lanes c, lanes b)
{
    const lanes zero = lanes_all(0.0), least = lanes_all(TET_LEAST_SUM);
    lanes tau = mu2 - c / lanes_choose(lanes_less(least, b), b, least);
    return lanes_choose(lanes_less(zero, tau), tau, zero);
}

// M, times scale, from W = R S R^T (both xx yy zz yz xz xy).
LANES_INLINE void spin_stiffness(const lanes W[6], lanes lambda, lanes mu, lanes scale, lanes M[6])
{
    const lanes zero = lanes_all(0.0);
    lanes trace = W[0] + W[1] + W[2], mu2 = 2.0 * mu, c = 2.0 * (mu2 - lambda * (trace - 3.0));
    lanes w[3], Bw[3], P[6], N[6];
    separate_direction(W, trace, w);
    Bw[0] = trace * w[0] - (W[0] * w[0] + W[5] * w[1] + W[4] * w[2]);
    Bw[1] = trace * w[1] - (W[5] * w[0] + W[1] * w[1] + W[3] * w[2]);
    Bw[2] = trace * w[2] - (W[4] * w[0] + W[3] * w[1] + W[2] * w[2]);
    lanes b = w[0] * Bw[0] + w[1] * Bw[1] + w[2] * Bw[2], mean = trace - 0.5 * b, square = zero;
    LANES_UNROLL
    for (int i = 0; i < 6; i++) {
        int p = i < 3 ? i : i == 3, q = i < 3 ? i : i == 5 ? 1 : 2;
        lanes unit = zero + (i < 3), B = unit * trace - W[i];
        P[i] = w[p] * w[q];
        N[i] = B - (w[p] * Bw[q] + w[q] * Bw[p]) + b * P[i] - mean * (unit - P[i]);
        square += (i < 3 ? 0.5 : 1.0) * (N[i] * N[i]);
    }
    lanes r = lanes_sqrt(square);
    lanes low = spin_tau(mu2, c, mean - r), high = spin_tau(mu2, c, mean + r), single = spin_tau(mu2, c, b);
    lanes even = 0.5 * (low + high);
    lanes odd = 0.5 * (high - low) / lanes_choose(lanes_less(zero, r), r, zero + 1.0);
    LANES_UNROLL
    for (int i = 0; i < 6; i++) {
        lanes unit = zero + (i < 3);
        M[i] = scale * (single * P[i] + even * (unit - P[i]) + odd * N[i]);
    }
}
