// Contacts four at a time against one at a time, where they are such and where not; any number of threads.
#include <stdio.h>

#include "base/arena.h"
#include "base/random.h"
#include "problem/certificate_contacts.h"
#include "test.h"

#include <math.h>
#include <string.h>

enum { MOST = 5000 };

typedef struct fixture {
    double mu[2 * MOST], lambda[3 * MOST], u[3 * MOST], scale[MOST], free[3 * MOST], loaded[3 * MOST];
} fixture;

// Open, sticking, sliding, apart, pulling, without friction and beyond the cone, all mixed; every 50th of the
// anisotropic kind if so wanted.
static void fill(fixture *x, bool anisotropic)
{
    for (int i = 0; i < MOST; i++) {
        uint64_t k = (uint64_t)i;
        double mu = i % 11 == 0 ? 0.0 : tn_random_uniform(1, 0, k);
        x->mu[2 * i] = x->mu[2 * i + 1] = mu;
        if (anisotropic && i % 50 == 7) {
            x->mu[2 * i] *= 0.5;
        }
        x->scale[i] = 0.1 + tn_random_uniform(1, 1, k);
        bool open = i % 3 == 0 || (i >= 64 && i < 96), closed = i % 4 == 0;
        for (int d = 0; d < 3; d++) {
            uint64_t n = 3 * k + (uint64_t)d;
            x->lambda[n] = open ? 0.0 : tn_random_normal(2, 0, n) + (d == 0 ? 2.0 : 0.0);
            x->u[n] = closed ? 1e-9 * tn_random_normal(2, 1, n) : tn_random_normal(2, 1, n) + (d == 0 ? 1.0 : 0.0);
            x->free[n] = tn_random_normal(2, 2, n);
            x->loaded[n] = tn_random_normal(2, 3, n);
        }
    }
}

static tn_certificate figures(fixture *x, int first, int n, int n_threads, bool balanced, double force_scale)
{
    tn_arena *arena = tn_arena_create(0);
    size_t at = (size_t)first;
    tn_rows contacts = {.n_triples = n, .mu = x->mu + 2 * at};
    tn_problem problem = {.rows = &contacts, .law = TN_LAW_COULOMB, .step = 0.01, .force_scale = force_scale};
    tn_certificate_rows rows = {.lambda = x->lambda + 3 * at,
                                .u = x->u + 3 * at,
                                .scale = x->scale + at,
                                .free = x->free + 3 * at,
                                .loaded = (balanced ? x->u : x->loaded) + 3 * at};
    tn_certificate out;
    memset(&out, 0, sizeof out);
    assert_int_equal(tn_certificate_add_contacts(&problem, &rows, n_threads, arena, &out), TN_OK);
    tn_arena_destroy(arena);
    return out;
}

static void check_same(const char *what, double measured, double expected)
{
    print_message("  %-28s %.17g  one by one %.17g, within 1e-13\n", what, measured, expected);
    assert_true(fabs(measured - expected) <= 1e-13 * fabs(expected)); // false for NaN
}

static double norm(size_t n, const double *x)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

// One contact never fills the lanes; its floor of forces is 1 N as each of all has it. Sums of 5000 squares round to
// some 1e-14.
static void four_are_as_one_by_one(void **state)
{
    static fixture x;
    for (int kind = 0; kind < 4; kind++) {
        bool balanced = kind / 2 == 1;
        fill(&x, kind % 2 == 1);
        tn_certificate all = figures(&x, 0, MOST, 1, balanced, MOST), most = {.momentum = 0.0};
        double natural = 0.0, fclib = 0.0;
        for (int i = 0; i < MOST; i++) {
            tn_certificate one = figures(&x, i, 1, 1, balanced, 1.0);
            double force = norm(3, x.lambda + 3 * i);
            double largest =
                fmax(norm(3, x.free + 3 * i), fmax(0.01 * force, norm(3, (balanced ? x.u : x.loaded) + 3 * i)));
            natural += one.natural * fmax(force, 1.0) * (one.natural * fmax(force, 1.0));
            fclib += one.fclib * largest * (one.fclib * largest);
            most.signorini_primal = fmax(most.signorini_primal, one.signorini_primal);
            most.signorini_dual = fmax(most.signorini_dual, one.signorini_dual);
            most.complementarity = fmax(most.complementarity, one.complementarity);
            most.cone = fmax(most.cone, one.cone);
            most.dissipation = fmax(most.dissipation, one.dissipation);
        }
        double force = norm(3 * (size_t)MOST, x.lambda);
        double largest =
            fmax(norm(3 * (size_t)MOST, x.free), fmax(0.01 * force, norm(3 * (size_t)MOST, balanced ? x.u : x.loaded)));
        check_same("natural", all.natural, sqrt(natural) / fmax(force, MOST));
        check_same("strict natural", all.strict_natural, sqrt(natural) / fmax(force, MOST));
        check_same("fclib", all.fclib, sqrt(fclib) / largest);
        check_same("signorini primal", all.signorini_primal, most.signorini_primal);
        check_same("signorini dual", all.signorini_dual, most.signorini_dual);
        check_same("complementarity", all.complementarity, most.complementarity);
        check_same("strict complementarity", all.strict_complementarity, most.complementarity);
        check_same("dissipation", all.dissipation, most.dissipation);
        assert_true(all.cone == most.cone || fabs(all.cone - most.cone) <= 1e-13 * most.cone);
    }
}

static void threads_do_not_change_bits(void **state)
{
    static fixture x;
    fill(&x, true);
    tn_certificate one = figures(&x, 0, MOST, 1, false, 3.0);
    for (int n_threads = 2; n_threads <= 3; n_threads++) {
        tn_certificate more = figures(&x, 0, MOST, n_threads, false, 3.0);
        assert_memory_equal(&one, &more, sizeof one);
    }
}

// In any lane, whichever number it is.
static void nan_stays(void **state)
{
    static fixture x;
    for (int i = 0; i < 24; i++) {
        fill(&x, false);
        double *const arrays[3] = {x.lambda, x.u, x.free};
        arrays[i % 3][3 * 16 + i] = (double)NAN;
        tn_certificate c = figures(&x, 0, 64, 1, true, 1.0);
        assert_true(isnan(c.fclib));
        assert_true(i % 3 == 2 || isnan(c.natural));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_are_as_one_by_one),
        cmocka_unit_test(threads_do_not_change_bits),
        cmocka_unit_test(nan_stays),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
