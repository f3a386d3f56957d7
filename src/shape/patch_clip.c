// Sutherland and Hodgman (1974), "Reentrant polygon clipping", with a name for every point and side, so that a contact
// point is a vertex of either shape or a crossing of two edges whatever the order of clipping.
#include "math/vec3.h"
#include "shape/patch.h"

// Names of sides: an edge of the other shape, or this flag with the number of the face's side.
static const unsigned of_face = 0x8000;

// Points stay where they are written; outlines are lists of their numbers.
enum { POOL = 3 * TN_PATCH_MAX };

typedef struct clipper {
    const tn_patch *face;
    double slack;
    bool of_a;
    int n_points;
    tn_patch_point point[POOL];
} clipper;

static unsigned vertex_feature(const clipper *c, bool of_face_shape, unsigned vertex)
{
    return of_face_shape == c->of_a ? tn_feature(TN_FEATURE_VERTEX_A, vertex, 0)
                                    : tn_feature(TN_FEATURE_VERTEX_B, 0, vertex);
}

static unsigned edge_feature(const clipper *c, unsigned of_face_shape, unsigned of_other)
{
    return c->of_a ? tn_feature(TN_FEATURE_EDGES, of_face_shape, of_other)
                   : tn_feature(TN_FEATURE_EDGES, of_other, of_face_shape);
}

// The corner of the face between two of its sides, which need be neighbours only up to rounding.
static unsigned corner_between(const tn_patch *face, int s, int t)
{
    int n = face->n;
    if ((s + 1) % n == t) {
        return face->vertex[t];
    }
    return face->vertex[s];
}

// Adds the point where the side from p to q crosses side s of the face, at dp and dq beyond it. leaves: p is inside.
static int add_crossing(clipper *c, int s, const tn_patch_point *p, const tn_patch_point *q, double dp, double dq,
                        bool leaves)
{
    tn_patch_point *x = &c->point[c->n_points];
    double share = dp / (dp - dq);
    for (int i = 0; i < 3; ++i) {
        x->x[i] = p->x[i] + share * (q->x[i] - p->x[i]);
    }
    x->feature = p->side & of_face ? vertex_feature(c, true, corner_between(c->face, (int)(p->side & 0x7fff), s))
                                   : edge_feature(c, c->face->edge[s], p->side);
    x->side = leaves ? of_face | (unsigned)s : p->side;
    return c->n_points++;
}

// Out of the face across its side s, unit; and the side's place along it.
static double outward(const tn_patch *face, int s, double out[3])
{
    double edge[3];
    tn_vec3_sub(edge, face->x[(s + 1) % face->n], face->x[s]);
    tn_vec3_cross(out, edge, face->normal);
    tn_vec3_scale(out, 1.0 / tn_vec3_norm(out), out);
    return tn_vec3_dot(out, face->x[s]);
}

// Keeps what of the outline lies on the inner side of side s. Outlines are closed; two points are a segment. Vertices
// up to slack outside count as inside and stand for the crossing themselves. -1: all is kept, and nothing is put out.
static int clip_side(clipper *c, int s, int n, const int *outline, bool closed, int *out)
{
    double beyond[TN_PATCH_POINTS + 1], direction[3], farthest = -INFINITY;
    double place = outward(c->face, s, direction);
    int m = 0;
    for (int i = 0; i < n; ++i) {
        beyond[i] = tn_vec3_dot(direction, c->point[outline[i]].x) - place;
        farthest = beyond[i] > farthest ? beyond[i] : farthest;
    }
    if (farthest <= c->slack) {
        return -1;
    }
    for (int i = 0; i < n; ++i) {
        int j = i + 1 < n ? i + 1 : 0;
        tn_patch_point *p = &c->point[outline[i]], *q = &c->point[outline[j]];
        double dp = beyond[i], dq = beyond[j];
        bool leaves = dp <= c->slack && dq > c->slack, enters = dp > c->slack && dq <= c->slack;
        bool crosses = ((leaves && dp < 0.0) || (enters && dq < 0.0)) && (closed || i + 1 < n);
        if (dp <= c->slack && m < TN_PATCH_POINTS) {
            out[m++] = outline[i];
        }
        if (crosses && m < TN_PATCH_POINTS && c->n_points < POOL) {
            out[m++] = add_crossing(c, s, p, q, dp, dq, leaves);
        }
        if (leaves && dp >= 0.0) {
            p->side = of_face | (unsigned)s;
        }
    }
    return m;
}

int tn_patch_clip(const tn_patch *face, const tn_patch *other, const double at[3], double slack, bool of_a,
                  tn_patch_point out[TN_PATCH_POINTS])
{
    clipper c;
    int lists[2][TN_PATCH_POINTS], *from = lists[0], *to = lists[1], n = other->n;
    c.face = face;
    c.slack = slack;
    c.of_a = of_a;
    c.n_points = n;
    for (int i = 0; i < n; ++i) {
        tn_patch_point *p = &c.point[i];
        p->feature = vertex_feature(&c, false, other->vertex[i]);
        p->side = other->edge[i];
        tn_vec3_add(p->x, other->x[i], at);
        from[i] = i;
    }
    for (int s = 0; s < face->n; ++s) {
        int m = clip_side(&c, s, n, from, other->n > 2, to);
        if (m >= 0) {
            int *swap = from;
            from = to;
            to = swap;
            n = m;
        }
    }
    double level = tn_vec3_dot(face->normal, face->x[0]);
    for (int i = 0; i < n; ++i) {
        out[i] = c.point[from[i]];
        out[i].height = tn_vec3_dot(face->normal, out[i].x) - level;
    }
    return n;
}
