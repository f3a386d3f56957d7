// What is printed for people holds no control characters, in whatever form they come; all other text stays as it is.
#include <stdio.h>
#include <string.h>

#include "base/printable.h"
#include "tenon/error.h"
#include "test.h"

static void test_replaced(void **state)
{
    const struct {
        const char *text, *printed;
    } cases[] = {
        {"a box\tand\nmore", "a box\tand\nmore"},
        {"Kugel \xc3\xa4, \xe7\x90\x83, \xf0\x9f\x8e\xb1", "Kugel \xc3\xa4, \xe7\x90\x83, \xf0\x9f\x8e\xb1"},
        {"\033[2J\033]0;title\a", "?[2J?]0;title?"},
        {"back\b\r\x7f", "back???"},
        {"\xc2\x9b"
         "2J, \xc2\x80, \xc2\x9f, \xc2\xa0",
         "??2J, ??, ??, \xc2\xa0"}, // U+009B begins a sequence as ESC [ does
        {"\x9b"
         "2J \x80 \xff \xc0\x9b",
         "?2J ? ? ??"}, // bytes that are no UTF-8
        {"cut \xe7\x90", "cut ??"},
        {"\xe7\033[2J", "??[2J"},
        {"", ""},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[64];
        snprintf(text, sizeof text, "%s", cases[k].text);
        assert_ptr_equal(tn_text_printable(text), text);
        assert_string_equal(text, cases[k].printed);
    }
}

// Every byte and every pair of bytes: no control character is left, printable ASCII is untouched.
static void test_pairs(void **state)
{
    for (int a = 1; a < 256; a++) {
        for (int b = 1; b < 256; b++) {
            unsigned char text[3] = {(unsigned char)a, (unsigned char)b, 0};
            tn_text_printable((char *)text);
            for (int k = 0; k < 2; k++) {
                assert_true((text[k] >= 0x20 && text[k] != 0x7f) || text[k] == '\t' || text[k] == '\n');
            }
            assert_false(text[0] >= 0x80 && (text[0] < 0xc2 || (text[0] == 0xc2 && text[1] < 0xa0)));
            assert_true(a < 0x20 || a >= 0x7f || text[0] == a);
        }
    }
}

static void test_errors(void **state)
{
    tn_error error = {0};
    char text[1200];
    tn_error_at(&error, "a\033[31m.yaml", 3, 7, "no body '%s'", "\033]0;x\a");
    assert_string_equal(tn_error_text(&error, text, sizeof text), "a?[31m.yaml:3:7: error: no body '?]0;x?'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_replaced), cmocka_unit_test(test_pairs),
                                       cmocka_unit_test(test_errors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
