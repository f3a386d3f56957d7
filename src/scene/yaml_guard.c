#include "scene/yaml_guard.h"

#include <string.h>

// Bytes of the line break that ends just before text[at]; YAML 1.1's NEL, LS and PS are breaks to some parsers.
static bool after_break(const char *text, size_t at)
{
    static const char *const breaks[] = {"\n", "\r", "\xc2\x85", "\xe2\x80\xa8", "\xe2\x80\xa9", "\xef\xbb\xbf"};
    for (size_t i = 0; i < sizeof breaks / sizeof *breaks; i++) {
        size_t n = strlen(breaks[i]);
        if (at >= n && memcmp(text + at - n, breaks[i], n) == 0) {
            return true;
        }
    }
    return at == 0;
}

// Bytes of the character at text[at]; 0: it is none of a text in UTF-8 (a control character, half a character).
static size_t character(const char *text, size_t length, size_t at)
{
    unsigned char first = (unsigned char)text[at];
    size_t n = first < 0x80 ? 1 : first >= 0xf0 && first < 0xf8 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
    bool control = (first < ' ' && first != '\t' && first != '\n' && first != '\r') || first == 0x7f || first >= 0xf8;
    if (control || n > length - at) {
        return 0;
    }
    for (size_t k = 1; k < n; k++) {
        if (((unsigned char)text[at + k] & 0xc0) != 0x80) {
            return 0;
        }
    }
    return n;
}

// A recording or a picture instead of a scene shows by its first bytes that are no text.
static bool is_text(const char *text, size_t length, const char *file, tn_error *error)
{
    int line = 1, column = 1;
    for (size_t at = 0, n; at < length; at += n) {
        n = character(text, length, at);
        if (n == 0) {
            tn_error_at(error, file, line, column, "not a text: byte %02x; scenes are YAML or JSON in UTF-8%s",
                        (unsigned)(unsigned char)text[at],
                        length > 4 && memcmp(text, "\x89HDF", 4) == 0 ? " (this is an HDF5 file, a recording perhaps)"
                                                                      : "");
            return false;
        }
        column = text[at] == '\n' ? 1 : column + 1;
        line += text[at] == '\n';
    }
    return true;
}

bool tn_yaml_guard(const char *text, size_t length, const char *file, tn_error *error)
{
    if (!is_text(text, length, file, error)) {
        return false;
    }
    int line = 1;
    for (size_t at = 0; at < length; at++) {
        if (text[at] == '%' && after_break(text, at)) {
            tn_error_at(error, file, line, 1, "directives (lines that begin with %%) are not used in scenes");
            return false;
        }
        line += text[at] == '\n';
    }
    return true;
}
