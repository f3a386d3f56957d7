// What libFuzzer calls, and what replay.c calls without it. Returns 0; a property that does not hold aborts.
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// A property of the code under test.
static inline void demand(int holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "%s\n", what);
        abort();
    }
}

// The same, showing the text that breaks it.
static inline void demand_of(int holds, const char *what, const char *text)
{
    if (!holds) {
        fprintf(stderr, "%s\n---\n%s\n", what, text);
        abort();
    }
}
