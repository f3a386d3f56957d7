// Pairs that only seem to meet: fast bodies that pass by each other within the step.
//
// A contact ahead of time stands for a plane between the bodies as they are placed now. Of a body that goes farther in
// a step than it is wide that plane says little: a bullet would be stopped by what it flies past.
#pragma once

#include "collide/view.h"

// True where the two shapes, apart by gap now, may go farther towards each other within the step than a quarter of the
// slimmer one's width, and yet stay clear of each other by more than the margin and the fall of a step, moving as they
// do now. Never for planes: what they bound is exactly what they stand for.
bool tn_pair_passes(const tn_collide_view *view, const tn_shape_pair *pair, double gap);
