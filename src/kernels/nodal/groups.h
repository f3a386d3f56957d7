// Groups of neighbouring nodes that a coarse level moves as rigid bodies. From the pattern and places alone, so one
// grouping serves all steps of a simulation.
#pragma once

#include "base/arena.h"
#include "kernels/sell.h"

// The blocks of A that couple groups, pair by pair: for each group, its rows' blocks in columns of the groups from it
// on.
typedef struct tn_group_run {
    int row;   // of the first group
    int group; // the other one, at least the first
    int n;     // blocks
} tn_group_run;

typedef struct tn_group_runs {
    const int *start;        // (groups + 1) first run of each group; sorted by the other group, then by row
    const int *first;        // (groups + 1) first entry of each group
    const tn_group_run *run; // (start[groups])
    const int *entry;        // (first[groups]) blocks of A, run by run
} tn_group_runs;

typedef struct tn_groups {
    int n;
    const int *of_row; // (n_rows) group of each block row
    const int *unit;   // (n_rows) -1: a node that moves with its group; 0 or 3: first of the group's numbers that the
                       // row is itself (half of a rigid body)
    const int *first;  // (n) smallest group that the pattern couples with each group, at most itself: an envelope
    int size;          // nodes a group that was aimed at
    tn_group_runs runs;
} tn_groups;

// Connected groups of about `size` nodes (0: by the number of nodes and the cost of the factor), numbered for a small
// envelope; each pair of rows of a small part, or without place, is a group by itself. A: values are not read;
// place as in tn_hints (problem/hints.h), or NULL. scratch may be the arena. TN_NO_MEMORY only.
tn_status tn_groups_create(const tn_blocks *A, const tn_layout *layout, const double *place, int size,
                           tn_arena *scratch, tn_arena *arena, tn_groups *out);

// Runs of any grouping of A's rows into n groups. scratch may be the arena. TN_NO_MEMORY only.
tn_status tn_group_runs_create(const tn_blocks *A, int n, const int *of_row, tn_arena *scratch, tn_arena *arena,
                               tn_group_runs *out);
