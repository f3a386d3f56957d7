// Groups of neighbouring nodes, grown over the graph of A and rounded off by their places. Part of nodal_groups.
#pragma once

#include "base/arena.h"
#include "tenon/problem.h"

#include <stdbool.h>

// Work arrays of one grouping.
typedef struct tn_nodal_grouping {
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
} tn_nodal_grouping;

// is_node is left to the caller. False: no memory.
bool tn_nodal_grouping_create(tn_nodal_grouping *grouping, const tn_blocks *A, const double *place, int *of_row,
                              tn_arena *arena);
// Connected groups of about `size` nodes; rows that are no nodes get -1. With places also count and centre.
void tn_nodal_grow(tn_nodal_grouping *grouping, int size);
// From the centre of a row's own group [m^2].
double tn_nodal_distance_square(const tn_nodal_grouping *grouping, int row, int group);
