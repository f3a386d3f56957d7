// Two semidefinite matrices and the sums that they are split into: of any rank, of entries of very different sizes.
#include "math/pencil.h"

#include "base/random.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = TN_PENCIL };

// sum of `rank` squares, each axis i times size[i].
static void make(uint64_t seed, int rank, const double *size, double *A)
{
    memset(A, 0, N * N * sizeof *A);
    for (int r = 0; r < rank; r++) {
        double x[N];
        for (int i = 0; i < N; i++) {
            x[i] = size[i] * (2.0 * tn_random_uniform(seed, (uint64_t)r, (uint64_t)i) - 1.0);
        }
        for (int i = 0; i < N * N; i++) {
            A[i] += x[i / N] * x[i % N];
        }
    }
}

// Largest difference of sum c_i t_i t_i^T from A, of what the diagonals allow.
static double miss(const double *A, const tn_pencil *p, const double *c, const double *scale)
{
    double worst = 0.0;
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            double sum = 0.0;
            for (int m = 0; m < p->n; m++) {
                sum += c[m] * p->t[m][i] * p->t[m][j];
            }
            worst = fmax(worst, fabs(sum - A[N * i + j]) / (scale[i] * scale[j]));
        }
    }
    return worst;
}

static void splits_are_sums(void **state)
{
    double worst = 0.0;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        double size[N], K[N * N], D[N * N], scale[N];
        int k_rank = (int)(seed % 7), d_rank = (int)(seed / 7 % 7);
        for (int i = 0; i < N; i++) {
            size[i] = pow(10.0, 8.0 * tn_random_uniform(seed, 100, (uint64_t)i) - 1.0);
        }
        make(2 * seed, k_rank, size, K);
        make(2 * seed + 1, d_rank, size, D);
        assert_true(tn_pencil_is_symmetric(K) && tn_pencil_is_semidefinite(K) && tn_pencil_is_semidefinite(D));
        tn_pencil p;
        assert_true(tn_pencil_split(K, D, 1.0, &p));
        assert_int_equal(p.n, k_rank + d_rank < N ? k_rank + d_rank : N);
        for (int i = 0; i < N; i++) {
            scale[i] = sqrt(K[(N + 1) * i] + D[(N + 1) * i]) + 1e-300;
        }
        for (int m = 0; m < p.n; m++) {
            assert_true(p.k[m] >= 0.0 && p.d[m] >= 0.0 && p.k[m] + p.d[m] > 0.0);
        }
        worst = fmax(worst, fmax(miss(K, &p, p.k, scale), miss(D, &p, p.d, scale)));
    }
    print_message("sums off by %.2g of the diagonals' roots (limit 1e-10: rounding over the least eigenvalue)\n",
                  worst);
    assert_true(worst <= 1e-10);
}

static void axes_stay_axes(void **state)
{
    double K[N * N] = {0.0}, D[N * N] = {0.0};
    const double k[N] = {1.0, 1e15, 0.0, 3e7, 1e-3, 0.0}, d[N] = {0.0, 2.0, 5.0, 1e9, 1e-8, 0.0};
    for (int i = 0; i < N; i++) {
        K[(N + 1) * i] = k[i];
        D[(N + 1) * i] = d[i];
    }
    tn_pencil p;
    assert_true(tn_pencil_split(K, D, 1e-3, &p));
    assert_int_equal(p.n, 5);
    for (int m = 0; m < p.n; m++) {
        int axis = -1;
        for (int i = 0; i < N; i++) {
            assert_true(p.t[m][i] == 0.0 || (fabs(p.t[m][i]) == 1.0 && axis < 0));
            axis = p.t[m][i] != 0.0 ? i : axis;
        }
        assert_true(fabs(p.k[m] - k[axis]) <= 1e-15 * k[axis] && fabs(p.d[m] - d[axis]) <= 1e-15 * d[axis]);
    }
}

static void others_are_refused(void **state)
{
    double A[N * N] = {[0] = 4.0, [7] = 1.0, [1] = 2.0, [6] = 2.0};
    assert_true(tn_pencil_is_symmetric(A) && tn_pencil_is_semidefinite(A)); // of rank 1
    A[1] = A[6] = 2.001;
    assert_false(tn_pencil_is_semidefinite(A));
    A[6] = 1.0;
    assert_false(tn_pencil_is_symmetric(A));
    A[1] = A[6] = 0.0;
    A[35] = -1e-12;
    assert_false(tn_pencil_is_semidefinite(A));
    A[35] = 0.0;
    A[34] = A[29] = 1e-12; // beside a diagonal of 0
    assert_false(tn_pencil_is_semidefinite(A));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splits_are_sums),
        cmocka_unit_test(axes_stay_axes),
        cmocka_unit_test(others_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
