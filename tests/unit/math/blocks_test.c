// Block matrix: assembly, products against a dense matrix, the same bits for any thread count, components.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/random.h"
#include "math/blocks.h"
#include "test.h"

// m entries at random places of a matrix of (rows, columns), places repeat.
static tn_blocks_entry *random_entries(int rows, int columns, int m, uint64_t seed, tn_arena *arena)
{
    tn_blocks_entry *entries = TN_PUSH(arena, tn_blocks_entry, m);
    for (int e = 0; e < m; e++) {
        entries[e].row = (int)(tn_random_u64(seed, 0, (uint64_t)e) % (uint64_t)rows);
        entries[e].column = (int)(tn_random_u64(seed, 1, (uint64_t)e) % (uint64_t)columns);
        for (int k = 0; k < 9; k++) {
            entries[e].value[k] = tn_random_normal(seed, 2, (uint64_t)(9 * e + k));
        }
    }
    return entries;
}

static void assembly_and_product_match_the_dense_ones(void **state)
{
    enum { ROWS = 23, COLUMNS = 17, M = 300 };
    tn_arena *arena = tn_arena_create(0);
    tn_blocks_entry *entries = random_entries(ROWS, COLUMNS, M, 1, arena);
    tn_blocks *A = tn_blocks_from_entries(ROWS, COLUMNS, M, entries, arena);
    double dense[3 * ROWS][3 * COLUMNS] = {{0}};
    for (int e = 0; e < M; e++) {
        for (int k = 0; k < 9; k++) {
            dense[3 * entries[e].row + k / 3][3 * entries[e].column + k % 3] += entries[e].value[k];
        }
    }
    // Every place holds exactly the sum in the order given; columns ascend; nothing is missing.
    int found = 0;
    for (int i = 0; i < ROWS; i++) {
        for (int k = A->start[i] + 1; k < A->start[i + 1]; k++) {
            assert_true(A->column[k] > A->column[k - 1]);
        }
        for (int j = 0; j < COLUMNS; j++) {
            const double *block = tn_blocks_find(A, i, j);
            found += block != NULL;
            for (int k = 0; k < 9; k++) {
                assert_true((block ? block[k] : 0.0) == dense[3 * i + k / 3][3 * j + k % 3]);
            }
        }
    }
    assert_int_equal(found, A->start[ROWS]);

    double x[3 * COLUMNS], y[3 * ROWS], worst = 0.0;
    for (int i = 0; i < 3 * COLUMNS; i++) {
        x[i] = tn_random_normal(2, 0, (uint64_t)i);
    }
    tn_blocks_mul(A, x, y);
    for (int i = 0; i < 3 * ROWS; i++) {
        double s = 0.0;
        for (int j = 0; j < 3 * COLUMNS; j++) {
            s += dense[i][j] * x[j];
        }
        worst = fmax(worst, fabs(y[i] - s));
    }
    printf("largest difference to the dense product %.2e, limit 1e-13 (51 terms of size 1, each 1e-16)\n", worst);
    assert_true(worst < 1e-13);
    tn_arena_destroy(arena);
}

static void symmetry_is_judged_by_values_and_pattern(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    const tn_blocks_entry entries[] = {
        {1, 0, {1, 2, 3, 4, 5, 6, 7, 8, 9}},
        {0, 1, {1, 4, 7, 2, 5, 8, 3, 6, 9}},
        {1, 1, {1, 2, 3, 2, 1, 4, 3, 4, 1}},
    };
    tn_blocks *A = tn_blocks_from_entries(2, 2, 3, entries, arena);
    assert_true(tn_blocks_is_symmetric(A, 0.0));
    tn_blocks_find(A, 1, 0)[1] += 0.9e-3;
    assert_true(tn_blocks_is_symmetric(A, 1.1e-4)); // largest number is 9
    assert_false(tn_blocks_is_symmetric(A, 0.9e-4));
    tn_blocks_find(A, 1, 0)[1] = (double)NAN;
    assert_false(tn_blocks_is_symmetric(A, 1.0));
    tn_blocks *missing = tn_blocks_from_entries(2, 2, 1, entries, arena);
    assert_false(tn_blocks_is_symmetric(missing, 0.5));
    tn_blocks *wide = tn_blocks_from_entries(2, 3, 3, entries, arena);
    assert_false(tn_blocks_is_symmetric(wide, 0.5));
    tn_arena_destroy(arena);
}

static void components_are_counted_by_their_first_row(void **state)
{
    // 0-5-3, 1, 2-4 (symmetric pattern without some diagonals)
    tn_arena *arena = tn_arena_create(0);
    const tn_blocks_entry entries[] = {{5, 3, {0}}, {3, 5, {0}}, {0, 5, {0}}, {5, 0, {0}},
                                       {2, 4, {0}}, {4, 2, {0}}, {1, 1, {0}}};
    tn_blocks *A = tn_blocks_from_entries(6, 6, 7, entries, arena);
    int component[6];
    assert_int_equal(tn_blocks_components(A, component, arena), 3);
    const int expected[6] = {0, 1, 2, 0, 2, 0};
    assert_memory_equal(component, expected, sizeof expected);
    tn_arena_destroy(arena);
}

static void empty_and_diagonal_matrices_work(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    tn_blocks *empty = tn_blocks_from_entries(0, 0, 0, NULL, arena);
    assert_non_null(empty);
    assert_int_equal(empty->start[0], 0);
    tn_blocks_mul(empty, NULL, NULL);
    assert_int_equal(tn_blocks_components(empty, NULL, arena), 0);
    assert_true(tn_blocks_is_symmetric(empty, 0.0));

    const double diagonal[18] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 0, 0, 0, 2, 0, 0, 0, 3};
    tn_blocks *D = tn_blocks_from_diagonal(2, diagonal, arena);
    const double x[6] = {1, 1, 1, 1, 1, 1}, expected[6] = {6, 15, 24, 1, 2, 3};
    double y[6];
    tn_blocks_mul(D, x, y);
    assert_memory_equal(y, expected, sizeof y);
    assert_null(tn_blocks_find(D, 0, 1));
    tn_arena_destroy(arena);
}

static void no_memory_is_reported(void **state)
{
    enum { N = 3000 };
    tn_arena *source = tn_arena_create(0);
    tn_blocks_entry *entries = random_entries(N, N, N, 5, source);
    int refused = 0;
    for (long n = 0; n < 24; n++) {
        tn_arena *arena = tn_arena_create(64);
        tn_memory_fail_after(n);
        tn_blocks *A = tn_blocks_from_entries(N, N, N, entries, arena);
        int component[N];
        int components = A ? tn_blocks_components(A, component, arena) : -1;
        tn_memory_fail_after(-1);
        tn_arena_destroy(arena);
        refused += components < 0;
    }
    printf("%d of 24 failures refused\n", refused);
    assert_true(refused >= 4 && refused < 24);
    tn_arena_destroy(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(assembly_and_product_match_the_dense_ones),
        cmocka_unit_test(symmetry_is_judged_by_values_and_pattern),
        cmocka_unit_test(components_are_counted_by_their_first_row),
        cmocka_unit_test(empty_and_diagonal_matrices_work),
        cmocka_unit_test(no_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
