// A rope's way from one point to another round a cylinder or a sphere, taut and without friction: a straight line, an
// arc or helix that it leaves tangentially, and a straight line.
#pragma once

#include <stdbool.h>

// Without end along its axis.
typedef struct tn_drum {
    double center[3];
    double axis[3]; // unit; 0 0 0: a sphere
    double radius;  // [m]
    double side[3]; // where the rope passes, outside of it; NaN: along the shorter way
} tn_drum;

// Whether x is inside; not where x is NaN.
bool tn_drum_contains(const tn_drum *drum, const double x[3]);
// Length of the way from p to q [m] and the unit direction in which it comes to q. A straight line where that passes
// the drum on its side, or an end is inside. Ends and drum in the same frame; p and q are apart.
double tn_drum_way(const tn_drum *drum, const double p[3], const double q[3], double direction[3]);
