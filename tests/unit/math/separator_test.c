// Refined separators: they still separate, no side falls below its least, and a ragged cut through a grid of a x b
// nodes ends near a straight one of b.
#include "math/separator.h"

#include "base/arena.h"
#include "base/random.h"
#include "test.h"

#include <stdio.h>

enum { A_SIDE = 40, B_SIDE = 24, N = A_SIDE * B_SIDE };

// Each node and its eight neighbours.
static tn_blocks grid(tn_arena *arena)
{
    tn_blocks A = {.n_rows = N, .n_cols = N, .start = TN_PUSH(arena, int, N + 1), .column = TN_PUSH(arena, int, 9 * N)};
    int used = 0;
    for (int i = 0; i < N; ++i) {
        for (int d = 0; d < 9; ++d) {
            int x = i / B_SIDE + d / 3 - 1, y = i % B_SIDE + d % 3 - 1;
            if (x >= 0 && x < A_SIDE && y >= 0 && y < B_SIDE) {
                A.column[used++] = x * B_SIDE + y;
            }
        }
        A.start[i + 1] = used;
    }
    return A;
}

static void count(const int *side, int counts[3])
{
    counts[0] = counts[1] = counts[2] = 0;
    for (int i = 0; i < N; ++i) {
        counts[side[i]]++;
    }
}

static void assert_separated(const tn_blocks *A, const int *side)
{
    for (int i = 0; i < N; ++i) {
        for (int k = A->start[i]; k < A->start[i + 1]; ++k) {
            assert_true(side[i] == TN_SIDE_SEPARATOR || side[A->column[k]] == TN_SIDE_SEPARATOR ||
                        side[i] == side[A->column[k]]);
        }
    }
}

static void ragged_cuts_straighten(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    tn_blocks A = grid(arena);
    int *weight = TN_PUSH(arena, int, N), *side = TN_PUSH(arena, int, N), *work = TN_PUSH(arena, int, 6 * N), worst = 0;
    for (int seed = 0; seed < 20; ++seed) {
        int before[3], after[3];
        for (int i = 0; i < N; ++i) {
            // Two columns and more, around a line that wanders by up to eight of them.
            int x = i / B_SIDE, y = i % B_SIDE;
            int at = 16 + (int)(8.0 * tn_random_uniform(5, (uint64_t)seed, (uint64_t)(y / 3)));
            int low = 16 + (int)(8.0 * tn_random_uniform(5, (uint64_t)seed, (uint64_t)((y + 1) / 3)));
            int high = at > low ? at : low;
            low = at < low ? at : low;
            weight[i] = 1;
            side[i] = x < low ? TN_SIDE_NEAR : x > high + 1 ? TN_SIDE_FAR : TN_SIDE_SEPARATOR;
        }
        assert_separated(&A, side);
        count(side, before);
        int rows = tn_separator_refine(&A, weight, N / 3, side, work);
        count(side, after);
        assert_separated(&A, side);
        assert_int_equal(rows, after[TN_SIDE_SEPARATOR]);
        assert_true(rows < before[TN_SIDE_SEPARATOR]);
        assert_true(after[0] >= N / 3 && after[1] >= N / 3);
        worst = rows > worst ? rows : worst;
    }
    printf("cuts of 20 ragged lines: %d rows at most (limit 36, half more than a straight one: %d)\n", worst, B_SIDE);
    assert_true(worst <= 36);
    tn_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ragged_cuts_straighten)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
