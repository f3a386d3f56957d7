// Nested dissection: separators separate, sides are balanced, and the order that it leads to fills less in a cube.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "box_pattern.h"
#include "math/dissection.h"
#include "test.h"

// Rows of rank at most `most` that hang together with row start; seen marks them.
static int flood(const tn_blocks *A, const int *rank, int most, int start, int *seen, int *queue)
{
    int head = 0, tail = 0;
    queue[tail++] = start;
    seen[start] = 1;
    while (head < tail) {
        int i = queue[head++];
        for (int k = A->start[i]; k < A->start[i + 1]; k++) {
            int j = A->column[k];
            if (!seen[j] && rank[j] <= most) {
                seen[j] = 1;
                queue[tail++] = j;
            }
        }
    }
    return tail;
}

static void separators_separate(void **state)
{
    static const int boxes[][4] = {{12, 12, 12, 1}, {40, 40, 2, 1}, {300, 4, 3, 1}, {9, 9, 9, 3}, {5, 5, 5, 1}};
    for (size_t k = 0; k < sizeof boxes / sizeof boxes[0]; k++) {
        tn_arena *arena = tn_arena_create(0);
        tn_blocks A = box_pattern(boxes[k][0], boxes[k][1], boxes[k][2], boxes[k][3], arena);
        int n = A.n_rows, largest = 0, separators = 0, top = 0;
        int *rank = TN_PUSH(arena, int, n), *work = TN_PUSH(arena, int, tn_dissection_work(&A)),
            *seen = TN_PUSH(arena, int, n);
        tn_dissection_rank(&A, rank, work);
        for (int i = 0; i < n; i++) {
            assert_true(rank[i] >= 0 && rank[i] < TN_DISSECTION_DEPTH); // no dense rows here
            separators += rank[i] > 0;
            top += rank[i] == TN_DISSECTION_DEPTH - 1;
        }
        for (int i = 0; i < n; i++) {
            if (rank[i] == 0 && !seen[i]) {
                int size = flood(&A, rank, 0, i, seen, work);
                largest = size > largest ? size : largest;
            }
        }
        printf("%d rows: %d in separators, %d in the first, largest piece %d (limit 100: left alone from there)\n", n,
               separators, top, largest);
        assert_true(largest <= 100);
        // The first separator of one body leaves at most 70 % on a side.
        memset(seen, 0, (size_t)n * sizeof *seen);
        int start = 0;
        while (rank[start] == TN_DISSECTION_DEPTH - 1) {
            start++;
        }
        int side = flood(&A, rank, TN_DISSECTION_DEPTH - 2, start, seen, work);
        bool is_cut = n / boxes[k][3] > 100;
        assert_true(!is_cut || (side >= 0.3 * (n / boxes[k][3] - top) && side <= 0.7 * n));
        assert_true(is_cut || separators == 0);
        tn_arena_destroy(arena);
    }
}

// A row that touches every seventh other one: last, and the body is cut as if it were not there.
static void dense_rows_come_last(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    tn_blocks A = box_pattern(12, 12, 12, 1, arena);
    int n = A.n_rows + 1, used = 0;
    tn_blocks B = {
        .n_rows = n, .n_cols = n, .start = TN_PUSH(arena, int, n + 1), .column = TN_PUSH(arena, int, 29 * n)};
    for (int i = 0; i < A.n_rows; i++) {
        for (int k = A.start[i]; k < A.start[i + 1]; k++) {
            B.column[used++] = A.column[k];
        }
        if (i % 7 == 0) {
            B.column[used++] = n - 1;
        }
        B.start[i + 1] = used;
    }
    for (int i = 0; i < A.n_rows; i += 7) {
        B.column[used++] = i;
    }
    B.column[used++] = n - 1;
    B.start[n] = used;
    int *rank = TN_PUSH(arena, int, n), *plain = TN_PUSH(arena, int, n),
        *work = TN_PUSH(arena, int, tn_dissection_work(&B));
    tn_dissection_rank(&A, plain, work);
    tn_dissection_rank(&B, rank, work);
    assert_int_equal(rank[n - 1], TN_DISSECTION_DEPTH);
    assert_memory_equal(rank, plain, (size_t)(n - 1) * sizeof *rank);
    tn_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(separators_separate), cmocka_unit_test(dense_rows_come_last)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
