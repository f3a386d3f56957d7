// The vectorised, threaded product against its scalar twin, bit by bit.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/random.h"
#include "kernels/block_product.h"
#include "math/blocks.h"
#include "test.h"

// m blocks at random places; numbers over many scales, so that another order of summation would show.
static tn_blocks *random_blocks(int rows, int columns, int m, tn_arena *arena)
{
    tn_blocks_entry *entries = TN_PUSH(arena, tn_blocks_entry, m);
    for (int e = 0; e < m; e++) {
        entries[e].row = (int)(tn_random_u64(1, 0, (uint64_t)e) % (uint64_t)rows);
        entries[e].column = (int)(tn_random_u64(1, 1, (uint64_t)e) % (uint64_t)columns);
        for (int k = 0; k < 9; k++) {
            double scale = pow(10.0, 8.0 * tn_random_uniform(1, 2, (uint64_t)(9 * e + k)));
            entries[e].value[k] = scale * tn_random_normal(1, 3, (uint64_t)(9 * e + k));
        }
    }
    return tn_blocks_from_entries(rows, columns, m, entries, arena);
}

// The definition, number by number.
static void scalar_product(const tn_blocks *A, const double *x, double *y)
{
    for (int i = 0; i < A->n_rows; i++) {
        double sum[9] = {0.0};
        for (int e = A->start[i]; e < A->start[i + 1]; e++) {
            for (int k = 0; k < 9; k++) {
                sum[k] += A->value[9 * (size_t)e + (size_t)k] * x[3 * A->column[e] + k % 3];
            }
        }
        for (int k = 0; k < 3; k++) {
            y[3 * i + k] = sum[3 * k] + sum[3 * k + 1] + sum[3 * k + 2];
        }
    }
}

// Both vectors at once, by any number of threads: y and, of x backwards, what the single product gives.
static void check_two(const tn_blocks *A, const double *x, const double *y, tn_arena *arena)
{
    size_t n = 3 * (size_t)A->n_rows, m = 3 * (size_t)A->n_cols;
    double *w = TN_PUSH(arena, double, m), *z = TN_PUSH(arena, double, n);
    double *a = TN_PUSH(arena, double, n), *b = TN_PUSH(arena, double, n);
    for (size_t i = 0; i < m; i++) {
        w[i] = x[m - 1 - i];
    }
    scalar_product(A, w, z);
    for (int n_threads = 1; n_threads <= 3; n_threads++) {
        memset(a, 0xff, n * sizeof *a);
        memset(b, 0xff, n * sizeof *b);
        tn_block_product_two(A, (const double *[2]){x, w}, (double *[2]){a, b}, n_threads);
        assert_memory_equal(a, y, n * sizeof *a);
        assert_memory_equal(b, z, n * sizeof *b);
    }
}

static void bits_are_those_of_the_scalar_product(void **state)
{
    const int sizes[][3] = {{1, 1, 1}, {1, 7, 5}, {5, 1, 3}, {40, 30, 200}, {255, 300, 9000}, {1025, 900, 20000}};
    for (int s = 0; s < 6; s++) {
        tn_arena *arena = tn_arena_create(0);
        tn_blocks *A = random_blocks(sizes[s][0], sizes[s][1], sizes[s][2], arena);
        size_t n = 3 * (size_t)A->n_rows;
        double *x = TN_PUSH(arena, double, 3 * A->n_cols), *y = TN_PUSH(arena, double, n);
        double *z = TN_PUSH(arena, double, n);
        for (int i = 0; i < 3 * A->n_cols; i++) {
            x[i] = tn_random_normal(2, 0, (uint64_t)i);
        }
        scalar_product(A, x, y);
        check_two(A, x, y, arena);
        for (int n_threads = 1; n_threads <= 3; n_threads++) {
            memset(z, 0xff, n * sizeof *z);
            tn_block_product(A, x, z, n_threads);
            assert_memory_equal(y, z, n * sizeof *z);
        }
        const char *kinds[] = {"avx512", "avx2", "baseline"};
        for (int k = 0; k < 3; k++) {
            memset(z, 0xff, n * sizeof *z);
            if (tn_block_product_with(kinds[k], A, x, z)) {
                assert_memory_equal(y, z, n * sizeof *z);
            } else {
                assert_true(k < 2);
                print_message("no %s here\n", kinds[k]);
            }
        }
        assert_false(tn_block_product_with("abacus", A, x, z));
        tn_arena_destroy(arena);
    }
    printf("instruction set here: %s\n", tn_block_product_kind());
}

static void the_empty_matrix_and_nan(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    tn_block_product(tn_blocks_from_entries(0, 0, 0, NULL, arena), NULL, NULL, 2);
    const double block[9] = {1, 0, 0, 0, (double)NAN, 0, 0, 0, 1}, x[3] = {1, 1, 1};
    double y[3];
    tn_block_product(tn_blocks_from_diagonal(1, block, arena), x, y, 1);
    assert_true(y[0] == 1.0 && isnan(y[1]) && y[2] == 1.0);
    tn_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bits_are_those_of_the_scalar_product),
        cmocka_unit_test(the_empty_matrix_and_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
