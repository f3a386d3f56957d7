// Corners of the polyhedral friction cone's section, evenly turned from t1 and stretched to the ellipse of mu.
#include "law/polygon.h"

#include <math.h>

static const double TURN = 6.283185307179586476925286766559;

double tn_polygon_mu(int facets, const double mu[2])
{
    return facets == 2 ? mu[0] : fmax(mu[0], mu[1]);
}

void tn_polygon_direction(int facets, const double mu[2], int i, double d[2])
{
    int half = facets / 2;
    double sign = i < half ? 1.0 : -1.0, angle = TURN * (i % half) / facets, largest = tn_polygon_mu(facets, mu);
    if (largest == 0.0) {
        d[0] = d[1] = 0.0;
        return;
    }
    bool quarter = 4 * (i % half) == facets; // cos is not quite zero there
    d[0] = quarter ? 0.0 : sign * cos(angle) * mu[0] / largest;
    d[1] = facets == 2 ? 0.0 : sign * sin(angle) * mu[1] / largest;
}

tn_polygon tn_polygon_make(int facets, const double mu[2])
{
    double largest = tn_polygon_mu(facets, mu);
    tn_polygon g = {.n = largest == 0.0 ? 0 : facets, .facets = facets, .mu = {mu[0], mu[1]}};
    if (g.n == 0 || (facets > 2 && mu[0] > 0.0 && mu[1] > 0.0)) {
        return g;
    }
    // All corners on one line: the farthest is its end.
    g.n = 2;
    for (int i = 0; i < facets; i++) {
        double d[2];
        tn_polygon_direction(facets, mu, i, d);
        g.end[0] = fmax(g.end[0], largest * d[0]);
        g.end[1] = fmax(g.end[1], largest * d[1]);
    }
    return g;
}

void tn_polygon_corner(const tn_polygon *g, int i, double c[2])
{
    if (g->n == 2) {
        c[0] = i % 2 == 0 ? g->end[0] : -g->end[0];
        c[1] = i % 2 == 0 ? g->end[1] : -g->end[1];
        return;
    }
    double largest = tn_polygon_mu(g->facets, g->mu);
    tn_polygon_direction(g->facets, g->mu, i % g->n, c);
    c[0] *= largest;
    c[1] *= largest;
}
