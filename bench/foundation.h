// The cube on an elastic foundation as a differential equation (penalty form): Newton and Euler with a quaternion, each
// element a one-sided spring and damper. For reference solutions and for integrators of differential equations.
#pragma once

#include <stdbool.h>

enum { FOUNDATION_STATE = 13 }; // position, velocity of the centre; quaternion w, x, y, z; angular velocity; world

typedef struct foundation {
    double force;    // downward [N]
    double K, B;     // of an element
    int elements;    // along an edge
    bool body_point; // the load acts at a point of the cube's frame, as in the document; else where it would untilted
    bool plainly;    // element by element; else the elements of a row that bear are summed in closed form
    long evaluations;
} foundation;

foundation foundation_create(double force, int elements, double modulus);
void foundation_start(double y[FOUNDATION_STATE]); // at rest, nothing pressed in
void foundation_rates(foundation *f, double t, const double *y, double *dy);
// Runge and Kutta's method of fourth order, n steps from t = 0 to the end.
void foundation_solve(foundation *f, double end, int n, double y[FOUNDATION_STATE]);
// Norm of the difference of position and quaternion, as the document has it.
double foundation_distance(const double a[FOUNDATION_STATE], const double b[FOUNDATION_STATE]);
