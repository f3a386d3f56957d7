// Status, error with its place, and the log callback: what every fallible call of the API uses.
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// Three kinds of failure, never mixed: bad input, numerics, and the machine (memory, files).
// A bug of ours is none of them: it stops an assert build.
typedef enum tn_status {
    TN_OK = 0,
    TN_NUMERICS = 1,  // diverged, or a demanded tolerance was not reached; the state is the last good one
    TN_BAD_INPUT = 2, // scene, mesh, problem file, argument: error says where and what to do
    TN_NO_MEMORY = 3,
    TN_IO = 4,          // a file could not be read or written
    TN_INTERRUPTED = 5, // the caller's stop flag was seen
} tn_status;

// What went wrong. Caller's memory; a call that returns TN_OK leaves it untouched. file is "" and
// line, column are 0 where there is no place to name. line and column count from 1.
typedef struct tn_error {
    tn_status status;
    int line;
    int column;
    char file[256];
    char message[768];
} tn_error;

// Fill *error (may be NULL) and return status, so that a failing branch is one line. printf format.
tn_status tn_error_set(tn_error *error, tn_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
tn_status tn_error_at(tn_error *error, const char *file, int line, int column, const char *format, ...)
    __attribute__((format(printf, 5, 6))); // always TN_BAD_INPUT

// "file:line:column: error: message" (as far as known) into text, at most size bytes with the
// final NUL. Returns text.
const char *tn_error_text(const tn_error *error, char *text, size_t size);

#ifdef __cplusplus
}
#endif
