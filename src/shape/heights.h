// Height field: z over a regular grid in x and y, two triangles a cell, solid below.
#pragma once

#include "base/arena.h"
#include "shape/facets.h"

// Cell (i, j) holds the faces 2 c and 2 c + 1, c = j (n[0] - 1) + i: below and above its diagonal from (i, j) to
// (i + 1, j + 1). Node (i, j) is j n[0] + i.
typedef struct tn_heights {
    int n[2];            // points along x and y, at least 2
    double size[2];      // extent along x and y, centred at the origin [m]
    const double *at[2]; // (n[0]) and (n[1]) the points' coordinates along x and y [m]
    const double *z;     // (n[1], n[0]) heights, x fastest [m]
    double low, high;    // smallest and largest height [m]
    const int *patch;    // (2 (n[0] - 1) (n[1] - 1)) see facets.h
    const float *turn;   // see facets.h
} tn_heights;

enum { TN_HEIGHTS_MAX = 100 * 1000 * 1000 }; // points

// Copies z. TN_BAD_INPUT: sizes out of range, heights not finite.
tn_status tn_heights_create(const int n[2], const double size[2], const double *z, tn_arena *arena, tn_heights *out,
                            tn_error *error);
tn_facets tn_heights_facets(const tn_heights *heights);
void tn_heights_point(const tn_heights *heights, int i, int j, double out[3]);
