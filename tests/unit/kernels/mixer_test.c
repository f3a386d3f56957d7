// Anderson's mixing: a linear fixed point in few steps, vectors and memory in both precisions, and what the memory
// promises.
#include <stdio.h>

#include "base/random.h"
#include "kernels/mixer/mixer.h"
#include "test.h"

#include <math.h>
#include <string.h>

enum { N = 4000, DEPTH = 5 }; // two chunks
static const tn_mixer_options plain = {.n = N, .depth = DEPTH};

// G(x) = x - d (x - s): its slowest direction falls by 0.98 a step.
static double damping(int i)
{
    return i % 5 == 0 ? 0.02 : i % 5 == 1 ? 0.1 : i % 5 == 2 ? 0.4 : 0.9;
}

static double solution(int i)
{
    return 2.0 * tn_random_uniform(7, 1, (uint64_t)i) - 1.0;
}

static int steps_until(double tolerance, double *x, double *g, tn_arena *arena)
{
    tn_mixer m;
    assert_true(tn_mixer_create(&m, &plain, arena));
    memset(x, 0, N * sizeof *x);
    for (int l = 1; l < 200; l++) {
        for (int i = 0; i < N; i++) {
            g[i] = x[i] - damping(i) * (x[i] - solution(i));
        }
        if (tn_mixer_advance(&m, x, g) < tolerance) {
            return l;
        }
    }
    return 200;
}

// The same in single precision, relative to a reference that follows every `age` steps.
static int steps_of_single(double tolerance, int age, double *reference, float *x, float *g, tn_arena *arena)
{
    tn_mixer m;
    assert_true(tn_mixer_create(&m, &plain, arena));
    memset(x, 0, N * sizeof *x);
    memset(reference, 0, N * sizeof *reference);
    for (int l = 1; l < 200; l++) {
        for (int i = 0; i < N; i++) {
            g[i] = x[i] - (float)damping(i) * (x[i] - (float)(solution(i) - reference[i]));
        }
        for (int i = 0; i < N && l % age == 0; i++) {
            reference[i] += (double)g[i];
            x[i] -= g[i];
            g[i] = 0.0F;
        }
        if (tn_mixer_advance_single(&m, x, g) < tolerance) {
            return l;
        }
    }
    return 200;
}

static void a_linear_fixed_point(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    double *x = TN_PUSH(arena, double, N), *g = TN_PUSH(arena, double, N);
    float *y = TN_PUSH(arena, float, N), *h = TN_PUSH(arena, float, N);
    const double tolerance = 1e-9;
    int unmixed = (int)ceil(log(tolerance) / log(0.98)); // and more: |f| starts above 1
    int mixed = steps_until(tolerance, x, g, arena);
    // Four different factors: four directions, found by four differences.
    printf("to 1e-9: %d steps (limit 20), without mixing more than %d\n", mixed, unmixed);
    assert_true(mixed <= 20);
    double error[2] = {0.0, 0.0};
    int steps[2];
    for (int k = 0; k < 2; k++) {
        steps[k] = steps_of_single(tolerance, k == 0 ? 4 : 1000, x, y, h, arena);
        for (int i = 0; i < N; i++) {
            error[k] = fmax(error[k], fabs(x[i] + (double)y[i] - solution(i)));
        }
    }
    // |f| < 1e-9 along the slowest direction is 5e-8; rounding of x alone is 6e-8, and stops there.
    printf("single, reference every 4 steps: %d steps (limit 40), off by %.1e (limit 5e-8); never: %d, %.1e\n",
           steps[0], error[0], steps[1], error[1]);
    assert_true(steps[0] <= 40 && error[0] < 5e-8);
    assert_true(error[1] > 10.0 * error[0]); // the test sees what the reference is for
    tn_arena_destroy(arena);
}

// |f| beyond twice the best: forgotten, and the next start is g.
static void a_wild_step_clears_the_memory(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    float *x = TN_PUSH(arena, float, N), *g = TN_PUSH(arena, float, N);
    tn_mixer m;
    assert_true(tn_mixer_create(&m, &plain, arena));
    for (int l = 0; l < 4; l++) {
        for (int i = 0; i < N; i++) {
            g[i] = x[i] - (float)(damping(i) * ((double)x[i] - solution(i)));
        }
        tn_mixer_advance_single(&m, x, g);
    }
    assert_int_equal(m.count, 3);
    for (int i = 0; i < N; i++) {
        g[i] = x[i] + 10.0F;
    }
    assert_true(fabs(tn_mixer_advance_single(&m, x, g) - 10.0 * sqrt(N)) < 1e-3);
    assert_int_equal(m.count, 0);
    assert_true(fabsf(g[17] - x[17]) == 0.0F);
    tn_arena_destroy(arena);
}

// Where f is as it was a step before x goes on by leap f, and the memory begins anew; where f has turned it does not.
static void a_steady_pace_is_leapt_over(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    double *x = TN_PUSH(arena, double, N), *g = TN_PUSH(arena, double, N);
    float *y = TN_PUSH(arena, float, N), *h = TN_PUSH(arena, float, N);
    double error = 0.0;
    for (int turns = 0; turns < 2; turns++) {
        tn_mixer m[2];
        for (int k = 0; k < 2; k++) {
            assert_true(tn_mixer_create(&m[k], &plain, arena));
            m[k].leap = 20.0F;
        }
        memset(x, 0, N * sizeof *x);
        memset(y, 0, N * sizeof *y);
        for (int l = 0; l < 2; l++) {
            for (int i = 0; i < N; i++) {
                double step = l > 0 && turns && i % 3 == 0 ? -solution(i) : 1.05 * solution(i) - 0.05 * l * solution(i);
                g[i] = x[i] + step;
                h[i] = y[i] + (float)step;
            }
            tn_mixer_advance(&m[0], x, g);
            tn_mixer_advance_single(&m[1], y, h);
        }
        // Two steps of 1.05 and 1, then 20 of the last.
        for (int i = 0; i < N && !turns; i++) {
            error = fmax(error, fmax(fabs(x[i] - 22.05 * solution(i)), fabs((double)y[i] - 22.05 * solution(i))));
            assert_true(x[i] == g[i] && y[i] == h[i]);
        }
        assert_int_equal(m[0].leaps, !turns);
        assert_int_equal(m[1].leaps, !turns);
        assert_int_equal(m[0].count, turns);
        assert_int_equal(m[0].begun, turns);
    }
    printf("off by %.1e (limit 2e-5: floats of up to 22)\n", error);
    assert_true(error < 2e-5);
    tn_arena_destroy(arena);
}

// The spectral radius is 0.995: 4000 plain steps for 1e-8.
enum { FEW = 4 };
static void few(const double *x, double *g)
{
    static const double rate[FEW] = {0.995, 0.97, 0.9, -0.5};
    for (int i = 0; i < FEW; i++) {
        g[i] = rate[i] * x[i] + 1.0 + i;
        g[i] += i > 0 ? 0.1 * x[i - 1] : 0.0;
    }
}

// On a linear map it is GMRES in disguise (Walker and Ni 2011): FEW + 1 evaluations in exact arithmetic. To rounding of
// doubles where the memory is of doubles.
static void few_numbers_in_doubles(void **state)
{
    int steps[2];
    for (int k = 0; k < 2; k++) {
        tn_arena *arena = tn_arena_create(0);
        tn_mixer_options options = {.n = tn_mixer_room(FEW), .depth = FEW, .doubles = k == 0};
        double *x = TN_PUSH(arena, double, options.n), *g = TN_PUSH(arena, double, options.n), length = INFINITY;
        tn_mixer m;
        assert_true(tn_mixer_create(&m, &options, arena));
        for (steps[k] = 0; length > 1e-12 && steps[k] < 100; steps[k]++) {
            few(x, g);
            length = tn_mixer_advance(&m, x, g);
            assert_true(x[0] == g[0] && x[FEW] == 0.0);
        }
        tn_arena_destroy(arena);
    }
    printf("to 1e-12: %d steps (limit: %d and rounding's 3 more), with memory in float %d\n", steps[0], FEW + 2,
           steps[1]);
    assert_true(steps[0] <= FEW + 5);
}

// The same step again: its difference gives no direction, and the next start is g.
static void a_step_that_repeats_is_no_direction(void **state)
{
    for (int k = 0; k < 2; k++) {
        tn_arena *arena = tn_arena_create(0);
        tn_mixer_options options = {.n = 16, .depth = 3, .doubles = k == 1};
        double x[16] = {0.0}, g[16] = {0.0};
        tn_mixer m;
        assert_true(tn_mixer_create(&m, &options, arena));
        for (int l = 1; l < 4; l++) {
            g[0] = x[0] + 0.5;
            tn_mixer_advance(&m, x, g);
            assert_true(x[0] == 0.5 * l && m.count == 0);
        }
        tn_arena_destroy(arena);
    }
}

static void threads_do_not_change_a_bit(void **state)
{
    enum { LARGE = 48000 };
    tn_arena *arena = tn_arena_create(0);
    float *x[4], *g = TN_PUSH(arena, float, LARGE);
    for (int k = 0; k < 4; k++) {
        tn_mixer m;
        tn_mixer_options options = {.n = LARGE, .depth = DEPTH, .n_threads = k % 2 + 1, .doubles = k >= 2};
        x[k] = TN_PUSH(arena, float, LARGE);
        assert_true(tn_mixer_create(&m, &options, arena));
        m.leap = 3.0F;
        for (int l = 0; l < 9; l++) {
            for (int i = 0; i < LARGE; i++) {
                g[i] = x[k][i] - (float)(damping(i) * ((double)x[k][i] - solution(i)));
            }
            tn_mixer_advance_single(&m, x[k], g);
        }
    }
    assert_memory_equal(x[0], x[1], LARGE * sizeof(float));
    assert_memory_equal(x[2], x[3], LARGE * sizeof(float));
    assert_memory_not_equal(x[0], x[2], LARGE * sizeof(float)); // another memory was used
    tn_arena_destroy(arena);
}

static void dot_products(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    float *x = TN_PUSH(arena, float, N), *y = TN_PUSH(arena, float, N);
    double sum = 0.0;
    for (int i = 0; i < N; i++) {
        x[i] = (float)solution(i);
        y[i] = (float)solution(N + i);
        sum += (double)x[i] * (double)y[i];
    }
    double error = fabs(tn_mixer_dot(N, x, y) - sum);
    printf("x . y off by %.1e (limit 1e-12: doubles)\n", error);
    assert_true(error < 1e-12);
    tn_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_linear_fixed_point),
        cmocka_unit_test(a_wild_step_clears_the_memory),
        cmocka_unit_test(a_steady_pace_is_leapt_over),
        cmocka_unit_test(few_numbers_in_doubles),
        cmocka_unit_test(a_step_that_repeats_is_no_direction),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(dot_products),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
