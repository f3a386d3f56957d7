// Orders of elimination: permutations, ranks kept, less fill than in the order given, the same in any scratch.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "box_pattern.h"
#include "math/graph_order.h"
#include "test.h"

// Multiplications of a factor in this order, by elimination of a dense pattern.
static double work_of(const tn_blocks *A, const int *order, tn_arena *arena)
{
    size_t n = (size_t)A->n_rows;
    tn_arena_mark mark = tn_arena_get_mark(arena);
    bool *there = TN_PUSH(arena, bool, n *n), *gone = TN_PUSH(arena, bool, n);
    double work = 0.0;
    for (size_t i = 0; i < n; i++) {
        for (int k = A->start[i]; k < A->start[i + 1]; k++) {
            there[i * n + (size_t)A->column[k]] = true;
        }
    }
    for (size_t k = 0; k < n; k++) {
        size_t p = (size_t)order[k], count = 0;
        assert_true(p < n && !gone[p]); // a permutation
        gone[p] = true;
        for (size_t i = 0; i < n; i++) {
            if (gone[i] || !there[p * n + i]) {
                continue;
            }
            count++;
            for (size_t j = 0; j < n; j++) {
                there[i * n + j] = there[i * n + j] || there[p * n + j];
            }
        }
        work += (double)count * (double)count;
    }
    tn_arena_release(arena, mark);
    return work;
}

// Scratch of exactly the size asked for, on the heap, so that tools see what goes beyond it.
static int *scratch_of(const tn_blocks *A, int fill)
{
    size_t n = tn_graph_order_scratch(A);
    int *scratch = malloc(n * sizeof *scratch);
    for (size_t i = 0; i < n; i++) {
        scratch[i] = fill;
    }
    return scratch;
}

static void order_of(const tn_blocks *A, int fill, int *order)
{
    int *scratch = scratch_of(A, fill);
    tn_graph_order(A, 6, order, scratch);
    free(scratch);
}

static void fills_less(void **state)
{
    static const int boxes[][3] = {{1, 1, 1}, {2, 1, 1}, {60, 3, 1}, {14, 14, 1}, {10, 10, 10}};
    for (size_t k = 0; k < sizeof boxes / sizeof boxes[0]; k++) {
        tn_arena *arena = tn_arena_create(0);
        tn_blocks A = box_pattern(boxes[k][0], boxes[k][1], boxes[k][2], 1, arena);
        int *given = TN_PUSH(arena, int, A.n_rows), *order = TN_PUSH(arena, int, A.n_rows);
        int *again = TN_PUSH(arena, int, A.n_rows);
        for (int i = 0; i < A.n_rows; i++) {
            given[i] = i;
        }
        order_of(&A, 0, order);
        order_of(&A, -7, again);
        double before = work_of(&A, given, arena), after = work_of(&A, order, arena);
        printf("%d nodes: %.3g multiplications, %.3g as given\n", A.n_rows, after, before);
        assert_memory_equal(order, again, (size_t)A.n_rows * sizeof *order);
        assert_true(after <= before * (A.n_rows > 100 ? 0.9 : 1.0));
        tn_arena_destroy(arena);
    }
}

static void keeps_ranks(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    tn_blocks A = box_pattern(9, 7, 5, 1, arena);
    int *rank = TN_PUSH(arena, int, A.n_rows), *order = TN_PUSH(arena, int, A.n_rows), *scratch = scratch_of(&A, 3);
    for (int i = 0; i < A.n_rows; i++) {
        rank[i] = i % 7 == 0 ? 2 : i % 3;
    }
    tn_graph_order_ranked(&A, rank, order, scratch);
    for (int k = 1; k < A.n_rows; k++) {
        assert_true(rank[order[k - 1]] <= rank[order[k]]);
    }
    assert_true(work_of(&A, order, arena) > 0.0);
    free(scratch);
    tn_arena_destroy(arena);
}

static void nothing_to_order(void **state)
{
    int start[] = {0}, order[1] = {5};
    tn_blocks none = {.start = start};
    order_of(&none, 0, order);
    assert_int_equal(order[0], 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fills_less), cmocka_unit_test(keeps_ranks),
                                       cmocka_unit_test(nothing_to_order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
