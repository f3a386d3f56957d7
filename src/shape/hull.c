// Convex polyhedron. Its origin is the centroid.
#include "shape/hull.h"

#include "base/hash.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "shape/corners.h"
#include "shape/draw.h"
#include "shape/patch.h"
#include "shape/segment.h"

#include <string.h>

static double volume(const tn_shape *shape)
{
    return shape->hull->volume;
}

static void inertia(const tn_shape *shape, double density, double *mass, double out[9])
{
    *mass = density * shape->hull->volume;
    for (int i = 0; i < 9; ++i) {
        out[i] = density * shape->hull->inertia[i];
    }
}

static void bounds(const tn_placed *placed, double low[3], double high[3])
{
    const tn_hull *hull = placed->shape->hull;
    for (int i = 0; i < 3; ++i) {
        const double *row = placed->rotation + 3 * i;
        double least = INFINITY, most = -INFINITY;
        for (int v = 0; v < hull->n_vertices; ++v) {
            double along = tn_vec3_dot(row, hull->vertices + 3 * v);
            least = along < least ? along : least;
            most = along > most ? along : most;
        }
        low[i] = placed->position[i] + least;
        high[i] = placed->position[i] + most;
    }
}

static double spin_radius(const tn_shape *shape)
{
    return shape->hull->reach;
}

// The point of a face nearest to x, which lies height above its plane; returns the squared distance.
static double nearest_of_face(const tn_hull *hull, int face, const double x[3], double height, double out[3])
{
    const int *corner = hull->face_vertex + hull->face_start[face];
    int n = hull->face_start[face + 1] - hull->face_start[face];
    const double *plane = hull->plane + 4 * face;
    double best = INFINITY;
    bool within = true;
    tn_vec3_copy(out, x);
    for (int k = 0; k < n; ++k) {
        const double *p = hull->vertices + 3 * corner[k], *q = hull->vertices + 3 * corner[(k + 1) % n];
        double edge[3], to[3], across[3], foot[3];
        tn_vec3_sub(edge, q, p);
        tn_vec3_sub(to, x, p);
        tn_vec3_cross(across, edge, plane); // out of the face
        if (tn_vec3_dot(across, to) <= 0.0) {
            continue;
        }
        within = false;
        double along = tn_vec3_dot(to, edge) / tn_vec3_dot(edge, edge);
        tn_vec3_madd(foot, p, along < 0.0 ? 0.0 : along > 1.0 ? 1.0 : along, edge);
        tn_vec3_sub(to, x, foot);
        double square = tn_vec3_dot(to, to);
        if (square < best) {
            best = square;
            tn_vec3_copy(out, foot);
        }
    }
    if (within) {
        tn_vec3_madd(out, x, -height, plane);
        best = height * height;
    }
    return best;
}

static double height_above(const tn_hull *hull, int face, const double x[3])
{
    return tn_vec3_dot(hull->plane + 4 * face, x) - hull->plane[4 * face + 3];
}

// Outside: the nearest of the faces that see x; no face is nearer than its plane.
static double outside_distance(const tn_hull *hull, const double x[3], int first, double normal[3])
{
    double near[3], foot[3], highest = height_above(hull, first, x);
    double square = nearest_of_face(hull, first, x, highest, near);
    for (int f = 0; f < hull->n_faces; ++f) {
        double height = height_above(hull, f, x);
        if (f != first && height > 0.0 && height * height < square) {
            double here = nearest_of_face(hull, f, x, height, foot);
            if (here < square) {
                square = here;
                tn_vec3_copy(near, foot);
            }
        }
    }
    double length = sqrt(square);
    if (length <= highest * (1.0 + 1e-14)) { // above the face: its own normal, to the last bit
        tn_vec3_copy(normal, hull->plane + 4 * first);
        return highest;
    }
    tn_vec3_sub(normal, x, near);
    tn_vec3_scale(normal, 1.0 / length, normal);
    return length;
}

static double distance(const tn_placed *placed, const double x[3], double normal[3])
{
    const tn_hull *hull = placed->shape->hull;
    double d[3], local[3], n[3], highest = -INFINITY;
    int face = 0;
    tn_vec3_sub(d, x, placed->position);
    tn_mat3_tvec(local, placed->rotation, d);
    for (int f = 0; f < hull->n_faces; ++f) {
        double height = height_above(hull, f, local);
        if (height > highest) {
            highest = height;
            face = f;
        }
    }
    if (!(highest < INFINITY) || isnan(local[0] + local[1] + local[2])) {
        tn_vec3_set(normal, 0.0, 0.0, 0.0);
        return isnan(local[0] + local[1] + local[2]) ? NAN : INFINITY;
    }
    double out = highest;
    if (highest > 0.0) {
        out = outside_distance(hull, local, face, n);
    } else {
        tn_vec3_copy(n, hull->plane + 4 * face);
    }
    tn_mat3_vec(normal, placed->rotation, n);
    return out;
}

static double least(const tn_shape *shape)
{
    return shape->hull->least;
}

static void set(tn_convex *c, const tn_shape *shape)
{
    c->hull = shape->hull;
    c->extent = shape->hull->reach;
    c->n_vertices = shape->hull->n_vertices;
}

static void vertex(const tn_convex *c, unsigned v, double out[3])
{
    tn_mat3_vec(out, c->rotation, c->hull->vertices + 3 * (size_t)v);
}

// Farther vertices win; small hulls are searched whole, others climbed along edges.
static unsigned farthest(const tn_hull *hull, const double d[3])
{
    enum { SMALL = 24 };
    unsigned best = 0;
    double most = tn_vec3_dot(d, hull->vertices);
    if (hull->n_vertices <= SMALL) {
        for (int v = 1; v < hull->n_vertices; ++v) {
            double along = tn_vec3_dot(d, hull->vertices + 3 * v);
            best = along > most ? (unsigned)v : best;
            most = along > most ? along : most;
        }
        return best;
    }
    for (bool better = true; better;) {
        better = false;
        int first = hull->near_start[best], last = hull->near_start[best + 1];
        for (int i = first; i < last; ++i) {
            double along = tn_vec3_dot(d, hull->vertices + 3 * hull->near[i]);
            if (along > most) {
                most = along;
                best = (unsigned)hull->near[i];
                better = true;
            }
        }
    }
    return best;
}

static unsigned support(const tn_convex *c, const double direction[3], double out[3])
{
    double d[3];
    tn_mat3_tvec(d, c->rotation, direction);
    unsigned number = farthest(c->hull, d);
    vertex(c, number, out);
    return number;
}

static int best_face(const tn_convex *c, const double direction[3], double *cosine)
{
    double d[3];
    tn_mat3_tvec(d, c->rotation, direction);
    return tn_normals_nearest(&c->hull->normals, d, cosine);
}

static double facing(const tn_convex *c, const double direction[3], double normal[3])
{
    double cosine;
    int face = best_face(c, direction, &cosine);
    tn_mat3_vec(normal, c->rotation, c->hull->plane + 4 * face);
    return cosine;
}

static unsigned edge_name(const tn_convex *c, unsigned p, unsigned q)
{
    unsigned low = p < q ? p : q, high = p < q ? q : p;
    for (int i = c->hull->near_start[low]; i < c->hull->near_start[low + 1]; ++i) {
        if (c->hull->near[i] == (int)high) {
            return (unsigned)i;
        }
    }
    return 0x4000 | (low + 31 * high); // a diagonal of a face
}

// Of many faces the one that looks towards the point will do.
static bool below(const tn_convex *c, const double x[3], double normal[3])
{
    enum { FEW = 32 };
    const tn_hull *hull = c->hull;
    double local[3], highest = -INFINITY, length = tn_vec3_norm(x);
    int best = 0;
    if (hull->n_faces > FEW) {
        double direction[3] = {x[0] / length, x[1] / length, x[2] / length};
        return length > 0.0 && facing(c, direction, normal) > 0.0;
    }
    tn_mat3_tvec(local, c->rotation, x);
    for (int f = 0; f < hull->n_faces; ++f) {
        double height = tn_vec3_dot(local, hull->plane + 4 * f) - hull->plane[4 * f + 3];
        best = height > highest ? f : best;
        highest = height > highest ? height : highest;
    }
    tn_mat3_vec(normal, c->rotation, hull->plane + 4 * best);
    return true;
}

static void patch(const tn_convex *c, const double direction[3], tn_patch *out)
{
    const tn_hull *hull = c->hull;
    double cosine;
    int face = best_face(c, direction, &cosine), first = hull->face_start[face];
    int corners = hull->face_start[face + 1] - first;
    out->n = corners < TN_PATCH_MAX ? corners : TN_PATCH_MAX;
    for (int q = 0; q < out->n; ++q) { // of too many corners an even choice
        out->vertex[q] = (unsigned)hull->face_vertex[first + (int)((long)q * corners / out->n)];
        vertex(c, out->vertex[q], out->x[q]);
    }
    for (int q = 0; q < out->n; ++q) {
        out->edge[q] = edge_name(c, out->vertex[q], out->vertex[(q + 1) % out->n]);
    }
    tn_mat3_vec(out->normal, c->rotation, hull->plane + 4 * face);
}

static const tn_convex_class core = {
    .set = set,
    .support = support,
    .vertex = vertex,
    .facing = facing,
    .below = below,
    .patch = patch,
    .edge_name = edge_name,
};

// A face of n corners is cut into n - 2 triangles.
static void geometry(const tn_shape *shape, tn_geometry *out)
{
    const tn_hull *hull = shape->hull;
    *out = (tn_geometry){.n_points = (size_t)hull->n_vertices,
                         .n_triangles = (size_t)(hull->face_start[hull->n_faces] - 2 * hull->n_faces),
                         .shared = hull};
}

static void fill(const tn_shape *shape, double *points, int32_t *triangles)
{
    const tn_hull *hull = shape->hull;
    memcpy(points, hull->vertices, 24 * (size_t)hull->n_vertices);
    for (int f = 0; f < hull->n_faces; f++) {
        const int *corner = hull->face_vertex + hull->face_start[f];
        for (int k = 2; k < hull->face_start[f + 1] - hull->face_start[f]; k++) {
            *triangles++ = corner[0];
            *triangles++ = corner[k - 1];
            *triangles++ = corner[k];
        }
    }
}

static uint64_t hash(uint64_t from, const tn_shape *shape)
{
    return tn_hash_doubles(from, shape->hull->vertices, 3 * (size_t)shape->hull->n_vertices);
}

static tn_core_points count(const tn_shape *shape)
{
    return (tn_core_points){.n = shape->hull->n_vertices, .n_edges = shape->hull->n_edges};
}

static void corner(const tn_shape *shape, int i, double out[3])
{
    tn_vec3_copy(out, shape->hull->vertices + 3 * (size_t)i);
}

static void edge(const tn_shape *shape, int i, double at, tn_core_edge *out)
{
    const int *ends = shape->hull->edge + 2 * (size_t)i;
    const double *vertices = shape->hull->vertices;
    tn_segment_halves(vertices + 3 * (size_t)ends[0], vertices + 3 * (size_t)ends[1], out->middle, out->half);
}

static bool edge_normal(const tn_shape *shape, int i, double normal[3])
{
    const int *faces = shape->hull->edge_face + 2 * (size_t)i;
    tn_vec3_add(normal, shape->hull->plane + 4 * (size_t)faces[0], shape->hull->plane + 4 * (size_t)faces[1]);
    tn_vec3_scale(normal, 1.0 / tn_vec3_norm(normal), normal);
    return true;
}

// No edge from the vertex may lead against the direction.
static bool corner_open(const tn_shape *shape, int vertex, const double outward[3])
{
    const tn_hull *hull = shape->hull;
    for (int i = hull->near_start[vertex]; i < hull->near_start[vertex + 1]; ++i) {
        double d[3];
        tn_vec3_sub(d, hull->vertices + 3 * (size_t)hull->near[i], hull->vertices + 3 * (size_t)vertex);
        if (tn_vec3_dot(d, outward) > TN_CORNER_SLACK * tn_vec3_norm(d)) {
            return false;
        }
    }
    return true;
}

// Neither face of the edge may.
static bool edge_open(const tn_shape *shape, int i, double at, const double outward[3])
{
    const tn_hull *hull = shape->hull;
    double along[3], into[3];
    tn_vec3_sub(along, hull->vertices + 3 * (size_t)hull->edge[2 * i + 1],
                hull->vertices + 3 * (size_t)hull->edge[2 * i]);
    for (int side = 0; side < 2; ++side) { // into the face on the left: normal x edge; on the right the other way
        tn_vec3_cross(into, hull->plane + 4 * (size_t)hull->edge_face[2 * i + side], along);
        if ((side ? -1.0 : 1.0) * tn_vec3_dot(into, outward) > TN_CORNER_SLACK * tn_vec3_norm(into)) {
            return false;
        }
    }
    return true;
}

static const tn_corner_class corners = {
    .count = count,
    .point = corner,
    .point_open = corner_open,
    .edge = edge,
    .edge_open = edge_open,
    .edge_normal = edge_normal,
};

const tn_shape_class tn_shape_class_hull = {
    .name = "hull",
    .form = TN_FORM_CONVEX,
    .volume = volume,
    .inertia = inertia,
    .bounds = bounds,
    .spin_radius = spin_radius,
    .least = least,
    .distance = distance,
    .core = &core,
    .on_plane = tn_pair_plane_hull,
    .geometry = geometry,
    .fill = fill,
    .hash = hash,
    .corners = &corners,
    .draw = tn_draw_triangles,
};
