// How near two convex cores are: Gilbert, Johnson and Keerthi (1988) where they are apart, the expanding polytope (van
// den Bergen 2001) where they overlap, both on the difference C = { a - b }; then a refinement of the normal.
//
// All along one direction n, from a to b: the separation is  s(n) = min_b n.b - max_a n.a = - max_C n.c ,  never larger
// than the signed distance, which is its maximum over the unit vectors.
#pragma once

#include "shape/convex.h"

// A point of C and where it comes from.
typedef struct tn_gjk_vertex {
    double w[3];       // a - b
    double a[3], b[3]; // both from a's centre
    unsigned of_a, of_b;
} tn_gjk_vertex;

typedef struct tn_gjk_pair {
    const tn_convex *a, *b;
    double between[3]; // from a's centre to b's
    double scale;      // extent of both cores [m]
    double tolerance;  // how exact the search must be before the refinement [m]: set it before
} tn_gjk_pair;

typedef struct tn_gjk_result {
    int n; // vertices of the simplex that holds the nearest points
    tn_gjk_vertex vertex[4];
    double weight[4];
    double normal[3]; // from a to b
    double distance;  // signed, of the cores [m]
} tn_gjk_result;

tn_gjk_pair tn_gjk_pair_of(const tn_convex *a, const tn_convex *b);
void tn_gjk_support(const tn_gjk_pair *pair, const double n[3], tn_gjk_vertex *out);

typedef enum tn_gjk_outcome { TN_GJK_APART, TN_GJK_FAR, TN_GJK_OVERLAP } tn_gjk_outcome;

// Goes on from the simplex in out, or starts where out->n is 0. FAR: farther than reach, out is not set. OVERLAP: out
// holds the simplex alone.
tn_gjk_outcome tn_gjk_distance(const tn_gjk_pair *pair, double reach, tn_gjk_result *out);
// Raises the separation along the normal to its maximum nearby, and puts it in distance.
void tn_gjk_refine(const tn_gjk_pair *pair, tn_gjk_result *out);

// Weights of the point of a segment or triangle (n = 2, 3) nearest to the origin; false where it lies on the border.
bool tn_gjk_within(int n, const tn_gjk_vertex *const *vertex, double weight[3]);
