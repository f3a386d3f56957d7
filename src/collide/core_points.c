// The corners and edges of shapes that faces of soft bodies must not miss.
#include "collide/soft_core.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "shape/facets.h"
#include "shape/hull.h"

enum { RIM = 12 };     // points of each rim of a cylinder
enum { SPREAD = 200 }; // points on an ellipsoid: between them it sinks in by 0.8 % of its largest half axis

static const double slack = 0.1; // sine by which a direction may leave the cone of a corner

tn_core_points tn_core_points_of(const tn_shape *shape)
{
    switch (shape->kind) {
    case TN_SHAPE_SPHERE:
        return (tn_core_points){.n = 1, .radius = shape->size[0]};
    case TN_SHAPE_CAPSULE:
        return (tn_core_points){
            .n = shape->size[1] > 0.0 ? 2 : 1, .n_edges = shape->size[1] > 0.0 ? 1 : 0, .radius = shape->size[0]};
    case TN_SHAPE_BOX:
        return (tn_core_points){.n = 8, .n_edges = 12};
    case TN_SHAPE_POINTS:
        return (tn_core_points){.n = shape->n_points, .radius = shape->size[0]};
    case TN_SHAPE_HULL:
        return (tn_core_points){.n = shape->hull->n_vertices,
                                .n_edges = shape->hull->n_edges >> TN_SHAPE_EDGE_BITS ? 0 : shape->hull->n_edges};
    case TN_SHAPE_CYLINDER:
        return (tn_core_points){.n = 2 * RIM};
    case TN_SHAPE_ELLIPSOID:
        return (tn_core_points){.n = SPREAD};
    default:
        return (tn_core_points){0};
    }
}

// Spread evenly over the unit sphere, on a spiral by the golden angle.
static void spread_point(int i, double out[3])
{
    double z = 1.0 - (2.0 * i + 1.0) / SPREAD, radius = sqrt(1.0 - z * z), angle = M_PI * (3.0 - sqrt(5.0)) * i;
    tn_vec3_set(out, radius * cos(angle), radius * sin(angle), z);
}

bool tn_core_is_surface(const tn_shape *shape)
{
    return shape->kind == TN_SHAPE_TRIANGLES || shape->kind == TN_SHAPE_HEIGHTS;
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
    const double *h = shape->size;
    double angle = 2.0 * M_PI * (i % RIM) / RIM;
    switch (shape->kind) {
    case TN_SHAPE_BOX:
        tn_vec3_set(out, i & 1 ? h[0] : -h[0], i & 2 ? h[1] : -h[1], i & 4 ? h[2] : -h[2]);
        break;
    case TN_SHAPE_POINTS:
        tn_vec3_copy(out, shape->points + 3 * (size_t)i);
        break;
    case TN_SHAPE_HULL:
        tn_vec3_copy(out, shape->hull->vertices + 3 * (size_t)i);
        break;
    case TN_SHAPE_ELLIPSOID:
        spread_point(i, out);
        tn_vec3_set(out, h[0] * out[0], h[1] * out[1], h[2] * out[2]);
        break;
    case TN_SHAPE_TRIANGLES:
    case TN_SHAPE_HEIGHTS: {
        tn_facet facet;
        tn_facets facets = tn_facets_of(shape);
        tn_vec3_copy(out, node_of(&facets, i, &facet).x);
        break;
    }
    case TN_SHAPE_CYLINDER:
        tn_vec3_set(out, h[0] * cos(angle), h[0] * sin(angle), i < RIM ? -h[1] : h[1]);
        break;
    default:
        tn_vec3_set(out, 0.0, 0.0, shape->kind == TN_SHAPE_CAPSULE ? (i ? h[1] : -h[1]) : 0.0);
    }
}

// Box: edge 4 k + j runs along axis k; bits of j: signs of the other two axes.
void tn_core_points_edge(const tn_shape *shape, int i, double middle[3], double half[3])
{
    const double *h = shape->size;
    if (shape->kind == TN_SHAPE_HULL) {
        const tn_hull *hull = shape->hull;
        const double *p = hull->vertices + 3 * (size_t)hull->edge[2 * i];
        const double *q = hull->vertices + 3 * (size_t)hull->edge[2 * i + 1];
        for (int k = 0; k < 3; ++k) {
            middle[k] = 0.5 * (p[k] + q[k]);
            half[k] = 0.5 * (q[k] - p[k]);
        }
        return;
    }
    int axis = shape->kind == TN_SHAPE_BOX ? i / 4 : 2;
    tn_vec3_set(middle, 0.0, 0.0, 0.0);
    tn_vec3_set(half, 0.0, 0.0, 0.0);
    half[axis] = shape->kind == TN_SHAPE_BOX ? h[axis] : h[1];
    if (shape->kind == TN_SHAPE_BOX) {
        int u = (axis + 1) % 3, v = (axis + 2) % 3;
        middle[u] = i & 1 ? h[u] : -h[u];
        middle[v] = i & 2 ? h[v] : -h[v];
    }
}

// Of a box: outwards at a place whose coordinates that are not 0 are those of faces.
static bool box_open(const double local[3], const double outward[3])
{
    for (int k = 0; k < 3; ++k) {
        if ((local[k] > 0.0 && outward[k] < -slack) || (local[k] < 0.0 && outward[k] > slack)) {
            return false;
        }
    }
    return true;
}

// No edge from the vertex may lead against the direction.
static bool vertex_open(const tn_hull *hull, int vertex, const double outward[3])
{
    for (int i = hull->near_start[vertex]; i < hull->near_start[vertex + 1]; ++i) {
        double d[3];
        tn_vec3_sub(d, hull->vertices + 3 * (size_t)hull->near[i], hull->vertices + 3 * (size_t)vertex);
        if (tn_vec3_dot(d, outward) > slack * tn_vec3_norm(d)) {
            return false;
        }
    }
    return true;
}

// Neither face of the edge may.
static bool edge_open(const tn_hull *hull, int edge, const double outward[3])
{
    double along[3], into[3];
    tn_vec3_sub(along, hull->vertices + 3 * (size_t)hull->edge[2 * edge + 1],
                hull->vertices + 3 * (size_t)hull->edge[2 * edge]);
    for (int side = 0; side < 2; ++side) { // into the face on the left: normal x edge; on the right the other way
        tn_vec3_cross(into, hull->plane + 4 * (size_t)hull->edge_face[2 * edge + side], along);
        if ((side ? -1.0 : 1.0) * tn_vec3_dot(into, outward) > slack * tn_vec3_norm(into)) {
            return false;
        }
    }
    return true;
}

bool tn_core_point_open(const tn_placed *placed, int i, const double outward[3])
{
    const tn_shape *shape = placed->shape;
    double local[3], d[3];
    tn_mat3_tvec(d, placed->rotation, outward);
    if (tn_core_is_surface(shape)) {
        tn_facet facet;
        tn_facets facets = tn_facets_of(shape);
        tn_facet_point point = node_of(&facets, i, &facet);
        return tn_facet_point_allows(&facets, &facet, &point, d, slack);
    }
    if (shape->kind == TN_SHAPE_ELLIPSOID) { // within 60 degrees of its normal there
        double on[3], normal[3];
        spread_point(i, on);
        tn_vec3_set(normal, on[0] / shape->size[0], on[1] / shape->size[1], on[2] / shape->size[2]);
        return tn_vec3_dot(normal, d) >= 0.5 * tn_vec3_norm(normal);
    }
    tn_core_point(shape, i, local);
    if (shape->kind == TN_SHAPE_CYLINDER) {
        double radial = (local[0] * d[0] + local[1] * d[1]) / shape->size[0];
        return radial >= -slack && (local[2] < 0.0 ? -d[2] : d[2]) >= -slack;
    }
    return shape->kind == TN_SHAPE_BOX ? box_open(local, d)
                                       : shape->kind != TN_SHAPE_HULL || vertex_open(shape->hull, i, d);
}

bool tn_core_edge_open(const tn_placed *placed, int i, const double outward[3])
{
    const tn_shape *shape = placed->shape;
    double middle[3], half[3], d[3];
    tn_mat3_tvec(d, placed->rotation, outward);
    tn_core_points_edge(shape, i, middle, half);
    return shape->kind == TN_SHAPE_BOX ? box_open(middle, d)
                                       : shape->kind != TN_SHAPE_HULL || edge_open(shape->hull, i, d);
}
