// The realisations of N = J A^-1 J^T against a dense solve, and against each other.
#include "problem/delassus.h"

#include "base/memory.h"
#include "base/random.h"
#include "math/blocks.h"
#include "math/cholesky.h"
#include "math/dense.h"
#include "problem/problem.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// More memory requests than the calls under test make; some (the arena's notes for its report) may fail unseen.
enum { REQUESTS = 80 };

enum { MAX_ROWS = 64, MAX_CONTACTS = 16, MAX_ENTRIES = 64 };

// A random global problem: bodies of `size` coupled blocks each, contacts between random bodies and the world.
typedef struct random_problem {
    tn_arena *arena;
    double b[3 * MAX_ROWS], offset[3 * MAX_CONTACTS], mu[2 * MAX_CONTACTS], omega[9 * MAX_CONTACTS];
    double jacobian[9 * MAX_ENTRIES], lambda[3 * MAX_CONTACTS];
    int start[MAX_CONTACTS + 1], block[MAX_ENTRIES];
    tn_rows contacts;
    tn_problem problem;
} random_problem;

static double number(uint64_t seed, uint64_t stream, uint64_t counter)
{
    return 2.0 * tn_random_uniform(seed, stream, counter) - 1.0;
}

// A body's part: diagonal dominance makes it positive definite.
static int body_entries(uint64_t seed, int first, int size, tn_blocks_entry *entries)
{
    int n = 0;
    for (int i = 0; i < size; ++i) {
        for (int k = 0; k <= i; ++k) {
            tn_blocks_entry *e = &entries[n++];
            e->row = first + i;
            e->column = first + k;
            for (int d = 0; d < 9; ++d) {
                e->value[d] = number(seed, (uint64_t)(100 + first + i), (uint64_t)(9 * k + d));
            }
            if (i == k) {
                for (int d = 0; d < 9; ++d) {
                    e->value[d] = d % 3 > d / 3 ? e->value[3 * (d % 3) + d / 3] : e->value[d];
                    e->value[d] += d % 4 == 0 ? 4.0 * size : 0.0;
                }
            } else {
                tn_blocks_entry *t = &entries[n++];
                *t = (tn_blocks_entry){.row = e->column, .column = e->row};
                for (int d = 0; d < 9; ++d) {
                    t->value[3 * (d % 3) + d / 3] = e->value[d];
                }
            }
        }
    }
    return n;
}

static void problem_create(random_problem *r, uint64_t seed, int n_bodies, int size, int n_contacts)
{
    *r = (random_problem){.arena = tn_arena_create(0)};
    int rows = n_bodies * size;
    tn_blocks_entry *entries = TN_PUSH(r->arena, tn_blocks_entry, n_bodies * size * size);
    int n = 0;
    for (int k = 0; k < n_bodies; ++k) {
        n += body_entries(seed, k * size, size, &entries[n]);
    }
    for (int i = 0; i < 3 * rows; ++i) {
        r->b[i] = number(seed, 1, (uint64_t)i);
    }
    for (int i = 0; i < n_contacts; ++i) {
        int a = (int)(tn_random_u64(seed, 2, (uint64_t)i) % (uint64_t)n_bodies);
        int b = (int)(tn_random_u64(seed, 3, (uint64_t)i) % (uint64_t)n_bodies); // a == b: within one body
        int e = r->start[i];
        r->block[e++] = a * size;
        if (size > 1) {
            r->block[e++] = a * size + 1;
        }
        if (i % 3 != 0) {
            r->block[e++] = b * size + (a == b ? size - 1 : 0);
        }
        r->start[i + 1] = e;
        r->mu[2 * i] = r->mu[2 * i + 1] = 0.5;
    }
    for (int i = 0; i < 9 * r->start[n_contacts]; ++i) {
        r->jacobian[i] = number(seed, 4, (uint64_t)i);
    }
    for (int i = 0; i < 3 * n_contacts; ++i) {
        r->offset[i] = number(seed, 5, (uint64_t)i);
        r->lambda[i] = number(seed, 6, (uint64_t)i);
        r->omega[3 * i + i % 3] = 0.1;
    }
    r->contacts = (tn_rows){.n_triples = n_contacts,
                            .offset = r->offset,
                            .mu = r->mu,
                            .start = r->start,
                            .block = r->block,
                            .jacobian = r->jacobian};
    r->problem = (tn_problem){
        .A = tn_blocks_from_entries(rows, rows, n, entries, r->arena), .b = r->b, .rows = &r->contacts, .step = 0.01};
    tn_error error;
    assert_int_equal(tn_problem_check(&r->problem, &error), TN_OK);
}

// v = A^-1 (b + J^T lambda) by dense LU.
static void reference_velocity(const random_problem *r, const double *lambda, double *v)
{
    static double a[9 * MAX_ROWS * MAX_ROWS];
    static int pivot[3 * MAX_ROWS];
    const tn_blocks *A = r->problem.A;
    int n = 3 * A->n_rows;
    memset(a, 0, sizeof a);
    for (int i = 0; i < A->n_rows; ++i) {
        for (int k = A->start[i]; k < A->start[i + 1]; ++k) {
            for (int d = 0; d < 9; ++d) {
                a[(3 * i + d / 3) * n + 3 * A->column[k] + d % 3] = A->value[9 * k + d];
            }
        }
    }
    memcpy(v, r->b, (size_t)n * sizeof *v);
    for (int i = 0; lambda && i < r->contacts.n_triples; ++i) {
        for (int e = r->start[i]; e < r->start[i + 1]; ++e) {
            for (int d = 0; d < 9; ++d) {
                v[3 * r->block[e] + d % 3] += r->jacobian[9 * e + d] * lambda[3 * i + d / 3];
            }
        }
    }
    assert_true(tn_dense_solve(n, a, v, pivot));
}

static double difference(int n, const double *a, const double *b)
{
    double worst = 0.0;
    for (int i = 0; i < n; ++i) {
        worst = fabs(a[i] - b[i]) > worst ? fabs(a[i] - b[i]) : worst;
    }
    return worst;
}

// All that one realisation promises, as the worst difference from the dense answer.
static double check_kind(random_problem *r, tn_delassus_kind kind)
{
    int n = r->contacts.n_triples;
    double v[3 * MAX_ROWS], u[3 * MAX_CONTACTS], mine[3 * MAX_ROWS];
    tn_delassus d;
    tn_error error;
    if (tn_delassus_create(&r->problem, kind, r->arena, &d, &error) != TN_OK) {
        fail_msg("%s", error.message);
    }
    reference_velocity(r, NULL, v);
    double worst = difference(3 * r->problem.A->n_rows, v, d.free);
    tn_problem_velocity(&r->problem, v, (const double[3 * MAX_CONTACTS]){0}, u);
    worst = fmax(worst, difference(3 * n, u, d.q));

    reference_velocity(r, r->lambda, v);
    assert_int_equal(tn_delassus_recover(&d, r->lambda, mine, r->arena, &error), TN_OK);
    worst = fmax(worst, difference(3 * r->problem.A->n_rows, v, mine));
    tn_problem_velocity(&r->problem, v, r->lambda, u);
    assert_int_equal(tn_delassus_velocity(&d, r->lambda, mine, r->arena, &error), TN_OK);
    worst = fmax(worst, difference(3 * n, u, mine));

    // Diagonal block m, column k: response of contact m to its own unit force.
    for (int i = 0; i < 3 * n; ++i) {
        double unit[3 * MAX_CONTACTS] = {0};
        double column[3], own[3];
        unit[i] = 1.0;
        reference_velocity(r, unit, v);
        tn_rows plain = r->contacts;
        plain.softness = NULL;
        tn_problem p = r->problem;
        p.rows = &plain;
        tn_problem_velocity(&p, v, unit, u);
        for (int k = 0; k < 3; ++k) {
            column[k] = u[i / 3 * 3 + k] - d.q[i / 3 * 3 + k];
            own[k] = d.diagonal ? d.diagonal[9 * (i / 3) + 3 * k + i % 3] : column[k];
        }
        worst = fmax(worst, difference(3, column, own));
    }
    tn_delassus_destroy(&d);
    return worst;
}

static void test_realisations(void **state)
{
    const struct {
        const char *name;
        int n_bodies, size, n_contacts;
        bool small;
    } cases[] = {
        {"nodes", 8, 1, 12, true},
        {"rigid bodies", 6, 2, 12, true},
        {"bodies of four blocks", 4, 4, 12, true},
        {"soft bodies of seven blocks", 3, 7, 12, false},
        {"one soft body", 1, 12, 9, false},
        {"no contacts", 3, 2, 0, true},
        {"no contacts, soft", 1, 7, 0, false},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        for (int omega = 0; omega < 2; ++omega) {
            random_problem r;
            problem_create(&r, 7 + k, cases[k].n_bodies, cases[k].size, cases[k].n_contacts);
            r.contacts.softness = omega ? r.omega : NULL;
            tn_delassus_kind chosen = tn_delassus_choose(&r.problem, r.arena);
            assert_int_equal(chosen, cases[k].small ? TN_DELASSUS_COMPONENTS : TN_DELASSUS_FACTORED);
            double factored = check_kind(&r, TN_DELASSUS_FACTORED);
            double explicit_ = check_kind(&r, TN_DELASSUS_EXPLICIT);
            double dense = fmax(check_kind(&r, TN_DELASSUS_DENSE), check_kind(&r, TN_DELASSUS_COLUMNS));
            double components = cases[k].small ? check_kind(&r, TN_DELASSUS_COMPONENTS) : 0.0;
            print_message("  %-28s components %.1e, factored %.1e, explicit %.1e, dense %.1e (limit 1e-13)\n",
                          cases[k].name, components, factored, explicit_, dense);
            // Numbers of size 1, A with condition below 10: a few roundings.
            assert_true(components <= 1e-13 && factored <= 1e-13 && explicit_ <= 1e-13 && dense <= 1e-13);
            tn_arena_destroy(r.arena);
        }
    }
}

// N is symmetric, its rows ascend and hold exactly the coupled contacts.
static void test_explicit_pattern(void **state)
{
    for (int size = 2; size <= 6; size += 4) {
        random_problem r;
        tn_delassus d;
        tn_error error;
        problem_create(&r, 3, 5, size, 12);
        assert_int_equal(tn_delassus_create(&r.problem, TN_DELASSUS_EXPLICIT, r.arena, &d, &error), TN_OK);
        assert_true(tn_blocks_is_symmetric(d.N, 1e-12));
        for (int i = 0; i < 12; ++i) {
            for (int k = d.N->start[i] + 1; k < d.N->start[i + 1]; ++k) {
                assert_true(d.N->column[k] > d.N->column[k - 1]);
            }
            assert_non_null(tn_blocks_find(d.N, i, i));
        }
        print_message("  %d of 144 blocks\n", d.N->start[12]);
        assert_true(d.N->start[12] < 144);
        tn_delassus_destroy(&d);
        tn_arena_destroy(r.arena);
    }
}

static void test_local(void **state)
{
    const double W[9] = {15, -1, -2, -1.5, 14, 1, -2, 1, 16};
    const double q[3] = {-1, 2, 3}, mu[2] = {0.1, 0.1};
    tn_arena *arena = tn_arena_create(0);
    tn_rows c = {.n_triples = 1, .offset = q, .mu = mu};
    tn_problem p = {.W = tn_blocks_from_diagonal(1, W, arena), .rows = &c, .step = 1.0};
    tn_delassus d;
    tn_error error;
    double u[3], lambda[3] = {1, 2, 3};
    assert_int_equal(tn_delassus_choose(&p, arena), TN_DELASSUS_EXPLICIT);
    assert_int_equal(tn_delassus_create(&p, TN_DELASSUS_EXPLICIT, arena, &d, &error), TN_OK);
    assert_int_equal(tn_delassus_velocity(&d, lambda, u, arena, &error), TN_OK);
    assert_true(u[0] == 15.0 - 2 - 6 - 1 && u[1] == -1.5 + 28 + 3 + 2 && u[2] == -2.0 + 2 + 48 + 3);
    assert_memory_equal(d.diagonal, W, sizeof W); // not symmetrised
    assert_int_equal(tn_delassus_recover(&d, lambda, u, arena, &error), TN_BAD_INPUT);
    tn_delassus_destroy(&d);
    assert_int_equal(tn_delassus_create(&p, TN_DELASSUS_FACTORED, arena, &d, &error), TN_BAD_INPUT);
    tn_arena_destroy(arena);
}

static void test_not_positive_definite(void **state)
{
    for (int size = 2; size <= 7; size += 5) {
        random_problem r;
        tn_delassus d;
        tn_error error;
        problem_create(&r, 3, 3, size, 4);
        tn_blocks_find(r.problem.A, size, size)[0] = -1.0; // first block of the second body
        for (int kind = 0; kind < 5; ++kind) {
            if (kind == TN_DELASSUS_COMPONENTS && size > 4) {
                assert_int_equal(tn_delassus_create(&r.problem, kind, r.arena, &d, &error), TN_BAD_INPUT);
                continue;
            }
            assert_int_equal(tn_delassus_create(&r.problem, (tn_delassus_kind)kind, r.arena, &d, &error), TN_NUMERICS);
            print_message("  %s\n", error.message);
            assert_int_equal(tn_delassus_create(&r.problem, (tn_delassus_kind)kind, r.arena, &d, NULL), TN_NUMERICS);
            if (kind == TN_DELASSUS_COMPONENTS) {
                assert_non_null(strstr(error.message, "block row 2"));
            }
        }
        tn_arena_destroy(r.arena);
    }
}

static void test_no_memory(void **state)
{
    for (int size = 2; size <= 7; size += 5) {
        random_problem r;
        problem_create(&r, 3, 3, size, 4);
        for (int kind = 0; kind < 5; ++kind) {
            if (kind == TN_DELASSUS_COMPONENTS && size > 4) {
                continue;
            }
            int failures = 0;
            for (long n = 0; n < REQUESTS; ++n) {
                tn_arena *arena = tn_arena_create(64);
                tn_delassus d;
                tn_error error;
                tn_memory_fail_after(n);
                tn_status status = tn_delassus_create(&r.problem, (tn_delassus_kind)kind, arena, &d, &error);
                tn_memory_fail_after(-1);
                if (status == TN_OK) {
                    tn_delassus_destroy(&d);
                }
                tn_arena_destroy(arena);
                assert_true(status == TN_OK || status == TN_NO_MEMORY);
                failures += status != TN_OK;
            }
            print_message("  %d requests failed in turn\n", failures);
            assert_true(failures >= 1);
        }
        tn_arena_destroy(r.arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_realisations), cmocka_unit_test(test_explicit_pattern),
        cmocka_unit_test(test_local),        cmocka_unit_test(test_not_positive_definite),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
