// Planar shapes: the corners of polygons, and the plane that bodies with planar shapes move in.
#include "math/quat.h"
#include "math/vec3.h"
#include "scene/build.h"
#include "shape/flat.h"

enum { POINTS_MAX = 1000 };

// (n, 2) corners about their centroid to (n, 3) in storage.
static bool keep_corners(tn_build *build, int n, const double *corners, const tn_area *area, tn_scene_shape *out)
{
    double *points = TN_PUSH(build->reader.storage, double, 3 * n), shift[3];
    if (!points) {
        return tn_read_no_memory(&build->reader);
    }
    for (int i = 0; i < n; i++) {
        tn_vec3_set(points + 3 * i, corners[2 * i] - area->centroid[0], 0.0, corners[2 * i + 1] - area->centroid[1]);
    }
    out->shape.n_points = n;
    out->shape.points = points;
    tn_vec3_set(shift, area->centroid[0], 0.0, area->centroid[1]);
    tn_quat_rotate(shift, out->pose.quaternion, shift);
    tn_vec3_add(out->pose.position, out->pose.position, shift);
    return true;
}

bool tn_build_polygon(tn_build *build, const tn_raw_solid *raw, const tn_node *node, tn_scene_shape *out)
{
    if ((raw->points.n > 0) == (raw->extent.n > 0)) {
        return tn_read_error(&build->reader, node->place, "a polygon is given by either 'points' or 'size'");
    }
    double corners[2 * POINTS_MAX] = {0};
    tn_place place = tn_node_place_of(node, raw->extent.n ? "size" : "points");
    int n = 4;
    if (raw->extent.n) {
        double x = 0.5 * raw->extent.value[0], z = 0.5 * raw->extent.value[1];
        const double box[8] = {-x, -z, x, -z, x, z, -x, z};
        for (int i = 0; i < 8; i++) {
            corners[i] = box[i];
        }
    } else {
        n = tn_polygon_hull(raw->points.n, raw->points.value, corners);
    }
    if (n < 2) {
        return tn_read_error(&build->reader, place,
                             n ? "a polygon needs two different points" : "a convex polygon has at most %d corners",
                             TN_POLYGON_MAX);
    }
    out->shape.size[0] = raw->radius;
    tn_area area = tn_polygon_area(n, corners, raw->radius);
    return keep_corners(build, n, corners, &area, out);
}

// A body that carries planar shapes moves in their plane.
bool tn_build_confine(tn_build *build, tn_scene_body *body)
{
    for (int s = 0; s < body->n_shapes && body->kind == TN_BODY_FREE && !body->plane_normal; s++) {
        const tn_scene_shape *shape = &body->shapes[s];
        if (tn_shape_is_flat(&shape->shape)) {
            double *normal = TN_PUSH(build->reader.storage, double, 3);
            if (!normal) {
                return tn_read_no_memory(&build->reader);
            }
            tn_vec3_set(normal, 0.0, 1.0, 0.0);
            tn_quat_rotate(normal, shape->pose.quaternion, normal);
            tn_quat_rotate(normal, body->pose.quaternion, normal);
            body->plane_normal = normal;
        }
    }
    return true;
}
