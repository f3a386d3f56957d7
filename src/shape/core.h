// The core of a rounded shape: a box, the segment of a capsule, or a point, and how near two cores are to each other.
//
// A contact of two cores is named by what touches: a vertex of b (on a face of a), a vertex of a (on a face of b), or
// an edge of each. These names do not depend on how the contact was found.
#pragma once

#include "shape/convex.h"

#include <stdbool.h>

// Vertex v: coordinate i is +half[i] where bit i of v is set, else -half[i]. Only axes first..2 have an
// extent: 0 for a box (8 vertices), 2 for a segment (vertices 0 and 4), 3 for a point (vertex 0). Edge e = 8 i + v runs
// along axis i from vertex v, whose bit i is clear.
typedef struct tn_core {
    double centre[3];
    double axis[3][3]; // world directions of the shape's axes
    double half[3];    // [m]
    double radius;     // the shape is all within radius of its core [m]
    int first;
} tn_core;

// How two cores touch or miss each other.
typedef struct tn_nearness {
    double distance;  // signed, of the cores [m]: the least motion that parts them or brings them together
    double normal[3]; // from a to b
    double point_a[3], point_b[3];
    unsigned feature; // tn_feature
    bool proved;      // false: the cores are apart, by distance or more
} tn_nearness;

void tn_core_set(tn_core *core, const tn_placed *placed); // box or capsule
void tn_core_vertex(double out[3], const tn_core *core, unsigned vertex);
// Middle and half of edge e: from middle - half to middle + half.
void tn_core_edge(double middle[3], double half[3], const tn_core *core, unsigned edge);
double tn_core_size(const tn_core *core); // smallest extent or radius: the scale of tolerances [m]
unsigned tn_core_support(const tn_core *core, const double direction[3]); // farthest vertex

// False if the cores are more than reach apart. Apart by less, the distance is that of the best separating plane.
bool tn_core_nearness(const tn_core *a, const tn_core *b, double reach, tn_nearness *out);
