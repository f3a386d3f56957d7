// A file that appears whole or not at all: it has no name until all is written, then it is given one beside its place
// and renamed to it. So a program that is killed leaves nothing, and of several that write to one place at once the
// last one's file is there, whole. File systems without such files (NFS) have it beside its place from the start, where
// a killed program leaves it. Of a link what it points to is replaced; devices and pipes are written to directly.
#pragma once

#include "tenon/error.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct tn_draft {
    FILE *out;         // may be read too, where target is one
    const char *place; // where it goes; the caller's
    char *target;      // the file that it replaces: place, or what that link points to; NULL: none, place is written to
    char *path;        // beside target, before it is renamed; NULL as target
    bool named;        // the draft has that name already
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
