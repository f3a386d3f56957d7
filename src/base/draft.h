// A file that appears whole or not at all: written beside its place, then renamed.
#pragma once

#include "tenon/error.h"

#include <stdio.h>

typedef struct tn_draft {
    FILE *out;
    char *path;        // of the draft
    const char *place; // where it goes; the caller's
} tn_draft;

// TN_IO when it cannot be made.
tn_status tn_draft_open(tn_draft *draft, const char *place, tn_error *error);
// status of the writing so far: TN_OK moves the file to its place, anything else removes it and is returned. size
// [bytes] may be NULL.
tn_status tn_draft_close(tn_draft *draft, tn_status status, size_t *size, tn_error *error);
// Removed; nothing comes to its place.
void tn_draft_drop(tn_draft *draft);
