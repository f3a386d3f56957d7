// Convex polyhedron. Its origin is the centroid.
#include "shape/hull.h"

#include "math/mat3.h"
#include "math/vec3.h"
#include "shape/class.h"

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

const tn_shape_class tn_shape_class_hull = {
    .name = "hull",
    .volume = volume,
    .inertia = inertia,
    .bounds = bounds,
    .spin_radius = spin_radius,
    .distance = distance,
};
