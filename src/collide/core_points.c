// The corners and edges of shapes that faces of soft bodies must not miss.
#include "collide/core_surface.h"
#include "collide/soft_core.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "shape/facets.h"

static const tn_corner_class *corners_of(const tn_shape *shape)
{
    return tn_class_of(shape)->corners;
}

tn_core_points tn_core_points_of(const tn_shape *shape)
{
    return corners_of(shape) ? corners_of(shape)->count(shape) : (tn_core_points){0};
}

bool tn_core_is_surface(const tn_shape *shape)
{
    return tn_shape_is(shape, TN_FORM_SURFACE);
}

// Corner k of a face that has the node.
static tn_facet_point node_of(const tn_facets *facets, int node, tn_facet *facet)
{
    tn_facet_point point = {.face = facets->around(facets->surface, node, 0), .n = 1};
    facets->get(facets->surface, point.face, facet);
    while (point.k < 2 && facet->node[point.k] != node) {
        ++point.k;
    }
    tn_vec3_copy(point.x, facet->corner[point.k]);
    return point;
}

void tn_core_point(const tn_shape *shape, int i, double out[3])
{
    if (tn_core_is_surface(shape)) {
        tn_facet facet;
        tn_facets facets = tn_facets_of(shape);
        tn_vec3_copy(out, node_of(&facets, i, &facet).x);
    } else {
        corners_of(shape)->point(shape, i, out);
    }
}

int tn_core_round_parts(const tn_shape *shape)
{
    return corners_of(shape) ? corners_of(shape)->round_parts : 0;
}

bool tn_core_round_point(const tn_shape *shape, int part, const double direction[3], double out[3])
{
    return corners_of(shape)->round_point(shape, part, direction, out);
}

tn_core_edge tn_core_points_edge(const tn_shape *shape, int i, double at)
{
    tn_core_edge out = {0};
    if (tn_core_is_surface(shape)) {
        tn_core_surface_edge(shape, i, out.middle, out.half);
    } else {
        corners_of(shape)->edge(shape, i, at, &out);
    }
    return out;
}

bool tn_core_edge_normal(const tn_shape *shape, int i, double normal[3])
{
    if (tn_core_is_surface(shape)) {
        return tn_core_surface_edge_normal(shape, i, normal);
    }
    return corners_of(shape)->edge_normal && corners_of(shape)->edge_normal(shape, i, normal);
}

bool tn_core_point_open(const tn_placed *placed, int i, const double outward[3])
{
    const tn_shape *shape = placed->shape;
    double d[3];
    tn_mat3_tvec(d, placed->rotation, outward);
    if (tn_core_is_surface(shape)) {
        tn_facet facet;
        tn_facets facets = tn_facets_of(shape);
        tn_facet_point point = node_of(&facets, i, &facet);
        return tn_facet_point_allows(&facets, &facet, &point, d, TN_CORNER_SLACK);
    }
    return !corners_of(shape)->point_open || corners_of(shape)->point_open(shape, i, d);
}

bool tn_core_edge_open(const tn_placed *placed, int i, double at, const double outward[3])
{
    const tn_shape *shape = placed->shape;
    double d[3];
    tn_mat3_tvec(d, placed->rotation, outward);
    if (tn_core_is_surface(shape)) {
        return tn_core_surface_edge_open(shape, i, d, TN_CORNER_SLACK);
    }
    return !corners_of(shape)->edge_open || corners_of(shape)->edge_open(shape, i, at, d);
}
