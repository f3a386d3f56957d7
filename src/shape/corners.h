// Corners and edges of convex shapes and balls, as faces of soft bodies meet them; all in the shape's frame.
#pragma once

#include "shape/class.h"

// The rims of a cylinder are curved edges, cut at the points.
typedef struct tn_core_points {
    int n, n_edges;
    double radius; // of the points [m]
} tn_core_points;

// From middle - half to middle + half; of a curved one the tangent, half as long as its radius.
typedef struct tn_core_edge {
    double middle[3], half[3];
    double radius; // around it [m]
    double turn;   // of a curved one half the arc's angle [rad]
} tn_core_edge;

typedef struct tn_corner_class {
    tn_core_points (*count)(const tn_shape *shape);
    void (*point)(const tn_shape *shape, int i, double out[3]);
    // May point i be touched in this direction (out of the shape)? NULL: yes.
    bool (*point_open)(const tn_shape *shape, int i, const double outward[3]);
    void (*edge)(const tn_shape *shape, int i, double at, tn_core_edge *out); // zero before; at: tn_core_points_edge
    bool (*edge_open)(const tn_shape *shape, int i, double at, const double outward[3]);
    bool (*edge_normal)(const tn_shape *shape, int i, double normal[3]); // NULL: edges stand out all the same
    int round_parts;                                                     // rims, ellipsoid
    // The farthest point of a part in the direction; false: none is.
    bool (*round_point)(const tn_shape *shape, int part, const double direction[3], double out[3]);
} tn_corner_class;

#define TN_CORNER_SLACK 0.1 // sine by which a direction may leave the cone of a corner

// Of rimmed cores (rimmed.c): points of both rims, an apex as one.
enum { TN_RIM_POINTS = 12 };
int tn_rims_count(const tn_shape *shape);
void tn_rims_point(const tn_shape *shape, int i, double out[3]);
bool tn_rims_point_open(const tn_shape *shape, int i, const double outward[3]);
bool tn_rims_open(const tn_shape *shape, int rim, const double local[3], const double outward[3]); // at its point
bool tn_rims_round_point(const tn_shape *shape, int part, const double direction[3], double out[3]);
