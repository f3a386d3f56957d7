// An ellipse with an ellipse, a polygon or a disk, in the plane: one point.
//
// The signed distance of two convex shapes is the largest separation s(n) = min_b n.x - max_a n.x over all unit normals
// n from a to b. Against a polygon s has its largest value at the normal of an edge, or where the ellipse is nearest to
// a corner: those are tried. Of two ellipses it is smooth: the derivative's root next to the best of some samples.
#include "shape/convex.h"
#include "shape/flat_view.h"

#include <math.h>

enum { SAMPLES = 24 };

// The core's farthest point along n.
static void support(const tn_flat_core *e, const double n[2], double out[2])
{
    if (e->n > 0) {
        int most = 0;
        for (int i = 1; i < e->n; ++i) {
            most = tn_dot2(n, e->x[i]) > tn_dot2(n, e->x[most]) ? i : most;
        }
        out[0] = e->x[most][0];
        out[1] = e->x[most][1];
        return;
    }
    double u = e->size[0] * tn_dot2(n, e->axis[0]), w = e->size[1] * tn_dot2(n, e->axis[1]);
    double reach = sqrt(u * u + w * w), a = e->size[0] * u / reach, b = e->size[1] * w / reach;
    out[0] = e->centre[0] + a * e->axis[0][0] + b * e->axis[1][0];
    out[1] = e->centre[1] + a * e->axis[0][1] + b * e->axis[1][1];
}

// Separation of b from a along n, and its derivative as n turns.
static double separation(const tn_flat_core *a, const tn_flat_core *b, const double n[2], double *slope)
{
    const double back[2] = {-n[0], -n[1]};
    double p[2], q[2];
    support(a, n, p);
    support(b, back, q);
    double d[2] = {q[0] - p[0], q[1] - p[1]};
    *slope = n[0] * d[1] - n[1] * d[0];
    return tn_dot2(n, d);
}

static void keep_larger(const tn_flat_core *e, const tn_flat_core *p, const double n[2], double *best, double normal[2])
{
    double slope, here = separation(e, p, n, &slope);
    if (here > *best) {
        *best = here;
        normal[0] = n[0];
        normal[1] = n[1];
    }
}

// Separation of the core and the normal, out of the ellipse.
static double ellipse_polygon(const tn_flat_core *e, const tn_flat_core *p, double normal[2])
{
    double best = -INFINITY;
    // The ellipse as an ellipsoid, whose third axis does not count: never the smallest.
    const tn_shape shape = tn_shape_ellipsoid(e->size[0], e->size[1], fmax(e->size[0], e->size[1]));
    tn_placed placed = {.shape = &shape, .position = {e->centre[0], e->centre[1], 0.0}};
    const double rotation[9] = {e->axis[0][0], e->axis[1][0], 0.0, e->axis[0][1], e->axis[1][1], 0.0, 0.0, 0.0, 1.0};
    for (int i = 0; i < 9; ++i) {
        placed.rotation[i] = rotation[i];
    }
    for (int i = 0; i < p->n; ++i) {
        const double x[3] = {p->x[i][0], p->x[i][1], 0.0}, *q = p->x[(i + 1) % p->n];
        double n[3];
        tn_shape_class_ellipsoid.distance(&placed, x, n);
        keep_larger(e, p, n, &best, normal);
        double out[2] = {q[1] - x[1], x[0] - q[0]}, length = sqrt(tn_dot2(out, out));
        if (length > 0.0) { // against the edge's own normal
            out[0] /= -length;
            out[1] /= -length;
            keep_larger(e, p, out, &best, normal);
        }
    }
    return best;
}

// The normals at points of e spread evenly over its parameter, so that no end of a slim one is missed.
static void sample(const tn_flat_core *e, int k, double n[2])
{
    double t = 2.0 * M_PI * k / SAMPLES, u = cos(t) / e->size[0], w = sin(t) / e->size[1], length = sqrt(u * u + w * w);
    for (int i = 0; i < 2; ++i) {
        n[i] = (u * e->axis[0][i] + w * e->axis[1][i]) / length;
    }
}

// The root of the slope between the normals low (slope >= 0) and high (slope <= 0), less than half a turn apart, by
// bisection of the angle between them.
static double climb(const tn_flat_core *a, const tn_flat_core *b, double low[2], double high[2], double normal[2])
{
    double slope, value = -INFINITY;
    for (int k = 0; k < 60; ++k) {
        double n[2] = {low[0] + high[0], low[1] + high[1]}, length = sqrt(tn_dot2(n, n));
        n[0] /= length;
        n[1] /= length;
        bool same = (n[0] == low[0] && n[1] == low[1]) || (n[0] == high[0] && n[1] == high[1]);
        value = separation(a, b, n, &slope);
        normal[0] = n[0];
        normal[1] = n[1];
        double *end = slope >= 0.0 ? low : high;
        end[0] = n[0];
        end[1] = n[1];
        if (same) {
            break;
        }
    }
    return value;
}

// Largest separation of b from a, which is an ellipse, from samples on the ellipses.
static double climb_samples(const tn_flat_core *a, const tn_flat_core *b, double normal[2])
{
    double best = -INFINITY, slope;
    const tn_flat_core *of = a;
    int at = 0;
    for (int k = 0; k < (b->n == 0 ? 2 : 1) * SAMPLES; ++k) {
        const tn_flat_core *e = k < SAMPLES ? a : b;
        double n[2];
        sample(e, k % SAMPLES, n);
        double here = separation(a, b, n, &slope);
        if (here > best) {
            best = here;
            of = e;
            at = k % SAMPLES;
            normal[0] = n[0];
            normal[1] = n[1];
        }
    }
    // The maximum lies on the side to which s rises; which way normals turn depends on the axes' orientation.
    double before[2], after[2], middle[2] = {normal[0], normal[1]}, found[2];
    sample(of, at + SAMPLES - 1, before);
    sample(of, at + 1, after);
    bool forward = middle[0] * after[1] - middle[1] * after[0] > 0.0;
    separation(a, b, middle, &slope);
    double *to = (slope >= 0.0) == forward ? after : before;
    double value = slope >= 0.0 ? climb(a, b, middle, to, found) : climb(a, b, to, middle, found);
    if (value > best) {
        best = value;
        normal[0] = found[0];
        normal[1] = found[1];
    }
    return best;
}

static bool circles_apart(const tn_flat_core *a, const tn_flat_core *b, double margin)
{
    double d[2] = {b->centre[0] - a->centre[0], b->centre[1] - a->centre[1]};
    double reach = (fmax(a->size[0], a->size[1]) + fmax(b->size[0], b->size[1]) + margin) * (1.0 + 1e-12);
    return tn_dot2(d, d) > reach * reach;
}

void tn_flat_ellipses(const tn_flat_pair *pair, tn_manifold *out)
{
    const tn_flat_core *a = &pair->a, *b = &pair->b, *e = a->n == 0 ? a : b;
    double n[2] = {1.0, 0.0}, x[2], gap;
    if (a->n == 0 && b->n == 0 && circles_apart(a, b, out->margin)) {
        return;
    }
    if (a->n == 0 && b->n == 0) {
        gap = climb_samples(a, b, n);
    } else {
        const tn_flat_core *p = e == a ? b : a;
        gap = ellipse_polygon(e, p, n);
        double other[2] = {n[0], n[1]},
               deep = gap < 0.0 ? climb_samples(e, p, other) : gap; // a corner inside has four such places
        if (deep > gap) {
            gap = deep;
            n[0] = other[0];
            n[1] = other[1];
        }
        gap -= p->radius;
    }
    support(e, n, x); // n points out of e
    double point[2] = {x[0] + 0.5 * gap * n[0], x[1] + 0.5 * gap * n[1]};
    if (e == b) {
        n[0] = -n[0];
        n[1] = -n[1];
    }
    tn_flat_add(pair, n, point, gap, tn_feature(TN_FEATURE_NEAREST, 0, 0), out);
}
