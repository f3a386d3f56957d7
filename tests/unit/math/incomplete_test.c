// The incomplete factor by what defines it: L L^T is the matrix wherever its pattern has a block, and all of it where
// the exact factor fills nothing in.
#include "math/incomplete.h"

#include "base/random.h"
#include "math/blocks.h"
#include "math/mat3.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { N = 40 };

static void put(tn_blocks_entry *entries, int *n, int row, int column, const double value[9])
{
    entries[*n] = (tn_blocks_entry){.row = row, .column = column};
    memcpy(entries[(*n)++].value, value, 9 * sizeof *value);
}

// Symmetric, with random blocks of size 1 at i, i - reach[k] and `diagonal` times the identity besides.
static tn_blocks *band(int n_reach, const int *reach, double diagonal, tn_arena *arena)
{
    static tn_blocks_entry entries[8 * N];
    int n = 0;
    for (int i = 0; i < N; ++i) {
        double own[9] = {diagonal, 0.3, 0.1, 0.3, diagonal + 1.0, 0.2, 0.1, 0.2, diagonal + 2.0};
        put(entries, &n, i, i, own);
        for (int k = 0; k < n_reach; ++k) {
            int j = i - reach[k];
            double block[9], turned[9];
            for (int e = 0; e < 9; ++e) {
                block[e] = tn_random_uniform(7, (uint64_t)(i * 8 + k), (uint64_t)e) - 0.5;
                turned[3 * (e % 3) + e / 3] = block[e];
            }
            if (j >= 0) {
                put(entries, &n, i, j, block);
                put(entries, &n, j, i, turned);
            }
        }
    }
    return tn_blocks_from_entries(N, N, n, entries, arena);
}

// The factor's block (i, j), zero outside its pattern; the diagonal's from its inverse.
static void block_of(const tn_incomplete *f, int i, int j, double out[9])
{
    memset(out, 0, 9 * sizeof *out);
    if (i == j) {
        assert_true(tn_mat3_inverse(out, f->inverse + 9 * (size_t)i));
    }
    for (int e = f->start[i]; e < f->start[i + 1]; ++e) {
        if (f->column[e] == j) {
            memcpy(out, f->value + 9 * (size_t)e, 9 * sizeof *out);
        }
    }
}

static void agrees_on_pattern(void **state)
{
    static const int reach[] = {1, 4, 7};
    tn_arena *arena = tn_arena_create(0);
    tn_blocks *A = band(3, reach, 4.0, arena);
    tn_incomplete f;
    assert_true(A && tn_incomplete_create(&f, A, arena) && tn_incomplete_values(&f, A));
    double worst = 0.0, dropped = 0.0;
    for (int i = 0; i < N; ++i) {
        for (int j = 0; j <= i; ++j) {
            double sum[9] = {0.0}, left[9], right[9], product[9];
            for (int k = 0; k <= j; ++k) {
                block_of(&f, i, k, left);
                block_of(&f, j, k, right);
                tn_mat3_mul_nt(product, left, right);
                for (int e = 0; e < 9; ++e) {
                    sum[e] += product[e];
                }
            }
            const double *own = tn_blocks_find(A, i, j);
            for (int e = 0; e < 9; ++e) {
                worst = own ? fmax(worst, fabs(sum[e] - own[e])) : worst;
                dropped = own ? dropped : fmax(dropped, fabs(sum[e]));
            }
        }
    }
    printf("L L^T off by %.1e inside the pattern (limit 1e-14: rounding), up to %.2f outside\n", worst, dropped);
    assert_true(worst <= 1e-14 && dropped > 1e-3);
    tn_arena_destroy(arena);
}

static void exact_without_fill(void **state)
{
    static const int reach[] = {1};
    tn_arena *arena = tn_arena_create(0);
    tn_blocks *A = band(1, reach, 3.0, arena);
    tn_incomplete f;
    double x[3 * N], b[3 * N], worst = 0.0;
    assert_true(A && tn_incomplete_create(&f, A, arena) && tn_incomplete_values(&f, A));
    for (int i = 0; i < 3 * N; ++i) {
        x[i] = tn_random_uniform(8, 1, (uint64_t)i);
    }
    tn_blocks_mul(A, x, b);
    tn_incomplete_solve(&f, b, b);
    for (int i = 0; i < 3 * N; ++i) {
        worst = fmax(worst, fabs(b[i] - x[i]));
    }
    printf("a chain's solution off by %.1e (limit 1e-14: rounding)\n", worst);
    assert_true(worst <= 1e-14);
    tn_arena_destroy(arena);
}

static void refuses_indefinite(void **state)
{
    static const int reach[] = {1};
    tn_arena *arena = tn_arena_create(0);
    tn_blocks *A = band(1, reach, -3.0, arena);
    tn_incomplete f;
    assert_true(A && tn_incomplete_create(&f, A, arena));
    assert_false(tn_incomplete_values(&f, A));
    tn_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(agrees_on_pattern),
        cmocka_unit_test(exact_without_fill),
        cmocka_unit_test(refuses_indefinite),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
