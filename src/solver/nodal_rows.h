// A in the slices of kernels/nodal_sweep.h: rows by colour, their values and the inverses of their diagonal blocks.
#pragma once

#include "base/arena.h"
#include "kernels/nodal_sweep.h"

// Order of the rows, from A's pattern alone.
typedef struct tn_nodal_layout {
    int n_rows;
    int n_slices;
    int n_colours;
    const int *colour_start; // (n_colours + 1) first slice of each colour
    const int *place;        // (n_rows) index of a row's x in packed vectors
    const int *row;          // (n_slices, 8) row of each lane, -1: none
    const int *start;        // (n_slices + 1)
    const int *column;       // (start[n_slices], 8) places; a lane's own where its row has no further block
    const int *entry;        // (start[n_slices], 8) block of A, -1: none
} tn_nodal_layout;

// Greedy colouring in the order of the rows; in each colour long rows first. TN_NO_MEMORY only.
tn_status tn_nodal_layout_create(const tn_blocks *A, tn_arena *arena, tn_nodal_layout *out);

// Values and inverses of A; contacts are left empty. TN_NUMERICS: a diagonal block is missing or not positive
// definite; error names its row.
tn_status tn_nodal_rows_create(const tn_nodal_layout *layout, const tn_blocks *A, tn_arena *arena, tn_nodal_rows *out,
                               tn_error *error);

static inline int tn_nodal_packed_size(const tn_nodal_layout *layout)
{
    return 3 * TN_NODAL_LANES * layout->n_slices;
}
void tn_nodal_pack(const tn_nodal_layout *layout, const double *v, double *packed);
void tn_nodal_unpack(const tn_nodal_layout *layout, const double *packed, double *v);
