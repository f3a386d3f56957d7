// Statistics by their definitions, and curves that lose no extreme.
#include "view/statistics.h"

#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "test.h"

static tn_series_statistics of(long from, long n, const double *values)
{
    tn_series_statistics s;
    tn_error error;
    assert_int_equal(tn_series_summarize(from, n, values, &s, &error), TN_OK);
    return s;
}

static void test_definitions(void **unused)
{
    const double values[] = {NAN, 3.0, -1.0, INFINITY, 7.0, 2.0, 7.0, NAN};
    tn_series_statistics s = of(0, 8, values);
    assert_int_equal(s.n, 5);
    assert_true(s.median == 3.0 && s.max == 7.0 && s.high == 7.0 && s.sum == 18.0 && s.mean == 3.6);
    assert_true(s.first == 3.0 && s.last == 7.0);
    assert_int_equal(s.worst, 4); // the first of two equals
    s = of(2, 7, values);
    assert_int_equal(s.n, 4);
    assert_true(s.median == 4.5 && s.first == -1.0);
}

// 95 % of 1..n are not above ceil(0.95 n), for every n.
static void test_high_rank(void **unused)
{
    double values[1000];
    for (long k = 0; k < 1000; k++) {
        values[k] = (double)((k * 617) % 1000 + 1); // 617 and 1000 share no factor: 1..1000 in some order
    }
    assert_true(of(0, 1000, values).high == 950.0);
    for (long n = 1; n <= 60; n++) {
        double rising[60];
        for (long k = 0; k < n; k++) {
            rising[k] = (double)(k + 1);
        }
        double expected = (double)((95 * n + 99) / 100);
        assert_true(of(0, n, rising).high == expected);
        assert_true((expected - 1.0) / (double)n < 0.95 && expected / (double)n >= 0.95);
    }
}

static void test_nothing_there(void **unused)
{
    const double values[] = {NAN, NAN};
    tn_series_statistics s = of(0, 2, values);
    assert_int_equal(s.n, 0);
    assert_int_equal(s.worst, -1);
    assert_true(isnan(s.median) && isnan(s.high) && isnan(s.max) && isnan(s.mean) && isnan(s.last));
    assert_int_equal(of(1, 1, values).n, 0);
}

static void test_no_memory(void **unused)
{
    const double values[] = {1.0};
    tn_series_statistics s;
    tn_error error;
    tn_memory_fail_after(0);
    assert_int_equal(tn_series_summarize(0, 1, values, &s, &error), TN_NO_MEMORY);
    tn_memory_fail_after(-1);
}

// Every bucket's least and greatest are there, in their order, at times that do not fall.
static void test_thinned(void **unused)
{
    enum { MOST = 1000 };
    double values[MOST], time[MOST], thin[MOST + 2], at[MOST + 2];
    for (long n = 1; n <= MOST; n += 37) {
        for (long k = 0; k < n; k++) {
            time[k] = 0.01 * (double)k;
            values[k] = k % 5 == 4 ? NAN : sin(0.7 * (double)(k * k));
        }
        for (long most = 2; most < 2 * n; most = 3 * most + 1) {
            long bucket = tn_series_bucket(n, most), points = tn_series_thinned(n, bucket);
            assert_true(points <= most + 1 && points <= MOST + 2);
            tn_series_thin(n, values, bucket, thin);
            tn_series_thin_time(n, time, bucket, at);
            double highest = -2.0, kept = -2.0;
            for (long k = 0; k < n; k++) {
                highest = values[k] > highest ? values[k] : highest;
            }
            for (long k = 0; k < points; k++) {
                kept = thin[k] > kept ? thin[k] : kept;
                assert_true(k == 0 || at[k] >= at[k - 1]);
            }
            assert_true(kept == highest);
        }
    }
    const double dip[] = {1.0, 5.0, -3.0, NAN, NAN, NAN};
    tn_series_thin(6, dip, 3, thin);
    assert_true(thin[0] == 5.0 && thin[1] == -3.0 && isnan(thin[2]) && isnan(thin[3]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_definitions), cmocka_unit_test(test_high_rank), cmocka_unit_test(test_nothing_there),
        cmocka_unit_test(test_no_memory),   cmocka_unit_test(test_thinned),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
