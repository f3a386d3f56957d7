// Private to pack.h: rotations of TET_WIDTH elements, by Markley's closed form of the attitude matrix ("Attitude
// determination using vector observations: a fast optimal matrix algorithm", J. Astronautical Sciences 41, 1993): with
// l the largest root of (l^2 - |F|^2)^2 - 8 l det F - 4 |cof F|^2, which is tr S,
//
//     R = ((k + |F|^2) F + l cof F - F F^T F) / (k l - det F),   k = (l^2 - |F|^2)/2.
//
// The denominator is (s_1 + s_2)(s_2 + s_3)(s_3 + s_1). Lanes where it is too small for that fail the check of R at the
// end and take the slower, safe way (tn_tet_rotation).
#pragma once

#include "kernels/tets/parts.h"

#include "kernels/tets/lanes.h"

// c = a b, then c = a b^T, of 3x3 matrices, row-major.
LANES_INLINE void mul(lanes c[9], const lanes a[9], const lanes b[9])
{
    LANES_UNROLL
    for (int i = 0; i < 9; i++) {
        int r = i / 3 * 3, k = i % 3;
        c[i] = a[r] * b[k] + a[r + 1] * b[k + 3] + a[r + 2] * b[k + 6];
    }
}

LANES_INLINE void mul_nt(lanes c[9], const lanes a[9], const lanes b[9])
{
    LANES_UNROLL
    for (int i = 0; i < 9; i++) {
        int r = i / 3 * 3, k = i % 3 * 3;
        c[i] = a[r] * b[k] + a[r + 1] * b[k + 1] + a[r + 2] * b[k + 2];
    }
}

// a^T a: xx yy zz yz xz xy.
LANES_INLINE void gram(lanes c[6], const lanes a[9])
{
    LANES_UNROLL
    for (int i = 0; i < 6; i++) {
        int p = i < 3 ? i : i == 3, q = i < 3 ? i : i == 5 ? 1 : 2;
        c[i] = a[p] * a[q] + a[3 + p] * a[3 + q] + a[6 + p] * a[6 + q];
    }
}

// c = a g with g symmetric (xx yy zz yz xz xy).
LANES_INLINE void mul_symmetric(lanes c[9], const lanes a[9], const lanes g[6])
{
    LANES_UNROLL
    for (int r = 0; r < 9; r += 3) {
        c[r] = a[r] * g[0] + a[r + 1] * g[5] + a[r + 2] * g[4];
        c[r + 1] = a[r] * g[5] + a[r + 1] * g[1] + a[r + 2] * g[3];
        c[r + 2] = a[r] * g[4] + a[r + 1] * g[3] + a[r + 2] * g[2];
    }
}

LANES_INLINE void cofactors(lanes c[9], const lanes a[9])
{
    LANES_UNROLL
    for (int i = 0; i < 9; i++) {
        int r1 = (i / 3 + 1) % 3 * 3, r2 = (i / 3 + 2) % 3 * 3, k1 = (i % 3 + 1) % 3, k2 = (i % 3 + 2) % 3;
        c[i] = a[r1 + k1] * a[r2 + k2] - a[r1 + k2] * a[r2 + k1];
    }
}

LANES_INLINE lanes square_norm(const lanes a[9])
{
    return (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) + (a[3] * a[3] + a[4] * a[4] + a[5] * a[5]) +
           (a[6] * a[6] + a[7] * a[7] + a[8] * a[8]);
}

// Largest root of the quartic by Newton from above, where it is convex: (3 + |F|^2)/2 >= sqrt(3) |F| >= tr S, and
// close to both near S = 1. A lane stops by itself, whatever its neighbours do; those that need more than MAX_STEPS
// (|F| far from 1) are left to the check. What is left after a step of 1e-6 is about its square; an error of l changes
// the lengths of R's axes alone, not their directions (R is a polynomial of F and cof F), and make_orthonormal squares
// that once more.
LANES_INLINE lanes largest_root(lanes norm2, lanes det, lanes cof2)
{
    enum { MAX_STEPS = 16 };
    lanes l = 1.5 + 0.5 * norm2, d8 = 8.0 * det;
    lanes_mask on = lanes_less(norm2, lanes_all(1e300)); // not NaN
    for (int k = 0; k < MAX_STEPS && lanes_any(on); k++) {
        lanes s = l * l - norm2;
        lanes step = (s * s - d8 * l - 4.0 * cof2) / (4.0 * (l * s) - d8);
        l -= (lanes)((lanes_mask)step & on);
        on &= lanes_less(1e-6 * l, lanes_abs(step));
    }
    return l;
}

LANES_INLINE void closed_form(lanes R[9], const lanes F[9])
{
    lanes C[9], G[6], FG[9];
    cofactors(C, F);
    gram(G, F);
    mul_symmetric(FG, F, G);
    lanes norm2 = G[0] + G[1] + G[2], det = F[0] * C[0] + F[1] * C[1] + F[2] * C[2];
    lanes l = largest_root(norm2, det, square_norm(C));
    lanes k = 0.5 * (l * l - norm2), factor = 1.0 / (k * l - det);
    lanes of_F = (k + norm2) * factor, of_C = l * factor;
    LANES_UNROLL
    for (int i = 0; i < 9; i++) {
        R[i] = of_F * F[i] + of_C * C[i] - factor * FG[i];
    }
}

// One step of Newton-Schulz, R (3 - R^T R)/2: what was off to first order is off to second. Returns the lanes that
// were too far off for it.
LANES_INLINE lanes_mask make_orthonormal(lanes R[9])
{
    lanes G[6], A[9], far = lanes_all(0.0);
    gram(G, R);
    LANES_UNROLL
    for (int i = 0; i < 6; i++) {
        far += lanes_abs(i < 3 ? G[i] - 1.0 : G[i]);
        G[i] = i < 3 ? 1.5 - 0.5 * G[i] : -0.5 * G[i];
    }
    LANES_UNROLL
    for (int i = 0; i < 9; i++) {
        A[i] = R[i];
    }
    mul_symmetric(R, A, G);
    return ~lanes_less(far, lanes_all(1e-8)); // a NaN is wrong too
}

// The lanes that failed, one by one.
static TET_TARGET __attribute__((noinline)) void mend(const lanes_mask *wrong, const lanes F[9], lanes R[9])
{
    for (int l = 0; l < TET_WIDTH; l++) {
        double f[9], r[9];
        if (!(*wrong)[l]) {
            continue;
        }
        for (int i = 0; i < 9; i++) {
            f[i] = F[i][l];
        }
        tn_tet_rotation(f, r);
        for (int i = 0; i < 9; i++) {
            R[i][l] = r[i];
        }
    }
}

// R, and W = F R^T = R S R^T as xx yy zz yz xz xy.
LANES_INLINE void polar(lanes R[9], lanes W[6], const lanes F[9])
{
    lanes full[9];
    closed_form(R, F);
    lanes_mask wrong = make_orthonormal(R);
    mul_nt(full, F, R);
    lanes skew = lanes_abs(full[5] - full[7]) + lanes_abs(full[2] - full[6]) + lanes_abs(full[1] - full[3]);
    wrong |= ~lanes_less(skew, 2e-14 * (full[0] + full[4] + full[8]));
    if (lanes_any(wrong)) {
        lanes Fs[9], Rs[9]; // only these have addresses
        LANES_UNROLL
        for (int i = 0; i < 9; i++) {
            Fs[i] = F[i];
            Rs[i] = R[i];
        }
        mend(&wrong, Fs, Rs);
        LANES_UNROLL
        for (int i = 0; i < 9; i++) {
            R[i] = Rs[i];
        }
        mul_nt(full, F, R);
    }
    W[0] = full[0];
    W[1] = full[4];
    W[2] = full[8];
    W[3] = 0.5 * (full[5] + full[7]);
    W[4] = 0.5 * (full[2] + full[6]);
    W[5] = 0.5 * (full[1] + full[3]);
}
