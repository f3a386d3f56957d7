#include "model/node_set.h"

#include "math/mat3.h"
#include "math/quat.h"

#include <math.h>
#include <string.h>

enum { SWEEPS = 12 }; // of Jacobi's method: quadratic, about 6 are enough

// One of Jacobi's rotations: a[p][q] becomes zero.
static void rotate(double a[4][4], double vectors[4][4], int p, int q)
{
    double tau = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
    double t = (tau < 0.0 ? -1.0 : 1.0) / (fabs(tau) + sqrt(1.0 + tau * tau));
    double c = 1.0 / sqrt(1.0 + t * t), s = t * c;
    for (int k = 0; k < 4; k++) {
        double x = a[k][p], y = a[k][q];
        a[k][p] = c * x - s * y;
        a[k][q] = s * x + c * y;
    }
    for (int k = 0; k < 4; k++) {
        double x = a[p][k], y = a[q][k];
        a[p][k] = c * x - s * y;
        a[q][k] = s * x + c * y;
        x = vectors[k][p];
        y = vectors[k][q];
        vectors[k][p] = c * x - s * y;
        vectors[k][q] = s * x + c * y;
    }
}

// Eigenvector of the largest eigenvalue of a symmetric matrix, which is destroyed.
static void largest_eigenvector(double a[4][4], double out[4])
{
    double vectors[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}, size = 0.0;
    for (int i = 0; i < 16; i++) {
        size = fmax(size, fabs(a[i / 4][i % 4]));
    }
    for (int sweep = 0; sweep < SWEEPS; sweep++) {
        bool done = true;
        for (int p = 0; p < 4; p++) {
            for (int q = p + 1; q < 4; q++) {
                if (fabs(a[p][q]) > 1e-18 * size) {
                    rotate(a, vectors, p, q);
                    done = false;
                }
            }
        }
        if (done) {
            break;
        }
    }
    int best = 0;
    for (int i = 1; i < 4; i++) {
        best = a[i][i] > a[best][best] ? i : best;
    }
    for (int k = 0; k < 4; k++) {
        out[k] = vectors[k][best];
    }
}

// R that maximises tr(R^T F), as a quaternion with w >= 0.
static void best_rotation(const double F[9], double out[4])
{
    // Horn's matrix; his M = sum (from) (to)^T is F^T.
    double xx = F[0], yx = F[1], zx = F[2], xy = F[3], yy = F[4], zy = F[5], xz = F[6], yz = F[7], zz = F[8];
    double N[4][4] = {{xx + yy + zz, yz - zy, zx - xz, xy - yx},
                      {yz - zy, xx - yy - zz, xy + yx, zx + xz},
                      {zx - xz, xy + yx, yy - xx - zz, yz + zy},
                      {xy - yx, zx + xz, yz + zy, zz - xx - yy}};
    largest_eigenvector(N, out);
    double sign = out[0] < 0.0 ? -1.0 : 1.0;
    for (int k = 0; k < 4; k++) {
        out[k] *= sign;
    }
    tn_quat_normalize(out);
}

void tn_set_look(const tn_model_set *set, const double *x, tn_set_frame *out)
{
    double F[9] = {0.0}, R[9], S[9], K[9], *c = out->pose.position;
    tn_vec3_set(c, 0.0, 0.0, 0.0);
    for (int i = 0; i < set->n; i++) {
        tn_vec3_madd(c, c, set->weight[i], x + 3 * (size_t)set->node[i]);
    }
    for (int i = 0; i < set->n; i++) {
        double r[3];
        tn_vec3_sub(r, x + 3 * (size_t)set->node[i], c);
        for (int k = 0; k < 9; k++) {
            F[k] += set->weight[i] * r[k / 3] * set->arm[3 * (size_t)i + (size_t)(k % 3)];
        }
    }
    best_rotation(F, out->pose.quaternion);
    tn_quat_to_mat3(R, out->pose.quaternion);
    tn_mat3_mul_nt(S, F, R);
    double trace = S[0] + S[4] + S[8];
    for (int k = 0; k < 9; k++) {
        K[k] = (k % 4 == 0 ? trace : 0.0) - 0.5 * (S[k] + S[3 * (k % 3) + k / 3]);
    }
    if (!set->turns || !tn_mat3_inverse(out->inverse, K)) {
        memset(out->inverse, 0, sizeof out->inverse);
    }
}
