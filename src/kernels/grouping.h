// Groups of neighbouring nodes, grown over the graph of A and rounded off by their places. Part of groups.
#pragma once

#include "base/arena.h"
#include "tenon/problem.h"

#include <stdbool.h>

// Work arrays of one grouping.
typedef struct tn_grouping {
    const tn_blocks *A;
    const double *place; // or NULL
    bool *is_node;       // (n_rows) takes part
    int *of_row;         // (n_rows) group, -1: none yet
    int *queue;          // (n_rows)
    int *stamp;          // (n_rows) last group that queued the row
    int *front;          // (n_rows) where next groups may begin
    int *count;          // (n_rows) nodes of each group
    double *centre;      // (n_rows, 3)
    int n;               // groups, 0 .. n-1, none empty
    int n_front, front_next;
    bool *was_front; // (n_rows)
} tn_grouping;

// is_node is left to the caller. False: no memory.
bool tn_grouping_create(tn_grouping *grouping, const tn_blocks *A, const double *place, int *of_row, tn_arena *arena);
// Connected groups of about `size` nodes; rows that are no nodes get -1. With places also count and centre.
void tn_grouping_grow(tn_grouping *grouping, int size);
