// Dense solves against their residuals; rank-deficient least squares against the normal equations.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/random.h"
#include "math/dense.h"
#include "test.h"

enum { N_MAX = 64 };

static void random_matrix(int n, double *a, uint64_t stream)
{
    for (int i = 0; i < n; i++) {
        a[i] = tn_random_normal(31, stream, (uint64_t)i);
    }
}

// y = a x for a (m, n)
static void multiply(int m, int n, const double *a, const double *x, double *y)
{
    for (int i = 0; i < m; i++) {
        y[i] = 0.0;
        for (int j = 0; j < n; j++) {
            y[i] += a[i * n + j] * x[j];
        }
    }
}

static double largest_difference(int n, const double *a, const double *b)
{
    double worst = 0.0;
    for (int i = 0; i < n; i++) {
        worst = fmax(worst, fabs(a[i] - b[i]));
    }
    return worst;
}

// a = g g^T + n 1
static void random_spd(int n, double *a, uint64_t stream)
{
    double g[N_MAX * N_MAX];
    random_matrix(n * n, g, stream);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            double s = i == j ? n : 0.0;
            for (int k = 0; k < n; k++) {
                s += g[i * n + k] * g[j * n + k];
            }
            a[i * n + j] = s;
        }
    }
}

static void solves_leave_no_residual(void **state)
{
    double worst = 0.0, worst_factor = 0.0;
    for (int n = 1; n <= N_MAX; n++) {
        double a[N_MAX * N_MAX], l[N_MAX * N_MAX], x[N_MAX], y[N_MAX], b[N_MAX], lu[N_MAX * N_MAX];
        int pivot[N_MAX];
        random_spd(n, a, (uint64_t)n);
        random_matrix(n, b, 100);
        memcpy(l, a, sizeof l);
        memcpy(x, b, sizeof x);
        assert_true(tn_dense_cholesky(n, l));
        // Lower and row-major: row i of L times row j of L gives a_ij.
        for (int i = 0; i < n; i++) {
            for (int j = 0; j <= i; j++) {
                double s = 0.0;
                for (int k = 0; k <= j; k++) {
                    s += l[i * n + k] * l[j * n + k];
                }
                worst_factor = fmax(worst_factor, fabs(s - a[i * n + j]) / n);
            }
        }
        tn_dense_cholesky_solve(n, l, x);
        multiply(n, n, a, x, y);
        worst = fmax(worst, largest_difference(n, y, b));

        a[n > 1] += 3.0; // no longer symmetric: a transposed solve would show
        memcpy(lu, a, sizeof lu);
        memcpy(x, b, sizeof x);
        assert_true(tn_dense_solve(n, lu, x, pivot));
        multiply(n, n, a, x, y);
        worst = fmax(worst, largest_difference(n, y, b));
    }
    printf("worst residual %.2e, limit 5e-14; worst |L L^T - A| %.2e n, limit 1e-14 (|A| is 5 n at most)\n", worst,
           worst_factor);
    assert_true(worst < 5e-14 && worst_factor < 1e-14);
}

// Of trees whose children come after their parents: row i is coupled to those above it alone. Nothing is filled in.
static void tree_factor_solves_and_keeps_zeros(void **state)
{
    double worst = 0.0;
    for (int n = 1; n <= N_MAX; n++) {
        double a[N_MAX * N_MAX] = {0.0}, l[N_MAX * N_MAX], x[N_MAX], y[N_MAX], b[N_MAX];
        int parent[N_MAX];
        for (int i = 0; i < n; i++) {
            parent[i] = i == 0 ? -1 : (int)(tn_random_uniform(31, 5, (uint64_t)(100 * n + i)) * i);
            a[i * n + i] = n;
            for (int j = parent[i]; j >= 0; j = parent[j]) {
                a[i * n + j] = a[j * n + i] = 0.5 * tn_random_uniform(31, 6, (uint64_t)(100 * i + j));
            }
        }
        random_matrix(n, b, 100);
        memcpy(l, a, sizeof l);
        memcpy(x, b, sizeof x);
        assert_true(tn_dense_tree_factor(n, l));
        for (int i = 0; i < n * n; i++) {
            assert_true(i % n > i / n || (a[i] != 0.0) == (l[i] != 0.0));
        }
        tn_dense_tree_solve(n, l, x);
        multiply(n, n, a, x, y);
        worst = fmax(worst, largest_difference(n, y, b));
    }
    printf("worst residual %.2e, limit 5e-14\n", worst);
    assert_true(worst < 5e-14);
    double wrong[4] = {1.0, 0.0, 2.0, 1.0}, none[1] = {NAN};
    assert_false(tn_dense_tree_factor(2, wrong));
    assert_false(tn_dense_tree_factor(1, none));
}

static void unsolvable_is_refused(void **state)
{
    int pivot[20];
    for (int n = 2; n <= 20; n += 18) { // small and large may take different code
        double a[400] = {0}, x[20] = {0};
        for (int i = 0; i < n; i++) {
            a[i * n + i] = i == n - 1 ? -1.0 : 1.0;
        }
        assert_false(tn_dense_cholesky(n, a));
        for (int i = 0; i < n; i++) {
            a[i * n + i] = i == n - 1 ? (double)NAN : 1.0;
        }
        assert_false(tn_dense_cholesky(n, a));
        assert_false(tn_dense_solve(n, a, x, pivot));
        memset(a, 0, sizeof a);
        assert_false(tn_dense_solve(n, a, x, pivot));
        assert_false(tn_dense_cholesky(n, a));
    }
    assert_true(tn_dense_cholesky(0, NULL) && tn_dense_solve(0, NULL, NULL, NULL) && tn_dense_eigen(0, NULL, NULL));
    tn_dense_cholesky_solve(0, NULL, NULL);
    assert_int_equal(tn_dense_least_squares(0, 0, NULL, NULL, 1e-12), 0);
}

// x is the minimum norm least squares solution if a^T (a x - b) = 0 and x is in the range of a^T.
static void least_squares_of_any_shape_and_rank(void **state)
{
    const int shapes[][3] = {{5, 5, 5}, {9, 4, 4}, {4, 9, 4}, {12, 12, 7}, {20, 11, 6}, {11, 20, 6}, {3, 1, 1}};
    double worst = 0.0;
    for (int s = 0; s < 7; s++) {
        int m = shapes[s][0], n = shapes[s][1], rank = shapes[s][2];
        double l[400], r[400], a[400], copy[400], b[20], x[20], residual[20], range[20];
        random_matrix(m * rank, l, 50 + (uint64_t)s);
        random_matrix(rank * n, r, 60 + (uint64_t)s);
        random_matrix(m, b, 70);
        for (int i = 0; i < m; i++) {
            for (int j = 0; j < n; j++) {
                a[i * n + j] = 0.0;
                for (int k = 0; k < rank; k++) {
                    a[i * n + j] += l[i * rank + k] * r[k * n + j];
                }
            }
        }
        memcpy(copy, a, sizeof copy);
        memcpy(x, b, sizeof x);
        assert_int_equal(tn_dense_least_squares(m, n, copy, x, 1e-12), rank);
        multiply(m, n, a, x, residual);
        double gradient = 0.0;
        for (int j = 0; j < n; j++) {
            double g = 0.0;
            for (int i = 0; i < m; i++) {
                g += a[i * n + j] * (residual[i] - b[i]);
            }
            gradient = fmax(gradient, fabs(g));
        }
        // In the range of a^T: the part of x that solves r y = r x with minimum norm is x itself.
        multiply(rank, n, r, x, range);
        assert_int_equal(tn_dense_least_squares(rank, n, r, range, 1e-12), rank);
        worst = fmax(worst, fmax(gradient, largest_difference(n, range, x)));
    }
    printf("gradient and null-space part: worst %.2e, limit 1e-12 (condition about 100, |a| about 5)\n", worst);
    assert_true(worst < 1e-12);
    double nan[4] = {(double)NAN, 0, 0, 1}, x[2] = {1, 1};
    assert_int_equal(tn_dense_least_squares(2, 2, nan, x, 1e-12), 0); // rank of nothing; x is NaN
    assert_true(isnan(x[0]));
}

static void eigenvectors_lie_in_the_rows(void **state)
{
    double worst = 0.0;
    for (int n = 1; n <= 40; n += 3) {
        double a[N_MAX * N_MAX], v[N_MAX * N_MAX], values[N_MAX], y[N_MAX];
        random_spd(n, a, 200);
        memcpy(v, a, sizeof v);
        assert_true(tn_dense_eigen(n, v, values));
        for (int i = 0; i < n; i++) {
            assert_true(i == 0 || values[i] >= values[i - 1]);
            multiply(n, n, a, v + i * n, y);
            for (int j = 0; j < n; j++) {
                worst = fmax(worst, fabs(y[j] - values[i] * v[i * n + j]) / values[n - 1]);
            }
            for (int k = 0; k <= i; k++) {
                double dot = k == i ? -1.0 : 0.0;
                for (int j = 0; j < n; j++) {
                    dot += v[i * n + j] * v[k * n + j];
                }
                worst = fmax(worst, fabs(dot));
            }
        }
    }
    printf("A v - l v and orthonormality: worst %.2e, limit 2e-14 (40 roundings)\n", worst);
    assert_true(worst < 2e-14);
    double nan[4] = {(double)NAN, 0, 0, 1}, values[2];
    assert_false(tn_dense_eigen(2, nan, values));
}

static void no_memory_is_reported(void **state)
{
    int refused = 0;
    for (long n = 0; n < 4; n++) {
        double a[4] = {2, 1, 1, 2}, x[2] = {1, 1}, values[2];
        tn_memory_fail_after(n);
        refused += tn_dense_least_squares(2, 2, a, x, 1e-12) == -1;
        tn_memory_fail_after(-1);
        double e[4] = {2, 1, 1, 2};
        tn_memory_fail_after(n);
        refused += !tn_dense_eigen(2, e, values);
        tn_memory_fail_after(-1);
    }
    assert_int_equal(refused, 4); // three buffers and one
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(solves_leave_no_residual),     cmocka_unit_test(tree_factor_solves_and_keeps_zeros),
        cmocka_unit_test(unsolvable_is_refused),        cmocka_unit_test(least_squares_of_any_shape_and_rank),
        cmocka_unit_test(eigenvectors_lie_in_the_rows), cmocka_unit_test(no_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
