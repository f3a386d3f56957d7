// Islands of a problem: which rows and blocks hang together, and that parts put back make the whole.
#include <math.h>
#include <string.h>

#include "problem/islands.h"
#include "problem/rows.h"
#include "test.h"

// Six bodies of one block each: 0-3 by a contact, 3-5 by a joint row, 1-4 by a contact, 2 alone; a friction pressed by
// the first contact acts on 5; one contact of fixed bodies has no block.
enum { N = 6, TRIPLES = 4, SINGLES = 2 };

typedef struct fixture {
    int start_A[N + 1], column[N];
    double value[9 * N], b[3 * N], v[3 * N];
    int start[TRIPLES + SINGLES + 1], block[8];
    double jacobian[9 * 8], offset[3 * TRIPLES + SINGLES], mu[2 * TRIPLES], gap[TRIPLES];
    double compliance[SINGLES], lower[SINGLES], upper[SINGLES], lambda[3 * TRIPLES + SINGLES];
    int pressed_by[1], joint[SINGLES];
    tn_blocks A;
    tn_rows rows;
    tn_problem problem;
} fixture;

static void fill(double *x, int n, double first)
{
    for (int i = 0; i < n; i++) {
        x[i] = first + i;
    }
}

static void make(fixture *f)
{
    *f = (fixture){.start = {0, 2, 2, 4, 5, 7, 8}, .block = {0, 3, 1, 4, 5, 3, 5, 4}, .joint = {0, 1}};
    for (int i = 0; i < N; i++) {
        f->start_A[i + 1] = i + 1;
        f->column[i] = i;
        for (int k = 0; k < 3; k++) {
            f->value[9 * i + 4 * k] = 1.0 + i;
        }
    }
    fill(f->b, 3 * N, 100.0);
    fill(f->v, 3 * N, 200.0);
    fill(f->jacobian, 9 * 8, 300.0);
    fill(f->offset, 3 * TRIPLES + SINGLES, 400.0);
    fill(f->mu, 2 * TRIPLES, 0.5);
    fill(f->gap, TRIPLES, 500.0);
    fill(f->lambda, 3 * TRIPLES + SINGLES, 600.0);
    for (int i = 0; i < SINGLES; i++) {
        f->lower[i] = -INFINITY;
        f->upper[i] = INFINITY;
        f->compliance[i] = 0.25 * (i + 1);
    }
    f->A = (tn_blocks){.n_rows = N, .n_cols = N, .start = f->start_A, .column = f->column, .value = f->value};
    f->rows = (tn_rows){.n_triples = TRIPLES,
                        .n_singles = SINGLES,
                        .start = f->start,
                        .block = f->block,
                        .jacobian = f->jacobian,
                        .offset = f->offset,
                        .mu = f->mu,
                        .gap = f->gap,
                        .n_frictions = 1,
                        .pressed_by = f->pressed_by,
                        .compliance = f->compliance,
                        .lower = f->lower,
                        .upper = f->upper,
                        .joint = f->joint};
    f->problem = (tn_problem){.A = &f->A, .b = f->b, .rows = &f->rows, .change_scale = 0.1, .start_v = f->v};
}

static void test_who_hangs_together(void **state)
{
    fixture f;
    make(&f);
    tn_arena *arena = tn_arena_create(0);
    tn_islands islands;
    assert_int_equal(tn_islands_find(&f.problem, arena, &islands), TN_OK);
    // {0, 3, 5}: contact 0, friction 3, joint row 0, and the contact without blocks; {1, 4}: contact 2, joint row 1.
    assert_int_equal(islands.n, 3);
    assert_int_equal(islands.loose, 2);
    assert_int_equal(islands.whole, -1);
    const int block[] = {0, 3, 5, 1, 4, 2}, triple[] = {0, 1, 3, 2}, single[] = {0, 1};
    const int block_start[] = {0, 3, 5, 6}, triple_start[] = {0, 3, 4, 4}, single_start[] = {0, 1, 2, 2};
    assert_memory_equal(islands.block, block, sizeof block);
    assert_memory_equal(islands.block_start, block_start, sizeof block_start);
    assert_memory_equal(islands.triple, triple, sizeof triple);
    assert_memory_equal(islands.triple_start, triple_start, sizeof triple_start);
    assert_memory_equal(islands.single, single, sizeof single);
    assert_memory_equal(islands.single_start, single_start, sizeof single_start);
    tn_arena_destroy(arena);
}

// u = J v + w of each row is the same in the island, and its scales are its own.
static void test_parts(void **state)
{
    fixture f;
    make(&f);
    tn_arena *arena = tn_arena_create(0);
    tn_islands islands;
    assert_int_equal(tn_islands_find(&f.problem, arena, &islands), TN_OK);
    double v[3 * N] = {0.0}, lambda[3 * TRIPLES + SINGLES] = {0.0};
    tn_solution all = {.v = f.v, .lambda = f.lambda}, back = {.v = v, .lambda = lambda};
    for (int k = 0; k < islands.n; k++) {
        tn_island part;
        assert_int_equal(tn_island_take(&f.problem, &islands, k, &all, arena, &part), TN_OK);
        for (int i = 0; i < part.rows.n_singles; i++) {
            int of = islands.single[islands.single_start[k] + i];
            const tn_rows singles = tn_rows_singles(&part.rows), whole = tn_rows_singles(&f.rows);
            assert_true(tn_single_velocity(&part.rows, i, part.solution.v) == tn_single_velocity(&f.rows, of, f.v));
            assert_true(singles.compliance[i] == whole.compliance[of]);
            assert_int_equal(singles.joint[i], of);
        }
        for (int i = 0; i < part.rows.n_triples; i++) {
            int of = islands.triple[islands.triple_start[k] + i];
            assert_true(part.rows.gap[i] == f.gap[of] && part.rows.mu[2 * i] == f.mu[2 * of]);
            int entries = part.rows.start[i + 1] - part.rows.start[i];
            assert_int_equal(entries, f.start[of + 1] - f.start[of]);
            for (int e = 0; e < entries; e++) {
                int here = part.rows.start[i] + e, there = f.start[of] + e;
                assert_int_equal(islands.block[islands.block_start[k] + part.rows.block[here]], f.block[there]);
                assert_memory_equal(part.rows.jacobian + 9 * here, f.jacobian + 9 * there, 9 * sizeof(double));
            }
        }
        int last = islands.block[islands.block_start[k + 1] - 1];
        assert_true(part.problem.force_scale == f.b[3 * last + 2]);
        assert_true(part.problem.velocity_scale == 0.1 + f.v[3 * last + 2]);
        tn_island_put(&f.problem, &islands, k, &part, &back);
    }
    assert_memory_equal(v, f.v, sizeof v);
    assert_memory_equal(lambda, f.lambda, sizeof lambda);
    // The friction's contact by its number in the island.
    tn_island part;
    assert_int_equal(tn_island_take(&f.problem, &islands, 0, &all, arena, &part), TN_OK);
    assert_int_equal(part.rows.n_frictions, 1);
    assert_int_equal(part.rows.pressed_by[0], 0);
    tn_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_who_hangs_together), cmocka_unit_test(test_parts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
