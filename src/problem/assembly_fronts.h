// What the factor of an assembly is made of (assembly.h); for assembly*.c only.
#pragma once

#include "kernels/ldl_fronts.h"
#include "problem/assembly.h"

typedef struct tn_assembly_fronts {
    tn_ldl ldl;
    // Where A's blocks and the rows' entries go among its values.
    const size_t *block_to; // (blocks of A) upper left corner, SIZE_MAX: below the diagonal
    const int *block_stride;
    const size_t *entry_to; // (entries) first of three numbers
    const int *entry_stride;
    const size_t *row_to; // (n_singles) diagonal; SIZE_MAX: no row of the assembly
} tn_assembly_fronts;
