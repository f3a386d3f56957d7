// The blocks of A in the order in which pairs of groups want them.
#include "kernels/nodal/groups.h"

#include <string.h>

typedef struct work {
    const tn_blocks *A;
    const int *of_row;
    int *row_start, *rows; // rows of each group
    int *stamp;            // (groups) last group that met it, plus one
    int *others;           // (groups) groups from the present one on that it meets, ascending
} work;

static bool sort_rows(work *w, int n, tn_arena *arena)
{
    int n_rows = w->A->n_rows;
    w->row_start = TN_PUSH(arena, int, n + 2);
    w->rows = TN_PUSH(arena, int, n_rows);
    w->stamp = TN_PUSH(arena, int, n);
    w->others = TN_PUSH(arena, int, n);
    if (!w->row_start || !w->rows || !w->stamp || !w->others) {
        return false;
    }
    for (int i = 0; i < n_rows; i++) {
        w->row_start[w->of_row[i] + 2]++;
    }
    for (int g = 0; g < n; g++) {
        w->row_start[g + 2] += w->row_start[g + 1];
    }
    for (int i = 0; i < n_rows; i++) {
        w->rows[w->row_start[w->of_row[i] + 1]++] = i;
    }
    return true;
}

// Returns how many.
static int find_others(work *w, int g)
{
    int n = 0;
    for (int k = w->row_start[g]; k < w->row_start[g + 1]; k++) {
        for (int e = w->A->start[w->rows[k]]; e < w->A->start[w->rows[k] + 1]; e++) {
            int other = w->of_row[w->A->column[e]];
            if (other < g || w->stamp[other] == g + 1) {
                continue;
            }
            int at = n++;
            w->stamp[other] = g + 1;
            for (; at > 0 && w->others[at - 1] > other; at--) {
                w->others[at] = w->others[at - 1];
            }
            w->others[at] = other;
        }
    }
    return n;
}

// Runs and entries of group g from *n_runs and *n_entries on; with run NULL they are counted only.
static void add_runs(work *w, int g, tn_group_run *run, int *entry, int *n_runs, int *n_entries)
{
    int n_others = find_others(w, g);
    for (int o = 0; o < n_others; o++) {
        for (int k = w->row_start[g]; k < w->row_start[g + 1]; k++) {
            int row = w->rows[k], first = *n_entries;
            for (int e = w->A->start[row]; e < w->A->start[row + 1]; e++) {
                if (w->of_row[w->A->column[e]] != w->others[o]) {
                    continue;
                }
                if (run) {
                    entry[*n_entries] = e;
                }
                ++*n_entries;
            }
            if (*n_entries > first) {
                if (run) {
                    run[*n_runs] = (tn_group_run){.row = row, .group = w->others[o], .n = *n_entries - first};
                }
                ++*n_runs;
            }
        }
    }
}

tn_status tn_group_runs_create(const tn_blocks *A, int n, const int *of_row, tn_arena *scratch, tn_arena *arena,
                               tn_group_runs *out)
{
    int *start = TN_PUSH(arena, int, n + 1), *first = TN_PUSH(arena, int, n + 1);
    work w = {.A = A, .of_row = of_row};
    // What is counted must lie below the scratch where both are one arena: so the scratch stays in that case.
    tn_arena_mark mark = tn_arena_get_mark(scratch);
    if (!start || !first || !sort_rows(&w, n, scratch)) {
        return TN_NO_MEMORY;
    }
    int n_runs = 0, n_entries = 0;
    for (int g = 0; g < n; g++) {
        add_runs(&w, g, NULL, NULL, &n_runs, &n_entries);
        start[g + 1] = n_runs;
        first[g + 1] = n_entries;
    }
    memset(w.stamp, 0, (size_t)n * sizeof *w.stamp);
    tn_group_run *run = TN_PUSH(arena, tn_group_run, n_runs);
    int *entry = TN_PUSH(arena, int, n_entries);
    if (!run || !entry) {
        return TN_NO_MEMORY;
    }
    n_runs = n_entries = 0;
    for (int g = 0; g < n; g++) {
        add_runs(&w, g, run, entry, &n_runs, &n_entries);
    }
    if (scratch != arena) {
        tn_arena_release(scratch, mark);
    }
    *out = (tn_group_runs){.start = start, .first = first, .run = run, .entry = entry};
    return TN_OK;
}
