// The part of one core's facing face (or segment) that lies over a face of another core.
#pragma once

#include "shape/core.h"

enum { TN_CLIP_MAX = 24 };

typedef struct tn_clip_point {
    double x[3];   // (u, v, w): along the reference face's two axes, and above the face [m]
    unsigned edge; // label of the polygon's side from this point to the next
    unsigned feature;
} tn_clip_point;

// The reference face: where it is and who owns it.
typedef struct tn_clip_face {
    const tn_core *core, *other;
    bool core_is_a;
    int axis;    // normal = side * core->axis[axis]
    double side; // +1 or -1
} tn_clip_face;

// Returns the number of points.
int tn_clip(const tn_clip_face *face, tn_clip_point out[TN_CLIP_MAX]);
void tn_clip_to_world(double out[3], const tn_clip_face *face, const double x[3]);
