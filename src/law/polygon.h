// The section at f_n = 1 of a polyhedral friction cone: so many facets, mu along t1 and t2.
#pragma once

#include <stdbool.h>

// Largest of the coefficients that count (2 facets: along t1 only): |f_t| <= mu f_n in the sense of the sum of the
// directions' coefficients.
double tn_polygon_mu(int facets, const double mu[2]);
// Direction i, of length 1 where friction is isotropic, else on the ellipse mu / max mu. Opposite directions are
// exactly opposite. Times tn_polygon_mu it is corner i of the polygon.
void tn_polygon_direction(int facets, const double mu[2], int i, double d[2]);

// The polygon as a figure: its corners in turn, without those that are none. n = 0 is the origin, n = 2 a segment.
typedef struct tn_polygon {
    int n, facets;
    double mu[2];
    double end[2]; // n = 2
} tn_polygon;

tn_polygon tn_polygon_make(int facets, const double mu[2]);
// i from 0 to n: corner n is corner 0.
void tn_polygon_corner(const tn_polygon *g, int i, double c[2]);
static inline int tn_polygon_edges(const tn_polygon *g)
{
    return g->n == 2 ? 1 : g->n;
}
