// The Cholesky factor by nodes against the general sparse one, on random graphs of nodes of one to four blocks.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/random.h"
#include "math/blocks.h"
#include "math/cholesky.h"
#include "math/node_cholesky.h"

static double random_number(uint64_t seed, uint64_t k)
{
    return 2.0 * tn_random_uniform(seed, 1, k) - 1.0;
}

// Nodes in a tree with some loops closed; A = sum of B B^T over edges + I.
static tn_blocks *create(uint64_t seed, int n_nodes, int *node_of, int *n_rows, tn_arena *arena)
{
    int first[64] = {0}, rows = 0, count = 0;
    for (int i = 0; i < n_nodes; ++i) {
        first[i] = rows;
        int size = i % 5 == 4 ? 1 + (int)(4.0 * tn_random_uniform(seed, 2, (uint64_t)i)) : 2;
        for (int k = 0; k < size; ++k) {
            node_of[rows++] = i;
        }
    }
    first[n_nodes] = rows;
    tn_blocks_entry *entries = calloc(200 * (size_t)n_nodes, sizeof *entries);
    assert_non_null(entries);
    uint64_t used = 0;
    for (int i = 0; i < n_nodes; ++i) {
        int other[2] = {i > 0 ? (int)(i * tn_random_uniform(seed, 3, (uint64_t)i)) : 0, i % 4 == 3 ? i - 2 : i};
        for (int e = 0; e < 2; ++e) {
            int lists[2] = {i, other[e]}, row[8], n = 0;
            for (int side = 0; side < (lists[0] == lists[1] ? 1 : 2); ++side) {
                for (int k = first[lists[side]]; k < first[lists[side] + 1]; ++k) {
                    row[n++] = k;
                }
            }
            double B[24];
            for (int k = 0; k < 3 * n; ++k) {
                B[k] = 3.0 * random_number(seed, used++);
            }
            for (int a = 0; a < n; ++a) {
                for (int b = 0; b < n; ++b) {
                    tn_blocks_entry *x = &entries[count++];
                    *x = (tn_blocks_entry){.row = row[a], .column = row[b]};
                    for (int k = 0; k < 9; ++k) {
                        x->value[k] = B[3 * a + k / 3] * B[3 * b + k % 3] + (a == b && k % 4 == 0 ? 1.0 : 0.0);
                    }
                }
            }
        }
    }
    tn_blocks *K = tn_blocks_from_entries(rows, rows, count, entries, arena);
    free(entries);
    *n_rows = rows;
    return K;
}

static void same_as_the_sparse_one(void **state)
{
    (void)state;
    double worst = 0.0;
    for (int trial = 0; trial < 60; ++trial) {
        tn_arena *arena = tn_arena_create("test", 0);
        int node_of[256], n_rows, n = 1 + trial % 40;
        tn_blocks *K = create((uint64_t)(trial + 1), n, node_of, &n_rows, arena);
        double b[768], x[768], y[768], difference = 0.0, size = 0.0;
        tn_error error = {0};
        for (int i = 0; i < 3 * n_rows; ++i) {
            b[i] = random_number(99, (uint64_t)i);
        }
        tn_node_cholesky *factor = tn_node_cholesky_create(K, n, node_of, arena);
        tn_cholesky *sparse = tn_cholesky_create(K, &error);
        assert_true(factor && sparse && tn_node_cholesky_factor(factor, K));
        assert_true(tn_node_cholesky_flops(factor) > 0.0);
        tn_node_cholesky_solve(factor, b, x);
        assert_int_equal(tn_cholesky_factor(sparse, K, &error), TN_OK);
        assert_int_equal(tn_cholesky_solve(sparse, 1, b, y, &error), TN_OK);
        for (int i = 0; i < 3 * n_rows; ++i) {
            difference = fmax(difference, fabs(x[i] - y[i]));
            size = fmax(size, fabs(y[i]));
        }
        worst = fmax(worst, difference / size);
        // Not positive definite, and not a number: said so.
        double *own = tn_blocks_find(K, n_rows - 1, n_rows - 1), kept = own[4];
        own[4] = -1.0;
        assert_false(tn_node_cholesky_factor(factor, K));
        own[4] = NAN;
        assert_false(tn_node_cholesky_factor(factor, K));
        own[4] = kept;
        tn_cholesky_destroy(sparse);
        tn_arena_destroy(arena);
    }
    printf("x off the sparse factor's by %.1e (limit 1e-12: condition 1e3, rounding)\n", worst);
    assert_true(worst <= 1e-12);
}

static void too_many(void **state)
{
    (void)state;
    enum { N = TN_NODE_CHOLESKY_NODES + 1 };
    static double diagonal[9 * N];
    static int node_of[N];
    for (int i = 0; i < N; ++i) {
        diagonal[9 * i] = diagonal[9 * i + 4] = diagonal[9 * i + 8] = 1.0;
        node_of[i] = i;
    }
    tn_arena *arena = tn_arena_create("test", 0);
    tn_blocks *K = tn_blocks_from_diagonal(N, diagonal, arena);
    assert_null(tn_node_cholesky_create(K, N, node_of, arena));
    int one[5] = {0};
    tn_blocks *large = tn_blocks_from_diagonal(5, diagonal, arena);
    assert_null(tn_node_cholesky_create(large, 1, one, arena)); // a node of five blocks
    tn_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_as_the_sparse_one),
        cmocka_unit_test(too_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
