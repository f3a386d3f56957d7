// Cores of convex shapes and their support points.
#include "shape/convex.h"

#include "math/mat3.h"
#include "math/vec3.h"
#include "shape/hull.h"

#include <string.h>

tn_convex tn_convex_of(const tn_placed *placed)
{
    const tn_shape *shape = placed->shape;
    tn_convex c = {.hull = shape->hull, .kind = shape->kind};
    tn_vec3_copy(c.centre, placed->position);
    tn_vec3_copy(c.size, shape->size);
    memcpy(c.rotation, placed->rotation, sizeof c.rotation);
    if (shape->kind == TN_SHAPE_SPHERE || shape->kind == TN_SHAPE_CAPSULE) {
        c.radius = shape->size[0];
    }
    return c;
}

tn_convex tn_convex_triangle(const double corner[9])
{
    tn_convex c = {.kind = TN_SHAPE_TRIANGLES};
    for (int i = 0; i < 3; ++i) {
        c.centre[i] = (corner[i] + corner[3 + i] + corner[6 + i]) / 3.0;
    }
    for (int k = 0; k < 3; ++k) {
        tn_vec3_sub(c.corner[k], corner + 3 * k, c.centre);
    }
    return c;
}

// Farther vertices win; small hulls are searched whole, others climbed along edges.
static unsigned hull_support(const tn_hull *hull, const double d[3])
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

static void cylinder_support(const double size[3], const double d[3], double out[3])
{
    double across = sqrt(d[0] * d[0] + d[1] * d[1]), s = across > 0.0 ? size[0] / across : 0.0;
    tn_vec3_set(out, s * d[0], s * d[1], d[2] > 0.0 ? size[1] : -size[1]);
}

static void ellipsoid_support(const double e[3], const double d[3], double out[3])
{
    double q[3] = {e[0] * d[0], e[1] * d[1], e[2] * d[2]}, s = 1.0 / tn_vec3_norm(q);
    tn_vec3_set(out, s * e[0] * q[0], s * e[1] * q[1], s * e[2] * q[2]);
}

static unsigned triangle_support(const tn_convex *c, const double d[3], double out[3])
{
    unsigned best = 0;
    double most = tn_vec3_dot(d, c->corner[0]);
    for (unsigned k = 1; k < 3; ++k) {
        double along = tn_vec3_dot(d, c->corner[k]);
        best = along > most ? k : best;
        most = along > most ? along : most;
    }
    tn_vec3_copy(out, c->corner[best]);
    return best;
}

static void local_vertex(const tn_convex *c, unsigned vertex, double out[3])
{
    const double *h = c->size;
    if (c->kind == TN_SHAPE_BOX) {
        tn_vec3_set(out, vertex & 1 ? h[0] : -h[0], vertex & 2 ? h[1] : -h[1], vertex & 4 ? h[2] : -h[2]);
    } else if (c->kind == TN_SHAPE_HULL) {
        tn_vec3_copy(out, c->hull->vertices + 3 * (size_t)vertex);
    } else {
        tn_vec3_set(out, 0.0, 0.0, c->kind == TN_SHAPE_CAPSULE ? (vertex ? h[1] : -h[1]) : 0.0);
    }
}

void tn_convex_vertex(const tn_convex *c, unsigned vertex, double out[3])
{
    double local[3];
    if (c->kind == TN_SHAPE_TRIANGLES) {
        tn_vec3_copy(out, c->corner[vertex]);
        return;
    }
    local_vertex(c, vertex, local);
    tn_mat3_vec(out, c->rotation, local);
}

unsigned tn_convex_support(const tn_convex *c, const double direction[3], double out[3])
{
    double d[3], local[3];
    unsigned number = 0;
    if (c->kind == TN_SHAPE_TRIANGLES) {
        return triangle_support(c, direction, out);
    }
    tn_mat3_tvec(d, c->rotation, direction);
    switch (c->kind) {
    case TN_SHAPE_BOX:
        number = (d[0] > 0.0) | (unsigned)(d[1] > 0.0) << 1 | (unsigned)(d[2] > 0.0) << 2;
        break;
    case TN_SHAPE_HULL:
        number = hull_support(c->hull, d);
        break;
    case TN_SHAPE_ELLIPSOID:
        ellipsoid_support(c->size, d, local);
        tn_mat3_vec(out, c->rotation, local);
        return 0;
    case TN_SHAPE_CYLINDER:
        cylinder_support(c->size, d, local);
        tn_mat3_vec(out, c->rotation, local);
        return d[2] > 0.0;
    case TN_SHAPE_CAPSULE:
        number = d[2] > 0.0 ? 4 : 0;
        break;
    default:
        break;
    }
    local_vertex(c, number, local);
    tn_mat3_vec(out, c->rotation, local);
    return number;
}

double tn_convex_extent(const tn_convex *c)
{
    const double *s = c->size;
    double square = 0.0;
    switch (c->kind) {
    case TN_SHAPE_BOX:
        return tn_vec3_norm(s);
    case TN_SHAPE_ELLIPSOID:
        return fmax(s[0], fmax(s[1], s[2]));
    case TN_SHAPE_CYLINDER:
        return sqrt(s[0] * s[0] + s[1] * s[1]);
    case TN_SHAPE_CAPSULE:
        return s[1];
    case TN_SHAPE_TRIANGLES:
        for (int k = 0; k < 3; ++k) {
            square = fmax(square, tn_vec3_dot(c->corner[k], c->corner[k]));
        }
        return sqrt(square);
    case TN_SHAPE_HULL:
        return c->hull->reach;
    default:
        return 0.0;
    }
}

double tn_convex_least(const tn_convex *c)
{
    const double *s = c->size;
    switch (c->kind) {
    case TN_SHAPE_BOX:
    case TN_SHAPE_ELLIPSOID:
        return fmin(s[0], fmin(s[1], s[2]));
    case TN_SHAPE_CYLINDER:
        return fmin(s[0], s[1]);
    case TN_SHAPE_HULL:
        return c->hull->least;
    case TN_SHAPE_TRIANGLES:
        return tn_convex_extent(c);
    default:
        return c->radius;
    }
}
