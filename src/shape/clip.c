// Sutherland and Hodgman (1974), "Reentrant polygon clipping", with a name for every point and side, so that a
// contact point is a vertex of either core or a crossing of two edges whatever the order of clipping.
#include "shape/clip.h"

#include "math/vec3.h"

#include <string.h>

// Labels of sides: an edge of the other core, or this flag with the number of the clipping side.
static const unsigned of_face = 256;

static unsigned key_vertex(const tn_clip_face *face, bool of_core, unsigned vertex)
{
    bool of_a = of_core == face->core_is_a;
    return of_a ? tn_feature(TN_FEATURE_VERTEX_A, vertex, 0) : tn_feature(TN_FEATURE_VERTEX_B, 0, vertex);
}

static unsigned key_edges(const tn_clip_face *face, unsigned of_core, unsigned of_other)
{
    return face->core_is_a ? tn_feature(TN_FEATURE_EDGES, of_core, of_other)
                           : tn_feature(TN_FEATURE_EDGES, of_other, of_core);
}

// Axis of u (k = 0) or v (k = 1) of the reference face.
static int side_axis(const tn_clip_face *face, int k)
{
    return (face->axis + 1 + k) % 3;
}

// Clipping side c: 0 +u, 1 +v, 2 -u, 3 -v. Bits of the reference core's vertices on it.
static unsigned side_bit(const tn_clip_face *face, int c)
{
    return c < 2 ? 1u << side_axis(face, c & 1) : 0;
}

static unsigned face_bit(const tn_clip_face *face)
{
    return face->side > 0.0 ? 1u << face->axis : 0;
}

static unsigned side_edge(const tn_clip_face *face, int c)
{
    unsigned along = (unsigned)side_axis(face, 1 - (c & 1));
    return 8 * along + (face_bit(face) | side_bit(face, c));
}

static unsigned corner(const tn_clip_face *face, int c1, int c2)
{
    return face_bit(face) | side_bit(face, c1) | side_bit(face, c2);
}

static void to_face(double out[3], const tn_clip_face *face, const double x[3])
{
    double d[3];
    tn_vec3_sub(d, x, face->core->centre);
    out[0] = tn_vec3_dot(d, face->core->axis[side_axis(face, 0)]);
    out[1] = tn_vec3_dot(d, face->core->axis[side_axis(face, 1)]);
    out[2] = face->side * tn_vec3_dot(d, face->core->axis[face->axis]) - face->core->half[face->axis];
}

void tn_clip_to_world(double out[3], const tn_clip_face *face, const double x[3])
{
    const tn_core *core = face->core;
    tn_vec3_madd(out, core->centre, x[0], core->axis[side_axis(face, 0)]);
    tn_vec3_madd(out, out, x[1], core->axis[side_axis(face, 1)]);
    tn_vec3_madd(out, out, face->side * (x[2] + core->half[face->axis]), core->axis[face->axis]);
}

static tn_clip_point vertex_point(const tn_clip_face *face, unsigned vertex, unsigned edge)
{
    tn_clip_point p = {.edge = edge, .feature = key_vertex(face, false, vertex)};
    double x[3];
    tn_core_vertex(x, face->other, vertex);
    to_face(p.x, face, x);
    return p;
}

// The other core's face that looks most against the reference face, or its segment or point.
static int facing(const tn_clip_face *face, tn_clip_point out[4])
{
    const tn_core *other = face->other;
    const double *n = face->core->axis[face->axis];
    if (other->first > 0) {
        out[0] = vertex_point(face, 0, 8 * 2);
        out[1] = vertex_point(face, 4, 8 * 2);
        return other->first == 2 ? 2 : 1;
    }
    int i = 0;
    for (int k = 1; k < 3; ++k) {
        i = fabs(tn_vec3_dot(n, other->axis[k])) > fabs(tn_vec3_dot(n, other->axis[i])) ? k : i;
    }
    unsigned base = face->side * tn_vec3_dot(n, other->axis[i]) < 0.0 ? 1u << i : 0;
    unsigned j = (unsigned)(i + 1) % 3, k = (unsigned)(i + 2) % 3, bj = 1u << j, bk = 1u << k;
    out[0] = vertex_point(face, base, 8 * j + base);
    out[1] = vertex_point(face, base | bj, 8 * k + (base | bj));
    out[2] = vertex_point(face, base | bj | bk, 8 * j + (base | bk));
    out[3] = vertex_point(face, base | bk, 8 * k + base);
    return 4;
}

// Where the side from p to q crosses clipping side c, at heights dp and dq above it.
static tn_clip_point crossing(const tn_clip_face *face, int c, const tn_clip_point *p, const tn_clip_point *q,
                              double dp, double dq)
{
    tn_clip_point x = {.edge = p->edge};
    double s = dp / (dp - dq);
    for (int i = 0; i < 3; ++i) {
        x.x[i] = p->x[i] + s * (q->x[i] - p->x[i]);
    }
    x.feature = p->edge & of_face ? key_vertex(face, true, corner(face, c, (int)(p->edge & 3)))
                                  : key_edges(face, side_edge(face, c), p->edge);
    return x;
}

// Keep what lies on the inner side of clipping side c. Polygons are closed; two points are a segment.
// Vertices up to slack outside count as inside and stand for the crossing themselves.
static int clip_side(const tn_clip_face *face, int c, double slack, int n, const tn_clip_point *in, bool closed,
                     tn_clip_point *out)
{
    double limit = face->core->half[side_axis(face, c & 1)];
    double sign = c < 2 ? 1.0 : -1.0;
    unsigned label = of_face | (unsigned)c;
    int m = 0;
    for (int i = 0; i < n; ++i) {
        const tn_clip_point *p = in + i, *q = in + (i + 1) % n;
        double dp = sign * p->x[c & 1] - limit, dq = sign * q->x[c & 1] - limit;
        bool leaves = dp <= slack && dq > slack, enters = dp > slack && dq <= slack;
        if (dp <= slack) {
            out[m] = *p;
            out[m++].edge = leaves && dp >= 0.0 ? label : p->edge;
        }
        if (((leaves && dp < 0.0) || (enters && dq < 0.0)) && (closed || i + 1 < n)) {
            out[m] = crossing(face, c, p, q, dp, dq);
            out[m].edge = leaves ? label : p->edge;
            m++;
        }
    }
    return m;
}

// Whether clipping side c takes anything away.
static bool cuts(const tn_clip_face *face, int c, double slack, int n, const tn_clip_point *points)
{
    double limit = face->core->half[side_axis(face, c & 1)], sign = c < 2 ? 1.0 : -1.0;
    bool any = false;
    for (int i = 0; i < n; ++i) {
        any |= !(sign * points[i].x[c & 1] - limit <= slack);
    }
    return any;
}

int tn_clip(const tn_clip_face *face, tn_clip_point out[TN_CLIP_MAX])
{
    tn_clip_point other[TN_CLIP_MAX], *from = out, *to = other;
    int n = facing(face, out);
    bool closed = n > 2;
    double slack = tn_face_slack * fmin(tn_core_size(face->core), tn_core_size(face->other));
    for (int c = 0; c < 4; ++c) {
        if (cuts(face, c, slack, n, from)) {
            n = clip_side(face, c, slack, n, from, closed, to);
            tn_clip_point *last = from;
            from = to;
            to = last;
        }
    }
    if (from != out) {
        memcpy(out, from, (size_t)n * sizeof *out);
    }
    return n;
}
