// The ways to fill a tn_delassus; inside problem/ only.
#pragma once

#include "math/parts.h"
#include "problem/delassus.h"

// out->dense, out->factor and the diagonal; free_velocity: b in, A^-1 b out. by_columns: not by the corner even where
// that is cheaper.
tn_status tn_delassus_build_dense(const tn_problem *problem, bool by_columns, double *free_velocity, double *diagonal,
                                  tn_arena *arena, tn_delassus *out, tn_error *error);
