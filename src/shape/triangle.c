#include "shape/triangle.h"

#include "math/vec3.h"

void tn_triangle_area(double out[3], const double a[3], const double b[3], const double c[3])
{
    double ab[3], ac[3];
    tn_vec3_sub(ab, b, a);
    tn_vec3_sub(ac, c, a);
    tn_vec3_cross(out, ab, ac);
}

// Nearest point p + s (q - p), s in [0, 1], of an edge; returns the squared distance.
static double edge_closest(const double p[3], const double q[3], const double x[3], double *s)
{
    double pq[3], px[3], d[3];
    tn_vec3_sub(pq, q, p);
    tn_vec3_sub(px, x, p);
    double square = tn_vec3_dot(pq, pq), along = tn_vec3_dot(pq, px);
    *s = !(along > 0.0) || !(square > 0.0) ? 0.0 : along < square ? along / square : 1.0;
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
    if (wa > 0.0 && wb > 0.0 && wc > 0.0) {
        double along = tn_vec3_dot(n, ax);
        tn_vec3_set(weight, 1.0 - wb / square - wc / square, wb / square, wc / square);
        if (weight[0] > 0.0) {
            return along * along / square;
        }
    }
    double best = INFINITY;
    for (int k = 0; k < 3; ++k) {
        double s, here = edge_closest(corner[k], corner[(k + 1) % 3], x, &s);
        if (here < best) {
            best = here;
            weight[k] = 1.0 - s;
            weight[(k + 1) % 3] = s;
            weight[(k + 2) % 3] = 0.0;
        }
    }
    return best;
}
