#include "shape/triangle.h"

#include "math/vec3.h"

void tn_triangle_area(double out[3], const double a[3], const double b[3], const double c[3])
{
    double ab[3], ac[3];
    tn_vec3_sub(ab, b, a);
    tn_vec3_sub(ac, c, a);
    tn_vec3_cross(out, ab, ac);
}

// Nearest point p + s (q - p), s in [0, 1], of an edge; returns the squared distance. Without branches, as the choice
// of the nearest edge below: where x lies cannot be foretold. An edge without length has s = 0.
static double edge_closest(const double p[3], const double q[3], const double x[3], double *s)
{
    const double tiny = 1e-300; // [m^2]
    double pq[3], px[3], d[3];
    tn_vec3_sub(pq, q, p);
    tn_vec3_sub(px, x, p);
    double square = tn_vec3_dot(pq, pq), along = tn_vec3_dot(pq, px);
    along = 0.5 * (along + fabs(along)); // or 0 where it is negative
    along = along < square ? along : square;
    *s = along / (square + tiny);
    tn_vec3_madd(d, px, -*s, pq);
    return tn_vec3_dot(d, d);
}

// Over the face if all three subtriangles seen along its normal are counter-clockwise, else on the nearest edge.
double tn_triangle_closest(const double a[3], const double b[3], const double c[3], const double x[3], double weight[3])
{
    const double *corner[3] = {a, b, c};
    double ab[3], ac[3], ax[3], n[3], turned[3];
    tn_vec3_sub(ab, b, a);
    tn_vec3_sub(ac, c, a);
    tn_vec3_sub(ax, x, a);
    tn_vec3_cross(n, ab, ac);
    double square = tn_vec3_dot(n, n);
    tn_vec3_cross(turned, ax, ac);
    double wb = tn_vec3_dot(n, turned);
    tn_vec3_cross(turned, ab, ax);
    double wc = tn_vec3_dot(n, turned), wa = square - wb - wc;
    if ((wa > 0.0) & (wb > 0.0) & (wc > 0.0)) {
        double along = tn_vec3_dot(n, ax);
        tn_vec3_set(weight, 1.0 - wb / square - wc / square, wb / square, wc / square);
        if (weight[0] > 0.0) {
            return along * along / square;
        }
    }
    double share[3], best = edge_closest(a, b, x, &share[0]);
    int edge = 0;
    for (int k = 1; k < 3; ++k) {
        double here = edge_closest(corner[k], corner[(k + 1) % 3], x, &share[k]);
        edge = here < best ? k : edge;
        best = here < best ? here : best;
    }
    weight[edge] = 1.0 - share[edge];
    weight[(edge + 1) % 3] = share[edge];
    weight[(edge + 2) % 3] = 0.0;
    return best;
}
