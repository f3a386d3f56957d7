// Anderson acceleration: a linear fixed point in n steps at most, and it says when it has nothing to mix.
#include "solver/anderson.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum { N = 4 };

// g = B x + c with spectral radius 0.995: 4000 plain steps for 1e-8.
static void map(const double x[N], double g[N])
{
    static const double rate[N] = {0.995, 0.97, 0.9, -0.5};
    for (int i = 0; i < N; ++i) {
        g[i] = rate[i] * x[i] + 1.0 + i;
        g[i] += i > 0 ? 0.1 * x[i - 1] : 0.0;
    }
}

static double residual(const double x[N])
{
    double g[N], sum = 0.0;
    map(x, g);
    for (int i = 0; i < N; ++i) {
        sum += (g[i] - x[i]) * (g[i] - x[i]);
    }
    return sqrt(sum);
}

// On a linear map Anderson is GMRES in disguise (Walker and Ni 2011): N + 1 evaluations in exact arithmetic.
static void linear_map(void **state)
{
    (void)state;
    tn_arena *arena = tn_arena_create("anderson", 0);
    tn_anderson *anderson = tn_anderson_create(N, 10, arena);
    assert_non_null(anderson);
    double x[N] = {0.0}, g[N];
    int steps = 0;
    while (residual(x) > 1e-8 && steps < 100) {
        map(x, g);
        bool mixed = tn_anderson_mix(anderson, x, g);
        assert_true(mixed == (steps > 0)); // no history at first
        for (int i = 0; i < N; ++i) {
            x[i] = g[i];
        }
        ++steps;
    }
    printf("%d steps to %.1e (limit: %d and rounding's 3 more)\n", steps, residual(x), N + 1);
    assert_true(steps <= N + 4);
    tn_arena_destroy(arena);
}

static void growth_clears(void **state)
{
    (void)state;
    tn_arena *arena = tn_arena_create("anderson", 0);
    tn_anderson *anderson = tn_anderson_create(2, 3, arena);
    double x[2] = {0.0, 0.0}, g[2] = {1.0, 0.0};
    assert_false(tn_anderson_mix(anderson, x, g));
    g[0] = 10.0; // a step ten times as long: the history is worthless
    assert_false(tn_anderson_mix(anderson, x, g));
    assert_true(g[0] == 10.0);
    tn_anderson_clear(anderson);
    g[0] = 0.5;
    assert_false(tn_anderson_mix(anderson, x, g));
    // The same step again: a zero difference gives no direction.
    assert_false(tn_anderson_mix(anderson, x, g));
    assert_true(g[0] == 0.5);
    tn_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(linear_map), cmocka_unit_test(growth_clears)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
