// tn_problem_check: every way a caller's problem can be wrong, named; and what stands on a problem: velocity, triplets,
// components.
#include "problem/problem.h"
#include "problem/rows.h"

#include "math/blocks.h"
#include "problem/triplets.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Two nodes on the floor, coupled by a spring; the second is held along one axis.
typedef struct sample {
    double A_value[36], b[6], offset[7], mu[4], omega[18], jacobian[21], compliance[1], lower[1], upper[1];
    int A_start[3], A_column[4], start[4], block[3];
    tn_blocks A;
    tn_rows contacts;
    tn_problem problem;
} sample;

static void sample_fill(sample *s)
{
    *s = (sample){.A_start = {0, 2, 4}, .A_column = {0, 1, 0, 1}, .start = {0, 1, 2, 3}, .block = {0, 1, 1}};
    for (int k = 0; k < 4; ++k) {
        for (int d = 0; d < 9; d += 4) {
            s->A_value[9 * k + d] = k == 0 || k == 3 ? 5.0 : -1.0;
        }
    }
    for (int i = 0; i < 18; ++i) {
        s->jacobian[i] = i % 9 % 4 == 0;
    }
    s->jacobian[19] = 1.0;
    s->upper[0] = INFINITY;
    s->A = (tn_blocks){2, 2, s->A_start, s->A_column, s->A_value};
    s->contacts = (tn_rows){.n_triples = 2,
                            .offset = s->offset,
                            .mu = s->mu,
                            .softness = s->omega,
                            .start = s->start,
                            .block = s->block,
                            .jacobian = s->jacobian,
                            .n_singles = 1,
                            .compliance = s->compliance,
                            .lower = s->lower,
                            .upper = s->upper};
    s->problem = (tn_problem){.A = &s->A, .b = s->b, .rows = &s->contacts, .step = 0.01};
}

#define BREAK(name) static void name(sample *s)
BREAK(no_contacts)
{
    s->problem.rows = NULL;
}
BREAK(negative_count)
{
    s->contacts.n_triples = -1;
}
BREAK(both_forms)
{
    s->problem.W = &s->A;
}
BREAK(neither_form)
{
    s->problem.A = NULL;
}
BREAK(step_zero)
{
    s->problem.step = 0.0;
}
BREAK(step_nan)
{
    s->problem.step = (double)NAN;
}
BREAK(unknown_law)
{
    s->problem.law = (tn_law)7;
}
BREAK(no_b)
{
    s->problem.b = NULL;
}
BREAK(b_nan)
{
    s->b[4] = (double)NAN;
}
BREAK(offset_infinite)
{
    s->offset[2] = HUGE_VAL;
}
BREAK(mu_negative)
{
    s->mu[3] = -0.5;
}
BREAK(facets_odd)
{
    s->problem.facets = 5;
}
BREAK(preload_negative)
{
    static const double preload[2] = {0.0, -1.0};
    s->contacts.preload = preload;
}
BREAK(mu_missing)
{
    s->contacts.mu = NULL;
}
BREAK(omega_nan)
{
    s->omega[9] = (double)NAN;
}
BREAK(not_square)
{
    s->A.n_cols = 3;
}
BREAK(rows_fall)
{
    s->A_start[1] = 4;
    s->A_start[2] = 3;
}
BREAK(column_outside)
{
    s->A_column[3] = 2;
}
BREAK(columns_unsorted)
{
    s->A_column[0] = 1;
}
BREAK(a_nan)
{
    s->A_value[0] = (double)NAN;
}
BREAK(no_jacobians)
{
    s->contacts.start = NULL;
}
BREAK(entries_fall)
{
    s->start[1] = 3;
}
BREAK(block_outside)
{
    s->block[1] = 2;
}
BREAK(block_negative)
{
    s->block[0] = -1;
}
BREAK(jacobian_nan)
{
    s->jacobian[17] = (double)NAN;
}
BREAK(single_missing)
{
    s->contacts.compliance = NULL;
}
BREAK(single_falls)
{
    s->start[3] = 1;
}
BREAK(single_outside)
{
    s->block[2] = 2;
}
BREAK(single_nan)
{
    s->jacobian[20] = (double)NAN;
}
BREAK(single_offset)
{
    s->offset[6] = (double)NAN;
}
BREAK(single_bounds)
{
    s->lower[0] = 2.0;
    s->upper[0] = 1.0;
}
#undef BREAK

static const struct {
    void (*damage)(sample *s);
    const char *says;
} cases[] = {
    {no_contacts, "contacts are missing"},
    {negative_count, "contacts are missing"},
    {both_forms, "exactly one of A"},
    {neither_form, "exactly one of A"},
    {step_zero, "step is 0 s"},
    {step_nan, "step is nan s"},
    {unknown_law, "law 7"},
    {no_b, "b is missing"},
    {b_nan, "b[4] is nan"},
    {offset_infinite, "offset[2] is inf"},
    {mu_negative, "contact 1 has the numbers 0 and -0.5"},
    {facets_odd, "facets are 2, or an even number"},
    {preload_negative, "a preload is finite and not negative"},
    {mu_missing, "mu is missing"},
    {omega_nan, "softness[9] is nan"},
    {not_square, "A has 2 x 3 blocks"},
    {rows_fall, "row pointers of A fall at row 1"},
    {column_outside, "row 1 of A names block 2"},
    {columns_unsorted, "row 0 of A names block 1"},
    {a_nan, "A[0] is nan"},
    {no_jacobians, "the Jacobians are missing"},
    {entries_fall, "of the Jacobians fall at row 1"},
    {block_outside, "contact 1 acts on block 2"},
    {block_negative, "contact 0 acts on block -1"},
    {jacobian_nan, "jacobian[17] is nan"},
    {single_missing, "an array of the joint rows is missing"},
    {single_falls, "row pointers of the joints fall at row 0"},
    {single_outside, "joint row 0 acts on block 2"},
    {single_nan, "the Jacobian of joint row 0"},
    {single_offset, "joint row 0 has offset nan"},
    {single_bounds, "joint row 0 has the numbers 2 and 1"},
};

static void test_check(void **state)
{
    sample s;
    tn_error error;
    sample_fill(&s);
    assert_int_equal(tn_problem_check(&s.problem, &error), TN_OK);
    tn_problem local = {.W = &s.A, .rows = &s.contacts, .step = 1.0};
    assert_int_equal(tn_problem_check(&local, &error), TN_BAD_INPUT);
    assert_non_null(strstr(error.message, "joint rows need the global form"));
    s.contacts.n_singles = 0;
    assert_int_equal(tn_problem_check(&local, &error), TN_OK);
    local.rows = &(tn_rows){.n_triples = 1, .offset = s.offset, .mu = s.mu};
    assert_int_equal(tn_problem_check(&local, &error), TN_BAD_INPUT);
    assert_non_null(strstr(error.message, "W has 2 x 2 blocks, expected 1 x 1"));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        sample_fill(&s);
        cases[i].damage(&s);
        assert_int_equal(tn_problem_check(&s.problem, &error), TN_BAD_INPUT);
        print_message("  %s\n", error.message);
        assert_non_null(strstr(error.message, cases[i].says));
    }
}

// The singles seen by themselves, and both parts put together again, are the same list; where there is one part only
// nothing is copied.
static void test_join(void **state)
{
    sample s;
    sample_fill(&s);
    s.offset[6] = 0.25;
    tn_arena *arena = tn_arena_create(0);
    tn_rows triples = s.contacts, singles = tn_rows_singles(&s.contacts), again = tn_rows_singles(&singles), joined;
    const double v[6] = {1.0, 2.0, 3.0, 4.0, 5.0, 6.0};
    double force[6] = {0.0};
    triples.n_singles = 0;
    assert_int_equal(singles.n_triples, 0);
    assert_true(tn_single_velocity(&s.contacts, 0, v) == 5.25 && tn_single_velocity(&singles, 0, v) == 5.25 &&
                tn_single_velocity(&again, 0, v) == 5.25);
    tn_single_push(&again, 0, 2.0, force);
    assert_true(force[4] == 2.0 && force[1] == 0.0);
    assert_int_equal(tn_rows_join(&triples, &again, arena, &joined), TN_OK);
    assert_true(joined.n_triples == 2 && joined.n_singles == 1 && joined.jacobian != s.jacobian);
    assert_memory_equal(joined.start, s.start, sizeof s.start);
    assert_memory_equal(joined.block, s.block, sizeof s.block);
    assert_memory_equal(joined.jacobian, s.jacobian, sizeof s.jacobian);
    assert_memory_equal(joined.offset, s.offset, sizeof s.offset);
    assert_int_equal(tn_rows_join(&triples, NULL, arena, &joined), TN_OK);
    assert_true(joined.n_singles == 0 && joined.jacobian == s.jacobian);
    assert_int_equal(tn_rows_join(NULL, &singles, arena, &joined), TN_OK);
    assert_true(joined.n_triples == 0 && joined.n_singles == 1);
    assert_true(tn_single_velocity(&joined, 0, v) == 5.25);
    tn_arena_destroy(arena);
}

// u = J v + w + Omega lambda, and J^T lambda, by hand.
static void test_velocity(void **state)
{
    sample s;
    sample_fill(&s);
    double v[6] = {1, 2, 3, 4, 5, 6}, lambda[6] = {10, 20, 30, 40, 50, 60}, u[6], force[6] = {1, 1, 1, 1, 1, 1};
    s.omega[10] = 0.5; // contact 1: u_n += 0.5 lambda_t1
    s.offset[5] = -7.0;
    tn_problem_velocity(&s.problem, v, lambda, u);
    assert_memory_equal(u, ((double[]){1, 2, 3, 4 + 25, 5, -1}), sizeof u);
    tn_problem_add_contact_force(&s.problem, lambda, force);
    assert_memory_equal(force, ((double[]){11, 21, 31, 41, 51, 61}), sizeof force);
}

static void test_triplets(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    const int row[5] = {4, 0, 4, 1, 4}, column[5] = {0, 5, 0, 5, 1};
    const double value[5] = {1.0, -0.0, 2.0, 4.0, 8.0};
    const tn_triplets t = {5, row, column, value};
    tn_blocks *m = tn_triplets_to_blocks(&t, (tn_triplets_shape){3, 3, 2, 2, false}, arena, arena);
    assert_int_equal(m->start[2], 2);
    assert_true(tn_blocks_find(m, 1, 0)[3] == 3.0); // duplicates add
    assert_true(tn_blocks_find(m, 1, 0)[4] == 8.0);
    assert_true(signbit(tn_blocks_find(m, 0, 1)[2]) != 0); // -0 stays
    // Planar rows: 4 is the first row of block 2.
    m = tn_triplets_to_blocks(&t, (tn_triplets_shape){2, 3, 3, 2, false}, arena, arena);
    assert_true(tn_blocks_find(m, 2, 0)[0] == 3.0 && tn_blocks_find(m, 0, 1)[5] == 4.0);
    // Mirrored pattern: a zero block where only the transposed place is stored.
    const tn_triplets one = {1, row, column, value};
    m = tn_triplets_to_blocks(&one, (tn_triplets_shape){3, 3, 2, 2, true}, arena, arena);
    assert_int_equal(m->start[2], 2);
    assert_true(tn_blocks_find(m, 0, 1)[0] == 0.0 && tn_blocks_find(m, 1, 0)[3] == 1.0);
    tn_arena_destroy(arena);
}

// Found once: a problem that knows its parts is itself, one without has a copy that knows them.
static void test_parts(void **state)
{
    sample s;
    sample_fill(&s);
    tn_arena *arena = tn_arena_create(0);
    const tn_problem *known = tn_problem_with_parts(&s.problem, arena);
    assert_non_null(known);
    assert_ptr_not_equal(known, &s.problem);
    assert_null(s.problem.hints);
    assert_ptr_equal(known->rows, s.problem.rows);
    assert_int_equal(known->hints->parts->n, 1); // a spring couples both nodes
    assert_ptr_equal(tn_problem_with_parts(known, arena), known);
    tn_problem local = {.W = &s.A, .rows = &s.contacts};
    assert_ptr_equal(tn_problem_with_parts(&local, arena), &local);
    tn_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_check),    cmocka_unit_test(test_join),  cmocka_unit_test(test_velocity),
        cmocka_unit_test(test_triplets), cmocka_unit_test(test_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
