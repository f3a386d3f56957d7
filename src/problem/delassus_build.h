// The ways to fill a tn_delassus; inside problem/ only.
#pragma once

#include "math/parts.h"
#include "problem/delassus.h"

// entry_start, entry_block, entry_inverse: A^-1 J^T of every contact on all blocks of the parts it touches.
tn_status tn_delassus_build_entries(const tn_problem *problem, const tn_part_factors *factors, tn_arena *arena,
                                    tn_delassus *out);
// N from the entries above: contacts that share a block.
tn_blocks *tn_delassus_explicit_from_entries(const tn_delassus *delassus, tn_arena *arena);
// From out->factor by blocks of right-hand sides: the diagonal, and N on all pairs of contacts that share a component
// of A.
tn_status tn_delassus_build_from_factor(const tn_problem *problem, tn_arena *arena, tn_delassus *out, double *diagonal,
                                        tn_error *error);
// out->dense, out->factor and the diagonal; free_velocity: b in, A^-1 b out. by_columns: not by the corner even where
// that is cheaper.
tn_status tn_delassus_build_dense(const tn_problem *problem, bool by_columns, double *free_velocity, double *diagonal,
                                  tn_arena *arena, tn_delassus *out, tn_error *error);
