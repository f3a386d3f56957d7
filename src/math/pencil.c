// Simultaneous diagonalisation by congruence: S = w K + D is made the identity on its range, which leaves K and D that
// commute, so that the eigenvectors of the one serve for both. The diagonal of S is taken out first: entries of any
// sizes and units, from 1 to 1e15, then keep their digits.
#include "math/pencil.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

enum { N = TN_PENCIL };
static const double ZERO = 1e-12; // eigenvalues of S with a diagonal of ones that are none
static const double SLACK = 1e-9; // of what numbers of a file make of a semidefinite matrix

// A over the roots of diagonal, which belong to rows of zeros where it is 0.
static void scale(const double *A, const double *diagonal, double *out)
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            bool none = !(diagonal[i] > 0.0 && diagonal[j] > 0.0);
            out[N * i + j] = none ? 0.0 : A[N * i + j] / (sqrt(diagonal[i]) * sqrt(diagonal[j]));
        }
    }
}

static void diagonal_of(const double *A, double *out)
{
    for (int i = 0; i < N; i++) {
        out[i] = A[(N + 1) * i];
    }
}

// x A y.
static double product(int n, const double *A, int stride, const double *x, const double *y)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            sum += x[i] * A[stride * i + j] * y[j];
        }
    }
    return sum;
}

bool tn_pencil_is_symmetric(const double *A)
{
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < i; j++) {
            double size = sqrt(fabs(A[(N + 1) * i] * A[(N + 1) * j]));
            if (!(fabs(A[N * i + j] - A[N * j + i]) <= SLACK * size)) {
                return false;
            }
        }
    }
    return true;
}

bool tn_pencil_is_semidefinite(const double *A)
{
    double diagonal[N], scaled[N * N], values[N];
    diagonal_of(A, diagonal);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            if (!(diagonal[i] >= 0.0) || (diagonal[i] == 0.0 && A[N * i + j] != 0.0)) {
                return false;
            }
        }
    }
    scale(A, diagonal, scaled);
    return tn_dense_eigen(N, scaled, values) && values[0] >= -SLACK;
}

// The next direction q U, U's rows those of the range of S and root their lengths.
static void add_direction(const double *q, int rank, const double *U, const double *root, const double *diagonal,
                          double k, double d, tn_pencil *out)
{
    double *t = out->t[out->n], most = 0.0;
    for (int i = 0; i < N; i++) {
        t[i] = 0.0;
        for (int e = 0; e < rank; e++) {
            t[i] += q[e] * root[e] * U[N * e + i];
        }
        t[i] *= sqrt(diagonal[i]);
        most = fmax(most, fabs(t[i]));
    }
    for (int i = 0; i < N; i++) {
        t[i] /= most;
    }
    out->k[out->n] = fmax(k, 0.0) * most * most;
    out->d[out->n] = fmax(d, 0.0) * most * most;
    out->n++;
}

bool tn_pencil_split(const double *K, const double *D, double weight, tn_pencil *out)
{
    double S[N * N], diagonal[N], U[N * N], values[N], root[N], stiff[N * N], damp[N * N];
    *out = (tn_pencil){.n = 0};
    for (int i = 0; i < N * N; i++) {
        S[i] = weight * K[i] + D[i];
    }
    diagonal_of(S, diagonal);
    scale(S, diagonal, U);
    if (!tn_dense_eigen(N, U, values)) {
        return false;
    }
    int rank = 0;
    for (int e = 0; e < N; e++) {
        if (values[e] > ZERO) {
            memmove(U + (size_t)N * rank, U + (size_t)N * e, N * sizeof *U);
            root[rank++] = sqrt(values[e]);
        }
    }
    double whole[2][N * N], Q[N * N];
    scale(K, diagonal, whole[0]);
    scale(D, diagonal, whole[1]);
    for (int e = 0; e < rank; e++) {
        for (int f = 0; f < rank; f++) {
            const double *x = U + (size_t)N * e, *y = U + (size_t)N * f;
            stiff[rank * e + f] = product(N, whole[0], N, x, y) / (root[e] * root[f]);
            damp[rank * e + f] = product(N, whole[1], N, x, y) / (root[e] * root[f]);
        }
    }
    memcpy(Q, stiff, (size_t)rank * (size_t)rank * sizeof *Q);
    if (!tn_dense_eigen(rank, Q, values)) {
        return false;
    }
    for (int m = 0; m < rank; m++) {
        const double *q = Q + (size_t)rank * m;
        add_direction(q, rank, U, root, diagonal, product(rank, stiff, rank, q, q), product(rank, damp, rank, q, q),
                      out);
    }
    return true;
}
