// Virtual nodes. What defines them: eliminating the massless nodes leaves the Delassus operator N + (sides / k_v) I,
// contact by contact, and the free velocity unchanged; so the solution tends to the rigid one like 1/k_v (Prop. 2).
#include "problem/nodalize.h"

#include "base/memory.h"
#include "math/blocks.h"
#include "math/dense.h"
#include "math/mat3.h"
#include "problem/delassus.h"
#include "problem/problem.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

// More memory requests than the calls under test make; some (the arena's notes for its report) may fail unseen.
enum { REQUESTS = 80 };

enum { BLOCKS = 9, CONTACTS = 6, ENTRIES = 17 };

// Two rigid bodies (blocks 0-1 and 2-3, linear and angular not coupled), a soft chain of nodes 4-6, two particles 7, 8:
//   0: body 0 on the world               one virtual node
//   1: body 0 (A) and body 1 (B)         two
//   2: particle 7 on the world           none: nodal
//   3: particle 7 (A) and particle 8 (B) one: 7 is taken, 8 is free
//   4: soft face (nodes 4 5 6) and body 1 two
//   5: soft node 6 (A) and soft node 4 (B) none: self-contact of nodes
static const int sides[CONTACTS] = {1, 2, 0, 1, 2, 0};

typedef struct sample {
    tn_arena *arena;
    double b[3 * BLOCKS], offset[3 * CONTACTS], mu[2 * CONTACTS], frame[9 * CONTACTS], jacobian[9 * ENTRIES];
    int start[CONTACTS + 1], block[ENTRIES], n_entries;
    tn_rows contacts;
    tn_problem problem;
} sample;

static void add(sample *s, int contact, int block, double factor)
{
    s->block[s->n_entries] = block;
    for (int d = 0; d < 9; ++d) {
        s->jacobian[9 * s->n_entries + d] = factor * s->frame[9 * contact + d];
    }
    s->start[contact + 1] = ++s->n_entries;
}

// Linear and angular entries of a rigid body's point at arm r from its center: +-R and -+R [r].
static void add_rigid(sample *s, int contact, int block, double sign, const double r[3])
{
    double skew[9], product[9];
    add(s, contact, block, sign);
    tn_mat3_skew(skew, r);
    tn_mat3_mul(product, &s->frame[9 * contact], skew);
    add(s, contact, block + 1, 1.0);
    for (int d = 0; d < 9; ++d) {
        s->jacobian[9 * (s->n_entries - 1) + d] = -sign * product[d];
    }
}

static void sample_create(sample *s)
{
    *s = (sample){.arena = tn_arena_create("test", 0)};
    tn_blocks_entry entries[BLOCKS + 4];
    int n = 0;
    for (int i = 0; i < BLOCKS; ++i) {
        double m = 10.0 + i;
        entries[n++] = (tn_blocks_entry){i, i, {m, 0, 0, 0, m + 1, 0, 0, 0, m + 2}};
    }
    for (int i = 4; i < 6; ++i) { // springs of the chain
        entries[n++] = (tn_blocks_entry){i, i + 1, {-4, 0, 0, 0, -3, 0, 0, 0, -2}};
        entries[n++] = (tn_blocks_entry){i + 1, i, {-4, 0, 0, 0, -3, 0, 0, 0, -2}};
    }
    for (int i = 0; i < CONTACTS; ++i) {
        double normal[3] = {sin(i), cos(i), 0.5};
        tn_vec3_scale(normal, 1.0 / tn_vec3_norm(normal), normal);
        tn_mat3_frame(&s->frame[9 * i], normal);
        s->mu[2 * i] = s->mu[2 * i + 1] = 0.5;
    }
    for (int i = 0; i < 3 * BLOCKS; ++i) {
        s->b[i] = cos(3.0 * i);
    }
    const double r0[3] = {0.1, 0.2, -0.3}, r1[3] = {-0.2, 0.4, 0.1};
    add_rigid(s, 0, 0, 1.0, r0);
    add_rigid(s, 1, 0, -1.0, r1);
    add_rigid(s, 1, 2, 1.0, r0);
    add(s, 2, 7, 1.0);
    add(s, 3, 7, -1.0);
    add(s, 3, 8, 1.0);
    add(s, 4, 4, -0.2);
    add(s, 4, 5, -0.3);
    add(s, 4, 6, -0.5);
    add_rigid(s, 4, 2, 1.0, r1);
    add(s, 5, 6, -1.0);
    add(s, 5, 4, 1.0);
    s->contacts = (tn_rows){.n_triples = CONTACTS,
                            .frame = s->frame,
                            .offset = s->offset,
                            .mu = s->mu,
                            .start = s->start,
                            .block = s->block,
                            .jacobian = s->jacobian};
    s->problem = (tn_problem){.A = tn_blocks_from_entries(BLOCKS, BLOCKS, n, entries, s->arena),
                              .b = s->b,
                              .rows = &s->contacts,
                              .step = 0.01};
}

static const double *find(const tn_blocks *N, int i, int k)
{
    static const double zero[9];
    const double *value = tn_blocks_find(N, i, k);
    return value ? value : zero;
}

static void test_operator(void **state)
{
    (void)state;
    for (double k_v = 1e1; k_v < 1e8; k_v *= 100.0) {
        sample s;
        tn_nodalized a;
        tn_delassus plain, augmented;
        tn_error error;
        sample_create(&s);
        assert_int_equal(tn_nodalize(&s.problem, k_v, s.arena, &a, &error), TN_OK);
        assert_int_equal(tn_problem_check(&a.problem, &error), TN_OK);
        assert_int_equal(a.n_virtual, 6);
        assert_int_equal(a.problem.A->n_rows, BLOCKS + 6);
        assert_int_equal(tn_delassus_create(&s.problem, TN_DELASSUS_EXPLICIT, s.arena, &plain, &error), TN_OK);
        // Positive definite (Prop. 1), or this fails.
        assert_int_equal(tn_delassus_create(&a.problem, TN_DELASSUS_EXPLICIT, s.arena, &augmented, &error), TN_OK);
        double worst = 0.0;
        for (int i = 0; i < CONTACTS; ++i) {
            for (int d = 0; d < 3; ++d) {
                worst = fmax(worst, fabs(plain.q[3 * i + d] - augmented.q[3 * i + d]));
            }
            for (int k = 0; k < CONTACTS; ++k) {
                for (int d = 0; d < 9; ++d) {
                    double expected = find(plain.N, i, k)[d] + (i == k && d % 4 == 0 ? sides[i] / k_v : 0.0);
                    worst = fmax(worst, fabs(find(augmented.N, i, k)[d] - expected));
                }
            }
        }
        // Rounding grows with the condition of the augmented matrix, k_v / 1.
        double limit = 1e-15 * (10.0 + k_v);
        print_message("  k_v %.0e: worst difference %.1e  limit %.1e\n", k_v, worst, limit);
        assert_true(worst <= limit);
        tn_delassus_destroy(&plain);
        tn_delassus_destroy(&augmented);
        tn_arena_destroy(s.arena);
    }
}

// Every contact entry is a rotation or its negative, no block serves two contacts, two sides have opposite signs.
static void test_structure(void **state)
{
    (void)state;
    sample s;
    tn_nodalized a;
    tn_error error;
    int used[BLOCKS + 6] = {0};
    sample_create(&s);
    assert_int_equal(tn_nodalize(&s.problem, 1e3, s.arena, &a, &error), TN_OK);
    assert_int_equal(a.contacts.start[CONTACTS], 10);
    for (int i = 0; i < CONTACTS; ++i) {
        int first = a.contacts.start[i];
        for (int e = first; e < a.contacts.start[i + 1]; ++e) {
            double gram[9];
            const double *j = &a.contacts.jacobian[9 * e];
            tn_mat3_mul_nt(gram, j, j);
            for (int d = 0; d < 9; ++d) {
                assert_true(fabs(gram[d] - (d % 4 == 0)) < 1e-14);
            }
            assert_int_equal(used[a.contacts.block[e]]++, 0);
            assert_true(e == first || tn_mat3_det(j) * tn_mat3_det(j - 9) < 0.0);
        }
    }
    assert_int_equal(a.contacts.block[a.contacts.start[2]], 7); // the particle stays its own node
    tn_arena_destroy(s.arena);
}

// Lifted, the virtual nodes move with their points: no damper force, and u as before.
static void test_lift(void **state)
{
    (void)state;
    sample s;
    tn_nodalized a;
    tn_error error;
    sample_create(&s);
    assert_int_equal(tn_nodalize(&s.problem, 1e3, s.arena, &a, &error), TN_OK);
    double v[3 * BLOCKS], lifted[3 * (BLOCKS + 6)], u[3 * CONTACTS], u_lifted[3 * CONTACTS], force[3 * (BLOCKS + 6)];
    const double zero[3 * CONTACTS] = {0};
    for (int i = 0; i < 3 * BLOCKS; ++i) {
        v[i] = sin(5.0 * i);
    }
    tn_nodalize_lift(&a, v, lifted);
    tn_problem_velocity(&s.problem, v, zero, u);
    tn_problem_velocity(&a.problem, lifted, zero, u_lifted);
    double worst = 0.0;
    for (int i = 0; i < 3 * CONTACTS; ++i) {
        worst = fmax(worst, fabs(u[i] - u_lifted[i]));
    }
    tn_blocks_mul(a.problem.A, lifted, force);
    for (int i = 3 * BLOCKS; i < 3 * (BLOCKS + 6); ++i) {
        worst = fmax(worst, fabs(force[i]) / 1e3);
    }
    print_message("  worst %.1e  limit 1e-15 x a few\n", worst);
    assert_true(worst < 5e-15);
    tn_arena_destroy(s.arena);
}

// A frictionless block pressed on the floor: u_n = 0 gives lambda_n = -q_n / (N_nn + 1/k_v); the body keeps sinking
// with lambda_n / k_v, so its error falls by 10 a decade of k_v.
static void test_rate(void **state)
{
    (void)state;
    double last = 0.0;
    for (double k_v = 1e2; k_v < 1e6; k_v *= 10.0) {
        sample s;
        tn_nodalized a;
        tn_delassus d;
        tn_error error;
        sample_create(&s);
        s.contacts.n_triples = 1; // contact 0: body 0 on the world, r = (0.1, 0.2, -0.3)
        assert_int_equal(tn_nodalize(&s.problem, k_v, s.arena, &a, &error), TN_OK);
        assert_int_equal(a.n_virtual, 1);
        assert_int_equal(tn_delassus_create(&a.problem, TN_DELASSUS_EXPLICIT, s.arena, &d, &error), TN_OK);
        double lambda[3] = {-d.q[0] / d.diagonal[0], 0.0, 0.0};
        double v[3 * (BLOCKS + 1)], u[3];
        assert_int_equal(tn_delassus_recover(&d, lambda, v, s.arena, &error), TN_OK);
        tn_problem_velocity(&a.problem, v, lambda, u);
        assert_true(fabs(u[0]) < 1e-12);
        tn_problem_velocity(&s.problem, v, lambda, u); // of the body's own point
        double ratio = last / fabs(u[0]);
        print_message("  k_v %.0e: body's point %.3e m/s, expected %.3e, ratio %.3f\n", k_v, fabs(u[0]),
                      fabs(lambda[0]) / k_v, ratio);
        assert_true(fabs(fabs(u[0]) * k_v / fabs(lambda[0]) - 1.0) < 1e-8);
        assert_true(last == 0.0 || fabs(ratio - 10.0) < 1.5);
        last = fabs(u[0]);
        tn_delassus_destroy(&d);
        tn_arena_destroy(s.arena);
    }
}

static void test_refusals(void **state)
{
    (void)state;
    sample s;
    tn_nodalized a;
    tn_error error;
    sample_create(&s);
    const double bad[] = {0.0, -1.0, HUGE_VAL, (double)NAN};
    for (size_t i = 0; i < 4; ++i) {
        assert_int_equal(tn_nodalize(&s.problem, bad[i], s.arena, &a, &error), TN_BAD_INPUT);
        assert_non_null(strstr(error.message, "k_v"));
    }
    tn_problem local = {.W = s.problem.A, .rows = &s.contacts, .step = 1.0};
    assert_int_equal(tn_nodalize(&local, 1.0, s.arena, &a, &error), TN_BAD_INPUT);
    s.contacts.n_triples = 0;
    assert_int_equal(tn_nodalize(&s.problem, 1.0, s.arena, &a, &error), TN_OK);
    assert_int_equal(a.n_virtual, 0);
    assert_int_equal(a.problem.A->n_rows, BLOCKS);
    tn_arena_destroy(s.arena);
}

static void test_no_memory(void **state)
{
    (void)state;
    sample s;
    sample_create(&s);
    int failures = 0;
    for (long n = 0; n < REQUESTS; ++n) {
        tn_arena *arena = tn_arena_create("tiny", 64);
        tn_nodalized a;
        tn_error error;
        tn_memory_fail_after(n);
        tn_status status = tn_nodalize(&s.problem, 1e3, arena, &a, &error);
        tn_memory_fail_after(-1);
        tn_arena_destroy(arena);
        assert_true(status == TN_OK || status == TN_NO_MEMORY);
        failures += status != TN_OK;
    }
    print_message("  %d requests failed in turn\n", failures);
    assert_true(failures >= 1);
    tn_arena_destroy(s.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operator), cmocka_unit_test(test_structure), cmocka_unit_test(test_lift),
        cmocka_unit_test(test_rate),     cmocka_unit_test(test_refusals),  cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
