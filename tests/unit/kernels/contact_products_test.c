// Products with the contacts' Jacobians against the plain formulas, every instruction set and every choice of parts.
#include <stdio.h>

#include "base/random.h"
#include "kernels/contact/products.h"
#include "test.h"

#include <math.h>
#include <string.h>

enum { BLOCKS = 37, CONTACTS = 1500, ENTRIES = 5 * CONTACTS };

typedef struct fixture {
    int start[CONTACTS + 1], block[ENTRIES];
    double jacobian[9 * ENTRIES], offset[3 * CONTACTS], lambda[3 * CONTACTS];
    double v[3 * BLOCKS], v_free[3 * BLOCKS], inverse[9 * BLOCKS];
    tn_rows contacts;
} fixture;

typedef struct results {
    double u[3 * CONTACTS], force[3 * BLOCKS], scale[CONTACTS], u_free[3 * CONTACTS];
} results;

static double normal(uint64_t stream, int k)
{
    return tn_random_normal(5, stream, (uint64_t)k);
}

static void fill(fixture *x, bool diagonal)
{
    memset(x, 0, sizeof *x);
    for (int i = 0; i < CONTACTS; i++) {
        x->start[i + 1] = x->start[i] + i % 6; // none to five
        for (int d = 0; d < 3; d++) {
            x->offset[3 * i + d] = normal(0, 3 * i + d);
            x->lambda[3 * i + d] = i % 4 == 1 ? 0.0 : normal(1, 3 * i + d);
        }
    }
    for (int e = 0; e < ENTRIES; e++) {
        x->block[e] = (int)(tn_random_u64(5, 2, (uint64_t)e) % BLOCKS);
    }
    for (int k = 0; k < 9 * ENTRIES; k++) {
        x->jacobian[k] = normal(3, k);
    }
    for (int b = 0; b < BLOCKS; b++) {
        for (int d = 0; d < 9; d++) {
            int row = d / 3, column = d % 3, low = row < column ? row : column;
            double off = diagonal ? 0.0 : 0.1 * normal(4, 9 * b + row + column + 3 * low);
            x->inverse[9 * b + d] = row == column ? 1.0 + 0.1 * d : off;
        }
        for (int d = 0; d < 3; d++) {
            x->v[3 * b + d] = normal(6, 3 * b + d);
            x->v_free[3 * b + d] = normal(7, 3 * b + d);
        }
    }
    x->contacts = (tn_rows){
        .n_triples = CONTACTS, .offset = x->offset, .start = x->start, .block = x->block, .jacobian = x->jacobian};
}

static void plainly(const fixture *x, results *out)
{
    memset(out, 0, sizeof *out);
    for (int i = 0; i < CONTACTS; i++) {
        double diagonal[3] = {0.0};
        memcpy(out->u + 3 * i, x->offset + 3 * i, 3 * sizeof(double));
        memcpy(out->u_free + 3 * i, x->offset + 3 * i, 3 * sizeof(double));
        for (int e = x->start[i]; e < x->start[i + 1]; e++) {
            int b = x->block[e];
            for (int k = 0; k < 9; k++) {
                int row = k / 3, column = k % 3;
                double J = x->jacobian[9 * e + k];
                out->u[3 * i + row] += J * x->v[3 * b + column];
                out->u_free[3 * i + row] += J * x->v_free[3 * b + column];
                out->force[3 * b + column] += J * x->lambda[3 * i + row];
                for (int other = 0; other < 3; other++) {
                    diagonal[row] += J * x->inverse[9 * b + 3 * column + other] * x->jacobian[9 * e + 3 * row + other];
                }
            }
        }
        out->scale[i] = fmax(diagonal[0], fmax(diagonal[1], diagonal[2]));
    }
}

static double difference(size_t n, const double *a, const double *b)
{
    double most = 0.0;
    for (size_t i = 0; i < n; i++) {
        most = !(fabs(a[i] - b[i]) <= most) ? fabs(a[i] - b[i]) : most;
    }
    return most;
}

enum { WITH_U = 1, WITH_FORCE = 2, WITH_SCALE = 4, WITH_FREE = 8, ALL = 15 };

static tn_contact_products ask(const fixture *x, bool diagonal, int parts, results *r)
{
    memset(r, 0, sizeof *r);
    return (tn_contact_products){.v = x->v,
                                 .u = parts & WITH_U ? r->u : NULL,
                                 .lambda = x->lambda,
                                 .force = parts & WITH_FORCE ? r->force : NULL,
                                 .inverse = x->inverse,
                                 .diagonal = diagonal,
                                 .scale = parts & WITH_SCALE ? r->scale : NULL,
                                 .v_free = x->v_free,
                                 .u_free = parts & WITH_FREE ? r->u_free : NULL,
                                 .n_blocks = BLOCKS};
}

static void plain_formulas_hold(void **state)
{
    static fixture x;
    static results expected, r;
    for (int diagonal = 0; diagonal < 2; diagonal++) {
        fill(&x, diagonal);
        plainly(&x, &expected);
        tn_contact_products p = ask(&x, diagonal, ALL, &r);
        tn_contact_products_run(&x.contacts, &p);
        double worst = fmax(
            fmax(difference(3 * CONTACTS, r.u, expected.u), difference(3 * BLOCKS, r.force, expected.force)),
            fmax(difference(CONTACTS, r.scale, expected.scale), difference(3 * CONTACTS, r.u_free, expected.u_free)));
        print_message("  largest difference %.1e, limit 1e-12 (sums of some 250 numbers to 10)\n", worst);
        assert_true(worst <= 1e-12);
    }
}

// The bits of every instruction set and every choice of parts are those of the best with all of them.
static void bits_are_the_same(void **state)
{
    static fixture x;
    static results all, r;
    const char *kinds[] = {"avx512", "avx2", "baseline"};
    const int choices[] = {WITH_U, WITH_FORCE, WITH_U | WITH_FORCE, WITH_U | WITH_FORCE | WITH_SCALE, ALL};
    for (int diagonal = 0; diagonal < 2; diagonal++) {
        fill(&x, diagonal);
        tn_contact_products p = ask(&x, diagonal, ALL, &all);
        tn_contact_products_run(&x.contacts, &p);
        for (int k = 0; k < 3; k++) {
            for (int c = 0; c < 5; c++) {
                p = ask(&x, diagonal, choices[c], &r);
                if (!tn_contact_products_with(kinds[k], &x.contacts, &p)) {
                    assert_true(k < 2);
                    print_message("  no %s here\n", kinds[k]);
                    break;
                }
                assert_true(!p.u || memcmp(r.u, all.u, sizeof r.u) == 0);
                assert_true(!p.force || memcmp(r.force, all.force, sizeof r.force) == 0);
                assert_true(!p.scale || memcmp(r.scale, all.scale, sizeof r.scale) == 0);
                assert_true(!p.u_free || memcmp(r.u_free, all.u_free, sizeof r.u_free) == 0);
            }
        }
        assert_false(tn_contact_products_with("abacus", &x.contacts, &p));
    }
}

// ... and so are those of any number of threads.
static void threads_leave_no_trace(void **state)
{
    static fixture x;
    static results one, r;
    const int choices[] = {WITH_U, WITH_FORCE, WITH_U | WITH_FORCE, WITH_U | WITH_FORCE | WITH_SCALE, ALL};
    fill(&x, true);
    for (int c = 0; c < 5; c++) {
        tn_contact_products p = ask(&x, true, choices[c], &one);
        tn_contact_products_run(&x.contacts, &p);
        for (int n_threads = 2; n_threads <= 7; n_threads++) {
            p = ask(&x, true, choices[c], &r);
            p.n_threads = n_threads;
            tn_contact_products_run(&x.contacts, &p);
            assert_memory_equal(&r, &one, sizeof r);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_formulas_hold),
        cmocka_unit_test(bits_are_the_same),
        cmocka_unit_test(threads_leave_no_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
