// A plane against the vertices of a box and the end balls of a capsule; feature: the vertex or end.
#include "math/vec3.h"
#include "shape/manifold.h"

static void add_vertex(const tn_placed *plane, const double x[3], double radius, unsigned feature, tn_manifold *out)
{
    double normal[3], point[3];
    double gap = tn_shape_class_plane.distance(plane, x, normal) - radius;
    tn_vec3_madd(point, x, -(radius + 0.5 * gap), normal);
    tn_manifold_add(out, normal, point, gap, feature);
}

// Bit i of the vertex's number is set where its i-th coordinate is positive.
void tn_pair_plane_box(const tn_placed *a, const tn_placed *b, tn_manifold *out)
{
    const double *h = b->shape->size;
    double normal[3];
    double gap = tn_shape_class_plane.distance(a, b->position, normal);
    if (gap - tn_vec3_norm(h) > out->margin) { // the common case, without the eight vertices
        return;
    }
    for (unsigned vertex = 0; vertex < 8; ++vertex) {
        double x[3];
        tn_vec3_copy(x, b->position);
        for (int i = 0; i < 3; ++i) {
            double axis[3];
            tn_placed_axis(axis, b, i);
            tn_vec3_madd(x, x, vertex >> i & 1 ? h[i] : -h[i], axis);
        }
        add_vertex(a, x, 0.0, vertex, out);
    }
}

void tn_pair_plane_capsule(const tn_placed *a, const tn_placed *b, tn_manifold *out)
{
    double axis[3];
    tn_placed_axis(axis, b, 2);
    unsigned ends = b->shape->size[1] > 0.0 ? 2 : 1;
    for (unsigned end = 0; end < ends; ++end) {
        double x[3];
        tn_vec3_madd(x, b->position, end ? b->shape->size[1] : -b->shape->size[1], axis);
        add_vertex(a, x, b->shape->size[0], end, out);
    }
}
