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
