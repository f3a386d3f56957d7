// The ways to fill a tn_delassus; inside problem/ only.
#pragma once

#include "problem/components.h"
#include "problem/delassus.h"

// entry_start, entry_block, entry_inverse: A^-1 J^T of every contact on all blocks of the components it touches.
tn_status tn_delassus_build_entries(const tn_problem *problem, const tn_components *components, tn_arena *arena,
                                    tn_delassus *out);
// N from the entries above: contacts that share a block.
tn_blocks *tn_delassus_explicit_from_entries(const tn_delassus *delassus, tn_arena *arena);
// From out->factor by blocks of right-hand sides: the diagonal alone, or with_matrix also N on all pairs of contacts
// that share a component of A.
tn_status tn_delassus_build_from_factor(const tn_problem *problem, bool with_matrix, tn_arena *arena, tn_delassus *out,
                                        double *diagonal, tn_error *error);
