// Two convex polygons (or a polygon and a point) with radii, in the plane.
//
// Of all edges' normals the one along which the two are farthest apart (separating axis theorem); then the other's edge
// that looks at it, cut to the edge's length, gives two points, or one where they share next to nothing. Only where the
// nearest points of the two are clearly farther apart than that, two corners face each other: the line between them is
// the normal, and one point is all.
//
// Corners and edges that coincide to rounding (stacks, walls, arches) must not decide by it. Apart or overlapping,
// above an edge or beside it, are never asked of a single corner: the separation s along a normal is at most the
// distance d of two shapes that are apart, and equal where an edge takes part; d = |s| where they overlap but for
// rounding. So where d exceeds |s| by more than rounding, two corners face each other, else the edge's normal serves.
#include "shape/convex.h"
#include "shape/flat_view.h"

#include <float.h>
#include <math.h>

// An edge of p and how far q is beyond it.
typedef struct edge_choice {
    double apart; // -INFINITY without edges
    int edge;
} edge_choice;

// What rounding may make of a separation or distance [m].
static double rounding(const tn_flat_pair *pair)
{
    double most = 0.0;
    for (int k = 0; k < 2; ++k) {
        const tn_flat_core *c = k ? &pair->b : &pair->a;
        for (int i = 0; i < c->n; ++i) {
            most = fmax(most, fmax(fabs(c->x[i][0]), fabs(c->x[i][1])));
        }
    }
    return 32.0 * DBL_EPSILON * most;
}

// Of all edges of p the one with the largest separation from q; of several within slack the first.
static edge_choice farthest_edge(const tn_flat_core *p, const tn_flat_core *q, double slack)
{
    edge_choice best = {.apart = -INFINITY};
    for (int i = 0; p->n > 1 && i < p->n; ++i) {
        double least = INFINITY;
        for (int k = 0; k < q->n; ++k) {
            double d[2] = {q->x[k][0] - p->x[i][0], q->x[k][1] - p->x[i][1]}, here = tn_dot2(p->out[i], d);
            least = here < least ? here : least;
        }
        if (least > best.apart + slack) {
            best = (edge_choice){least, i};
        }
    }
    return best;
}

// The nearest points of two boundaries, one of them a corner.
typedef struct closest {
    double square, a[2], b[2]; // squared distance [m^2] and the points
    int of_a, of_b;            // a corner, or the start of the edge that the point lies on
} closest;

// Corner x of q (number k) against all edges of p. p_is_a: p is the pair's a.
static void try_corner(const tn_flat_core *p, const double x[2], int k, bool p_is_a, closest *best)
{
    for (int i = 0; i < p->n; ++i) {
        int next = (i + 1) % p->n;
        double along[2] = {p->x[next][0] - p->x[i][0], p->x[next][1] - p->x[i][1]};
        double from[2] = {x[0] - p->x[i][0], x[1] - p->x[i][1]}, length = tn_dot2(along, along);
        double t = length > 0.0 ? fmin(1.0, fmax(0.0, tn_dot2(along, from) / length)) : 0.0;
        double foot[2] = {t < 1.0 ? p->x[i][0] + t * along[0] : p->x[next][0],
                          t < 1.0 ? p->x[i][1] + t * along[1] : p->x[next][1]};
        double d[2] = {x[0] - foot[0], x[1] - foot[1]}, square = tn_dot2(d, d);
        if (square < best->square) {
            int of_p = t < 1.0 ? i : next;
            *best = (closest){.square = square, .of_a = p_is_a ? of_p : k, .of_b = p_is_a ? k : of_p};
            for (int c = 0; c < 2; ++c) {
                best->a[c] = p_is_a ? foot[c] : x[c];
                best->b[c] = p_is_a ? x[c] : foot[c];
            }
        }
    }
}

static closest closest_points(const tn_flat_pair *pair)
{
    closest best = {.square = INFINITY};
    for (int k = 0; k < pair->b.n; ++k) {
        try_corner(&pair->a, pair->b.x[k], k, true, &best);
    }
    for (int k = 0; k < pair->a.n; ++k) {
        try_corner(&pair->b, pair->a.x[k], k, false, &best);
    }
    return best;
}

static void add_closest(const tn_flat_pair *pair, const closest *near, double distance, tn_manifold *out)
{
    double n[2] = {(near->b[0] - near->a[0]) / distance, (near->b[1] - near->a[1]) / distance};
    double gap = distance - pair->a.radius - pair->b.radius, on = pair->a.radius + 0.5 * gap;
    double point[2] = {near->a[0] + on * n[0], near->a[1] + on * n[1]};
    unsigned of_a = tn_flat_corner(&pair->a, near->of_a), of_b = tn_flat_corner(&pair->b, near->of_b);
    tn_flat_add(pair, n, point, gap, tn_feature(TN_FEATURE_NEAREST, of_a, of_b), out);
}

// An edge of p, and the edge of q that looks at it: its corners 0 and 1 in the order against the edge's direction. A
// point q has the same corner twice.
typedef struct facing {
    const tn_flat_core *p, *q;
    double normal[2], length; // of p's edge
    int end[2];               // p's corners: where the edge ends and where it starts
    int corner[2];            // q's
    double at[2], height[2];  // of q's corners: along the edge from its start, and above it [m]
} facing;

static facing face(const tn_flat_core *p, const tn_flat_core *q, int edge)
{
    facing f = {.p = p, .q = q, .normal = {p->out[edge][0], p->out[edge][1]}, .end = {(edge + 1) % p->n, edge}};
    const double *s = p->x[edge], *e = p->x[f.end[0]], t[2] = {-f.normal[1], f.normal[0]};
    double most = INFINITY;
    for (int i = 0; q->n > 1 && i < q->n; ++i) {
        double here = tn_dot2(q->out[i], f.normal);
        if (here < most) {
            most = here;
            f.corner[0] = i;
            f.corner[1] = (i + 1) % q->n;
        }
    }
    f.length = t[0] * (e[0] - s[0]) + t[1] * (e[1] - s[1]);
    for (int k = 0; k < 2; ++k) {
        const double *x = q->x[f.corner[k]], d[2] = {x[0] - s[0], x[1] - s[1]};
        f.at[k] = tn_dot2(t, d);
        f.height[k] = tn_dot2(f.normal, d);
    }
    return f;
}

// Which corner is within `same` of the place along p's edge: number k of two, or where there is one contact only
// either; -1: none.
static int corner_near(const double at[2], double place, int k, bool only, double same)
{
    bool own = fabs(at[k] - place) <= same, other = only && fabs(at[1 - k] - place) <= same;
    return own ? k : other ? 1 - k : -1;
}

// A contact is named after the corner that it is at; of two that coincide but for `same` after a's, so that the name
// does not hang on which of them is inside.
static unsigned name_of(const tn_flat_pair *pair, const facing *f, int k, double place, bool only, double same)
{
    const double ends[2] = {f->length, 0.0};
    int of_p = corner_near(ends, place, k, only, same), of_q = corner_near(f->at, place, k, only, same);
    bool p_is_a = f->p == &pair->a, by_p = of_p >= 0 && (p_is_a || of_q < 0);
    unsigned corner = by_p ? tn_flat_corner(f->p, f->end[of_p]) : tn_flat_corner(f->q, f->corner[of_q >= 0 ? of_q : k]);
    return by_p == p_is_a ? tn_feature(TN_FEATURE_VERTEX_A, corner, 0) : tn_feature(TN_FEATURE_VERTEX_B, 0, corner);
}

// The contact where q's edge is at this place along p's: at its corner k, or on from there towards the other one.
static void add_place(const tn_flat_pair *pair, const facing *f, int k, double place, unsigned name, tn_manifold *out)
{
    const double *x = f->q->x[f->corner[k]], *other = f->q->x[f->corner[1 - k]];
    double share = place != f->at[k] ? (f->at[k] - place) / (f->at[k] - f->at[1 - k]) : 0.0;
    double y[2] = {x[0] + share * (other[0] - x[0]), x[1] + share * (other[1] - x[1])};
    double height = f->height[k] + share * (f->height[1 - k] - f->height[k]);
    double gap = height - f->p->radius - f->q->radius, back = f->q->radius + 0.5 * gap;
    double point[2] = {y[0] - back * f->normal[0], y[1] - back * f->normal[1]};
    double sign = f->p == &pair->a ? 1.0 : -1.0, normal[2] = {sign * f->normal[0], sign * f->normal[1]};
    tn_flat_add(pair, normal, point, gap, name, out);
}

// Contact points of edge `edge` of p with what of q looks at it: the ends of what both edges share.
static void add_edge(const tn_flat_pair *pair, const tn_flat_core *p, int edge, double slack, tn_manifold *out)
{
    facing f = face(p, p == &pair->a ? &pair->b : &pair->a, edge);
    double place[2] = {fmin(f.length, f.at[0]), fmax(0.0, f.at[1])};
    double shared = place[0] - place[1], same = tn_face_slack * pair->least;
    bool only = shared <= same;
    if (!only) {
        for (int k = 0; k < 2; ++k) {
            add_place(pair, &f, k, place[k], name_of(pair, &f, k, place[k], only, same), out);
        }
        return;
    }
    // A corner at or on an edge: the lower end of what they share. Edges that meet end to end share nothing, then it is
    // the corner that is beyond by less; and q's edge may stand upright on p's.
    double over[2] = {fmax(f.at[0] - f.length, -f.at[0]), fmax(f.at[1] - f.length, -f.at[1])};
    bool lower = shared > slack || f.at[0] - f.at[1] <= slack;
    int k = lower ? f.height[1] < f.height[0] : over[1] < over[0];
    double at = shared > slack ? place[k] : f.at[k];
    add_place(pair, &f, k, at, name_of(pair, &f, k, at, only, same), out);
}

void tn_flat_polygons(const tn_flat_pair *pair, tn_manifold *out)
{
    const tn_flat_core *a = &pair->a, *b = &pair->b;
    double slack = rounding(pair);
    edge_choice of_a = farthest_edge(a, b, slack), of_b = farthest_edge(b, a, slack);
    double apart = fmax(of_a.apart, of_b.apart);
    if (apart - a->radius - b->radius > out->margin) {
        return;
    }
    if (apart >= -slack) {
        closest near = closest_points(pair);
        double distance = sqrt(near.square);
        if (distance > fabs(apart) + slack) {
            add_closest(pair, &near, distance, out);
            return;
        }
    }
    bool by_a = of_a.apart >= of_b.apart - slack;
    add_edge(pair, by_a ? a : b, by_a ? of_a.edge : of_b.edge, slack, out);
}
