// The rotation that maximises tr(R^T F), by the largest eigenvector of Davenport's symmetric 4x4 matrix: for a unit
// quaternion q, q^T N q = tr(R(q)^T F) (Davenport 1968; Horn 1987, "Closed-form solution of absolute orientation using
// unit quaternions"). A proper rotation for every finite F; where several are best, one of them, the identity for F =
// 0.
#include "kernels/tets/parts.h"

#include <math.h>
#include <string.h>

static void davenport(const double f[9], double n[16])
{
    const double full[16] = {
        f[0] + f[4] + f[8], f[7] - f[5],        f[2] - f[6],        f[3] - f[1], //
        f[7] - f[5],        f[0] - f[4] - f[8], f[1] + f[3],        f[2] + f[6], //
        f[2] - f[6],        f[1] + f[3],        f[4] - f[0] - f[8], f[5] + f[7], //
        f[3] - f[1],        f[2] + f[6],        f[5] + f[7],        f[8] - f[0] - f[4],
    };
    memcpy(n, full, sizeof full);
}

// One Jacobi rotation in the plane (p, q): s_pq becomes zero; v's columns follow.
static void jacobi_turn(double s[16], double v[16], int p, int q)
{
    double off = s[4 * p + q];
    if (off == 0.0) {
        return;
    }
    double theta = (s[5 * q] - s[5 * p]) / (2.0 * off);
    double t = (theta < 0.0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(1.0 + theta * theta));
    double c = 1.0 / sqrt(1.0 + t * t), d = t * c;
    for (int k = 0; k < 4; k++) {
        double sp = s[4 * k + p], sq = s[4 * k + q];
        s[4 * k + p] = c * sp - d * sq;
        s[4 * k + q] = d * sp + c * sq;
        double vp = v[4 * k + p], vq = v[4 * k + q];
        v[4 * k + p] = c * vp - d * vq;
        v[4 * k + q] = d * vp + c * vq;
    }
    for (int k = 0; k < 4; k++) {
        double sp = s[4 * p + k], sq = s[4 * q + k];
        s[4 * p + k] = c * sp - d * sq;
        s[4 * q + k] = d * sp + c * sq;
    }
    s[4 * p + q] = s[4 * q + p] = 0.0;
}

static void largest_eigenvector(double s[16], double q[4])
{
    enum { MAX_SWEEPS = 30 }; // quadratic convergence: 6 or 7 do; the cap is for NaN
    double v[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    for (int sweep = 0; sweep < MAX_SWEEPS; sweep++) {
        double off = 0.0;
        for (int i = 0; i < 3; i++) {
            for (int j = i + 1; j < 4; j++) {
                off = fmax(off, fabs(s[4 * i + j]));
                jacobi_turn(s, v, i, j);
            }
        }
        if (off < 1e-18) {
            break;
        }
    }
    int best = 0;
    for (int i = 1; i < 4; i++) {
        best = s[5 * i] > s[5 * best] ? i : best;
    }
    for (int k = 0; k < 4; k++) {
        q[k] = v[4 * k + best];
    }
}

static void matrix_of(const double q[4], double R[9])
{
    double s = 2.0 / (q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    double x = s * q[1], y = s * q[2], z = s * q[3];
    const double m[9] = {
        1.0 - y * q[2] - z * q[3], x * q[2] - z * q[0],       x * q[3] + y * q[0], //
        x * q[2] + z * q[0],       1.0 - x * q[1] - z * q[3], y * q[3] - x * q[0], //
        x * q[3] - y * q[0],       y * q[3] + x * q[0],       1.0 - x * q[1] - y * q[2],
    };
    memcpy(R, m, sizeof m);
}

void tn_tet_rotation(const double F[9], double R[9])
{
    double scale = 0.0, f[9], n[16], q[4];
    for (int k = 0; k < 9; k++) {
        scale = fmax(scale, fabs(F[k]));
    }
    // A power of two: the scaling rounds nothing.
    int exponent = 0;
    (void)frexp(scale, &exponent);
    for (int k = 0; k < 9; k++) {
        f[k] = ldexp(F[k], -exponent);
    }
    davenport(f, n);
    largest_eigenvector(n, q);
    matrix_of(q, R);
}
