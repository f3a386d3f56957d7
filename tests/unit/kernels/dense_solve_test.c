// Small dense systems: every instruction set gives the bits of the baseline, and the solutions hold.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "kernels/dense_solve.h"
#include "test.h"

enum { LONGEST = 40, STRIDE = 48 };

static void fill(int n, int stride, double *A)
{
    memset(A, 0, (size_t)n * (size_t)stride * sizeof *A);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j <= n; j++) {
            A[i * stride + j] = tn_random_normal(1, (uint64_t)(100 * n + i), (uint64_t)j);
        }
    }
}

static void same_bits_and_right(void **state)
{
    static const char *const kinds[] = {"baseline", "avx2", "avx512"};
    double A[LONGEST * STRIDE], own[LONGEST * STRIDE], x[STRIDE], y[3][LONGEST], sizes[3][LONGEST],
        solution[3][LONGEST];
    double worst = 0.0;
    for (int n = 1; n <= LONGEST; n++) {
        int stride = (n + 8) & ~7;
        fill(n, stride, own);
        memset(x, 0, sizeof x);
        for (int j = 0; j < n; j++) {
            x[j] = tn_random_normal(2, (uint64_t)n, (uint64_t)j);
        }
        for (int k = 0; k < 3; k++) {
            bool regular = false;
            memcpy(A, own, sizeof A);
            if (tn_dense_solve_with(kinds[k], n, stride, A, x, y[k], sizes[k], solution[k], &regular)) {
                assert_true(regular);
                assert_memory_equal(y[k], y[0], (size_t)n * sizeof **y);
                assert_memory_equal(sizes[k], sizes[0], (size_t)n * sizeof **sizes);
                assert_memory_equal(solution[k], solution[0], (size_t)n * sizeof **solution);
            } else {
                assert_true(k > 0);
            }
        }
        for (int i = 0; i < n; i++) {
            double left = own[i * stride + n], product = -y[0][i], size = 0.0, of_product = 0.0;
            for (int j = 0; j < n; j++) {
                left -= own[i * stride + j] * solution[0][j];
                product += own[i * stride + j] * x[j];
                of_product += fabs(own[i * stride + j] * x[j]);
                size += fabs(own[i * stride + j]) * (fabs(solution[0][j]) + fabs(x[j]));
            }
            worst = fmax(worst, (fabs(left) + fabs(product) + fabs(of_product - sizes[0][i])) / size);
        }
    }
    printf("systems of up to %d: left %.1e (limit 1e-13)\n", LONGEST, worst);
    assert_true(worst <= 1e-13);
}

static void singular(void **state)
{
    double A[2 * 8] = {1.0, 2.0, 1.0, 0, 0, 0, 0, 0, 2.0, 4.0, 1.0}, x[2];
    assert_false(tn_dense_eliminate(2, 8, A, x));
}

// S times three rows, over columns 2 to 4 and 7 to 16 of 24.
static void combined(void **state)
{
    static const tn_dense_run runs[2] = {{2, 3}, {7, 10}};
    enum { WIDTH = 16, COLUMNS = 13 };
    double S[9], W[3 * 24], out[3 * WIDTH + 1];
    for (int i = 0; i < 9; i++) {
        S[i] = tn_random_normal(3, 0, (uint64_t)i);
    }
    for (int i = 0; i < 3 * 24; i++) {
        W[i] = tn_random_normal(4, 0, (uint64_t)i);
    }
    for (int i = 0; i < 3 * WIDTH + 1; i++) {
        out[i] = 7.0;
    }
    tn_dense_combine(2, runs, S, 24, W, WIDTH, out);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < COLUMNS; j++) {
            int from = j < 3 ? 2 + j : 7 + j - 3;
            double wanted = S[3 * i] * W[from] + S[3 * i + 1] * W[24 + from] + S[3 * i + 2] * W[48 + from];
            assert_true(out[i * WIDTH + j] == wanted);
        }
        for (int j = COLUMNS; j < WIDTH; j++) {
            assert_true(out[i * WIDTH + j] == 7.0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits_and_right), cmocka_unit_test(singular),
                                       cmocka_unit_test(combined)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
