// A headless Chromium that shows one page and is asked for values of expressions, over its DevTools pipe.
#pragma once

#include "tenon/error.h"

#include <stdio.h>
#include <sys/types.h>

typedef struct cli_chromium {
    pid_t child;
    FILE *to, *from;
    int last;         // number of the last request
    char session[64]; // of the page
    char *answer;     // the last one, allocated
    size_t room;
} cli_chromium;

// Start it with an empty page of this size; folder: for its own files. TN_BAD_INPUT says which package is missing.
tn_status cli_chromium_start(cli_chromium *c, const char *folder, long width, long height, tn_error *error);
tn_status cli_chromium_open(cli_chromium *c, const char *address, tn_error *error);
// The value of an expression that gives a string or a promise of one; valid until the next request. An exception in the
// page is an error.
tn_status cli_chromium_ask(cli_chromium *c, const char *expression, const char **value, size_t *size, tn_error *error);
void cli_chromium_stop(cli_chromium *c);
