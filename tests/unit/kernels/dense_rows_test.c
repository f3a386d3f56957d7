// The dense row kernel: every instruction set gives the bits of the plain loop, ends included.
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "kernels/dense_rows.h"
#include "test.h"

enum { LONGEST = 70 };

static void every_kind_has_the_same_bits(void **state)
{
    static const char *const kinds[] = {"avx512", "avx2", "baseline"};
    double rows[3 * LONGEST], start[LONGEST], plain[LONGEST], y[LONGEST];
    const double d[3] = {0.7, -1.3, 2.9};
    int ran = 0;
    for (int n = 0; n <= LONGEST; n++) {
        for (int i = 0; i < 3 * n; i++) {
            rows[i] = tn_random_normal(1, (uint64_t)n, (uint64_t)i);
        }
        for (int i = 0; i < n; i++) {
            start[i] = tn_random_normal(2, (uint64_t)n, (uint64_t)i);
            plain[i] = start[i] + rows[i] * d[0] + rows[n + i] * d[1] + rows[2 * n + i] * d[2];
        }
        for (int k = 0; k < 3; k++) {
            memcpy(y, start, sizeof y);
            bool has = tn_dense_rows_add_with(kinds[k], n, rows, d, y);
            assert_memory_equal(y, has ? plain : start, (size_t)n * sizeof *y);
            ran += has;
        }
        memcpy(y, start, sizeof y);
        tn_dense_rows_add(n, rows, d, y);
        assert_memory_equal(y, plain, (size_t)n * sizeof *y);
    }
    printf("%d runs of %d had an instruction set of this processor\n", ran, 3 * (LONGEST + 1));
    assert_true(ran >= LONGEST + 1);
    assert_false(tn_dense_rows_add_with("no such set", LONGEST, rows, d, y));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_kind_has_the_same_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
