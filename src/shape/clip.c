// Sutherland and Hodgman (1974), "Reentrant polygon clipping", with a name for every point and side, so that a
// contact point is a vertex of either core or a crossing of two edges whatever the order of clipping.
#include "shape/clip.h"

#include "math/vec3.h"

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

// Clipping side c: 0 +u, 1 +v, 2 -u, 3 -v. Bits of the reference core's vertices on it.
static unsigned side_bit(const tn_clip_face *face, int c)
{
    return c < 2 ? 1u << face->along[c & 1] : 0;
}

static unsigned face_bit(const tn_clip_face *face)
{
    return face->side > 0.0 ? 1u << face->axis : 0;
}

static unsigned side_edge(const tn_clip_face *face, int c)
{
    unsigned along = (unsigned)face->along[1 - (c & 1)];
    return 8 * along + (face_bit(face) | side_bit(face, c));
}

static unsigned corner(const tn_clip_face *face, int c1, int c2)
{
    return face_bit(face) | side_bit(face, c1) | side_bit(face, c2);
}

// The other core seen from the face: its centre and half axes along u, v and above the face.
typedef struct seen_core {
    double centre[3], half[3][3];
} seen_core;

// scale x along u, v and outwards.
static inline void to_face(double out[3], const tn_clip_face *face, double scale, const double x[3])
{
    const double *n = face->core->axis[face->axis];
    out[0] = scale * tn_vec3_dot(x, face->core->axis[face->along[0]]);
    out[1] = scale * tn_vec3_dot(x, face->core->axis[face->along[1]]);
    out[2] = scale * face->side * tn_vec3_dot(x, n);
}

static void see(const tn_clip_face *face, seen_core *seen)
{
    const tn_core *other = face->other;
    double d[3];
    tn_vec3_sub(d, other->centre, face->core->centre);
    to_face(seen->centre, face, 1.0, d);
    seen->centre[2] -= face->core->half[face->axis];
    for (int i = other->first == 0 ? 0 : 2; i < 3; ++i) {
        to_face(seen->half[i], face, other->half[i], other->axis[i]);
    }
}

static void add_vertex(const tn_clip_face *face, const double x[3], unsigned vertex, unsigned edge,
                       tn_clip_outline *out)
{
    tn_clip_point *p = out->points + out->n_points;
    tn_clip_corners *corners = &out->room[0];
    p->feature = key_vertex(face, false, vertex);
    tn_vec3_copy(p->x, x);
    corners->point[corners->n] = out->n_points++;
    corners->edge[corners->n++] = edge;
}

// The other core's segment or point.
static void add_line(const tn_clip_face *face, const seen_core *seen, tn_clip_outline *out)
{
    bool segment = face->other->first == 2;
    double x[3];
    tn_vec3_madd(x, seen->centre, segment ? -1.0 : 0.0, seen->half[2]);
    add_vertex(face, x, 0, 8 * 2, out);
    if (segment) {
        tn_vec3_add(x, seen->centre, seen->half[2]);
        add_vertex(face, x, 4, 8 * 2, out);
    }
}

// The other core's face that looks most against the reference face.
static void add_facing(const tn_clip_face *face, const seen_core *seen, tn_clip_outline *out)
{
    const tn_core *other = face->other;
    const double *n = face->core->axis[face->axis];
    double cosine[3], x[3];
    for (int k = 0; k < 3; ++k) {
        cosine[k] = tn_vec3_dot(n, other->axis[k]);
    }
    int i = fabs(cosine[1]) > fabs(cosine[0]) ? 1 : 0;
    i = fabs(cosine[2]) > fabs(cosine[i]) ? 2 : i;
    bool upper = face->side * cosine[i] < 0.0;
    unsigned j = (unsigned)(i + 1) % 3, k = (unsigned)(i + 2) % 3;
    unsigned base = upper ? 1u << i : 0, bj = 1u << j, bk = 1u << k;
    const double *hj = seen->half[j], *hk = seen->half[k];
    tn_vec3_madd(x, seen->centre, upper ? 1.0 : -1.0, seen->half[i]);
    tn_vec3_sub(x, x, hj);
    tn_vec3_sub(x, x, hk);
    add_vertex(face, x, base, 8 * j + base, out);
    tn_vec3_madd(x, x, 2.0, hj);
    add_vertex(face, x, base | bj, 8 * k + (base | bj), out);
    tn_vec3_madd(x, x, 2.0, hk);
    add_vertex(face, x, base | bj | bk, 8 * j + (base | bk), out);
    tn_vec3_madd(x, x, -2.0, hj);
    add_vertex(face, x, base | bk, 8 * k + base, out);
}

// How far x lies beyond clipping side c.
static double beyond(const tn_clip_face *face, int c, const double x[3])
{
    return (c < 2 ? x[c & 1] : -x[c & 1]) - face->core->half[face->along[c & 1]];
}

static void add_corner(int point, unsigned edge, tn_clip_corners *out)
{
    out->point[out->n] = point;
    out->edge[out->n++] = edge;
}

// Where the side from p to q, labelled edge, crosses clipping side c.
static void add_crossing(const tn_clip_face *face, int c, const tn_clip_point *p, const tn_clip_point *q, unsigned edge,
                         tn_clip_point *out)
{
    double dp = beyond(face, c, p->x), d[3];
    tn_vec3_sub(d, q->x, p->x);
    tn_vec3_madd(out->x, p->x, dp / (dp - beyond(face, c, q->x)), d);
    out->feature = edge & of_face ? key_vertex(face, true, corner(face, c, (int)(edge & 3)))
                                  : key_edges(face, side_edge(face, c), edge);
}

// The clipping side of axis k that x lies outside of by more than slack; -1: of none.
static int side_left(const tn_clip_face *face, int k, double slack, const double x[3])
{
    double limit = face->core->half[face->along[k]] + slack;
    return x[k] > limit ? k : x[k] < -limit ? k + 2 : -1;
}

// Keep what lies between the two clipping sides of axis k. Polygons are closed; two points are a segment. Vertices up
// to slack outside count as inside and stand for the crossing themselves.
static void clip_axis(const tn_clip_face *face, int k, double slack, bool closed, const tn_clip_corners *in,
                      tn_clip_corners *out, tn_clip_outline *o)
{
    out->n = 0;
    int from, to = in->n > 0 ? side_left(face, k, slack, o->points[in->point[0]].x) : -1;
    for (int i = 0; i < in->n; ++i) {
        const tn_clip_point *p = o->points + in->point[i], *q = o->points + in->point[i + 1 < in->n ? i + 1 : 0];
        from = to;
        to = side_left(face, k, slack, q->x);
        bool leaves = to >= 0 && to != from, enters = from >= 0 && to != from;
        if (from < 0) {
            add_corner(in->point[i], leaves && beyond(face, to, p->x) >= 0.0 ? of_face | (unsigned)to : in->edge[i],
                       out);
        }
        if (enters && beyond(face, from, q->x) < 0.0 && (closed || i + 1 < in->n)) {
            add_crossing(face, from, p, q, in->edge[i], o->points + o->n_points);
            add_corner(o->n_points++, in->edge[i], out);
        }
        if (leaves && beyond(face, to, p->x) < 0.0 && (closed || i + 1 < in->n)) {
            add_crossing(face, to, p, q, in->edge[i], o->points + o->n_points);
            add_corner(o->n_points++, of_face | (unsigned)to, out);
        }
    }
}

void tn_clip(const tn_clip_face *face, double slack, tn_clip_outline *out)
{
    seen_core seen;
    see(face, &seen);
    out->room[0].n = out->n_points = 0;
    if (face->other->first > 0) {
        add_line(face, &seen, out);
    } else {
        add_facing(face, &seen, out);
    }
    bool closed = out->room[0].n > 2;
    clip_axis(face, 0, slack, closed, &out->room[0], &out->room[1], out);
    clip_axis(face, 1, slack, closed, &out->room[1], &out->room[0], out);
}
