// Cores of convex shapes, and the one that is no shape of its own: a triangle of a surface.
#include "shape/convex.h"

#include "math/vec3.h"
#include "shape/patch.h"

#include <string.h>

tn_convex tn_convex_of(const tn_placed *placed)
{
    const tn_shape *shape = placed->shape;
    const tn_shape_class *class = tn_class_of(shape);
    tn_convex c = {.class = class->core, .least = class->least(shape)};
    tn_vec3_copy(c.centre, placed->position);
    tn_vec3_copy(c.size, shape->size);
    memcpy(c.rotation, placed->rotation, sizeof c.rotation);
    c.radius = class->core->rounded ? shape->size[0] : 0.0;
    class->core->set(&c, shape);
    return c;
}

void tn_convex_axis(const tn_convex *c, int axis, double sign, double out[3])
{
    tn_vec3_set(out, sign * c->rotation[axis], sign * c->rotation[3 + axis], sign * c->rotation[6 + axis]);
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

static void triangle_vertex(const tn_convex *c, unsigned vertex, double out[3])
{
    tn_vec3_copy(out, c->corner[vertex]);
}

// The side that looks along the direction; zero without area.
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

static unsigned triangle_edge(const tn_convex *c, unsigned p, unsigned q)
{
    return p + q == 2 ? 2 : p < q ? p : q; // from corner 2 to corner 0
}

static const tn_convex_class triangle_class = {
    .support = triangle_support,
    .vertex = triangle_vertex,
    .facing = triangle_facing,
    .patch = triangle_face,
    .edge_name = triangle_edge,
};

tn_convex tn_convex_triangle(const double corner[9])
{
    tn_convex c = {.class = &triangle_class};
    double square = 0.0;
    for (int i = 0; i < 3; ++i) {
        c.centre[i] = (corner[i] + corner[3 + i] + corner[6 + i]) / 3.0;
    }
    for (int k = 0; k < 3; ++k) {
        tn_vec3_sub(c.corner[k], corner + 3 * k, c.centre);
        square = fmax(square, tn_vec3_dot(c.corner[k], c.corner[k]));
    }
    c.extent = c.least = sqrt(square);
    return c;
}
