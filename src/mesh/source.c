#include "mesh/source.h"

#include "base/most.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

const char *tn_source_start(const char *text, size_t size)
{
    static const char mark[] = "\xef\xbb\xbf"; // some programs begin UTF-8 with one
    return size >= 3 && memcmp(text, mark, 3) == 0 ? text + 3 : text;
}

tn_source tn_source_create(const char *path, const char *text, size_t size, tn_error *error)
{
    return (tn_source){.path = path,
                       .begin = text,
                       .at = tn_source_start(text, size),
                       .end = text + size,
                       .line = 1,
                       .plain = newlocale(LC_ALL_MASK, "C", (locale_t)0),
                       .error = error};
}

void tn_source_close(tn_source *source)
{
    if (source->plain) {
        freelocale(source->plain);
    }
}

bool tn_source_fail(const tn_source *source, const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    for (char *c = text; *c; c++) { // words of the file stand in it
        *c = (unsigned char)*c < ' ' ? '?' : *c;
    }
    if (source->binary) {
        tn_error_at(source->error, source->path, 0, 0, "byte %lld: %s", (long long)(source->at - source->begin), text);
    } else {
        tn_error_at(source->error, source->path, source->line, 0, "%s", text);
    }
    return false;
}

bool tn_source_no_memory(const tn_source *source)
{
    tn_error_set(source->error, TN_NO_MEMORY, "no memory for the mesh '%.200s'", source->path);
    return false;
}

size_t tn_source_left(const tn_source *source)
{
    return (size_t)(source->end - source->at);
}

static bool is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static void skip_space(tn_source *source)
{
    while (source->at < source->end && is_space(*source->at)) {
        source->line += *source->at == '\n';
        source->at++;
    }
}

bool tn_source_word(tn_source *source, const char **word, size_t *length)
{
    skip_space(source);
    *word = source->at;
    while (source->at < source->end && !is_space(*source->at)) {
        source->at++;
    }
    *length = (size_t)(source->at - *word);
    return *length > 0;
}

bool tn_word_is(const char *word, size_t length, const char *text, bool any_case)
{
    size_t wanted = strlen(text);
    return length == wanted && (any_case ? strncasecmp(word, text, wanted) == 0 : strncmp(word, text, wanted) == 0);
}

// The word as it may stand in a message.
static const char *printable(const char *word, size_t length, char text[41])
{
    size_t n = length < 40 ? length : 40;
    for (size_t i = 0; i < n; i++) {
        text[i] = word[i] >= ' ' && word[i] <= '~' ? word[i] : '?';
    }
    text[n] = 0;
    return text;
}

static bool ends(const tn_source *source, const char *what)
{
    return tn_source_fail(source, "the file ends where %s should stand", what);
}

bool tn_word_integer(const tn_source *source, const char *word, size_t length, const char *what, int64_t low,
                     int64_t high, int64_t *value)
{
    char text[41];
    bool minus = length > 0 && *word == '-';
    size_t i = minus || (length > 0 && *word == '+');
    bool ok = i < length && length - i <= 18; // 18 digits fit
    int64_t number = 0;
    for (; ok && i < length; i++) {
        ok = word[i] >= '0' && word[i] <= '9';
        number = ok ? 10 * number + (word[i] - '0') : 0;
    }
    if (!ok) {
        return tn_source_fail(source, "%s must be a whole number, not '%s'", what, printable(word, length, text));
    }
    *value = minus ? -number : number;
    if (*value < low || *value > high) {
        return tn_source_fail(source, "%s must be from %lld to %lld, not %lld", what, (long long)low, (long long)high,
                              (long long)*value);
    }
    return true;
}

static bool check_size(const tn_source *source, const char *what, double value)
{
    return fabs(value) <= TN_MOST ||
           tn_source_fail(source, "%s must be between %g and %g, not %g", what, -TN_MOST, TN_MOST, value);
}

bool tn_word_number(const tn_source *source, const char *word, size_t length, const char *what, double *value)
{
    char text[41];
    char *end = NULL;
    // Stops at the NUL behind the file at the latest.
    *value = source->plain ? strtod_l(word, &end, source->plain) : strtod(word, &end);
    if (length == 0 || end != word + length || !isfinite(*value)) {
        return tn_source_fail(source, "%s must be a finite number, not '%s'", what, printable(word, length, text));
    }
    return check_size(source, what, *value);
}

bool tn_source_integer(tn_source *source, const char *what, int64_t low, int64_t high, int64_t *value)
{
    const char *word;
    size_t length;
    return tn_source_word(source, &word, &length) ? tn_word_integer(source, word, length, what, low, high, value)
                                                  : ends(source, what);
}

bool tn_source_number(tn_source *source, const char *what, double *value)
{
    const char *word;
    size_t length;
    return tn_source_word(source, &word, &length) ? tn_word_number(source, word, length, what, value)
                                                  : ends(source, what);
}

void tn_source_skip_line(tn_source *source)
{
    const char *newline = memchr(source->at, '\n', tn_source_left(source));
    source->at = newline ? newline + 1 : source->end;
    source->line += newline != NULL;
}

void tn_source_skip_comments(tn_source *source)
{
    skip_space(source);
    while (source->at < source->end && *source->at == '#') {
        tn_source_skip_line(source);
        skip_space(source);
    }
}

bool tn_source_end_line(tn_source *source)
{
    while (source->at < source->end && *source->at != '\n' && is_space(*source->at)) {
        source->at++;
    }
    if (source->at == source->end) {
        return tn_source_fail(source, "the file ends here, data should follow");
    }
    if (*source->at != '\n') {
        return tn_source_fail(source, "the line should end here");
    }
    source->at++;
    source->line++;
    return true;
}

static bool take(tn_source *source, const char *what, size_t n, unsigned char *bytes)
{
    if (tn_source_left(source) < n) {
        return ends(source, what);
    }
    for (size_t i = 0; i < n; i++) {
        bytes[source->swap ? n - 1 - i : i] = (unsigned char)source->at[i];
    }
    source->at += n;
    return true;
}

bool tn_source_int32(tn_source *source, const char *what, int32_t *value)
{
    unsigned char bytes[sizeof *value];
    return take(source, what, sizeof bytes, bytes) && memcpy(value, bytes, sizeof bytes);
}

bool tn_source_int64(tn_source *source, const char *what, int64_t *value)
{
    unsigned char bytes[sizeof *value];
    return take(source, what, sizeof bytes, bytes) && memcpy(value, bytes, sizeof bytes);
}

static bool check_finite(const tn_source *source, const char *what, double value)
{
    return isfinite(value) ? check_size(source, what, value)
                           : tn_source_fail(source, "%s must be a finite number, not %g", what, value);
}

bool tn_source_float(tn_source *source, const char *what, double *value)
{
    unsigned char bytes[sizeof(float)];
    float number = 0.0f;
    if (!take(source, what, sizeof bytes, bytes)) {
        return false;
    }
    memcpy(&number, bytes, sizeof bytes);
    *value = (double)number;
    return check_finite(source, what, *value);
}

bool tn_source_double(tn_source *source, const char *what, double *value)
{
    unsigned char bytes[sizeof *value];
    if (!take(source, what, sizeof bytes, bytes)) {
        return false;
    }
    memcpy(value, bytes, sizeof bytes);
    return check_finite(source, what, *value);
}

bool tn_source_skip_bytes(tn_source *source, const char *what, uint64_t count)
{
    if (count > tn_source_left(source)) {
        return tn_source_fail(source, "the file ends within %s", what);
    }
    source->at += count;
    return true;
}

bool tn_source_holds(const tn_source *source, const char *what, int64_t count, size_t bytes)
{
    if (count < 0 || (uint64_t)count > tn_source_left(source) / bytes) {
        return tn_source_fail(source, "the file claims %lld %s but is too short for them", (long long)count, what);
    }
    return true;
}
