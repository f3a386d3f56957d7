// The nearest points of two convex shapes' cores, and what they are points of.
#pragma once

#include "shape/gjk.h"

typedef struct tn_convex_pair {
    const tn_convex *a, *b;
    tn_gjk_pair pair;
    tn_gjk_result near;
    double pa[3], pb[3]; // nearest points of the cores, from a's centre
    unsigned feature;    // of these
    bool exact;          // both lie in their cores, no farther apart than the separation
    bool proved;         // so that no other normal separates more
    double radius;       // of both roundings [m]
    double least;        // the smaller shape's size [m]
} tn_convex_pair;

// False: the shapes are farther apart than margin, and only the parts of out that are known before the search are set.
bool tn_convex_nearest(const tn_convex *a, const tn_convex *b, double margin, tn_convex_pair *out);

// NONE: no face that the other core's centre is over holds that one's nearest point, or it is not proved to be so. FAR:
// such a face parts the cores by more than reach. NEARLY: not proved either, but each has a face that looks at the
// other's, and near holds what parts them more.
typedef enum tn_face_outcome { TN_FACE_NONE, TN_FACE_NEARLY, TN_FACE_FAR, TN_FACE_FOUND } tn_face_outcome;
tn_face_outcome tn_convex_face_nearest(tn_convex_pair *w, double reach);
// How far inside the border of the core's face with this outward normal the point x is, from its centre, seen along the
// normal [m]: below 0 beside the face, -INFINITY without one.
double tn_convex_inside_face(const tn_convex *c, const double normal[3], const double x[3]);
