// Rows of a body's point against the plain formula, bit by bit, with every instruction set.
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "kernels/point_rows.h"
#include "math/mat3.h"
#include "test.h"

static void fill(double *x, int n, uint64_t stream, uint64_t k)
{
    for (int i = 0; i < n; i++) {
        x[i] = tn_random_normal(3, stream, 9 * k + (uint64_t)i);
    }
}

static void bits_are_those_of_the_plain_formula(void **state)
{
    const char *kinds[] = {"avx512", "avx2", "baseline"};
    int tried = 0;
    for (int kind = 0; kind < 3; kind++) {
        tn_point_rows_function *rows = tn_point_rows_with(kinds[kind]);
        for (uint64_t k = 0; rows && k < 1000; k++) {
            double frame[9], rotation[9], arm[3], sign = k % 2 ? -1.0 : 1.0, expected[18], found[18];
            fill(frame, 9, 0, k);
            fill(rotation, 9, 1, k);
            fill(arm, 3, 2, k);
            for (int i = 0; i < 3; i++) {
                double moment[3];
                tn_vec3_scale(expected + 3 * i, sign, frame + 3 * i);
                tn_vec3_cross(moment, arm, expected + 3 * i);
                tn_mat3_tvec(expected + 9 + 3 * i, rotation, moment);
            }
            rows(frame, rotation, arm, sign, found);
            assert_memory_equal(expected, found, sizeof found);
            tried++;
        }
        assert_true(rows || kind < 2);
    }
    printf("%d rows, the same bits\n", tried);
    assert_null(tn_point_rows_with("abacus"));
    assert_non_null(tn_point_rows_best());
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bits_are_those_of_the_plain_formula)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
