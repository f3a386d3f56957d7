// A scene may name every solver that there is, and no other: its key's words are those of the table.
#include "scenario.h"

#include "model/model.h"
#include "solver/solver.h"

#include <string.h>

static void test_names(void **state)
{
    int n = 0;
    for (; tn_solver_at(n); n++) {
        const char *name = tn_solver_at(n)->name;
        scenario s = scenario_open("solver: %s\nbodies: {ball: {shape: {sphere: 0.1}}}\n", name);
        assert_string_equal(s.model->settings.solver, name);
        scenario_close(&s);
    }
    print_message("%d solvers are taken\n", n);
    assert_true(n > 10);
    tn_error error = {0};
    assert_null(tn_scene_parse("solver: noodle\nbodies: {ball: {shape: {sphere: 0.1}}}\n", "test", 0, NULL, &error));
    for (int k = 0; k < n; k++) { // the message lists them
        assert_non_null(strstr(error.message, tn_solver_at(k)->name));
    }
    int n_words = 1;
    const char *word = strstr(error.message, "one of "), *end = strstr(error.message, ", not ");
    assert_true(word && end);
    while ((word = strchr(word + 1, ',')) < end) {
        n_words++;
    }
    assert_int_equal(n_words, n); // and nothing else
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
