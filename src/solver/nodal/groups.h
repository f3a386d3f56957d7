// Groups of nodes that the coarse level moves as rigid bodies or affinely, with where each node is in its group.
#pragma once

#include "kernels/nodal/groups.h"
#include "kernels/nodal/rigid_motion.h"

typedef struct tn_nodal_groups {
    int n;
    int n_affine;             // groups [0, n_affine) move affinely: two blocks of six numbers each
    int n_blocks;             // of all groups: tn_coarse_block
    const int *of_row, *unit; // as in tn_groups
    const int *first;         // (n_blocks) smallest block that the pattern couples with each: an envelope
    const double *arm;        // (n_rows, 4) from the group's centre, in units of its radius; 0 where places are unknown
    tn_group_runs runs;       // of A and of_row
    tn_rigid_groups rigid;    // all nodes, with their arms
} tn_nodal_groups;

// size: nodes a group; 0: those that come with the layout, or automatic. place as in tn_hints (problem/hints.h), or
// NULL. TN_NO_MEMORY only.
tn_status tn_nodal_groups_create(const tn_blocks *A, const tn_layout *layout, const double *place, int size,
                                 tn_arena *arena, tn_nodal_groups *out);
