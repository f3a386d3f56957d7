// Where two balls touch: the same numbers for all who ask.
#pragma once

#include "math/vec3.h"

// Signed distance [m] of x to a ball's surface, and the outward unit normal there. The ball's rotation is not used, so
// that balls stacked along an axis have exactly that axis as normal.
static inline double tn_ball_distance(const double centre[3], double radius, const double x[3], double normal[3])
{
    double d[3];
    tn_vec3_sub(d, x, centre);
    double length = tn_vec3_norm(d);
    if (length > 0.0) {
        tn_vec3_set(normal, d[0] / length, d[1] / length, d[2] / length);
    } else { // at the centre every direction is as good
        tn_vec3_set(normal, 0.0, 0.0, 1.0);
    }
    return length - radius;
}

// The contact point of a ball that something reaches from against the normal: midway between the surfaces.
static inline void tn_ball_point(const double centre[3], double radius, double gap, const double normal[3],
                                 double point[3])
{
    tn_vec3_madd(point, centre, -(radius + 0.5 * gap), normal);
}
