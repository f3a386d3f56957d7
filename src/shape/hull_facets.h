// The faces of a convex hull as qhull tells them.
#pragma once

#include <stdbool.h>

// Faces by numbers of the input's points. Memory of tn_malloc; tn_hull_facets_free releases it.
typedef struct tn_hull_facets {
    int n_faces, n_corners;
    int *start;  // (n_faces + 1)
    int *corner; // (n_corners) in order round each face, in either sense
} tn_hull_facets;

// Facets nearer to one plane than tolerance [m] come merged; 0: to rounding; triangles: all faces have three corners.
// False where qhull had a complaint or there is no memory. points (n, 3) are not flat.
bool tn_hull_facets_find(int n, const double *points, double tolerance, bool triangles, tn_hull_facets *out);
void tn_hull_facets_free(tn_hull_facets *facets);
