// The numbers of the factor by nodes. Loops of constant length 6 for rigid bodies: the compiler unrolls them.
#include "math/node_cholesky_data.h"

#include <math.h>

// U (n square) from K's block, and the inverses of its diagonal; what is below that is not used.
static inline __attribute__((always_inline)) bool factor_square(int n, double *U, double *inverses)
{
    for (int t = 0; t < n; ++t) {
        double pivot = U[n * t + t];
        if (!(pivot > 0.0) || !(pivot < INFINITY)) {
            return false;
        }
        double inverse = inverses[t] = 1.0 / sqrt(pivot);
        for (int j = t; j < n; ++j) {
            U[n * t + j] *= inverse;
        }
        for (int i = t + 1; i < n; ++i) {
            double factor = U[n * t + i];
            for (int j = i; j < n; ++j) {
                U[n * i + j] -= factor * U[n * t + j];
            }
        }
    }
    return true;
}

// B (n, m) = U^-T B
static inline __attribute__((always_inline)) void solve_rows(int n, int m, const double *U, const double *inverses,
                                                             double *B)
{
    for (int t = 0; t < n; ++t) {
        double inverse = inverses[t];
        for (int j = 0; j < m; ++j) {
            B[m * t + j] *= inverse;
        }
        for (int i = t + 1; i < n; ++i) {
            double factor = U[n * t + i];
            for (int j = 0; j < m; ++j) {
                B[m * i + j] -= factor * B[m * t + j];
            }
        }
    }
}

// C (m, p) -= A^T B, A (n, m), B (n, p)
static inline __attribute__((always_inline)) void subtract(int n, int m, int p, const double *A, const double *B,
                                                           double *C)
{
    for (int i = 0; i < m; ++i) {
        for (int t = 0; t < n; ++t) {
            double factor = A[m * t + i];
            for (int j = 0; j < p; ++j) {
                C[p * i + j] -= factor * B[p * t + j];
            }
        }
    }
}

static void subtract_6(const double *restrict A, const double *restrict B, double *restrict C)
{
    for (int i = 0; i < 6; ++i) {
        double row[6];
        for (int j = 0; j < 6; ++j) {
            row[j] = C[6 * i + j];
        }
        for (int t = 0; t < 6; ++t) {
            double factor = A[6 * t + i];
            for (int j = 0; j < 6; ++j) {
                row[j] -= factor * B[6 * t + j];
            }
        }
        for (int j = 0; j < 6; ++j) {
            C[6 * i + j] = row[j];
        }
    }
}

static void update(tn_node_cholesky *s, int k, const int *target)
{
    int n = s->size[k];
    for (int e = s->start[k]; e < s->start[k + 1]; ++e) {
        int m = s->size[s->later[e]];
        for (int f = e; f < s->start[k + 1]; ++f) {
            int p = s->size[s->later[f]];
            const double *A = s->value + s->at[e], *B = s->value + s->at[f];
            double *C = s->value + *target++;
            if (n == 6 && m == 6 && p == 6) {
                if (e == f) {
                    double copy[36]; // no aliasing for the compiler to fear
                    memcpy(copy, A, sizeof copy);
                    subtract_6(copy, B, C);
                } else {
                    subtract_6(A, B, C);
                }
            } else {
                subtract(n, m, p, A, B, C);
            }
        }
    }
}

static void take_blocks(tn_node_cholesky *s, const tn_blocks *K)
{
    memset(s->value, 0, (size_t)s->n_values * sizeof *s->value);
    for (int k = 0; k < K->start[K->n_rows]; ++k) {
        if (s->target[k] >= 0) {
            const double *from = K->value + 9 * (size_t)k;
            double *to = s->value + s->target[k];
            for (int i = 0; i < 3; ++i, to += s->stride[k]) {
                to[0] = from[3 * i];
                to[1] = from[3 * i + 1];
                to[2] = from[3 * i + 2];
            }
        }
    }
}

enum { TOGETHER = 6 }; // rows added at once

// C (n, m) += sum over rows r of w_r a_r b_r^T
static void add_products(int n, int m, int rows, const double *w, const double (*a)[TN_NODE_CHOLESKY_SIZE],
                         const double (*b)[TN_NODE_CHOLESKY_SIZE], double *C)
{
    for (int r = 0; r < rows; ++r) {
        for (int i = 0; i < n; ++i) {
            double factor = w[r] * a[r][i];
            for (int j = 0; j < m; ++j) {
                C[m * i + j] += factor * b[r][j];
            }
        }
    }
}

static void add_products_6(int rows, const double *w, const double (*a)[TN_NODE_CHOLESKY_SIZE],
                           const double (*b)[TN_NODE_CHOLESKY_SIZE], double *restrict C)
{
    for (int i = 0; i < 6; ++i, C += 6) {
        double sum[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
        for (int r = 0; r < rows; ++r) {
            double factor = w[r] * a[r][i];
            for (int j = 0; j < 6; ++j) {
                sum[j] += factor * b[r][j];
            }
        }
        for (int j = 0; j < 6; ++j) {
            C[j] += sum[j];
        }
    }
}

// Numbers of rows first to last - 1, which act on the same blocks, by their nodes.
static void gather_rows(const tn_node_cholesky *s, const tn_rows *rows, int first, int last,
                        double g[TOUCHERS][TOGETHER][TN_NODE_CHOLESKY_SIZE])
{
    int n = s->touch[first + 1] - s->touch[first], entries = rows->start[first + 1] - rows->start[first];
    for (int k = 0; k < n; ++k) {
        memset(g[k], 0, (size_t)(last - first) * sizeof g[k][0]);
    }
    for (int e = 0; e < entries; ++e) {
        int block = rows->block[rows->start[first] + e], at = s->rank[s->node_of[block]], k = 0;
        while (s->toucher[s->touch[first] + k] != at) {
            ++k;
        }
        for (int i = first; i < last; ++i) {
            const double *from = &rows->jacobian[3 * (size_t)(rows->start[i] + e)];
            double *to = &g[k][i - first][3 * s->place[block]];
            to[0] += from[0];
            to[1] += from[1];
            to[2] += from[2];
        }
    }
}

static void take_rows(tn_node_cholesky *s, const tn_rows *rows, const double *weight)
{
    const int *pair = s->row_pair;
    double g[TOUCHERS][TOGETHER][TN_NODE_CHOLESKY_SIZE];
    for (int first = 0, last; first < rows->n_singles; first = last) {
        for (last = first + 1;
             last < rows->n_singles && last < first + TOGETHER && tn_node_cholesky_like_the_last(rows, last);) {
            ++last;
        }
        int n = s->touch[first + 1] - s->touch[first], count = last - first;
        gather_rows(s, rows, first, last, g);
        for (int a = 0; a < n; ++a) {
            int size_a = s->size[s->toucher[s->touch[first] + a]];
            for (int b = a; b < n; ++b) {
                int size_b = s->size[s->toucher[s->touch[first] + b]];
                double *C = s->value + *pair++;
                if (size_a == 6 && size_b == 6) {
                    add_products_6(count, weight + first, g[a], g[b], C);
                } else {
                    add_products(size_a, size_b, count, weight + first, g[a], g[b], C);
                }
            }
        }
        pair += (count - 1) * (n * (n + 1) / 2);
    }
}

static bool factor_values(tn_node_cholesky *s)
{
    const int *target = s->update;
    for (int k = 0; k < s->n; ++k) {
        int n = s->size[k], later = s->start[k + 1] - s->start[k];
        double *U = s->value + s->diagonal[k], *inverses = s->inverse + s->first[k];
        if (!(n == 6 ? factor_square(6, U, inverses) : factor_square(n, U, inverses))) {
            return false;
        }
        for (int e = s->start[k]; e < s->start[k + 1]; ++e) {
            int m = s->size[s->later[e]];
            if (n == 6 && m == 6) {
                solve_rows(6, 6, U, inverses, s->value + s->at[e]);
            } else {
                solve_rows(n, m, U, inverses, s->value + s->at[e]);
            }
        }
        update(s, k, target);
        target += later * (later + 1) / 2;
    }
    return true;
}

bool tn_node_cholesky_factor(tn_node_cholesky *s, const tn_blocks *K)
{
    take_blocks(s, K);
    return factor_values(s);
}

bool tn_node_cholesky_factor_rows(tn_node_cholesky *s, const tn_blocks *A, const tn_rows *rows, const double *weight)
{
    take_blocks(s, A);
    take_rows(s, rows, weight);
    return factor_values(s);
}

static inline __attribute__((always_inline)) void forward(int n, const double *U, const double *inverses, double *x)
{
    for (int t = 0; t < n; ++t) {
        x[t] *= inverses[t];
        for (int i = t + 1; i < n; ++i) {
            x[i] -= U[n * t + i] * x[t];
        }
    }
}

static inline __attribute__((always_inline)) void backward(int n, const double *U, const double *inverses, double *x)
{
    for (int t = n - 1; t >= 0; --t) {
        double sum = x[t];
        for (int i = t + 1; i < n; ++i) {
            sum -= U[n * t + i] * x[i];
        }
        x[t] = sum * inverses[t];
    }
}

// y (m) -= B^T x, B (n, m)
static inline __attribute__((always_inline)) void push(int n, int m, const double *B, const double *x, double *y)
{
    for (int t = 0; t < n; ++t) {
        for (int j = 0; j < m; ++j) {
            y[j] -= B[m * t + j] * x[t];
        }
    }
}

// x (n) -= B y
static inline __attribute__((always_inline)) void pull(int n, int m, const double *B, const double *y, double *x)
{
    for (int t = 0; t < n; ++t) {
        double sum = 0.0;
        for (int j = 0; j < m; ++j) {
            sum += B[m * t + j] * y[j];
        }
        x[t] -= sum;
    }
}

void tn_node_cholesky_solve(tn_node_cholesky *s, const double *b, double *out)
{
    double *x = s->x;
    for (int i = 0; i < s->n_rows; ++i) {
        memcpy(x + s->gather[i], b + 3 * (size_t)i, 3 * sizeof *x);
    }
    for (int k = 0; k < s->n; ++k) {
        int n = s->size[k];
        const double *U = s->value + s->diagonal[k], *inverses = s->inverse + s->first[k];
        double *xk = x + s->first[k];
        n == 6 ? forward(6, U, inverses, xk) : forward(n, U, inverses, xk);
        for (int e = s->start[k]; e < s->start[k + 1]; ++e) {
            int m = s->size[s->later[e]];
            double *y = x + s->first[s->later[e]];
            n == 6 && m == 6 ? push(6, 6, s->value + s->at[e], xk, y) : push(n, m, s->value + s->at[e], xk, y);
        }
    }
    for (int k = s->n - 1; k >= 0; --k) {
        int n = s->size[k];
        const double *U = s->value + s->diagonal[k], *inverses = s->inverse + s->first[k];
        double *xk = x + s->first[k];
        for (int e = s->start[k]; e < s->start[k + 1]; ++e) {
            int m = s->size[s->later[e]];
            const double *y = x + s->first[s->later[e]];
            n == 6 && m == 6 ? pull(6, 6, s->value + s->at[e], y, xk) : pull(n, m, s->value + s->at[e], y, xk);
        }
        n == 6 ? backward(6, U, inverses, xk) : backward(n, U, inverses, xk);
    }
    for (int i = 0; i < s->n_rows; ++i) {
        memcpy(out + 3 * (size_t)i, x + s->gather[i], 3 * sizeof *x);
    }
}
