#include "scene/units.h"
#include "test.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>

typedef struct sample {
    const char *text;
    tn_dimension dimension;
    double value;
} sample;

// Values by the definitions of the units (SI brochure, 9th edition).
static const sample good[] = {
    {"3", {0, 0, 0, 0}, 3.0},
    {"-1.5e-3", {1, 0, 0, 0}, -1.5e-3},
    {".5", {0, 0, 0, 0}, 0.5},
    {"+2.", {0, 0, 0, 0}, 2.0},
    {"10 ms", {0, 0, 1, 0}, 10e-3},
    {"10ms", {0, 0, 1, 0}, 10e-3},
    {"2 min", {0, 0, 1, 0}, 120.0},
    {"20 deg", {0, 0, 0, 1}, 0.34906585039886592},
    {"1 rev", {0, 0, 0, 1}, 6.2831853071795865},
    {"60 rpm", {0, 0, -1, 1}, 6.2831853071795865},
    {"90 deg/s", {0, 0, -1, 1}, 1.5707963267948966},
    {"80 kPa", {-1, 1, -2, 0}, 80e3},
    {"80 N/m^2", {-1, 1, -2, 0}, 80.0},
    {"5 cm", {1, 0, 0, 0}, 0.05},
    {"9.81 m/s^2", {1, 0, -2, 0}, 9.81},
    {"9.81 m s^-2", {1, 0, -2, 0}, 9.81},
    {"200 N", {1, 1, -2, 0}, 200.0},
    {"200 kg*m/s^2", {1, 1, -2, 0}, 200.0},
    {"1e5 N s/m", {0, 1, -1, 0}, 1e5},
    {"1e5 N*s/m", {0, 1, -1, 0}, 1e5},
    {"1e-3 s/kg", {0, -1, 1, 0}, 1e-3},
    {"1 g/cm^3", {-3, 1, 0, 0}, 1000.0},
    {"6 J/g mm", {3, 0, -2, 0}, 6.0}, // only the factor behind the sign is divided by
    {"6 N/mm*ms", {0, 1, -1, 0}, 6.0},
    {"2 m/s/ms", {1, 0, -2, 0}, 2000.0},
};

static void values_in_si(void **state)
{
    double worst = 0.0;
    int n = (int)(sizeof good / sizeof *good);
    for (int i = 0; i < n; i++) {
        double x = NAN;
        assert_int_equal(tn_number_parse(good[i].text, good[i].dimension, &x), TN_NUMBER_OK);
        worst = fmax(worst, fabs(x / good[i].value - 1.0));
    }
    // A product of at most four factors, each within half a unit in the last place.
    printf("%d numbers with units: largest relative error %.1e (limit 1e-15)\n", n, worst);
    assert_true(worst < 1e-15);
}

static void wrong_ones(void **state)
{
    const struct {
        const char *text;
        tn_number_status status;
    } bad[] = {
        {"", TN_NUMBER_NOT},
        {"x", TN_NUMBER_NOT},
        {"e5", TN_NUMBER_NOT},
        {"-", TN_NUMBER_NOT},
        {".", TN_NUMBER_NOT},
        {"infinity", TN_NUMBER_NOT},
        {".nan", TN_NUMBER_LARGE},
        {"-.inf", TN_NUMBER_LARGE},
        {"1e999", TN_NUMBER_LARGE},
        {"1e308 km", TN_NUMBER_LARGE},
        {"1 s", TN_NUMBER_MISMATCH},
        {"1 deg", TN_NUMBER_MISMATCH},
        {"1 m m", TN_NUMBER_MISMATCH},
        {"1 m^2", TN_NUMBER_MISMATCH},
        {"1 meter", TN_NUMBER_UNIT},
        {"1 M", TN_NUMBER_UNIT},
        {"1 m/", TN_NUMBER_UNIT},
        {"1 /m", TN_NUMBER_UNIT},
        {"1 m^", TN_NUMBER_UNIT},
        {"1 m^9", TN_NUMBER_UNIT},
        {"1 m^0", TN_NUMBER_UNIT},
        {"1 2", TN_NUMBER_UNIT},
        {"1,5", TN_NUMBER_UNIT},
        {"3 e2", TN_NUMBER_UNIT},
        {"1 m m m m m m m m m", TN_NUMBER_UNIT},
    };
    const tn_dimension length = {1, 0, 0, 0};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        double x = 42.0;
        tn_number_status status = tn_number_parse(bad[i].text, length, &x);
        if (status != bad[i].status) {
            printf("'%s' gives %d instead of %d\n", bad[i].text, status, bad[i].status);
        }
        assert_int_equal(status, bad[i].status);
        assert_true(x == 42.0); // untouched
    }
}

static void a_locale_with_comma_changes_nothing(void **state)
{
    const char *set = setlocale(LC_ALL, "de_DE.UTF-8");
    double x = 0.0;
    assert_int_equal(tn_number_parse("1.5 m", (tn_dimension){1, 0, 0, 0}, &x), TN_NUMBER_OK);
    setlocale(LC_ALL, "C");
    printf("with locale %s: 1.5 reads as %g\n", set ? set : "C (de_DE is not installed)", x);
    assert_true(x == 1.5);
}

static void units_of_dimensions_read_back(void **state)
{
    const tn_dimension all[] = {{1, 0, 0, 0},  {0, 1, 0, 0},   {0, 0, 1, 0},   {0, 0, 0, 1},   {1, 0, -1, 0},
                                {0, 0, -1, 1}, {1, 0, -2, 0},  {-3, 1, 0, 0},  {2, 1, 0, 0},   {1, 1, -2, 0},
                                {2, 1, -2, 0}, {0, 1, -2, 0},  {0, 1, -1, 0},  {0, -1, 1, 0},  {-1, 1, -2, 0},
                                {0, -1, 2, 0}, {-2, -1, 2, 1}, {2, 1, -2, -1}, {2, 1, -1, -1}, {0, 0, -1, 0}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char unit[64], text[80];
        snprintf(text, sizeof text, "7 %s", tn_dimension_unit(all[i], unit, sizeof unit));
        double x = 0.0;
        assert_int_equal(tn_number_parse(text, all[i], &x), TN_NUMBER_OK);
        assert_true(x == 7.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_in_si),
        cmocka_unit_test(wrong_ones),
        cmocka_unit_test(a_locale_with_comma_changes_nothing),
        cmocka_unit_test(units_of_dimensions_read_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
