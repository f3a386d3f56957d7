// Balls - a sphere, or each of a body's contact points - against any shape that knows its signed distance.
#include "math/mat3.h"
#include "shape/ball.h"
#include "shape/manifold.h"

static void add_ball(const tn_placed *a, const double centre[3], double radius, unsigned feature, tn_manifold *out)
{
    double normal[3], point[3];
    double gap = tn_class_of(a->shape)->distance(a, centre, normal) - radius;
    tn_ball_point(centre, radius, gap, normal, point);
    tn_manifold_add(out, normal, point, gap, feature);
}

// Feature: 0 for a sphere, the index of a point.
void tn_pair_ball(const tn_placed *a, const tn_placed *b, tn_manifold *out)
{
    double radius = b->shape->size[0];
    if (tn_shape_is_sphere(b->shape)) {
        add_ball(a, b->position, radius, 0, out);
        return;
    }
    for (int p = 0; p < b->shape->n_points; ++p) {
        double x[3];
        tn_mat3_vec(x, b->rotation, b->shape->points + 3 * p);
        tn_vec3_add(x, x, b->position);
        add_ball(a, x, radius, (unsigned)p, out);
    }
}
