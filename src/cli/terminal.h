// What happens on the terminal during a long run: the progress bar and Ctrl-C.
#pragma once

#include <stdbool.h>

typedef struct cli_progress {
    bool on;
    const char *of; // "steps": what is counted
    long total, done;
    double started, shown; // wall clock [s]
} cli_progress;

// Draws on standard error, and only when that is a terminal and quiet is false.
cli_progress cli_progress_start(const char *of, long total, bool quiet);
void cli_progress_update(cli_progress *progress, long done);    // redraws at most ten times a second
void cli_progress_reading(void *progress, long row, long rows); // likewise, for tn_recording_set_watch
void cli_progress_end(cli_progress *progress);                  // wipes the bar
void cli_progress_say(const char *line);                        // on standard error, in place of the bar

// SIGINT and SIGTERM set a flag from now on; a second one ends the program at once.
void cli_interrupt_watch(void);
bool cli_interrupted(void);
