// A file that appears whole or not at all: written beside its place, then renamed. Devices, pipes and what links point
// to are written to directly.
#pragma once

#include "tenon/error.h"

#include <stdio.h>

typedef struct tn_draft {
    FILE *out;
    char *path;        // of the draft; NULL: none, the place itself is written to
    const char *place; // where it goes; the caller's
} tn_draft;

// Whether a file can come to this place: there is none yet, an empty one, or one that begins, in either case of
// letters, with `begin` ("": with anything). Anything else, a recording say, would be a mistyped name: TN_IO says that
// it is no `kind`. TN_IO also when the file is write-protected or the folder takes no file.
tn_status tn_draft_check(const char *place, const char *kind, const char *begin, tn_error *error);
// TN_IO with that text, where what is there was judged otherwise.
tn_status tn_draft_refuse(const char *place, const char *kind, tn_error *error);
// TN_IO when it cannot be made.
tn_status tn_draft_open(tn_draft *draft, const char *place, tn_error *error);
// status of the writing so far: TN_OK moves the file to its place, anything else removes it and is returned; a disk
// that is full is named whatever status says. size [bytes] may be NULL.
tn_status tn_draft_close(tn_draft *draft, tn_status status, size_t *size, tn_error *error);
// Removed; nothing comes to its place.
void tn_draft_drop(tn_draft *draft);
