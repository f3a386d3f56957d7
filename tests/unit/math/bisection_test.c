// Bisection: separators separate, both sides keep their share, and cuts are near the smallest that are known: a face's
// nodes of a box, one node of a chain, the middle of a star. What cannot be cut is told.
#include "math/bisection.h"

#include "box_pattern.h"
#include "test.h"

#include <stdio.h>

static void drop_diagonal(tn_blocks *A)
{
    int used = 0;
    for (int i = 0, from = 0; i < A->n_rows; i++) {
        int end = A->start[i + 1];
        for (; from < end; from++) {
            if (A->column[from] != i) {
                A->column[used++] = A->column[from];
            }
        }
        A->start[i + 1] = used;
    }
}

// Rows of the separator, at most `most`, and at least `share` of the others on either side.
static void check(const char *name, const tn_blocks *A, int most, double share, tn_arena *arena)
{
    int n = A->n_rows, count[3] = {0, 0, 0};
    int *side = TN_PUSH(arena, int, n), *work = TN_PUSH(arena, int, tn_bisection_work(n, A->start[n]));
    assert_true(tn_bisect(A, side, work));
    for (int i = 0; i < n; i++) {
        count[side[i]]++;
        for (int k = A->start[i]; k < A->start[i + 1]; k++) {
            int j = A->column[k];
            assert_true(side[i] == TN_SIDE_SEPARATOR || side[j] == TN_SIDE_SEPARATOR || side[i] == side[j]);
        }
    }
    int smaller = count[TN_SIDE_NEAR] < count[TN_SIDE_FAR] ? count[TN_SIDE_NEAR] : count[TN_SIDE_FAR];
    printf("%s: %d rows, separator %d (limit %d), smaller side %d\n", name, n, count[TN_SIDE_SEPARATOR], most, smaller);
    assert_true(count[TN_SIDE_SEPARATOR] <= most && smaller >= share * (n - count[TN_SIDE_SEPARATOR]));
}

// Limits: a straight cut and a fifth.
static void boxes(void **state)
{
    static const int sizes[][3] = {{12, 12, 12}, {20, 10, 10}, {40, 40, 2}, {300, 4, 3}, {500, 1, 1}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        tn_arena *arena = tn_arena_create(0);
        tn_blocks A = box_pattern(sizes[i][0], sizes[i][1], sizes[i][2], 1, arena);
        int straight = sizes[i][1] * sizes[i][2];
        drop_diagonal(&A);
        check("box", &A, straight + straight / 5, 0.28, arena);
        tn_arena_destroy(arena);
    }
}

// n rows, each with all of the first `hubs`.
static tn_blocks star(int n, int hubs, tn_arena *arena)
{
    tn_blocks A = {.n_rows = n, .n_cols = n, .start = TN_PUSH(arena, int, n + 1)};
    A.column = TN_PUSH(arena, int, 2 * (size_t)n * (size_t)hubs);
    int used = 0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < (i < hubs ? n : hubs); j++) {
            if (j != i) {
                A.column[used++] = j;
            }
        }
        A.start[i + 1] = used;
    }
    return A;
}

static void stars(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    tn_blocks A = star(400, 3, arena), all = star(50, 50, arena);
    check("star with three hubs", &A, 3, 0.28, arena);
    int *side = TN_PUSH(arena, int, 50), *work = TN_PUSH(arena, int, tn_bisection_work(50, all.start[50]));
    assert_false(tn_bisect(&all, side, work)); // each row touches every other
    tn_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(boxes), cmocka_unit_test(stars)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
