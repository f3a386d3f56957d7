// The part of one core's facing face (or segment) that lies over a face of another core.
#pragma once

#include "math/vec3.h"
#include "shape/core.h"

enum { TN_CLIP_MAX = 24 };

typedef struct tn_clip_point {
    double x[3]; // (u, v, w): along the reference face's two axes, and above the face [m]
    unsigned feature;
} tn_clip_point;

// The corners of a polygon or segment: each a number of a point and the label of the side from it to the next.
typedef struct tn_clip_corners {
    int n;
    int point[TN_CLIP_MAX];
    unsigned edge[TN_CLIP_MAX];
} tn_clip_corners;

// What is left of the other core's face. What is cut anew are corners; points stay where they are.
typedef struct tn_clip_outline {
    int n_points;
    tn_clip_point points[TN_CLIP_MAX];
    tn_clip_corners room[2]; // the first holds them
} tn_clip_outline;

// The reference face: where it is and who owns it.
typedef struct tn_clip_face {
    const tn_core *core, *other;
    bool core_is_a;
    int axis;     // normal = side * core->axis[axis]
    double side;  // +1 or -1
    int along[2]; // the core's axes u and v
} tn_clip_face;

// Corners of the other core up to slack outside of the face count as above it [m].
void tn_clip(const tn_clip_face *face, double slack, tn_clip_outline *out);

static inline void tn_clip_to_world(double out[3], const tn_clip_face *face, const double x[3])
{
    const tn_core *core = face->core;
    tn_vec3_madd(out, core->centre, x[0], core->axis[face->along[0]]);
    tn_vec3_madd(out, out, x[1], core->axis[face->along[1]]);
    tn_vec3_madd(out, out, face->side * (x[2] + core->half[face->axis]), core->axis[face->axis]);
}
