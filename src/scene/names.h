// An index of names: finds ids, and the nearest name for hints.
#pragma once

#include "base/arena.h"

#include <stdbool.h>

typedef struct tn_names {
    int n;
    const char **name; // (n) by id
    int *sorted;       // (n) ids by name
} tn_names;

// Indexes the names (n), which must live as long as the index. False: no memory.
bool tn_names_create(tn_names *names, int n, const char **name, tn_arena *arena);
int tn_names_find(const tn_names *names, const char *name);            // -1: none
const char *tn_names_nearest(const tn_names *names, const char *name); // NULL: none near; looks at the first 2000
