// Sutherland and Hodgman (1974), "Reentrant polygon clipping", with a name for every point and side, so that a contact
// point is a vertex of either shape or a crossing of two edges whatever the order of clipping.
#include "math/vec3.h"
#include "shape/patch.h"

// Names of sides: an edge of the other shape, or this flag with the number of the face's side.
static const unsigned of_face = 0x8000;

typedef struct clipper {
    const tn_patch *face;
    double slack;
    bool of_a;
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

// Where the side from p to q crosses side s of the face, at dp and dq beyond it.
static tn_patch_point crossing(const clipper *c, int s, const tn_patch_point *p, const tn_patch_point *q, double dp,
                               double dq)
{
    tn_patch_point x = {.side = p->side};
    double share = dp / (dp - dq);
    for (int i = 0; i < 3; ++i) {
        x.x[i] = p->x[i] + share * (q->x[i] - p->x[i]);
    }
    x.feature = p->side & of_face ? vertex_feature(c, true, corner_between(c->face, (int)(p->side & 0x7fff), s))
                                  : edge_feature(c, c->face->edge[s], p->side);
    return x;
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

// Keeps what lies on the inner side of side s. Polygons are closed; two points are a segment. Vertices up to slack
// outside count as inside and stand for the crossing themselves.
static int clip_side(const clipper *c, int s, int n, const tn_patch_point *in, bool closed, tn_patch_point *out)
{
    double beyond[TN_PATCH_POINTS + 1], direction[3];
    double place = outward(c->face, s, direction);
    int m = 0;
    for (int i = 0; i < n; ++i) {
        beyond[i] = tn_vec3_dot(direction, in[i].x) - place;
    }
    for (int i = 0; i < n; ++i) {
        const tn_patch_point *p = in + i, *q = in + (i + 1) % n;
        double dp = beyond[i], dq = beyond[(i + 1) % n];
        bool leaves = dp <= c->slack && dq > c->slack, enters = dp > c->slack && dq <= c->slack;
        if (dp <= c->slack && m < TN_PATCH_POINTS) {
            out[m] = *p;
            out[m++].side = leaves && dp >= 0.0 ? of_face | (unsigned)s : p->side;
        }
        if (((leaves && dp < 0.0) || (enters && dq < 0.0)) && (closed || i + 1 < n) && m < TN_PATCH_POINTS) {
            out[m] = crossing(c, s, p, q, dp, dq);
            out[m++].side = leaves ? of_face | (unsigned)s : p->side;
        }
    }
    return m;
}

int tn_patch_clip(const tn_patch *face, const tn_patch *other, const double at[3], double slack, bool of_a,
                  tn_patch_point out[TN_PATCH_POINTS])
{
    clipper c = {.face = face, .slack = slack, .of_a = of_a};
    tn_patch_point buffer[TN_PATCH_POINTS];
    int n = other->n;
    bool closed = n > 2;
    for (int i = 0; i < n; ++i) {
        out[i].feature = vertex_feature(&c, false, other->vertex[i]);
        out[i].side = other->edge[i];
        tn_vec3_add(out[i].x, other->x[i], at);
    }
    for (int s = 0; s < face->n; ++s) {
        tn_patch_point *from = s & 1 ? buffer : out, *to = s & 1 ? out : buffer;
        n = clip_side(&c, s, n, from, closed, to);
    }
    for (int i = 0; i < n; ++i) {
        if (face->n & 1) {
            out[i] = buffer[i];
        }
        out[i].height = tn_vec3_dot(face->normal, out[i].x) - tn_vec3_dot(face->normal, face->x[0]);
    }
    return n;
}
