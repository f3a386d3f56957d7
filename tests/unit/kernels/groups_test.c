// Groups for coarse levels: every node in one, connected, of the size that was asked for, inside the envelope.
#include <stdio.h>

#include "kernels/nodal/groups.h"
#include "layout.h"
#include "math/blocks.h"
#include "test.h"

#include <math.h>
#include <string.h>

// A plate of SIDE x SIDE nodes, each coupled with its four neighbours, and one rigid body of two rows in front.
enum { SIDE = 24, NODES = SIDE * SIDE, ROWS = NODES + 2 };

static tn_blocks *make_pattern(tn_arena *arena)
{
    tn_blocks_entry *entries = TN_PUSH(arena, tn_blocks_entry, 5 * ROWS);
    int n = 0;
    for (int i = 0; i < ROWS; i++) {
        entries[n].row = entries[n].column = i;
        n++;
    }
    entries[n].row = entries[n + 1].column = 0;
    entries[n].column = entries[n + 1].row = 1;
    n += 2;
    for (int i = 0; i < NODES; i++) {
        for (int stride = 1; stride <= SIDE; stride += SIDE - 1) {
            bool inside = stride == 1 ? i % SIDE + 1 < SIDE : i + SIDE < NODES;
            if (inside) {
                entries[n].row = entries[n + 1].column = 2 + i;
                entries[n].column = entries[n + 1].row = 2 + i + stride;
                n += 2;
            }
        }
    }
    return tn_blocks_from_entries(ROWS, ROWS, n, entries, arena);
}

// Nodes of group g that are reached from its first one without leaving it.
static int reached(const tn_blocks *A, const tn_groups *groups, int g)
{
    static int queue[ROWS];
    static bool seen[ROWS];
    int head = 0, tail = 0;
    memset(seen, 0, sizeof seen);
    for (int i = 0; i < ROWS && tail == 0; i++) {
        if (groups->of_row[i] == g) {
            queue[tail++] = i;
            seen[i] = true;
        }
    }
    while (head < tail) {
        int i = queue[head++];
        for (int e = A->start[i]; e < A->start[i + 1]; e++) {
            int j = A->column[e];
            if (groups->of_row[j] == g && !seen[j]) {
                seen[j] = true;
                queue[tail++] = j;
            }
        }
    }
    return tail;
}

static void check(const tn_blocks *A, const tn_groups *groups)
{
    int count[ROWS] = {0}, largest = 0, single = 0, apart = 0;
    for (int i = 0; i < ROWS; i++) {
        assert_in_range(groups->of_row[i], 0, groups->n - 1);
        count[groups->of_row[i]]++;
        for (int e = A->start[i]; e < A->start[i + 1]; e++) {
            int a = groups->of_row[i], b = groups->of_row[A->column[e]];
            assert_true(groups->first[a > b ? a : b] <= (a < b ? a : b));
        }
    }
    for (int g = 0; g < groups->n; g++) {
        assert_true(count[g] > 0);
        largest = count[g] > largest ? count[g] : largest;
        single += count[g] == 1;
        apart += reached(A, groups, g) < count[g];
    }
    printf("%d groups of %d nodes, the largest %d (limit 3 x %d), single nodes %d, in pieces %d\n", groups->n, NODES,
           largest, groups->size, single, apart);
    assert_true(largest <= 3 * groups->size && single == 0);
    assert_true(apart <= groups->n / 10); // rounding off may cut a corner
    // The body: its two rows are the two halves of one group.
    assert_int_equal(groups->of_row[0], groups->of_row[1]);
    assert_int_equal(count[groups->of_row[0]], 2);
    assert_int_equal(groups->unit[0], 0);
    assert_int_equal(groups->unit[1], 3);
    assert_int_equal(groups->unit[2], -1);
}

static void a_plate_and_a_body(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    tn_blocks *A = make_pattern(arena);
    tn_layout *layout = layout_of(A, NULL, arena);
    assert_null(layout->groups);
    double *place = TN_PUSH(arena, double, 3 * ROWS);
    for (int i = 0; i < 6; i++) {
        place[i] = NAN;
    }
    for (int i = 0; i < NODES; i++) {
        place[6 + 3 * i] = i % SIDE;
        place[6 + 3 * i + 1] = i / SIDE;
    }
    tn_groups asked, automatic, blind, again;
    assert_int_equal(tn_groups_create(A, layout, place, 9, arena, arena, &asked), TN_OK);
    assert_int_equal(tn_groups_create(A, layout, place, 0, arena, arena, &automatic), TN_OK);
    assert_int_equal(tn_groups_create(A, layout, NULL, 9, arena, arena, &blind), TN_OK);
    check(A, &asked);
    check(A, &automatic);
    check(A, &blind);
    // Memory for the result and for the work may be two.
    tn_arena *scratch = tn_arena_create(0);
    assert_int_equal(tn_groups_create(A, layout, place, 9, scratch, arena, &again), TN_OK);
    assert_memory_equal(again.of_row, asked.of_row, ROWS * sizeof(int));
    tn_arena_destroy(scratch);
    tn_arena_destroy(arena);
}

// Regular groups make a better coarse level: a grid is cut between its lines, also where it is turned.
static void a_grid_is_cut_into_squares(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    tn_blocks *A = make_pattern(arena);
    tn_groups groups;
    double *place = TN_PUSH(arena, double, 3 * ROWS);
    tn_layout *layout = layout_of(A, NULL, arena);
    for (int turn = 0; turn < 2; turn++) {
        for (int i = 0; i < 6; i++) {
            place[i] = NAN;
        }
        for (int i = 0; i < NODES; i++) {
            // Twice as wide as long, so that its axes are known.
            double x = 2.0 * (i % SIDE), y = i / SIDE, c = cos(0.6 * turn), s = sin(0.6 * turn);
            place[6 + 3 * i] = c * x - s * y;
            place[6 + 3 * i + 1] = s * x + c * y;
            place[6 + 3 * i + 2] = 0.3 * turn * x;
        }
        assert_int_equal(tn_groups_create(A, layout, place, 8, arena, arena, &groups), TN_OK);
        check(A, &groups);
        int wrong = 0;
        for (int i = 0; i < NODES; i++) {
            // Pieces of 2 x 4 nodes: the node and the first of its piece are in one group.
            int first = i / SIDE / 4 * 4 * SIDE + i % SIDE / 2 * 2;
            wrong += groups.of_row[2 + i] != groups.of_row[2 + first];
        }
        printf("%s: %d groups (expected %d), %d nodes elsewhere (0)\n", turn ? "turned" : "straight", groups.n,
               NODES / 8 + 1, wrong);
        assert_int_equal(groups.n, NODES / 8 + 1);
        assert_int_equal(wrong, 0);
    }
    tn_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_plate_and_a_body),
                                       cmocka_unit_test(a_grid_is_cut_into_squares)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
