// Two convex polygons (or a polygon and a point) with radii, in the plane.
//
// Of all edges' normals the one along which the two are farthest apart (separating axis theorem); then the other's edge
// that looks at it, cut to the edge's length, gives two points. Where the nearest points are two corners that are
// apart, the line between them is the normal, and one point is all.
#include "shape/convex.h"
#include "shape/flat_view.h"

#include <math.h>

static void edge_normal(const tn_flat_core *c, int i, double out[2])
{
    const double *p = c->x[i], *q = c->x[(i + 1) % c->n];
    double dx = q[0] - p[0], dy = q[1] - p[1], length = sqrt(dx * dx + dy * dy);
    out[0] = dy / length;
    out[1] = -dx / length;
}

// Of all edges of p: the largest separation from q, and its edge; -INFINITY without edges.
static double separation(const tn_flat_core *p, const tn_flat_core *q, int *edge)
{
    double best = -INFINITY;
    *edge = 0;
    for (int i = 0; p->n > 1 && i < p->n; ++i) {
        double n[2], least = INFINITY;
        edge_normal(p, i, n);
        for (int k = 0; k < q->n; ++k) {
            double d[2] = {q->x[k][0] - p->x[i][0], q->x[k][1] - p->x[i][1]}, here = tn_dot2(n, d);
            least = here < least ? here : least;
        }
        if (least > best) {
            best = least;
            *edge = i;
        }
    }
    return best;
}

// A segment is also apart from what lies wholly beyond one of its ends.
static bool beyond_end(const tn_flat_core *p, const tn_flat_core *q)
{
    if (p->n != 2) {
        return false;
    }
    double along[2] = {p->x[1][0] - p->x[0][0], p->x[1][1] - p->x[0][1]};
    double length = tn_dot2(along, along), least = INFINITY, most = -INFINITY;
    for (int k = 0; k < q->n; ++k) {
        double d[2] = {q->x[k][0] - p->x[0][0], q->x[k][1] - p->x[0][1]}, here = tn_dot2(along, d);
        least = here < least ? here : least;
        most = here > most ? here : most;
    }
    return least > length || most < 0.0;
}

// Nearest corners of two cores that are apart.
static double nearest_corners(const tn_flat_pair *pair, int *of_a, int *of_b)
{
    double best = INFINITY;
    for (int i = 0; i < pair->a.n; ++i) {
        for (int k = 0; k < pair->b.n; ++k) {
            double d[2] = {pair->b.x[k][0] - pair->a.x[i][0], pair->b.x[k][1] - pair->a.x[i][1]}, here = tn_dot2(d, d);
            if (here < best) {
                best = here;
                *of_a = i;
                *of_b = k;
            }
        }
    }
    return sqrt(best);
}

// Whether corner x projects between the ends of edge i of p.
static bool over_edge(const tn_flat_core *p, int i, const double x[2])
{
    const double *s = p->x[i], *e = p->x[(i + 1) % p->n];
    double along[2] = {e[0] - s[0], e[1] - s[1]}, from[2] = {x[0] - s[0], x[1] - s[1]};
    double t = tn_dot2(along, from);
    return t >= 0.0 && t <= tn_dot2(along, along);
}

// Distance of corner x from the polygon p along its edges that it lies over; INFINITY over none.
static double edge_distance(const tn_flat_core *p, const double x[2], int *edge)
{
    double best = INFINITY;
    for (int i = 0; p->n > 1 && i < p->n; ++i) {
        double n[2], d[2] = {x[0] - p->x[i][0], x[1] - p->x[i][1]};
        edge_normal(p, i, n);
        double here = tn_dot2(n, d);
        if (here >= 0.0 && here < best && over_edge(p, i, x)) {
            best = here;
            *edge = i;
        }
    }
    return best;
}

// Contact points of edge `edge` of p with what of q looks at it. of_a: p is the pair's a.
static void add_edge(const tn_flat_pair *pair, bool of_a, int edge, tn_manifold *out)
{
    const tn_flat_core *p = of_a ? &pair->a : &pair->b, *q = of_a ? &pair->b : &pair->a;
    const double *s = p->x[edge], *e = p->x[(edge + 1) % p->n];
    double n[2], t[2], length, x[2][2], normal[2];
    int corner[2] = {0, 0}, ends[2] = {(edge + 1) % p->n, edge};
    edge_normal(p, edge, n);
    t[0] = -n[1], t[1] = n[0]; // from s to e
    length = t[0] * (e[0] - s[0]) + t[1] * (e[1] - s[1]);
    // The edge of q that looks most against n, from corner[0] to corner[1]: that runs against t.
    double most = INFINITY;
    for (int i = 0; q->n > 1 && i < q->n; ++i) {
        double m[2];
        edge_normal(q, i, m);
        if (tn_dot2(m, n) < most) {
            most = tn_dot2(m, n);
            corner[0] = i;
            corner[1] = (i + 1) % q->n;
        }
    }
    normal[0] = of_a ? n[0] : -n[0];
    normal[1] = of_a ? n[1] : -n[1];
    double at[2];
    for (int k = 0; k < 2; ++k) {
        double d[2] = {q->x[corner[k]][0] - s[0], q->x[corner[k]][1] - s[1]};
        at[k] = tn_dot2(t, d);
        x[k][0] = q->x[corner[k]][0];
        x[k][1] = q->x[corner[k]][1];
    }
    for (int k = 0; k < (q->n > 1 ? 2 : 1); ++k) {
        // at[0] >= at[1]: the first is held below the edge's end, the second above its start.
        double bound = k == 0 ? length : 0.0;
        bool beyond = q->n > 1 && (k == 0 ? at[0] > length : at[1] < 0.0) && at[0] > at[1];
        double y[2] = {x[k][0], x[k][1]};
        if (beyond && (k == 0 ? at[1] > length : at[0] < 0.0)) {
            continue; // all of it lies beside the edge; the other point is the nearer one
        }
        if (beyond) {
            double share = (at[k] - bound) / (at[k] - at[1 - k]);
            y[0] += share * (x[1 - k][0] - x[k][0]);
            y[1] += share * (x[1 - k][1] - x[k][1]);
        }
        double d[2] = {y[0] - s[0], y[1] - s[1]}, height = tn_dot2(n, d), gap = height - p->radius - q->radius;
        unsigned own = tn_flat_corner(q, corner[k]), others = tn_flat_corner(p, ends[k == 0 ? 0 : 1]);
        unsigned feature = beyond == of_a ? tn_feature(TN_FEATURE_VERTEX_A, beyond ? others : own, 0)
                                          : tn_feature(TN_FEATURE_VERTEX_B, 0, beyond ? others : own);
        double back = q->radius + 0.5 * gap;
        double point[2] = {y[0] - back * n[0], y[1] - back * n[1]};
        tn_flat_add(pair, normal, point, gap, feature, out);
    }
}

void tn_flat_polygons(const tn_flat_pair *pair, tn_manifold *out)
{
    const tn_flat_core *a = &pair->a, *b = &pair->b;
    int edge_a, edge_b, of_a = 0, of_b = 0, edge = 0;
    double apart_a = separation(a, b, &edge_a), apart_b = separation(b, a, &edge_b), radii = a->radius + b->radius;
    if (fmax(apart_a, apart_b) - radii > out->margin) {
        return;
    }
    bool by_a = apart_a >= apart_b, by_edge = false;
    bool apart = fmax(apart_a, apart_b) > 0.0 || beyond_end(a, b) || beyond_end(b, a);
    double corners = apart ? nearest_corners(pair, &of_a, &of_b) : 0.0, best = corners;
    // Overlap, or corners so nearly over each other that the edge's own normal serves: a stack of equal boxes.
    if (!apart || fmax(apart_a, apart_b) >= corners * (1.0 - 1e-9)) {
        add_edge(pair, by_a, by_a ? edge_a : edge_b, out);
        return;
    }
    for (int k = 0; k < b->n; ++k) {
        double here = edge_distance(a, b->x[k], &edge);
        if (here < best * (1.0 - 1e-12) || (here <= best && !by_edge)) {
            best = here;
            by_a = by_edge = true;
            edge_a = edge;
        }
    }
    for (int k = 0; k < a->n; ++k) {
        double here = edge_distance(b, a->x[k], &edge);
        if (here < best * (1.0 - 1e-12) || (here <= best && !by_edge)) {
            best = here;
            by_a = false;
            by_edge = true;
            edge_b = edge;
        }
    }
    if (by_edge) {
        add_edge(pair, by_a, by_a ? edge_a : edge_b, out);
        return;
    }
    double n[2] = {(b->x[of_b][0] - a->x[of_a][0]) / corners, (b->x[of_b][1] - a->x[of_a][1]) / corners};
    double gap = corners - radii, on = a->radius + 0.5 * gap;
    double point[2] = {a->x[of_a][0] + on * n[0], a->x[of_a][1] + on * n[1]};
    tn_flat_add(pair, n, point, gap, tn_feature(TN_FEATURE_NEAREST, tn_flat_corner(a, of_a), tn_flat_corner(b, of_b)),
                out);
}
