#include "record/polygons.h"

#include "math/vec3.h"
#include "record/prism.h"

#include <math.h>
#include <stdbool.h>

// Circles of a sphere between its poles, of SLICES points each; a capsule has the middle one twice.
enum { SLICES = 24, RINGS = 7 };

static int ring_count(const tn_shape *shape)
{
    return shape->kind == TN_SHAPE_CAPSULE ? RINGS + 1 : RINGS;
}

static void begin(tn_polygons *out)
{
    out->n_points = out->n_polygons = out->n_indices = 0;
}

static void add_point(tn_polygons *out, double x, double y, double z)
{
    tn_vec3_set(out->points + 3 * out->n_points++, x, y, z);
}

static void add_polygon(tn_polygons *out, int n, const int *points)
{
    for (int k = 0; k < n; k++) {
        out->index[out->n_indices++] = points[k];
    }
    out->offset[out->n_polygons++] = out->n_indices;
}

static void fill_plane(double extent, tn_polygons *out)
{
    add_point(out, -extent, -extent, 0.0);
    add_point(out, extent, -extent, 0.0);
    add_point(out, extent, extent, 0.0);
    add_point(out, -extent, extent, 0.0);
    add_polygon(out, 4, (int[]){0, 1, 2, 3});
}

static void fill_box(const double half[3], tn_polygons *out)
{
    static const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (int k = 0; k < 8; k++) {
        add_point(out, k & 1 ? half[0] : -half[0], k & 2 ? half[1] : -half[1], k & 4 ? half[2] : -half[2]);
    }
    for (int k = 0; k < 6; k++) {
        add_polygon(out, 4, faces[k]);
    }
}

// Rings run from the lower pole up. n_rings RINGS: a sphere; RINGS + 1: its halves are half_length away from the
// middle.
static void fill_round(double radius, double half_length, int n_rings, tn_polygons *out)
{
    const double pi = 3.14159265358979323846;
    add_point(out, 0.0, 0.0, -radius - half_length);
    for (int ring = 0; ring < n_rings; ring++) {
        bool upper = n_rings > RINGS && ring > RINGS / 2;
        double angle = pi * (double)(upper ? ring : ring + 1) / (double)(RINGS + 1) - 0.5 * pi;
        double z = radius * sin(angle) + (upper ? half_length : -half_length);
        for (int slice = 0; slice < SLICES; slice++) {
            double turn = 2.0 * pi * slice / SLICES;
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

static void fill_ellipsoid(const double axes[3], tn_polygons *out)
{
    fill_round(1.0, 0.0, RINGS, out);
    for (int k = 0; k < 3 * out->n_points; k++) {
        out->points[k] *= axes[k % 3];
    }
}

// A prism: the circle of the lower end, then that of the upper one.
static void fill_cylinder(double radius, double half_length, tn_polygons *out)
{
    const double pi = 3.14159265358979323846;
    int low[SLICES], high[SLICES];
    for (int k = 0; k < 2 * SLICES; k++) {
        double turn = 2.0 * pi * (k % SLICES) / SLICES;
        add_point(out, radius * cos(turn), radius * sin(turn), k < SLICES ? -half_length : half_length);
    }
    for (int k = 0; k < SLICES; k++) {
        int next = (k + 1) % SLICES;
        low[k] = SLICES - 1 - k;
        high[k] = SLICES + k;
        add_polygon(out, 4, (int[]){k, next, SLICES + next, SLICES + k});
    }
    add_polygon(out, SLICES, low);
    add_polygon(out, SLICES, high);
}

static void fill_octahedron(const double center[3], double radius, tn_polygons *out)
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

static void fill_triangles(const tn_recorded_shape *recorded, tn_polygons *out)
{
    for (int k = 0; k < recorded->shape.n_points; k++) {
        const double *x = recorded->shape.points + 3 * (size_t)k;
        add_point(out, x[0], x[1], x[2]);
    }
    for (int k = 0; k < recorded->n_triangles; k++) {
        add_polygon(out, 3, recorded->triangles + 3 * (size_t)k);
    }
}

void tn_polygons_size(const tn_recorded_shape *recorded, tn_polygons *out)
{
    const tn_shape *shape = &recorded->shape;
    int n_rings = ring_count(shape);
    *out = (tn_polygons){0};
    switch (shape->kind) {
    case TN_SHAPE_PLANE:
        *out = (tn_polygons){.n_points = 4, .n_polygons = 1, .n_indices = 4};
        break;
    case TN_SHAPE_BOX:
        *out = (tn_polygons){.n_points = 8, .n_polygons = 6, .n_indices = 24};
        break;
    case TN_SHAPE_CYLINDER:
        *out = (tn_polygons){.n_points = 2 * SLICES, .n_polygons = SLICES + 2, .n_indices = 6 * SLICES};
        break;
    case TN_SHAPE_SPHERE:
    case TN_SHAPE_CAPSULE:
    case TN_SHAPE_ELLIPSOID:
        out->n_points = 2 + n_rings * SLICES;
        out->n_polygons = (n_rings + 1) * SLICES;
        out->n_indices = (2 * 3 + (n_rings - 1) * 4) * SLICES;
        break;
    case TN_SHAPE_POINTS:
        out->n_points = 6 * shape->n_points;
        out->n_polygons = 8 * shape->n_points;
        out->n_indices = 24 * shape->n_points;
        break;
    case TN_SHAPE_HULL:
    case TN_SHAPE_TRIANGLES:
    case TN_SHAPE_HEIGHTS:
        out->n_points = shape->n_points;
        out->n_polygons = recorded->n_triangles;
        out->n_indices = 3 * recorded->n_triangles;
        break;
    case TN_SHAPE_DISK:
    case TN_SHAPE_ELLIPSE:
    case TN_SHAPE_POLYGON:
        out->n_points = 2 * tn_prism_outline_size(shape);
        out->n_polygons = tn_prism_outline_size(shape) + 2;
        out->n_indices = 6 * tn_prism_outline_size(shape);
        break;
    case TN_SHAPE_COUNT:
        break;
    }
}

void tn_polygons_fill(const tn_recorded_shape *recorded, double extent, double mark, tn_polygons *out)
{
    const tn_shape *shape = &recorded->shape;
    begin(out);
    switch (shape->kind) {
    case TN_SHAPE_PLANE:
        fill_plane(extent, out);
        break;
    case TN_SHAPE_BOX:
        fill_box(shape->size, out);
        break;
    case TN_SHAPE_SPHERE:
        fill_round(shape->size[0], 0.0, RINGS, out);
        break;
    case TN_SHAPE_CAPSULE:
        fill_round(shape->size[0], shape->size[1], RINGS + 1, out);
        break;
    case TN_SHAPE_CYLINDER:
        fill_cylinder(shape->size[0], shape->size[1], out);
        break;
    case TN_SHAPE_ELLIPSOID:
        fill_ellipsoid(shape->size, out);
        break;
    case TN_SHAPE_POINTS:
        for (int k = 0; k < shape->n_points; k++) {
            fill_octahedron(shape->points + 3 * k, shape->size[0] > 0.0 ? shape->size[0] : mark, out);
        }
        break;
    case TN_SHAPE_HULL:
    case TN_SHAPE_TRIANGLES:
    case TN_SHAPE_HEIGHTS:
        fill_triangles(recorded, out);
        break;
    case TN_SHAPE_DISK:
    case TN_SHAPE_ELLIPSE:
    case TN_SHAPE_POLYGON:
        tn_prism_fill(shape, mark, out);
        break;
    case TN_SHAPE_COUNT:
        break;
    }
}
