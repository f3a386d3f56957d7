// The layout of a matrix whose parts nobody has found yet.
#pragma once

#include "kernels/sell.h"
#include "test.h"

static inline tn_layout *layout_of(const tn_blocks *A, const int *near, tn_arena *arena)
{
    tn_parts *parts = TN_PUSH(arena, tn_parts, 1);
    tn_layout *layout = NULL;
    assert_non_null(parts);
    assert_int_equal(tn_parts_find(A, arena, parts), TN_OK);
    assert_int_equal(tn_layout_create(A, parts, near, arena, &layout), TN_OK);
    return layout;
}
