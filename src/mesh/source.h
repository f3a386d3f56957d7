// A mesh file in memory, read word by word (ASCII) or number by number (binary). Every failure sets the error with the
// file's name and line (binary: byte) and returns false; nothing is read beyond the end.
#pragma once

#include "tenon/error.h"

#include <locale.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct tn_source {
    const char *path;       // for messages
    const char *begin, *at; // at: the next byte
    const char *end;        // *end is NUL
    int line;               // of the last word read, from 1
    bool binary;            // numbers are binary: messages name the byte
    bool swap;              // binary numbers have the other byte order
    locale_t plain;         // "C": numbers have a decimal point whatever the program's locale; 0: no memory for it
    tn_error *error;
} tn_source;

// Where a text begins: behind its byte order mark.
const char *tn_source_start(const char *text, size_t size);
tn_source tn_source_create(const char *path, const char *text, size_t size, tn_error *error);
void tn_source_close(tn_source *source);
bool tn_source_fail(const tn_source *source, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool tn_source_no_memory(const tn_source *source);
size_t tn_source_left(const tn_source *source); // bytes to the end

// Next word, between white space; false without an error at the end of the file.
bool tn_source_word(tn_source *source, const char **word, size_t *length);
// Whether the word is the text; ignoring case where any_case.
bool tn_word_is(const char *word, size_t length, const char *text, bool any_case);
// The word as a whole number from low to high, or as a finite number.
bool tn_word_integer(const tn_source *source, const char *word, size_t length, const char *what, int64_t low,
                     int64_t high, int64_t *value);
bool tn_word_number(const tn_source *source, const char *word, size_t length, const char *what, double *value);
// Whole number from low to high; what: what it counts, for messages.
bool tn_source_integer(tn_source *source, const char *what, int64_t low, int64_t high, int64_t *value);
bool tn_source_number(tn_source *source, const char *what, double *value); // finite
void tn_source_skip_line(tn_source *source);                               // to the beginning of the next line
void tn_source_skip_comments(tn_source *source);                           // white space, and '#' to the line's end
bool tn_source_end_line(tn_source *source); // only blanks may stand before the line's end, which is skipped

// Binary numbers in the file's byte order.
bool tn_source_int32(tn_source *source, const char *what, int32_t *value);
bool tn_source_int64(tn_source *source, const char *what, int64_t *value);
bool tn_source_float(tn_source *source, const char *what, double *value);  // 4 bytes; finite
bool tn_source_double(tn_source *source, const char *what, double *value); // 8 bytes; finite
bool tn_source_skip_bytes(tn_source *source, const char *what, uint64_t count);

// Whether the rest of the file can hold count items of at least `bytes` each: asked before memory is taken.
bool tn_source_holds(const tn_source *source, const char *what, int64_t count, size_t bytes);
