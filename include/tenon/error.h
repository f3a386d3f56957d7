// Status, error with its place, and the log callback: what every fallible call of the API uses.
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) // all else is hidden

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
// final NUL. Control characters of names and paths become '?', so that none reaches a terminal. Returns text.
const char *tn_error_text(const tn_error *error, char *text, size_t size);

// Messages that are no errors go to the caller's function, if there is one: the library itself never prints.
typedef enum tn_log_level {
    TN_LOG_WARNING = 1, // something works worse than it could; the message says what to do
    TN_LOG_INFO = 2,    // a choice that was made
    TN_LOG_DEBUG = 3,
} tn_log_level;

// Passed by pointer to the calls that log; NULL or a NULL function: silence. The message ends without a newline and
// is valid during the call only; the function may be called from the thread that made the API call, no other.
typedef struct tn_log {
    void (*function)(void *user, tn_log_level level, const char *message);
    void *user;
    tn_log_level level; // messages above it are dropped before they are formatted
} tn_log;

void tn_log_write(const tn_log *log, tn_log_level level, const char *format, ...) __attribute__((format(printf, 3, 4)));

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
