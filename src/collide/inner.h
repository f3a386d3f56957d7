// The largest ball about the centre of a free convex body, which touches ahead of time beside the body itself.
//
// What is fast, seen from afar, touches in a point or an edge. Off the centre the blow turns the body, by many times
// round within a step, while its centre goes on as if that point were a hinge: through a thin wall. The ball inside
// does not turn. It never overlaps where the body does not, so its contact presses only where the step is too long for
// the others.
#pragma once

#include "collide/view.h"

// Adds the contact points of such balls to the n of the pair, by their features, where the pair may come nearer by more
// than the ball's radius within the step. Returns their number, at most TN_MANIFOLD_MAX. reach: larger gaps do not
// count [m]. way: tn_pair_way of the pair, found here where it is needed and negative [m].
int tn_inner_points(const tn_collide_view *view, const tn_shape_pair *pair, double reach, double *way, int n,
                    tn_contact_point points[TN_MANIFOLD_MAX]);
