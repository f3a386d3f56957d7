#include "shape/patch.h"

#include "math/mat3.h"
#include "math/vec3.h"
#include "shape/hull.h"

// Which of a cylinder's surfaces looks along a direction: above this share of it along the axis, a cap.
static const double cap_from = 0.70710678118654752;

static int best_hull_face(const tn_hull *hull, const double d[3], double *cosine)
{
    int best = 0;
    *cosine = -INFINITY;
    for (int f = 0; f < hull->n_faces; ++f) {
        double here = tn_vec3_dot(d, hull->plane + 4 * f);
        best = here > *cosine ? f : best;
        *cosine = here > *cosine ? here : *cosine;
    }
    return best;
}

static int best_axis(const double d[3])
{
    int axis = fabs(d[1]) > fabs(d[0]) ? 1 : 0;
    return fabs(d[2]) > fabs(d[axis]) ? 2 : axis;
}

static void axis_of(const tn_convex *c, int axis, double sign, double out[3])
{
    tn_vec3_set(out, sign * c->rotation[axis], sign * c->rotation[3 + axis], sign * c->rotation[6 + axis]);
}

// The side of a triangle that looks along the direction; zero without area.
static double triangle_facing(const tn_convex *c, const double direction[3], double normal[3])
{
    double u[3], v[3];
    tn_vec3_sub(u, c->corner[1], c->corner[0]);
    tn_vec3_sub(v, c->corner[2], c->corner[0]);
    tn_vec3_cross(normal, u, v);
    double area = tn_vec3_norm(normal);
    if (!(area > 0.0)) {
        return -1.0;
    }
    tn_vec3_scale(normal, (tn_vec3_dot(normal, direction) < 0.0 ? -1.0 : 1.0) / area, normal);
    return tn_vec3_dot(normal, direction);
}

double tn_patch_facing(const tn_convex *c, const double direction[3], double normal[3])
{
    double d[3], cosine;
    tn_vec3_copy(normal, direction);
    if (c->kind == TN_SHAPE_TRIANGLES) {
        return triangle_facing(c, direction, normal);
    }
    if (c->kind != TN_SHAPE_BOX && c->kind != TN_SHAPE_HULL && c->kind != TN_SHAPE_CYLINDER) {
        return -1.0;
    }
    tn_mat3_tvec(d, c->rotation, direction);
    if (c->kind == TN_SHAPE_HULL) {
        int face = best_hull_face(c->hull, d, &cosine);
        tn_mat3_vec(normal, c->rotation, c->hull->plane + 4 * face);
        return cosine;
    }
    int axis = c->kind == TN_SHAPE_CYLINDER ? 2 : best_axis(d);
    axis_of(c, axis, d[axis] < 0.0 ? -1.0 : 1.0, normal);
    return fabs(d[axis]);
}

// Vertex names of a box: bit i is set where coordinate i is positive. Edge 8 i + v: along axis i from vertex v.
static void box_face(const tn_convex *c, const double d[3], tn_patch *out)
{
    unsigned i = (unsigned)best_axis(d), j = (i + 1) % 3, k = (i + 2) % 3;
    unsigned base = d[i] > 0.0 ? 1u << i : 0, bj = 1u << j, bk = 1u << k;
    unsigned round[4] = {base, base | bj, base | bj | bk, base | bk};
    if (base == 0) { // the other way round seen from below
        round[1] = base | bk;
        round[3] = base | bj;
    }
    out->n = 4;
    for (int q = 0; q < 4; ++q) {
        out->vertex[q] = round[q];
        out->edge[q] = tn_patch_edge_name(c, round[q], round[(q + 1) % 4]);
        tn_convex_vertex(c, round[q], out->x[q]);
    }
    axis_of(c, (int)i, base ? 1.0 : -1.0, out->normal);
}

static void hull_face(const tn_convex *c, const double d[3], tn_patch *out)
{
    const tn_hull *hull = c->hull;
    double cosine;
    int face = best_hull_face(hull, d, &cosine), first = hull->face_start[face];
    int corners = hull->face_start[face + 1] - first;
    out->n = corners < TN_PATCH_MAX ? corners : TN_PATCH_MAX;
    for (int q = 0; q < out->n; ++q) { // of too many corners an even choice
        out->vertex[q] = (unsigned)hull->face_vertex[first + (int)((long)q * corners / out->n)];
        tn_convex_vertex(c, out->vertex[q], out->x[q]);
    }
    for (int q = 0; q < out->n; ++q) {
        out->edge[q] = tn_patch_edge_name(c, out->vertex[q], out->vertex[(q + 1) % out->n]);
    }
    tn_mat3_vec(out->normal, c->rotation, hull->plane + 4 * face);
}

static void triangle_face(const tn_convex *c, const double direction[3], tn_patch *out)
{
    double given[3], u[3], v[3];
    triangle_facing(c, direction, out->normal);
    tn_vec3_sub(u, c->corner[1], c->corner[0]);
    tn_vec3_sub(v, c->corner[2], c->corner[0]);
    tn_vec3_cross(given, u, v);
    bool turned = tn_vec3_dot(given, out->normal) < 0.0;
    out->n = 3;
    for (unsigned q = 0; q < 3; ++q) {
        unsigned corner = turned ? 2 - q : q;
        out->vertex[q] = corner;
        out->edge[q] = turned ? (corner + 2) % 3 : corner;
        tn_vec3_copy(out->x[q], c->corner[corner]);
    }
}

static void cap(const tn_convex *c, bool upper, tn_patch *out)
{
    static const double h = 0.86602540378443865; // sin(60 degrees)
    static const double corner[TN_CAP_CORNERS][2] = {{1, 0}, {0.5, h}, {-0.5, h}, {-1, 0}, {-0.5, -h}, {0.5, -h}};
    double r = c->size[0], l = upper ? c->size[1] : -c->size[1];
    out->n = TN_CAP_CORNERS;
    for (int q = 0; q < out->n; ++q) {
        int k = upper ? q : TN_CAP_CORNERS - 1 - q; // counter-clockwise from outside
        double local[3] = {r * corner[k][0], r * corner[k][1], l};
        unsigned first = 2u + (upper ? TN_CAP_CORNERS : 0);
        out->vertex[q] = first + (unsigned)k;
        out->edge[q] = first + (unsigned)(upper ? k : (k + TN_CAP_CORNERS - 1) % TN_CAP_CORNERS);
        tn_mat3_vec(out->x[q], c->rotation, local);
    }
    axis_of(c, 2, upper ? 1.0 : -1.0, out->normal);
}

// The line of a cylinder's or capsule's surface that looks along d (own axes). Rounding of the core is left out.
static void side_line(const tn_convex *c, const double d[3], tn_patch *out)
{
    double across = sqrt(d[0] * d[0] + d[1] * d[1]);
    double s = c->kind == TN_SHAPE_CYLINDER && across > 0.0 ? c->size[0] / across : 0.0;
    out->n = 2;
    for (int end = 0; end < 2; ++end) {
        double local[3] = {s * d[0], s * d[1], end ? c->size[1] : -c->size[1]};
        out->vertex[end] = (unsigned)(c->kind == TN_SHAPE_CAPSULE ? 4 * end : end);
        out->edge[end] = c->kind == TN_SHAPE_CAPSULE ? 16 : 0;
        tn_mat3_vec(out->x[end], c->rotation, local);
    }
}

void tn_patch_set(const tn_convex *c, const double direction[3], tn_patch *out)
{
    double d[3];
    out->n = 0;
    if (c->kind == TN_SHAPE_TRIANGLES) {
        triangle_face(c, direction, out);
        return;
    }
    tn_mat3_tvec(d, c->rotation, direction);
    if (c->kind == TN_SHAPE_BOX) {
        box_face(c, d, out);
    } else if (c->kind == TN_SHAPE_HULL) {
        hull_face(c, d, out);
    } else if (c->kind == TN_SHAPE_CYLINDER && fabs(d[2]) > cap_from) {
        cap(c, d[2] > 0.0, out);
    } else if (c->kind == TN_SHAPE_CYLINDER || (c->kind == TN_SHAPE_CAPSULE && c->size[1] > 0.0)) {
        side_line(c, d, out);
    }
}

unsigned tn_patch_edge_name(const tn_convex *c, unsigned p, unsigned q)
{
    unsigned low = p < q ? p : q, high = p < q ? q : p;
    if (c->kind == TN_SHAPE_BOX) {
        unsigned bit = low ^ high;
        return 8 * (bit >> 1 & 3) + low; // bits 1, 2, 4 are the axes 0, 1, 2
    }
    if (c->kind == TN_SHAPE_HULL) {
        for (int i = c->hull->near_start[low]; i < c->hull->near_start[low + 1]; ++i) {
            if (c->hull->near[i] == (int)high) {
                return (unsigned)i;
            }
        }
        return 0x4000 | (low + 31 * high); // a diagonal of a face
    }
    return c->kind == TN_SHAPE_TRIANGLES ? ((low == 0 && high == 2) ? 2 : low) : 16;
}
