// Jumps of expressions of time: found with size and time, told from kinks and from steep but resolved motion.
#include <math.h>
#include <stdio.h>

#include "base/arena.h"
#include "model/jump.h"
#include "scene/expression.h"
#include "test.h"

static tn_arena *arena;

static tn_value value_of(const char *text)
{
    int column;
    char message[160];
    tn_value value = {.program = tn_expression_compile(text, arena, &column, message, sizeof message)};
    assert_non_null(value.program);
    return value;
}

// All steps of 10 ms from 0 to 1 s: how many jump, and the last one's size and time.
static int jumps(const char *text, double *size, double *time)
{
    tn_value value = value_of(text);
    int n = 0;
    for (int k = 0; k < 100; k++) {
        double s, t;
        if (tn_value_jump(&value, 0.01 * k, 0.01 * (k + 1), &s, &t)) {
            n++;
            *size = s;
            *time = t;
        }
    }
    return n;
}

static void test_jumps(void **state)
{
    const struct {
        const char *text;
        double size, time;
    } samples[] = {
        {"5*step(t - 0.5) - 2", 5.0, 0.5},
        {"-3*step(t - 0.123)", -3.0, 0.123},
        {"1e-3*step(t - 0.777) + 0.1*t", 1e-3, 0.777},
        {"0.5*t - 0.4*step(t - 0.8)", -0.4, 0.8},
        {"if(t - 0.25, sin(t), 7 + sin(t))", -7.0, 0.25},
        {"sin(3*t) + 0.2*step(t - 0.333)", 0.2, 0.333},
        {"5*clamp(1e9*(t - 0.505), 0, 1)", 5.0, 0.505},
    };
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        double size = NAN, time = NAN;
        int n = jumps(samples[i].text, &size, &time);
        printf("%s: %d jump of %.9g at %.9g s\n", samples[i].text, n, size, time);
        assert_int_equal(n, 1);
        // Simpson's error of the smooth part: h^5 f'''''/2880 of 1e-10 at most.
        assert_true(fabs(size - samples[i].size) < 1e-9 * fabs(samples[i].size) + 1e-9);
        assert_true(fabs(time - samples[i].time) < 1e-7);
    }
    double size, time;
    assert_int_equal(jumps("step(t - 0.2) + step(t - 0.4) + step(t - 0.6)", &size, &time), 3);
}

static void test_no_jumps(void **state)
{
    static const char *const texts[] = {"0",
                                        "3",
                                        "t",
                                        "t^3",
                                        "0.1*sin(2*pi*t)",
                                        "sin(200*t)",
                                        "sin(628*t)",
                                        "abs(t - 0.333)",
                                        "clamp(t - 0.503, 0, 0.1)",
                                        "ramp(t - 0.505)^2",
                                        "min(t, 0.4567)",
                                        "if(t - 0.5, 0.25 + (t - 0.5), t^2)",
                                        "5*clamp(1e4*(t - 0.505), 0, 1)",
                                        "exp(-50*(t - 0.5)^2)",
                                        "1e6 + 1e-3*t",
                                        "1e-20*step(t - 0.5)",
                                        "1e-17*sin(2*pi*50*t)*(1 - step(t - 0.5))",
                                        "1e6 + 1e-10*sin(1e4*t)",
                                        "sqrt(t)"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double size = NAN, time = NAN;
        int n = jumps(texts[i], &size, &time);
        if (n > 0) {
            printf("%s: %d jumps, the last of %g at %g s\n", texts[i], n, size, time);
        }
        assert_int_equal(n, 0);
    }
    tn_value constant = {.constant = 3.0};
    double size, time;
    assert_false(tn_value_jump(&constant, 0.0, 1.0, &size, &time));
}

int main(void)
{
    arena = tn_arena_create(0);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_jumps), cmocka_unit_test(test_no_jumps)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    tn_arena_destroy(arena);
    return failed;
}
