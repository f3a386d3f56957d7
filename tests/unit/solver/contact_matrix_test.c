// K = A + J^T C J against its definition, with contacts inside A's pattern and across it.
#include <stdio.h>

#include "problem/problem.h"
#include "soft_network.h"
#include "solver/contact_matrix.h"
#include "test.h"

static void product_is_the_sum(void **state)
{
    for (int kind = 0; kind < SOFT_NETWORK_KINDS; kind++) {
        soft_network *s = soft_network_create((soft_network_kind)kind, TN_LAW_COULOMB, 50.0, 0.3, 4);
        const tn_blocks *A = s->problem.A;
        int n_v = 3 * A->n_rows, n = s->contacts.n_triples;
        double x[3 * SOFT_NETWORK_ROWS], expected[3 * SOFT_NETWORK_ROWS], y[3 * SOFT_NETWORK_ROWS];
        double u[3 * SOFT_NETWORK_CONTACTS], f[3 * SOFT_NETWORK_CONTACTS], C[9 * SOFT_NETWORK_CONTACTS];
        tn_contact_matrix K;
        assert_true(tn_contact_matrix_create(&K, &s->problem, s->arena));
        for (int round = 0; round < 2; round++) { // filled twice: nothing stays of the first
            for (int m = 0; m < n; m++) {
                for (int i = 0; i < 9; i++) {
                    int low = i / 3 < i % 3 ? i / 3 : i % 3, high = i / 3 + i % 3 - low;
                    C[9 * m + i] = soft_network_random(7, (uint64_t)round, 9 * m + 3 * low + high);
                }
            }
            for (int i = 0; i < n_v; i++) {
                x[i] = soft_network_random(8, (uint64_t)round, i);
            }
            memset(u, 0, sizeof u);
            tn_problem p = s->problem;
            tn_rows plain = s->contacts;
            static const double none[3 * SOFT_NETWORK_CONTACTS];
            plain.offset = none;
            p.rows = &plain;
            tn_problem_velocity(&p, x, none, u);
            for (int m = 0; m < n; m++) {
                tn_mat3_vec(f + 3 * m, C + 9 * m, u + 3 * m);
            }
            tn_blocks_mul(A, x, expected);
            tn_problem_add_contact_force(&p, f, expected);
            tn_contact_matrix_fill(&K, C);
            tn_blocks_mul(&K.K, x, y);
            double worst = 0.0;
            for (int i = 0; i < n_v; i++) {
                worst = fmax(worst, fabs(y[i] - expected[i]));
            }
            printf("kind %d: %d blocks, %d of A; product off by %.1e (limit 1e-14: rounding of numbers near 1)\n", kind,
                   K.K.start[A->n_rows], A->start[A->n_rows], worst);
            assert_true(worst <= 1e-14);
        }
        assert_int_equal(K.place == NULL, kind == SOFT_NETWORK_GROUND); // within A's pattern: shared, not copied
        assert_int_equal(K.K.start == A->start, kind == SOFT_NETWORK_GROUND);
        soft_network_destroy(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(product_is_the_sum)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
