// The summary of a run against numbers by hand.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "record/summary.h"
#include "test.h"

static tn_step_report step_report(long step)
{
    tn_step_report report = {.step = step, .n_contacts = (int)step, .tolerances_held = step != 3 && step != 5};
    report.solve.solver = step < 4 ? "one" : "two";
    report.solve.iterations = (int)(10 * step);
    report.solve.converged = step != 5;
    report.solve_s = 1e-3 * (double)step;
    report.solve.certificate.natural = step == 2 ? NAN : (double)step;
    report.solve.certificate.fclib = NAN;
    report.energy.kinetic = step == 4 ? 10.0 : 1.0;
    report.energy.injected = step == 4 ? 3.0 : 0.0;
    return report;
}

static void test_by_hand(void **context)
{
    tn_error error = {0};
    tn_summary s;
    tn_summarizer *summarizer = tn_summarizer_create(NULL);
    assert_non_null(summarizer);
    tn_summarizer_begin(summarizer, 0.5, 2.0, &(tn_gain_scale){0.0, 0.0});
    for (long step = 1; step <= 6; step++) {
        tn_step_report report = step_report(step);
        assert_int_equal(tn_summarizer_add(summarizer, &report, &error), TN_OK);
    }
    tn_summarizer_finish(summarizer, &s);
    assert_int_equal(s.n_steps, 6);
    assert_true(s.time == 3.0);
    assert_true(s.contacts.max == 6.0 && s.contacts.mean == 3.5 && s.contacts.median == 3.5);
    assert_true(s.iterations.max == 60.0);
    assert_true(fabs(s.solve_ms.median - 3.5) < 1e-12);
    const tn_statistic *natural = &s.certificate[6], *fclib = &s.certificate[7];
    assert_string_equal(tn_figure_name(6), "natural");
    assert_string_equal(tn_figure_unit(1), "m/s");
    assert_true(natural->max == 6.0 && natural->median == 4.0); // 1 3 4 5 6: NaN is left out
    assert_true(isnan(fclib->max) && isnan(fclib->median));
    assert_int_equal(s.n_missed, 2);
    assert_int_equal(s.n_short, 1);
    assert_int_equal(s.first_missed, 3);
    assert_true(s.energy_initial == 2.0 && s.energy_final == 1.0);
    assert_true(s.energy_max_gain == 10.0 - 3.0 - 2.0); // step 4
    assert_int_equal(s.n_solvers, 2);
    assert_string_equal(s.solvers[0], "one");
    assert_string_equal(s.solvers[1], "two");
    tn_summarizer_destroy(summarizer);
}

// Who is furthest off is a matter of limits, not of figures; a step's own rest of wall time makes means add up.
static void test_far_off(void **context)
{
    tn_error error = {0};
    tn_summary s;
    tn_summarizer *summarizer = tn_summarizer_create(NULL);
    assert_non_null(summarizer);
    tn_summarizer_begin(summarizer, 0.5, 2.0, &(tn_gain_scale){0.0, 0.0});
    for (long step = 1; step <= 6; step++) {
        tn_step_report report = step_report(step);
        report.time = 0.5 * (double)step;
        report.collide_s = 1e-3, report.discretize_s = 2e-3, report.certify_s = 4e-3, report.total_s = 20e-3;
        if (step == 2) {
            report.miss = (tn_step_miss){TN_MISS_PENETRATION, 0.004, 0.001, 3, 7};
        } else if (step == 5) {
            report.miss = (tn_step_miss){TN_MISS_COMPLEMENTARITY, 2.0, 1.0, 1, 2};
        }
        assert_int_equal(tn_summarizer_add(summarizer, &report, &error), TN_OK);
    }
    tn_summarizer_finish(summarizer, &s);
    assert_int_equal(s.n_far, 2);
    assert_true(s.far.kind == TN_MISS_PENETRATION && s.far.value == 0.004 && s.far_step == 2 && s.far_time == 1.0);
    assert_true(s.far.body_a == 3 && s.far.body_b == 7);
    // Step k solves for k ms and takes 20: the rest is 13 - k.
    assert_true(fabs(s.other_ms.max - 12.0) < 1e-9 && fabs(s.other_ms.mean - 9.5) < 1e-9);
    double sum = s.collide_ms.mean + s.discretize_ms.mean + s.solve_ms.mean + s.certify_ms.mean + s.other_ms.mean;
    printf("means of the stages add up to %.12g ms, total %.12g\n", sum, s.total_ms.mean);
    assert_true(fabs(sum - s.total_ms.mean) < 1e-9);
    tn_summarizer_destroy(summarizer);
}

// Levels without what was injected: 1 1 1 7 1 1 J. The scale is the largest kinetic energy, 10 J, and the 3 J injected;
// a gain must exceed a twentieth of that, or of the floor.
static void test_gain(void **context)
{
    tn_error error = {0};
    const tn_gain_scale scales[3] = {{0.0, 0.0}, {200.0, 0.0}, {0.0, 2.0}}; // the last: 2 sqrt(10) J of a moment
    for (int k = 0; k < 3; k++) {
        tn_summary s;
        tn_summarizer *summarizer = tn_summarizer_create(NULL);
        assert_non_null(summarizer);
        tn_summarizer_begin(summarizer, 0.5, 2.0, &scales[k]);
        for (long step = 1; step <= 6; step++) {
            tn_step_report report = step_report(step);
            report.time = 0.5 * (double)step;
            assert_int_equal(tn_summarizer_add(summarizer, &report, &error), TN_OK);
        }
        tn_summarizer_finish(summarizer, &s);
        printf("floor %g J, pull %g: %ld steps gain, most %g J at %g s\n", scales[k].floor, scales[k].pull, s.n_gaining,
               s.gain, s.gain_time);
        assert_int_equal(s.n_gaining, k == 0);
        assert_true(k > 0 || (s.gain == 6.0 && s.gain_time == 2.0));
        tn_summarizer_destroy(summarizer);
    }
}

// Memory of a long run: no more of it after 2^14 steps. Medians are those of each eighth of 100000, the rest is of all.
static void test_long(void **context)
{
    tn_error error = {0};
    tn_summary s;
    tn_summarizer *summarizer = tn_summarizer_create(NULL);
    assert_non_null(summarizer);
    tn_summarizer_begin(summarizer, 0.5, 2.0, &(tn_gain_scale){0.0, 0.0});
    long n = 100000, before = 0;
    for (long step = 1; step <= n; step++) {
        tn_step_report report = step_report(step);
        assert_int_equal(tn_summarizer_add(summarizer, &report, &error), TN_OK);
        before = step == 1 << 14 ? tn_memory_count() : before;
    }
    assert_int_equal(tn_memory_count(), before);
    tn_summarizer_finish(summarizer, &s);
    printf("of 1 to %ld: median %.9g, mean %.9g\n", n, s.contacts.median, s.contacts.mean);
    assert_int_equal(s.n_steps, n);
    assert_true(s.contacts.max == 100000.0 && s.contacts.mean == 50000.5);
    assert_true(fabs(s.contacts.median - 50000.5) <= 4.0);
    assert_true(s.certificate[6].max == 100000.0 && s.certificate[6].mean == (5000050000.0 - 2.0) / 99999.0);
    tn_summarizer_destroy(summarizer);
}

static void test_empty(void **context)
{
    tn_summary s;
    tn_summarizer *summarizer = tn_summarizer_create(NULL);
    assert_non_null(summarizer);
    tn_summarizer_finish(summarizer, &s);
    assert_int_equal(s.n_steps, 0);
    assert_true(isnan(s.contacts.mean) && isnan(s.energy_initial));
    tn_summarizer_destroy(summarizer);
    tn_summarizer_destroy(NULL);
}

static void test_no_memory(void **context)
{
    tn_error error = {0};
    tn_step_report report = step_report(1);
    tn_memory_fail_after(0);
    assert_null(tn_summarizer_create(NULL));
    tn_summarizer *summarizer = tn_summarizer_create(NULL);
    tn_memory_fail_after(0);
    assert_int_equal(tn_summarizer_add(summarizer, &report, &error), TN_NO_MEMORY);
    tn_memory_fail_after(-1);
    tn_summarizer_destroy(summarizer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand), cmocka_unit_test(test_far_off), cmocka_unit_test(test_gain),
        cmocka_unit_test(test_empty),   cmocka_unit_test(test_long),    cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
