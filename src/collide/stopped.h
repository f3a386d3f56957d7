// Pairs that go along with each other, and meet when a third body stops the one in front: falling columns and heaps.
#pragma once

#include "collide/view.h"

// True where one of the n points (normal from a to b) closes within the step if b stays and a goes on as it does, or if
// a stays and b goes on; to the margin and the fall of a step.
bool tn_pair_runs_up(const tn_collide_view *view, const tn_shape_pair *pair, int n, const tn_contact_point *points);
