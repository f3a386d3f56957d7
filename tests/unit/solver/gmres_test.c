// GMRES against a dense solve, its stop, and its degenerate starts.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "solver/gmres.h"
#include "test.h"

enum { N = 25 };

typedef struct matrix {
    double M[N * N];
    int products, allowed;
} matrix;

// Identity and an unsymmetric part of norm about 0.5 sqrt(N) / sqrt(N).
static void make(matrix *o, double strength)
{
    *o = (matrix){.allowed = 1000};
    for (int i = 0; i < N * N; i++) {
        o->M[i] = strength * tn_random_normal(5, 1, (uint64_t)i) / sqrt(N) + (i % (N + 1) == 0 ? 1.0 : 0.0);
    }
}

static bool apply(void *user, const double *x, double *y)
{
    matrix *o = user;
    for (int i = 0; i < N; i++) {
        y[i] = 0.0;
        for (int j = 0; j < N; j++) {
            y[i] += o->M[N * i + j] * x[j];
        }
    }
    return o->products++ < o->allowed;
}

static void solves_to_the_tolerance(void **state)
{
    static const double tolerances[] = {1e-1, 1e-3, 1e-12};
    tn_arena *arena = tn_arena_create(0);
    tn_gmres gmres;
    matrix o;
    double b[N], x[N], r[N];
    assert_true(tn_gmres_create(&gmres, N, 30, arena));
    make(&o, 0.5);
    for (int i = 0; i < N; i++) {
        b[i] = tn_random_normal(6, 1, (uint64_t)i);
    }
    int last = 0;
    for (int k = 0; k < 3; k++) {
        int products = tn_gmres_solve(&gmres, apply, &o, b, tolerances[k], x);
        apply(&o, x, r);
        double residual = 0.0, norm = 0.0;
        for (int i = 0; i < N; i++) {
            residual += (b[i] - r[i]) * (b[i] - r[i]);
            norm += b[i] * b[i];
        }
        printf("%d products: residual %.1e (limit %.0e: demanded)\n", products, sqrt(residual / norm), tolerances[k]);
        assert_true(products > last && products <= N && sqrt(residual / norm) <= tolerances[k] * 1.001);
        last = products;
    }
    tn_arena_destroy(arena);
}

static void degenerate_starts(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    tn_gmres gmres;
    matrix o;
    double b[N] = {0.0}, x[N];
    assert_true(tn_gmres_create(&gmres, N, 30, arena));
    make(&o, 0.0); // the identity: one product, exactly
    assert_int_equal(tn_gmres_solve(&gmres, apply, &o, b, 1e-10, x), 0);
    assert_true(x[3] == 0.0);
    b[3] = 2.0;
    assert_int_equal(tn_gmres_solve(&gmres, apply, &o, b, 1e-10, x), 1);
    assert_true(x[3] == 2.0 && x[0] == 0.0);
    make(&o, 0.5);
    o.allowed = 2; // the operator gives up
    assert_int_equal(tn_gmres_solve(&gmres, apply, &o, b, 1e-10, x), -1);
    tn_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(solves_to_the_tolerance), cmocka_unit_test(degenerate_starts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
