// Height field: z over a regular grid in x and y, two triangles a cell, solid below.
#pragma once

#include "base/arena.h"

typedef struct tn_heights {
    int n[2];         // points along x and y, at least 2
    double size[2];   // extent along x and y, centred at the origin [m]
    const double *z;  // (n[1], n[0]) heights, x fastest [m]
    double low, high; // smallest and largest height [m]
} tn_heights;

// Copies z. TN_BAD_INPUT: sizes out of range, heights not finite.
tn_status tn_heights_create(const int n[2], const double size[2], const double *z, tn_arena *arena, tn_heights *out,
                            tn_error *error);
