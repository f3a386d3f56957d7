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

bool tn_yaml_guard(const char *text, size_t length, const char *file, tn_error *error)
{
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
