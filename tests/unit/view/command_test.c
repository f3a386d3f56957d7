// Messages of a page: each command as the header says, and whatever is none refused.
#include "test.h"
#include "view/command.h"

#include <stdio.h>
#include <string.h>

static bool read(const char *text, tn_live_command *out)
{
    const char *why = NULL;
    bool ok = tn_live_command_read(text, strlen(text), out, &why);
    assert_non_null(why);
    assert_int_equal(ok, why[0] == '\0');
    return ok;
}

static void test_commands(void **unused)
{
    static const struct {
        const char *text;
        tn_live_action action;
    } plain[] = {{"{\"command\":\"pause\"}", TN_LIVE_PAUSE},     {" { \"command\" : \"resume\" } ", TN_LIVE_RESUME},
                 {"{\"command\":\"step\"}\n", TN_LIVE_STEP},     {"{\"command\":\"reset\"}", TN_LIVE_RESET},
                 {"{\"command\":\"release\"}", TN_LIVE_RELEASE}, {"{\"command\":\"next\"}", TN_LIVE_NEXT}};
    tn_live_command c;
    for (size_t k = 0; k < sizeof plain / sizeof *plain; k++) {
        assert_true(read(plain[k].text, &c));
        assert_int_equal(c.action, plain[k].action);
    }
    assert_true(read("{\"name\": \"pgs-dense\", \"command\": \"solver\"}", &c));
    assert_int_equal(c.action, TN_LIVE_SOLVER);
    assert_string_equal(c.name, "pgs-dense");
    assert_true(read("{\"command\": \"law\", \"name\": \"convex\"}", &c) && c.action == TN_LIVE_LAW);
    assert_true(read("{\"command\": \"pace\", \"value\": 2.5e-1}", &c) && c.value == 0.25);
    assert_true(read("{\"command\":\"pull\",\"body\":17,\"point\":[1,-2,3e0],\"target\":[0.5,0,-1]}", &c));
    assert_int_equal(c.action, TN_LIVE_PULL);
    assert_int_equal(c.body, 17);
    const double point[3] = {1.0, -2.0, 3.0}, target[3] = {0.5, 0.0, -1.0};
    assert_memory_equal(c.point, point, sizeof point);
    assert_memory_equal(c.target, target, sizeof target);
}

static void test_no_commands(void **unused)
{
    static const char *const texts[] = {"",
                                        " ",
                                        "{",
                                        "}",
                                        "{}",
                                        "[]",
                                        "null",
                                        "pause",
                                        "\"pause\"",
                                        "{\"command\"}",
                                        "{\"command\":}",
                                        "{\"command\":pause}",
                                        "{\"command\":\"pause\"",
                                        "{\"command\":\"pause\",}x",
                                        "{\"command\":\"pause\"}}",
                                        "{\"command\":\"Pause\"}",
                                        "{\"command\":\"pause\" \"name\":\"x\"}",
                                        "{\"command\":\"solver\"}",
                                        "{\"command\":\"solver\",\"name\":3}",
                                        "{\"command\":\"solver\",\"name\":\"a\\\"b\"}",
                                        "{\"command\":\"solver\",\"name\":\"12345678901234567890123456789012\"}",
                                        "{\"command\":\"pace\",\"value\":\"1\"}",
                                        "{\"command\":\"pace\",\"value\":-1}",
                                        "{\"command\":\"pace\",\"value\":1e7}",
                                        "{\"command\":\"pace\",\"value\":inf}",
                                        "{\"command\":\"pace\",\"value\":0x10}",
                                        "{\"command\":\"pace\",\"value\":1e400}",
                                        "{\"command\":\"pull\",\"body\":1.5,\"point\":[0,0,0],\"target\":[0,0,0]}",
                                        "{\"command\":\"pull\",\"body\":1e10,\"point\":[0,0,0],\"target\":[0,0,0]}",
                                        "{\"command\":\"pull\",\"body\":1,\"point\":[0,0,0,0],\"target\":[0,0,0]}",
                                        "{\"command\":\"pull\",\"body\":1,\"point\":[0,,0],\"target\":[0,0,0]}",
                                        "{\"command\":\"pull\",\"body\":1,\"point\":[0,0,0]}",
                                        "{\"command\":\"release\",\"body\":1}"};
    tn_live_command c;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        if (read(texts[k], &c)) {
            fail_msg("taken for a command: %s", texts[k]);
        }
    }
    char zero[] = "{\"command\":\"pause\"}\0";
    const char *why;
    assert_false(tn_live_command_read(zero, sizeof zero, &c, &why)); // a zero byte behind it
    char much[2 * TN_LIVE_COMMAND_BYTES];
    memset(much, ' ', sizeof much);
    memcpy(much, zero, strlen(zero));
    assert_true(tn_live_command_read(much, TN_LIVE_COMMAND_BYTES, &c, &why));
    assert_false(tn_live_command_read(much, TN_LIVE_COMMAND_BYTES + 1, &c, &why));
}

// A good message with bytes changed, left out and doubled: never out of bounds (the sanitizers look), and what is
// accepted is within its limits.
static void test_damaged(void **unused)
{
    static const char good[] = "{\"command\":\"pull\",\"body\":17,\"point\":[1,-2,3e0],\"target\":[0.5,0,-1]}";
    static const char odd[] = "{}[]\",:\\ 0919-+.eEx\x80";
    uint32_t random = 1;
    int taken = 0;
    for (int trial = 0; trial < 200000; trial++) {
        char text[sizeof good];
        memcpy(text, good, sizeof good);
        for (int change = 0; change < 1 + trial % 3; change++) {
            random = random * 1664525u + 1013904223u;
            text[(random >> 8) % (sizeof good - 1)] = odd[(random >> 24) % (sizeof odd)];
        }
        tn_live_command c;
        const char *why;
        if (tn_live_command_read(text, sizeof good - 1 - random % 3, &c, &why)) {
            taken++;
            assert_true(c.body >= 0 && (int)c.action >= 0 && c.action < TN_LIVE_ACTIONS);
            assert_true(memchr(c.name, 0, sizeof c.name) != NULL);
        }
    }
    printf("%d of 200000 damaged messages are still commands\n", taken);
    assert_in_range(taken, 1, 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_commands), cmocka_unit_test(test_no_commands),
                                       cmocka_unit_test(test_damaged)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
