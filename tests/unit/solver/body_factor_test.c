// The factor of a matrix of bodies: it solves what it was made of, slender or fat, with bodies of one row among those
// of two, in any order; a matrix that is not positive definite is told.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "math/blocks.h"
#include "solver/body_factor.h"
#include "test.h"

enum { ROWS = 1300, SEED = 5 };

// Where a block row's body stands in a chain: seven bodies have 13 rows, and their numbers jump, so that the order of
// the rows is no band.
static int place_of(int row)
{
    int body = row / 13 * 7 + (row % 13 + 1) / 2;
    return body * 37 % (ROWS / 13 * 7);
}

// Symmetric, of numbers from -1/2 to 1/2 and `diagonal`, between bodies at most `reach` apart in their chain.
static tn_blocks make(int reach, double diagonal)
{
    tn_blocks K = {.n_rows = ROWS, .n_cols = ROWS};
    size_t most = (size_t)ROWS * (size_t)(4 * reach + 2);
    K.start = malloc((ROWS + 1) * sizeof(int));
    K.column = malloc(most * sizeof(int));
    K.value = malloc(9 * most * sizeof(double));
    assert_true(K.start && K.column && K.value);
    int n = 0;
    for (int i = 0; i < ROWS; i++) {
        K.start[i] = n;
        for (int j = 0; j < ROWS; j++) {
            if (abs(place_of(i) - place_of(j)) > reach) {
                continue;
            }
            K.column[n] = j;
            for (int k = 0; k < 9; k++) {
                int a = 3 * i + k / 3, b = 3 * j + k % 3;
                double number = tn_random_uniform(SEED, (uint64_t)(a < b ? a : b), (uint64_t)(a < b ? b : a)) - 0.5;
                K.value[9 * (size_t)n + (size_t)k] = a == b ? diagonal : number;
            }
            n++;
        }
    }
    K.start[ROWS] = n;
    return K;
}

static void check_solves(int reach)
{
    static double b[3 * ROWS], x[3 * ROWS], y[3 * ROWS];
    double worst = 0.0;
    tn_error error = {0};
    tn_blocks K = make(reach, 12.0 * (2 * reach + 1));
    tn_arena *arena = tn_arena_create(0);
    tn_body_factor factor;
    assert_int_equal(tn_body_factor_create(&factor, &K, arena, &error), TN_OK);
    assert_int_equal(tn_body_factor_values(&factor, &K, &error), TN_OK);
    for (int i = 0; i < 3 * ROWS; i++) {
        x[i] = b[i] = tn_random_uniform(SEED, 3 * ROWS, (uint64_t)i);
    }
    tn_body_factor_solve(&factor, x, x); // in place
    tn_blocks_mul(&K, x, y);
    for (int i = 0; i < 3 * ROWS; i++) {
        worst = fmax(worst, fabs(y[i] - b[i]));
    }
    // Diagonally dominant, numbers of 1: rounding of sums of some hundred numbers.
    print_message("reach %d, %.2g operations: |K x - b| %.2g, limit 1e-13\n", reach, factor.flops, worst);
    assert_true(worst < 1e-13);
    tn_arena_destroy(arena);
    free(K.start);
    free(K.column);
    free(K.value);
}

static void test_slender(void **state)
{
    check_solves(0); // pieces
    check_solves(1);
    check_solves(5);
}

static void test_fat(void **state)
{
    check_solves(40);
}

static void test_not_positive_definite(void **state)
{
    tn_error error = {0};
    tn_arena *arena = tn_arena_create(0);
    tn_blocks K = make(1, 0.1);
    tn_body_factor factor;
    assert_int_equal(tn_body_factor_create(&factor, &K, arena, &error), TN_OK);
    assert_int_equal(tn_body_factor_values(&factor, &K, &error), TN_NUMERICS);
    for (int e = 0; e < K.start[ROWS]; e++) {
        K.value[9 * (size_t)e] = NAN;
    }
    assert_int_equal(tn_body_factor_values(&factor, &K, &error), TN_NUMERICS);
    tn_arena_destroy(arena);
    free(K.start);
    free(K.column);
    free(K.value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slender),
        cmocka_unit_test(test_fat),
        cmocka_unit_test(test_not_positive_definite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
