// Errors with their place, the log callback, memory's counter and failure switch, the clock.
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/timer.h"
#include "tenon/error.h"
#include "test.h"

static void an_error_says_where(void **state)
{
    tn_error error = {0};
    char text[256];
    assert_int_equal(tn_error_set(&error, TN_IO, "cannot read %s", "it"), TN_IO);
    assert_int_equal(error.status, TN_IO);
    assert_string_equal(tn_error_text(&error, text, sizeof text), "error: cannot read it");
    assert_int_equal(tn_error_at(&error, "a.yaml", 3, 7, "unknown key '%s'", "mas"), TN_BAD_INPUT);
    assert_string_equal(tn_error_text(&error, text, sizeof text), "a.yaml:3:7: error: unknown key 'mas'");
    tn_error_at(&error, "a.msh", 3, 0, "no number");
    assert_string_equal(tn_error_text(&error, text, sizeof text), "a.msh:3: error: no number");
    tn_error_at(&error, "a.yaml", 0, 0, "empty");
    assert_string_equal(tn_error_text(&error, text, sizeof text), "a.yaml: error: empty");
    assert_string_equal(tn_error_text(&error, text, 7), "a.yaml"); // cut, with its NUL
    tn_error_at(&error, NULL, 1, 1, "no file");
    assert_string_equal(tn_error_text(&error, text, sizeof text), "error: no file");
}

static void an_error_may_be_ignored_or_too_long(void **state)
{
    assert_int_equal(tn_error_set(NULL, TN_NO_MEMORY, "%d", 1), TN_NO_MEMORY);
    assert_int_equal(tn_error_at(NULL, "f", 1, 1, "%d", 1), TN_BAD_INPUT);
    char longer[2000];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    tn_error error;
    tn_error_at(&error, longer, 1, 1, "%s", longer);
    assert_int_equal(strlen(error.message), sizeof error.message - 1);
    assert_int_equal(strlen(error.file), sizeof error.file - 1);
}

static void note_message(void *user, tn_log_level level, const char *message)
{
    char *text = user;
    sprintf(text + strlen(text), "%d %s; ", level, message);
}

static void the_log_reaches_its_function_only(void **state)
{
    char text[200] = "";
    tn_log log = {note_message, text, TN_LOG_INFO};
    tn_log_write(&log, TN_LOG_WARNING, "slow: %d contacts", 7);
    tn_log_write(&log, TN_LOG_INFO, "solver pgs");
    tn_log_write(&log, TN_LOG_DEBUG, "dropped");
    tn_log_write(NULL, TN_LOG_WARNING, "nowhere");
    log.function = NULL;
    tn_log_write(&log, TN_LOG_WARNING, "nowhere");
    assert_string_equal(text, "1 slow: 7 contacts; 2 solver pgs; ");
}

static void memory_counts_and_fails_on_demand(void **state)
{
    long before = tn_memory_count();
    void *block[5] = {tn_malloc(0), tn_calloc(0, 0), tn_aligned_malloc(100), tn_realloc(NULL, 10), tn_strdup("text")};
    assert_int_equal(tn_memory_count() - before, 5);
    for (int i = 0; i < 5; i++) {
        assert_non_null(block[i]);
    }
    assert_int_equal((uintptr_t)block[2] % 64, 0);
    assert_string_equal(block[4], "text");
    tn_memory_fail_after(1);
    void *first = tn_malloc(1), *second = tn_realloc(block[3], 20), *third = tn_strdup("a");
    tn_memory_fail_after(-1);
    assert_true(first && !second && third); // the second only, and realloc's block stays
    assert_null(tn_calloc(SIZE_MAX / 2, 4));
    assert_null(tn_aligned_malloc(SIZE_MAX - 1));
    tn_free(first);
    tn_free(third);
    tn_free(NULL);
    for (int i = 0; i < 5; i++) {
        tn_free(block[i]);
    }
}

static void the_clock_does_not_run_back(void **state)
{
    double before = tn_timer_now();
    for (int i = 0; i < 1000; i++) {
        double now = tn_timer_now();
        assert_true(now >= before);
        before = now;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_says_where),
        cmocka_unit_test(an_error_may_be_ignored_or_too_long),
        cmocka_unit_test(the_log_reaches_its_function_only),
        cmocka_unit_test(memory_counts_and_fails_on_demand),
        cmocka_unit_test(the_clock_does_not_run_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
