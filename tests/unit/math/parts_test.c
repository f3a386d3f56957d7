// Parts of a matrix: which rows hang together, in what form, and their factors.
#include "base/random.h"
#include "math/blocks.h"
#include "math/parts.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ROWS = 13 };

// Blocks 0 2 | 1 | 3 4 5 6 7 | 8 9 10 11 | 12; without 3 to 7 tied to one another: no part is SPARSE.
static tn_blocks *mixed(bool sparse, tn_arena *arena)
{
    static const int pairs[][2] = {{0, 2}, {8, 11}, {11, 9}, {9, 10}, {3, 4}, {4, 5}, {5, 6}, {6, 7}};
    enum { PAIRS = sizeof pairs / sizeof pairs[0] };
    tn_blocks_entry entries[ROWS + 2 * PAIRS];
    int n = 0;
    for (int i = 0; i < ROWS; ++i) {
        entries[n++] = (tn_blocks_entry){i, i, {9, 1, 0.5, 1, 8, -1, 0.5, -1, 7 + i}};
    }
    for (int i = 0; i < (sparse ? PAIRS : 4); ++i) {
        entries[n++] = (tn_blocks_entry){pairs[i][0], pairs[i][1], {0.3, 1, 0, 0, -0.5, 0, 0.2, 0, 0.1}};
        entries[n++] = (tn_blocks_entry){pairs[i][1], pairs[i][0], {0.3, 0, 0.2, 1, -0.5, 0, 0, 0, 0.1}};
    }
    return tn_blocks_from_entries(ROWS, ROWS, n, entries, arena);
}

static void rows_fall_into_parts(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    tn_parts p;
    assert_int_equal(tn_parts_find(mixed(true, arena), arena, &p), TN_OK);
    const tn_part_form forms[] = {TN_PART_DENSE, TN_PART_DIAGONAL, TN_PART_SPARSE, TN_PART_DENSE, TN_PART_DIAGONAL};
    assert_int_equal(p.n, 5);
    assert_int_equal(p.largest, 5);
    assert_memory_equal(p.blocks, ((int[]){0, 2, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}), ROWS * sizeof(int));
    assert_memory_equal(p.place, ((int[]){0, 0, 1, 0, 1, 2, 3, 4, 0, 1, 2, 3, 0}), ROWS * sizeof(int));
    for (int k = 0; k < p.n; ++k) {
        assert_int_equal(tn_part_form_of(&p, k), forms[k]);
    }
    assert_true(tn_parts_any_sparse(&p));
    // Rigid bodies alone.
    tn_blocks_entry entries[3];
    for (int i = 0; i < 3; ++i) {
        entries[i] = (tn_blocks_entry){i, i, {4, 0, 0, 0, 4, 0, 0, 0, 4}};
    }
    assert_int_equal(tn_parts_find(tn_blocks_from_entries(3, 3, 3, entries, arena), arena, &p), TN_OK);
    assert_int_equal(p.n, 3);
    assert_int_equal(p.largest, 1);
    assert_int_equal(tn_part_form_of(&p, 2), TN_PART_DIAGONAL);
    tn_arena_destroy(arena);
}

// A x by the matrix, and x again by the factors and by the inverses; x . A x by half solves.
static void factors_and_inverses_undo_the_product(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    const tn_blocks *A = mixed(false, arena);
    tn_parts p;
    tn_part_factors f;
    tn_error error;
    double x[3 * ROWS], y[3 * ROWS], solved[3 * ROWS], worst[3] = {0.0, 0.0, 0.0};
    assert_int_equal(tn_parts_find(A, arena, &p), TN_OK);
    assert_false(tn_parts_any_sparse(&p));
    for (int i = 0; i < 3 * ROWS; ++i) {
        x[i] = tn_random_uniform(7, 0, (uint64_t)i) - 0.5;
    }
    tn_blocks_mul(A, x, y);
    memcpy(solved, y, sizeof y);
    assert_int_equal(tn_parts_factor(A, &p, 1, arena, &f, &error), TN_OK);
    tn_parts_solve(&f, solved);
    for (int k = 0; k < p.n; ++k) {
        double inverse[9 * TN_PART_BLOCKS * TN_PART_BLOCKS];
        const int *rows = p.blocks + p.start[k];
        double half[3 * TN_PART_BLOCKS], square = 0.0;
        int n = 3 * tn_part_size(&p, k);
        assert_true(tn_part_invert(A, &p, k, inverse));
        for (int i = 0; i < n; ++i) {
            half[i] = y[3 * rows[i / 3] + i % 3];
            square += half[i] * x[3 * rows[i / 3] + i % 3];
        }
        tn_part_half_solve(&f, k, half);
        for (int i = 0; i < n; ++i) {
            square -= half[i] * half[i];
        }
        worst[2] = fmax(worst[2], fabs(square));
        for (int i = 0; i < n; ++i) {
            double sum = 0.0, own = x[3 * rows[i / 3] + i % 3];
            for (int j = 0; j < n; ++j) {
                assert_true(inverse[i * n + j] == inverse[j * n + i]);
                sum += inverse[i * n + j] * y[3 * rows[j / 3] + j % 3];
            }
            worst[0] = fmax(worst[0], fabs(solved[3 * rows[i / 3] + i % 3] - own));
            worst[1] = fmax(worst[1], fabs(sum - own));
        }
    }
    print_message("error by factors %.1e, by inverses %.1e, by halves %.1e (limit 1e-14: condition 3)\n", worst[0],
                  worst[1], worst[2]);
    assert_true(worst[0] > 0.0 && worst[0] <= 1e-14 && worst[1] <= 1e-14 && worst[2] <= 1e-14);
    tn_arena_destroy(arena);
}

// A body without mass, a NaN, a DENSE part that is indefinite: the block row is named.
static void what_is_not_positive_is_named(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    const struct {
        int row, number, named;
        double value;
    } cases[] = {{1, 0, 1, 0.0}, {12, 8, 12, NAN}, {12, 4, 12, -1.0}, {2, 4, 0, 1e-3}, {10, 8, 8, 0.0}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; ++k) {
        tn_blocks *A = mixed(false, arena);
        tn_parts p;
        tn_part_factors f;
        tn_error error = {0};
        char expected[32];
        double inverse[9 * TN_PART_BLOCKS * TN_PART_BLOCKS];
        tn_blocks_find(A, cases[k].row, cases[k].row)[cases[k].number] = cases[k].value;
        assert_int_equal(tn_parts_find(A, arena, &p), TN_OK);
        assert_int_equal(tn_parts_factor(A, &p, 1, arena, &f, &error), TN_NUMERICS);
        snprintf(expected, sizeof expected, "block row %d", cases[k].named);
        assert_non_null(strstr(error.message, expected));
        assert_false(tn_part_invert(A, &p, p.of_block[cases[k].row], inverse));
    }
    tn_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_fall_into_parts),
        cmocka_unit_test(factors_and_inverses_undo_the_product),
        cmocka_unit_test(what_is_not_positive_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
