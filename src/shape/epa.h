// The expanding polytope: a hull of points of C = { a - b } around the origin.
#pragma once

#include "shape/gjk.h"

// 68 vertices: gaps of ellipsoids half inside of hulls are off by 2e-5.
enum { TN_EPA_VERTICES = 132, TN_EPA_FACES = 288, TN_EPA_HORIZON = 64 };

typedef struct tn_epa_face {
    int vertex[3];              // counter-clockwise from outside
    int beside[3];              // face across the edge from corner k to k + 1
    double normal[3], distance; // INFINITY: gone
} tn_epa_face;

typedef struct tn_epa {
    const tn_gjk_pair *pair;
    double seen; // height above a face that counts [m]
    int n_vertices, n_faces;
    tn_gjk_vertex vertex[TN_EPA_VERTICES + 1]; // the last: room for one that is not taken
    tn_epa_face face[TN_EPA_FACES];
    int n_free, free[TN_EPA_FACES];
    int n_rim, rim_face[TN_EPA_HORIZON], rim_edge[TN_EPA_HORIZON]; // the border of what a point sees, in order
    bool broken;
} tn_epa;

// From GJK's simplex, which holds the origin. False: C is flat, and out holds its normal and depth.
bool tn_epa_start(tn_epa *p, const tn_gjk_pair *pair, tn_gjk_result *out);
// Grows it until the face nearest to the origin, which goes to out, lies in C's surface up to the tolerance [m].
void tn_epa_expand(tn_epa *p, double tolerance, tn_gjk_result *out);
// Is the depth [m] along the unit normal n, with its foot, a point of C, less than along any other by no more than the
// tolerance? Grows the polytope until it is so, or another depth is found.
bool tn_epa_proves(tn_epa *p, const tn_gjk_vertex *foot, const double n[3], double depth, double tolerance);
