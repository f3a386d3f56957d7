#include "base/arena.h"
#include "scene/expression.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static tn_arena *arena;

static const tn_expression *compile(const char *text)
{
    int column = 0;
    char message[160] = "";
    const tn_expression *e = tn_expression_compile(text, arena, &column, message, sizeof message);
    if (!e) {
        printf("'%s' column %d: %s\n", text, column, message);
    }
    assert_non_null(e);
    return e;
}

static void values(void **state)
{
    const double t = 0.7;
    const struct {
        const char *text;
        double value;
    } samples[] = {
        {"1 + 2*3", 7.0},
        {"(1 + 2)*3", 9.0},
        {"2 - 3 - 4", -5.0},
        {"16/4/2", 2.0},
        {"2^3^2", 512.0},
        {"-2^2", -4.0},
        {"2^-1", 0.5},
        {"--t", t},
        {"+t - +t", 0.0},
        {"1e-3*t", 1e-3 * t},
        {"pi", 3.14159265358979323846},
        {"e", 2.71828182845904523536},
        {"min(t, 2) + max(t, 2)", t + 2.0},
        {"step(t - 0.5) + 10*step(t - 0.9)", 1.0},
        {"step(0)", 1.0},
        {"ramp(t - 0.5)", 0.7 - 0.5},
        {"ramp(0.5 - t)", 0.0},
        {"clamp(t, 0, 0.25)", 0.25},
        {"clamp(-t, -0.5, 1)", -0.5},
        {"if(t - 1, 5, 6)", 6.0},
        {"if(t - 0.5, 5, 6)", 5.0},
        {"if(t - t, 5, 6)", 5.0},
        {"clamp(2*t, 0.25, 0.5)", 0.5},
        {"abs(-t)", t},
        {"pow(2, 10)", 1024.0},
        {"sqrt(2)*sqrt(2) - 2", sqrt(2.0) * sqrt(2.0) - 2.0},
        {" sin ( t ) ", sin(0.7)},
    };
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        double x = tn_expression_eval(compile(samples[i].text), t, NULL);
        if (x != samples[i].value) {
            printf("%s = %.17g, expected %.17g\n", samples[i].text, x, samples[i].value);
        }
        assert_true(x == samples[i].value);
    }
}

// What is no real number stays none, also through functions that ask where a number lies and C's pow.
static void no_number_stays_none(void **state)
{
    static const char *const texts[] = {"sqrt(0 - t)",
                                        "log(-t)",
                                        "(-t)^0.5",
                                        "step(sqrt(-t))",
                                        "if(log(-t), 1, 2)",
                                        "sqrt(-t)^0",
                                        "1^sqrt(-t)",
                                        "min(sqrt(-t), 1)",
                                        "min(1, sqrt(-t))",
                                        "max(1, sqrt(-t))",
                                        "clamp(0.5, sqrt(-t), 1)",
                                        "clamp(0.5, 0, sqrt(-t))",
                                        "ramp(sqrt(-t))",
                                        "abs(sqrt(-t))"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        double x = tn_expression_eval(compile(texts[i]), 0.7, NULL);
        if (!isnan(x)) {
            printf("%s = %g, must be none\n", texts[i], x);
        }
        assert_true(isnan(x));
    }
    // A branch that is not taken does not count.
    assert_true(tn_expression_eval(compile("if(t, 3, sqrt(-t))"), 0.7, NULL) == 3.0);
}

// Away from kinks the derivative equals a fourth-order central difference: error about eps/h + h^4 f'''''/30, at
// h = 1e-3 about 1e-12 for functions and derivatives of order one.
static void rates_against_differences(void **state)
{
    static const char *const texts[] = {
        "0.1*sin(2*pi*t)",
        "cos(3*t)*exp(-t)",
        "tan(t)",
        "log(1 + t^2)",
        "sqrt(1 + t)",
        "t^3 - 2*t + 1",
        "t^-2",
        "2^t",
        "t^t",
        "(1 + t)^(1 - t)",
        "pow(t, 2.5)",
        "1/(1 + t*t)",
        "abs(0.3 - t)",
        "min(t^2, 3*t)",
        "max(sin(t), 0.2)",
        "ramp(t - 0.2)*t",
        "clamp(t, 0.1, 2)",
        "if(t-0.4, t^2, 3)",
        "step(t - 0.3)",
        "(-2)^3*t",
        "exp(sin(t))/cos(t/2)",
        "sqrt(t)*sqrt(t)",
        "-t^2",
        "t/(2 - t)/(3 + t)",
        "pi*t + e",
    };
    const double h = 1e-3;
    double worst = 0.0;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        const tn_expression *e = compile(texts[i]);
        for (int k = 0; k < 3; k++) {
            double t = 0.55 + 0.17 * k, rate = NAN;
            tn_expression_eval(e, t, &rate);
            double d1 = tn_expression_eval(e, t + h, NULL) - tn_expression_eval(e, t - h, NULL);
            double d2 = tn_expression_eval(e, t + 2 * h, NULL) - tn_expression_eval(e, t - 2 * h, NULL);
            double error = fabs(rate - (8.0 * d1 - d2) / (12.0 * h)) / (1.0 + fabs(rate));
            if (!(error < 1e-9)) {
                printf("%s at %g: rate %.15g, difference %.15g\n", texts[i], t, rate, (8.0 * d1 - d2) / (12.0 * h));
            }
            worst = fmax(worst, error);
        }
    }
    printf("largest relative difference of rate and difference quotient %.1e (limit 1e-9)\n", worst);
    assert_true(worst < 1e-9);
}

static void kinks_take_the_right_hand_rate(void **state)
{
    const struct {
        const char *text;
        double rate;
    } samples[] = {{"abs(t)", 1.0},      {"ramp(t)", 1.0},        {"ramp(-t)", 0.0}, {"max(2*t, t)", 2.0},
                   {"min(2*t, t)", 1.0}, {"clamp(t, 0, 1)", 1.0}, {"step(t)", 0.0},  {"t^2", 0.0},
                   {"t^0", 0.0},         {"sqrt(4)", 0.0}};
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        double rate = NAN;
        tn_expression_eval(compile(samples[i].text), 0.0, &rate);
        if (rate != samples[i].rate) {
            printf("%s: rate %g, expected %g\n", samples[i].text, rate, samples[i].rate);
        }
        assert_true(rate == samples[i].rate);
    }
}

static void errors_have_columns(void **state)
{
    const struct {
        const char *text;
        int column;
        const char *message;
    } samples[] = {
        {"", 1, "expression ends too early"},
        {"1 +", 4, "expression ends too early"},
        {"1 2", 3, "'2' is not expected here"},
        {"(1", 3, "')' expected"},
        {"1)", 2, "')' is not expected here"},
        {"sin t", 5, "'(' must follow 'sin'"},
        {"max(1)", 6, "'max' takes 2 arguments"},
        {"sin(1, 2)", 6, "')' expected after 1 argument of 'sin'"},
        {"3*cosh(t)", 3, "unknown name 'cosh'; did you mean 'cos'?"},
        {"x", 1, "unknown name 'x'; known are t, pi, e and the functions"},
        {"2$", 2, "'$' is not expected here"},
        {"#", 1, "'#' is not part of an expression"},
        {"1e999", 1, "number too large"},
        {"1 + 2x", 6, "'x' is not expected here"},
    };
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++) {
        int column = 0;
        char message[160] = "";
        assert_null(tn_expression_compile(samples[i].text, arena, &column, message, sizeof message));
        assert_string_equal(message, samples[i].message);
        assert_int_equal(column, samples[i].column);
    }
}

static void caps(void **state)
{
    char text[8192], message[160];
    int column = 0;
    memset(text, '(', 500);
    text[500] = 0;
    assert_null(tn_expression_compile(text, arena, &column, message, sizeof message));
    assert_string_equal(message, "nested too deeply");
    text[0] = 't';
    for (size_t i = 0; i < 1000; i++) {
        memcpy(text + 1 + 2 * i, "+t", 3);
    }
    assert_null(tn_expression_compile(text, arena, &column, message, sizeof message));
    assert_string_equal(message, "expression too long");
    // t^(t^(t^ ... needs a stack as deep as the nesting.
    text[0] = 0;
    for (size_t i = 0; i < 40; i++) {
        memcpy(text + 2 * i, "t^", 3);
    }
    strcat(text, "t");
    assert_null(tn_expression_compile(text, arena, &column, message, sizeof message));
    assert_string_equal(message, "expression too long");
}

static void constants_are_values_too(void **state)
{
    tn_value number = {.constant = 3.5};
    tn_value formula = {.program = compile("2*t")};
    assert_true(tn_value_at(&number, 9.0) == 3.5 && tn_value_rate(&number, 9.0) == 0.0);
    assert_true(tn_value_at(&formula, 9.0) == 18.0 && tn_value_rate(&formula, 9.0) == 2.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values),
        cmocka_unit_test(no_number_stays_none),
        cmocka_unit_test(rates_against_differences),
        cmocka_unit_test(kinks_take_the_right_hand_rate),
        cmocka_unit_test(errors_have_columns),
        cmocka_unit_test(caps),
        cmocka_unit_test(constants_are_values_too),
    };
    arena = tn_arena_create(0);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    tn_arena_destroy(arena);
    return failed;
}
