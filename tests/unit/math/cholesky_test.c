// The sparse factor against the dense one, its refusals, and its reuse.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/memory.h"
#include "base/random.h"
#include "math/blocks.h"
#include "math/cholesky.h"
#include "math/dense.h"
#include "test.h"

enum { ENTRIES_MAX = 4096 };

// A random symmetric, diagonally dominant matrix of n blocks: a chain and n extra couplings.
static tn_blocks *random_spd(int n, uint64_t seed, double diagonal, tn_arena *arena)
{
    static tn_blocks_entry entries[ENTRIES_MAX];
    int m = 0;
    uint64_t counter = 0;
    for (int link = 0; link < 2 * n - 1; link++) {
        int i = link < n - 1 ? link : (int)(tn_random_u64(seed, 1, counter++) % (uint64_t)n);
        int j = link < n - 1 ? link + 1 : (int)(tn_random_u64(seed, 1, counter++) % (uint64_t)n);
        if (i == j) {
            continue;
        }
        entries[m] = (tn_blocks_entry){.row = i, .column = j};
        entries[m + 1] = (tn_blocks_entry){.row = j, .column = i};
        for (int k = 0; k < 9; k++) {
            double value = 2.0 * tn_random_uniform(seed, 2, counter++) - 1.0;
            entries[m].value[k] = value;
            entries[m + 1].value[3 * (k % 3) + k / 3] = value;
        }
        m += 2;
    }
    for (int i = 0; i < n; i++) {
        entries[m++] = (tn_blocks_entry){i, i, {diagonal, 0.5, 0, 0.5, diagonal, 0.25, 0, 0.25, diagonal}};
    }
    return tn_blocks_from_entries(n, n, m, entries, arena);
}

static void to_dense(const tn_blocks *A, double *a)
{
    int n = 3 * A->n_rows;
    memset(a, 0, (size_t)(n * n) * sizeof *a);
    for (int row = 0; row < A->n_rows; row++) {
        for (int k = A->start[row]; k < A->start[row + 1]; k++) {
            for (int e = 0; e < 9; e++) {
                a[(3 * row + e / 3) * n + 3 * A->column[k] + e % 3] = A->value[9 * k + e];
            }
        }
    }
}

static void sparse_and_dense_agree(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    double worst = 0.0;
    for (int n = 1; n <= 65; n += 8) {
        tn_blocks *A = random_spd(n, (uint64_t)n, 40.0, arena);
        double *a = TN_PUSH(arena, double, 9 * n * n), *x = TN_PUSH(arena, double, 6 * n);
        double *d = TN_PUSH(arena, double, 6 * n);
        for (int i = 0; i < 6 * n; i++) {
            d[i] = x[i] = tn_random_normal(7, 0, (uint64_t)i);
        }
        tn_error error = {0};
        tn_cholesky *factor = tn_cholesky_create(A, &error);
        assert_non_null(factor);
        assert_int_equal(tn_cholesky_factor(factor, A, &error), TN_OK);
        assert_int_equal(tn_cholesky_solve(factor, 2, x, x, &error), TN_OK);
        assert_true(tn_cholesky_bytes(factor) >= (size_t)(9 * n) * sizeof(double));
        to_dense(A, a);
        assert_true(tn_dense_cholesky(3 * n, a));
        tn_dense_cholesky_solve(3 * n, a, d);
        tn_dense_cholesky_solve(3 * n, a, d + 3 * n);
        for (int i = 0; i < 6 * n; i++) {
            worst = fmax(worst, fabs(x[i] - d[i]));
        }
        tn_cholesky_destroy(factor);
    }
    printf("largest difference to the dense solution %.2e, limit 1e-15 (|x| is near 0.1, condition under 3)\n", worst);
    assert_true(worst < 1e-15);
    tn_arena_destroy(arena);
}

static void an_indefinite_matrix_is_refused_and_the_next_one_taken(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    tn_error error = {0};
    for (int n = 1; n <= 60; n += 59) {
        tn_blocks *A = random_spd(n, 3, 40.0, arena);
        double x[180];
        tn_cholesky *factor = tn_cholesky_create(A, &error);
        double *block = tn_blocks_find(A, n / 2, n / 2);
        assert_int_equal(tn_cholesky_solve(factor, 1, x, x, &error), TN_NUMERICS); // nothing factored yet
        for (int kind = 0; kind < 3; kind++) {
            block[4] = kind == 0 ? -40.0 : kind == 1 ? (double)NAN : 0.0;
            assert_int_equal(tn_cholesky_factor(factor, A, &error), TN_NUMERICS);
            printf("n = %d: %s\n", n, error.message);
            assert_int_equal(tn_cholesky_solve(factor, 1, x, x, &error), TN_NUMERICS);
            block[4] = 40.0;
            assert_int_equal(tn_cholesky_factor(factor, A, &error), TN_OK);
            double b[180], r[180];
            for (int i = 0; i < 3 * n; i++) {
                b[i] = x[i] = 1.0 + i;
            }
            assert_int_equal(tn_cholesky_solve(factor, 1, x, x, &error), TN_OK);
            tn_blocks_mul(A, x, r);
            for (int i = 0; i < 3 * n; i++) {
                assert_true(fabs(r[i] - b[i]) < 1e-12 * 3 * n);
            }
        }
        tn_cholesky_destroy(factor);
    }
    tn_arena_destroy(arena);
}

// A cube of side^3 nodes, each tied to its neighbours: large enough for supernodes.
static tn_blocks *grid(int side, tn_arena *arena)
{
    int n = side * side * side, m = 0;
    tn_blocks_entry *entries = TN_PUSH(arena, tn_blocks_entry, 13 * n);
    const int stride[3] = {1, side, side * side};
    for (int i = 0; i < n; i++) {
        entries[m++] = (tn_blocks_entry){i, i, {7, 0, 0, 0, 7, 0, 0, 0, 7}};
        for (int d = 0; d < 3; d++) {
            if (i / stride[d] % side + 1 < side) {
                int j = i + stride[d];
                entries[m++] = (tn_blocks_entry){i, j, {-1, 0, 0.2, 0, -1, 0, 0, 0, -1}};
                entries[m++] = (tn_blocks_entry){j, i, {-1, 0, 0, 0, -1, 0, 0.2, 0, -1}};
            }
        }
    }
    return tn_blocks_from_entries(n, n, m, entries, arena);
}

static void a_large_grid_is_solved_to_rounding_and_to_the_same_bits(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    tn_blocks *A = grid(12, arena);
    size_t n = 3 * (size_t)A->n_rows;
    double *b = TN_PUSH(arena, double, 4 * n), *x = TN_PUSH(arena, double, 4 * n), *y = TN_PUSH(arena, double, 4 * n);
    for (size_t i = 0; i < 4 * n; i++) {
        b[i] = tn_random_normal(9, 0, i);
    }
    tn_error error = {0};
    tn_cholesky *factor = tn_cholesky_create(A, &error);
    assert_int_equal(tn_cholesky_factor(factor, A, &error), TN_OK);
    assert_int_equal(tn_cholesky_solve(factor, 4, b, x, &error), TN_OK);
    size_t bytes = tn_cholesky_bytes(factor);
    double worst = 0.0;
    for (int k = 0; k < 4; k++) {
        tn_blocks_mul(A, x + (size_t)k * n, y);
        for (size_t i = 0; i < n; i++) {
            worst = fmax(worst, fabs(y[i] - b[(size_t)k * n + i]));
        }
    }
    printf("residual %.2e, limit 1e-14 (|b| up to 4); CHOLMOD holds %.1f MB\n", worst, (double)bytes * 1e-6);
    assert_true(worst < 1e-14);
    // Factored and solved again: the same bits and no more memory.
    assert_int_equal(tn_cholesky_factor(factor, A, &error), TN_OK);
    assert_int_equal(tn_cholesky_solve(factor, 4, b, y, &error), TN_OK);
    assert_memory_equal(x, y, 4 * n * sizeof *x);
    assert_int_equal(tn_cholesky_bytes(factor), bytes);
    tn_cholesky_destroy(factor);
    tn_arena_destroy(arena);
}

// The blocks of the inverse between chosen rows against solves with unit vectors, small (simplicial) and supernodal.
static void corner_of_the_inverse(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    for (int large = 0; large < 2; large++) {
        tn_blocks *A = large ? grid(9, arena) : random_spd(20, 3, 9.0, arena);
        size_t n = 3 * (size_t)A->n_rows;
        const int last[] = {7, 2, A->n_rows - 1, 11, 0};
        enum { LAST = sizeof last / sizeof last[0], WIDTH = 3 * LAST };
        tn_error error = {0};
        tn_cholesky *factor = tn_cholesky_create_last(A, LAST, last, &error);
        double corner[WIDTH * WIDTH], worst = 0.0, *x = TN_PUSH(arena, double, n);
        assert_non_null(factor);
        assert_int_equal(tn_cholesky_corner_inverse(factor, corner, &error), TN_NUMERICS); // no values yet
        assert_int_equal(tn_cholesky_factor(factor, A, &error), TN_OK);
        assert_int_equal(tn_cholesky_corner_inverse(factor, corner, &error), TN_OK);
        for (int j = 0; j < WIDTH; j++) {
            memset(x, 0, n * sizeof *x);
            x[3 * last[j / 3] + j % 3] = 1.0;
            assert_int_equal(tn_cholesky_solve(factor, 1, x, x, &error), TN_OK);
            for (int i = 0; i < WIDTH; i++) {
                worst = fmax(worst, fabs(corner[i * WIDTH + j] - x[3 * last[i / 3] + i % 3]));
            }
        }
        printf("%d rows: corner of the inverse off by %.1e (limit 1e-15: rounding, entries up to 0.2)\n", A->n_rows,
               worst);
        assert_true(worst <= 1e-15);
        tn_cholesky_destroy(factor);
    }
    tn_arena_destroy(arena);
}

static void nothing_to_factor_and_no_memory(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    tn_error error = {0};
    tn_blocks *empty = tn_blocks_from_entries(0, 0, 0, NULL, arena);
    tn_cholesky *factor = tn_cholesky_create(empty, &error);
    assert_non_null(factor);
    assert_int_equal(tn_cholesky_factor(factor, empty, &error), TN_OK);
    assert_int_equal(tn_cholesky_solve(factor, 1, NULL, NULL, &error), TN_OK);
    tn_cholesky_destroy(factor);
    tn_cholesky_destroy(NULL);
    tn_memory_fail_after(0);
    assert_null(tn_cholesky_create(empty, &error));
    tn_memory_fail_after(-1);
    assert_int_equal(error.status, TN_NO_MEMORY);
    tn_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sparse_and_dense_agree),
        cmocka_unit_test(an_indefinite_matrix_is_refused_and_the_next_one_taken),
        cmocka_unit_test(a_large_grid_is_solved_to_rounding_and_to_the_same_bits),
        cmocka_unit_test(corner_of_the_inverse),
        cmocka_unit_test(nothing_to_factor_and_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
