// The corners and edges of shapes that faces of soft bodies must not miss.
#include "collide/core_surface.h"
#include "collide/soft_core.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "shape/facets.h"
#include "shape/hull.h"
#include "shape/segment.h"

enum { RIM = 12 }; // points of each rim of a cylinder

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
        return (tn_core_points){.n = shape->hull->n_vertices, .n_edges = shape->hull->n_edges};
    case TN_SHAPE_CYLINDER:
        return (tn_core_points){.n = 2 * RIM, .n_edges = 1 + 2 * RIM};
    default:
        return (tn_core_points){0};
    }
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

static double rim_angle(int i)
{
    return 2.0 * M_PI * (i % RIM) / RIM;
}

void tn_core_point(const tn_shape *shape, int i, double out[3])
{
    const double *h = shape->size;
    double angle = rim_angle(i);
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

int tn_core_round_parts(const tn_shape *shape)
{
    return shape->kind == TN_SHAPE_CYLINDER ? 2 : shape->kind == TN_SHAPE_ELLIPSOID ? 1 : 0;
}

// Of a rim that lies flat no point is the lowest, nor of one that looks away.
bool tn_core_round_point(const tn_shape *shape, int part, const double direction[3], double out[3])
{
    const double *h = shape->size;
    if (shape->kind == TN_SHAPE_ELLIPSOID) {
        tn_vec3_set(out, h[0] * direction[0], h[1] * direction[1], h[2] * direction[2]);
        double length = tn_vec3_norm(out);
        tn_vec3_set(out, h[0] * out[0] / length, h[1] * out[1] / length, h[2] * out[2] / length);
        return length > 0.0;
    }
    double radial = sqrt(direction[0] * direction[0] + direction[1] * direction[1]);
    if (!(radial > slack) || (part ? direction[2] : -direction[2]) < -slack) {
        return false;
    }
    tn_vec3_set(out, h[0] * direction[0] / radial, h[0] * direction[1] / radial, part ? h[1] : -h[1]);
    return true;
}

double tn_core_edge_radius(const tn_shape *shape, int i)
{
    return shape->kind == TN_SHAPE_CAPSULE || (shape->kind == TN_SHAPE_CYLINDER && i == 0) ? shape->size[0] : 0.0;
}

double tn_core_edge_turn(const tn_shape *shape, int i)
{
    return shape->kind == TN_SHAPE_CYLINDER && i > 0 ? M_PI / RIM : 0.0;
}

bool tn_core_edge_normal(const tn_shape *shape, int i, double normal[3])
{
    if (tn_core_is_surface(shape)) {
        return tn_core_surface_edge_normal(shape, i, normal);
    }
    if (shape->kind != TN_SHAPE_HULL) {
        return false;
    }
    const int *faces = shape->hull->edge_face + 2 * (size_t)i;
    tn_vec3_add(normal, shape->hull->plane + 4 * (size_t)faces[0], shape->hull->plane + 4 * (size_t)faces[1]);
    tn_vec3_scale(normal, 1.0 / tn_vec3_norm(normal), normal);
    return true;
}

static void hull_edge(const tn_hull *hull, int i, double middle[3], double half[3])
{
    const int *ends = hull->edge + 2 * (size_t)i;
    tn_segment_halves(hull->vertices + 3 * (size_t)ends[0], hull->vertices + 3 * (size_t)ends[1], middle, half);
}

// Edge 4 k + j runs along axis k; bits of j: signs of the other two axes.
static void box_edge(const double h[3], int i, double middle[3], double half[3])
{
    int axis = i / 4, u = (axis + 1) % 3, v = (axis + 2) % 3;
    half[axis] = h[axis];
    middle[u] = i & 1 ? h[u] : -h[u];
    middle[v] = i & 2 ? h[v] : -h[v];
}

// Edge 1 + RIM k + j: rim k, from point j to the next.
static double arc_angle(int i, double at)
{
    return rim_angle(i - 1) + M_PI / RIM + at;
}

void tn_core_points_edge(const tn_shape *shape, int i, double at, double middle[3], double half[3])
{
    const double *h = shape->size;
    tn_vec3_set(middle, 0.0, 0.0, 0.0);
    tn_vec3_set(half, 0.0, 0.0, 0.0);
    if (tn_core_is_surface(shape)) {
        tn_core_surface_edge(shape, i, middle, half);
    } else if (shape->kind == TN_SHAPE_HULL) {
        hull_edge(shape->hull, i, middle, half);
    } else if (shape->kind == TN_SHAPE_BOX) {
        box_edge(h, i, middle, half);
    } else if (tn_core_edge_turn(shape, i) > 0.0) {
        double angle = arc_angle(i, at);
        tn_vec3_set(middle, h[0] * cos(angle), h[0] * sin(angle), i <= RIM ? -h[1] : h[1]);
        tn_vec3_set(half, -middle[1], middle[0], 0.0);
    } else {
        half[2] = h[1];
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

// Neither into the side nor into the flat end.
static bool rim_open(const tn_shape *cylinder, const double local[3], const double outward[3])
{
    double radial = (local[0] * outward[0] + local[1] * outward[1]) / cylinder->size[0];
    return radial >= -slack && (local[2] < 0.0 ? -outward[2] : outward[2]) >= -slack;
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
    tn_core_point(shape, i, local);
    if (shape->kind == TN_SHAPE_CYLINDER) { // in its sector the lowest point counts instead, if there is one
        double lowest[3];
        bool instead = tn_core_round_point(shape, i / RIM, d, lowest) &&
                       local[0] * lowest[0] + local[1] * lowest[1] > cos(M_PI / RIM) * shape->size[0] * shape->size[0];
        return rim_open(shape, local, d) && !instead;
    }
    return shape->kind == TN_SHAPE_BOX ? box_open(local, d)
                                       : shape->kind != TN_SHAPE_HULL || vertex_open(shape->hull, i, d);
}

bool tn_core_edge_open(const tn_placed *placed, int i, double at, const double outward[3])
{
    const tn_shape *shape = placed->shape;
    double middle[3], half[3], d[3];
    tn_mat3_tvec(d, placed->rotation, outward);
    if (tn_core_is_surface(shape)) {
        return tn_core_surface_edge_open(shape, i, d, slack);
    }
    tn_core_points_edge(shape, i, at, middle, half);
    if (tn_core_edge_turn(shape, i) > 0.0) {
        return rim_open(shape, middle, d);
    }
    return shape->kind == TN_SHAPE_BOX ? box_open(middle, d)
                                       : shape->kind != TN_SHAPE_HULL || edge_open(shape->hull, i, d);
}
