// Polygons of every kind of surface: circles become regular polygons, balls rings of quadrilaterals.
#include "shape/draw.h"

#include "math/vec3.h"
#include "shape/convex.h"

// Circles of a sphere between its poles, of SLICES points each; a capsule has the middle one twice.
enum { SLICES = 24, RINGS = 7 };

static void add_point(tn_polygons *out, double x, double y, double z)
{
    if (out->points) {
        tn_vec3_set(out->points + 3 * (size_t)out->n_points, x, y, z);
    }
    out->n_points++;
}

static void end_polygon(tn_polygons *out, int n)
{
    out->n_indices += n;
    if (out->offset) {
        out->offset[out->n_polygons] = out->n_indices;
    }
    out->n_polygons++;
}

static void add_polygon(tn_polygons *out, int n, const int *points)
{
    for (int k = 0; out->index && k < n; k++) {
        out->index[out->n_indices + k] = points[k];
    }
    end_polygon(out, n);
}

// A polygon of points one after the other, way 1, or backwards, -1.
static void add_row(tn_polygons *out, int n, int first, int way)
{
    for (int k = 0; out->index && k < n; k++) {
        out->index[out->n_indices + k] = first + way * k;
    }
    end_polygon(out, n);
}

void tn_draw_plane(const tn_drawn *drawn, tn_polygons *out)
{
    double extent = drawn->extent;
    add_point(out, -extent, -extent, 0.0);
    add_point(out, extent, -extent, 0.0);
    add_point(out, extent, extent, 0.0);
    add_point(out, -extent, extent, 0.0);
    add_polygon(out, 4, (int[]){0, 1, 2, 3});
}

void tn_draw_box(const tn_drawn *drawn, tn_polygons *out)
{
    static const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    const double *half = drawn->shape->size;
    for (int k = 0; k < 8; k++) {
        add_point(out, k & 1 ? half[0] : -half[0], k & 2 ? half[1] : -half[1], k & 4 ? half[2] : -half[2]);
    }
    for (int k = 0; k < 6; k++) {
        add_polygon(out, 4, faces[k]);
    }
}

// Rings run from the lower pole up. n_rings RINGS: a sphere; RINGS + 1: its halves are half_length away from the
// middle.
static void add_round(double radius, double half_length, int n_rings, tn_polygons *out)
{
    add_point(out, 0.0, 0.0, -radius - half_length);
    for (int ring = 0; ring < n_rings; ring++) {
        bool upper = n_rings > RINGS && ring > RINGS / 2;
        double angle = M_PI * (double)(upper ? ring : ring + 1) / (double)(RINGS + 1) - 0.5 * M_PI;
        double z = radius * sin(angle) + (upper ? half_length : -half_length);
        for (int slice = 0; slice < SLICES; slice++) {
            double turn = 2.0 * M_PI * slice / SLICES;
            add_point(out, radius * cos(angle) * cos(turn), radius * cos(angle) * sin(turn), z);
        }
    }
    add_point(out, 0.0, 0.0, radius + half_length);
    int top = out->n_points - 1, last = 1 + (n_rings - 1) * SLICES;
    for (int slice = 0; slice < SLICES; slice++) {
        int next = (slice + 1) % SLICES;
        add_polygon(out, 3, (int[]){0, 1 + next, 1 + slice});
        for (int ring = 0; ring + 1 < n_rings; ring++) {
            int low = 1 + ring * SLICES, high = low + SLICES;
            add_polygon(out, 4, (int[]){low + slice, low + next, high + next, high + slice});
        }
        add_polygon(out, 3, (int[]){top, last + slice, last + next});
    }
}

void tn_draw_ball(const tn_drawn *drawn, tn_polygons *out)
{
    add_round(drawn->shape->size[0], 0.0, RINGS, out);
}

void tn_draw_capsule(const tn_drawn *drawn, tn_polygons *out)
{
    add_round(drawn->shape->size[0], drawn->shape->size[1], RINGS + 1, out);
}

void tn_draw_ellipsoid(const tn_drawn *drawn, tn_polygons *out)
{
    add_round(1.0, 0.0, RINGS, out);
    for (int k = 0; out->points && k < 3 * out->n_points; k++) {
        out->points[k] *= drawn->shape->size[k % 3];
    }
}

// The circle of the lower end, then that of the upper one.
void tn_draw_rimmed(const tn_drawn *drawn, tn_polygons *out)
{
    const tn_rims rims = tn_class_of(drawn->shape)->rims(drawn->shape);
    for (int k = 0; k < 2 * SLICES; k++) {
        double turn = 2.0 * M_PI * (k % SLICES) / SLICES, r = rims.radius[k / SLICES];
        add_point(out, r * cos(turn), r * sin(turn), rims.z[k / SLICES]);
    }
    for (int k = 0; k < SLICES; k++) {
        int next = (k + 1) % SLICES;
        add_polygon(out, 4, (int[]){k, next, SLICES + next, SLICES + k});
    }
    add_row(out, SLICES, SLICES - 1, -1);
    add_row(out, SLICES, SLICES, 1);
}

static void add_octahedron(const double center[3], double radius, tn_polygons *out)
{
    static const int faces[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                    {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    int first = out->n_points;
    for (int k = 0; k < 6; k++) {
        double corner[3];
        tn_vec3_copy(corner, center);
        corner[k / 2] += k % 2 ? -radius : radius;
        add_point(out, corner[0], corner[1], corner[2]);
    }
    for (int k = 0; k < 8; k++) {
        add_polygon(out, 3, (int[]){first + faces[k][0], first + faces[k][1], first + faces[k][2]});
    }
}

void tn_draw_points(const tn_drawn *drawn, tn_polygons *out)
{
    const tn_shape *shape = drawn->shape;
    for (int k = 0; k < shape->n_points; k++) {
        add_octahedron(shape->points + 3 * (size_t)k, shape->size[0] > 0.0 ? shape->size[0] : drawn->mark, out);
    }
}

void tn_draw_triangles(const tn_drawn *drawn, tn_polygons *out)
{
    for (int k = 0; k < drawn->shape->n_points; k++) {
        const double *x = drawn->shape->points + 3 * (size_t)k;
        add_point(out, x[0], x[1], x[2]);
    }
    for (int k = 0; k < drawn->n_triangles; k++) {
        add_polygon(out, 3, drawn->triangles + 3 * (size_t)k);
    }
}

// Point k of a planar shape's outline, counter-clockwise in (x, z).
typedef void (*outline_function)(const tn_shape *shape, int k, double *x, double *z);

enum { ROUND = 32, CORNER = 6 }; // points round an ellipse, and round a corner with radius

// The two faces across y, then the sides.
static void add_prism(const tn_drawn *drawn, int n, outline_function outline, tn_polygons *out)
{
    double least = tn_shape_least(drawn->shape), half = least > 0.0 ? 0.25 * least : drawn->mark;
    for (int k = 0; k < 2 * n; k++) {
        double x, z;
        outline(drawn->shape, k % n, &x, &z);
        add_point(out, x, k < n ? -half : half, z);
    }
    add_row(out, n, 0, 1);
    add_row(out, n, 2 * n - 1, -1);
    for (int k = 0; k < n; k++) {
        int next = (k + 1) % n;
        add_polygon(out, 4, (int[]){k, n + k, n + next, next});
    }
}

static void disk_outline(const tn_shape *shape, int k, double *x, double *z)
{
    *x = shape->size[0] * cos(2.0 * M_PI * k / ROUND);
    *z = shape->size[0] * sin(2.0 * M_PI * k / ROUND);
}

static void ellipse_outline(const tn_shape *shape, int k, double *x, double *z)
{
    *x = shape->size[0] * cos(2.0 * M_PI * k / ROUND);
    *z = shape->size[1] * sin(2.0 * M_PI * k / ROUND);
}

void tn_draw_disk(const tn_drawn *drawn, tn_polygons *out)
{
    add_prism(drawn, ROUND, disk_outline, out);
}

void tn_draw_ellipse(const tn_drawn *drawn, tn_polygons *out)
{
    add_prism(drawn, ROUND, ellipse_outline, out);
}

// Direction of the outward normal of the edge from corner i on, as an angle.
static double normal_angle(const tn_shape *shape, int i)
{
    const double *p = shape->points + 3 * i, *q = shape->points + 3 * ((i + 1) % shape->n_points);
    return atan2(-(q[0] - p[0]), q[2] - p[2]);
}

static void polygon_outline(const tn_shape *shape, int k, double *x, double *z)
{
    double r = shape->size[0];
    int n = shape->n_points, i = r > 0.0 ? k / CORNER : k;
    *x = shape->points[3 * i];
    *z = shape->points[3 * i + 2];
    if (r > 0.0) {
        double from = normal_angle(shape, (i + n - 1) % n), to = normal_angle(shape, i);
        to += to < from ? 2.0 * M_PI : 0.0;
        double angle = from + (to - from) * (k % CORNER) / (CORNER - 1);
        *x += r * cos(angle);
        *z += r * sin(angle);
    }
}

void tn_draw_polygon(const tn_drawn *drawn, tn_polygons *out)
{
    int each = drawn->shape->size[0] > 0.0 ? CORNER : 1;
    add_prism(drawn, each * drawn->shape->n_points, polygon_outline, out);
}
