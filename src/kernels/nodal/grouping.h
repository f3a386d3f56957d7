// Groups of neighbouring nodes: sections of bodies where places are known, else grown over the graph of A. Part of
// groups.
#pragma once

#include "base/arena.h"
#include "kernels/nodal/sections.h"
#include "tenon/problem.h"

#include <stdbool.h>

// Work arrays of one grouping.
typedef struct tn_grouping {
    const tn_blocks *A;
    const double *place;    // or NULL
    bool *is_node;          // (n_rows) takes part
    int *of_row;            // (n_rows) group, -1: none yet
    int *queue;             // (n_rows)
    int *stamp;             // (n_rows) last group that queued the row
    int *front;             // (n_rows) where next groups may begin
    int *section;           // (n_rows) with places
    tn_section_node *nodes; // (n_rows) with places: section by section
    int n_nodes;            // of w->nodes
    int n;                  // groups, 0 .. n-1, none empty
    int n_front, front_next;
    bool *was_front; // (n_rows)
} tn_grouping;

// is_node is left to the caller. False: no memory.
bool tn_grouping_create(tn_grouping *grouping, const tn_blocks *A, const double *place, int *of_row, tn_arena *arena);
// Connected groups of about `size` nodes; rows that are no nodes get -1.
void tn_grouping_grow(tn_grouping *grouping, int size);
