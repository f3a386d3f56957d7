// A report without memory is an error like any other and leaves no file; a recording without frames is refused.
#include "tenon/report.h"

#include <stdio.h>
#include <unistd.h>

#include "base/memory.h"
#include "recorded.h"

static const char scene_text[] =
    "step: 5 ms\n"
    "bodies:\n"
    "  ground: {fixed: true, shape: {plane: [0, 0, 1]}}\n"
    "  ball: {position: [0, 0, 0.1], shape: {sphere: 0.1}}\n"
    "soft:\n"
    "  cube: {grid: {size: [0.1, 0.1, 0.1], divisions: [1, 1, 1]}, position: [1, 0, 0.06],\n"
    "    young: 50 kPa, poisson: 0.3}\n";

static void test_no_memory(void **unused)
{
    char path[64], page[64], part[96];
    snprintf(path, sizeof path, "report_test_%d.h5", (int)getpid());
    snprintf(page, sizeof page, "report_test_%d.html", (int)getpid());
    snprintf(part, sizeof part, "%s.%d.part", page, (int)getpid());
    tn_error error = {0};
    scenario s = scenario_open(scene_text);
    recorded_steps(&s, path, 10);
    scenario_close(&s);
    tn_recording *recording = recorded_read(path);
    const tn_recording *one[] = {recording};
    size_t whole = 0, size;
    long before = tn_memory_count(), n_failed = 0;
    assert_int_equal(tn_report_write(1, one, page, &whole, &error), TN_OK);
    long n = tn_memory_count() - before;
    for (long k = 0; k < n; k += k < n - 30 ? 1 : 3) { // the last ones are of three equal pictures
        remove(page);
        tn_memory_fail_after(k);
        tn_status status = tn_report_write(1, one, page, &size, &error);
        tn_memory_fail_after(-1);
        assert_true(status == TN_OK || (status == TN_NO_MEMORY && error.message[0]));
        assert_true((access(page, F_OK) == 0) == (status == TN_OK));
        assert_true(status != TN_OK || size == whole); // an arena's notes on itself may be missing, nothing else
        assert_int_not_equal(access(part, F_OK), 0);
        n_failed += status != TN_OK;
    }
    print_message("%ld requests for memory, %ld of those refused ended it\n", n, n_failed);
    assert_true(n_failed > 20);
    tn_recording_close(recording);
    remove(page);
    remove(path);
}

static void test_no_frames(void **unused)
{
    char path[64], page[64];
    snprintf(path, sizeof path, "report_empty_%d.h5", (int)getpid());
    snprintf(page, sizeof page, "report_empty_%d.html", (int)getpid());
    tn_error error = {0};
    scenario s = scenario_open(scene_text);
    assert_int_equal(tn_recorder_close(recorded_open(&s, path), &error), TN_OK);
    scenario_close(&s);
    tn_recording *recording = recorded_read(path);
    const tn_recording *one[] = {recording};
    assert_int_equal(tn_report_write(1, one, page, NULL, &error), TN_BAD_INPUT);
    print_message("%s\n", error.message);
    assert_int_not_equal(access(page, F_OK), 0);
    tn_recording_close(recording);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_no_memory), cmocka_unit_test(test_no_frames)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
