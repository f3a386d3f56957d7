#include "scene/names.h"

#include "base/memory.h"
#include "scene/node.h"

#include <stdlib.h>
#include <string.h>

typedef struct entry {
    const char *name;
    int id;
} entry;

static int compare(const void *a, const void *b)
{
    const entry *x = a;
    const entry *y = b;
    int order = strcmp(x->name, y->name);
    return order ? order : (x->id > y->id) - (x->id < y->id);
}

bool tn_names_create(tn_names *names, int n, const char **name, tn_arena *arena)
{
    *names = (tn_names){n, name, TN_PUSH(arena, int, n)};
    entry *entries = tn_malloc((size_t)n * sizeof *entries);
    if (!names->sorted || !entries) {
        tn_free(entries);
        return false;
    }
    for (int i = 0; i < n; i++) {
        entries[i] = (entry){name[i], i};
    }
    qsort(entries, (size_t)n, sizeof *entries, compare);
    for (int i = 0; i < n; i++) {
        names->sorted[i] = entries[i].id;
    }
    tn_free(entries);
    return true;
}

int tn_names_find(const tn_names *names, const char *name)
{
    int low = 0;
    int high = names->n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        int id = names->sorted[middle];
        int order = strcmp(names->name[id], name);
        if (order == 0) {
            return id;
        }
        if (order < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return -1;
}

const char *tn_names_nearest(const tn_names *names, const char *name)
{
    return tn_name_nearest(name, names->n < 2000 ? names->n : 2000, names->name);
}
