// Convex polygon, rounded by size[0]: all within that distance of it. Corners (x, 0, z), counter-clockwise in (x, z).
#include "math/mat3.h"
#include "math/vec3.h"
#include "shape/draw.h"
#include "shape/flat.h"

#include <stdlib.h>
#include <string.h>

// area, first moments and second moment about the origin of a plane region
typedef struct moments {
    double area, first[2], second;
} moments;

static void add_triangle(moments *m, const double p[2], const double q[2])
{
    double twice = p[0] * q[1] - p[1] * q[0]; // with the origin
    m->area += 0.5 * twice;
    for (int i = 0; i < 2; ++i) {
        m->first[i] += twice * (p[i] + q[i]) / 6.0;
        m->second += twice * (p[i] * p[i] + p[i] * q[i] + q[i] * q[i]) / 12.0;
    }
}

// The strip of width r on the right of the edge from p to q.
static void add_strip(moments *m, const double p[2], const double q[2], double r)
{
    double along[2] = {q[0] - p[0], q[1] - p[1]}, length = sqrt(along[0] * along[0] + along[1] * along[1]);
    if (!(length > 0.0)) {
        return;
    }
    double area = length * r, out[2] = {along[1] / length, -along[0] / length};
    m->area += area;
    m->second += area * (length * length + r * r) / 12.0;
    for (int i = 0; i < 2; ++i) {
        double middle = 0.5 * (p[i] + q[i]) + 0.5 * r * out[i];
        m->first[i] += area * middle;
        m->second += area * middle * middle;
    }
}

// The sector of radius r around p between the normals of the edges that come in along u and leave along w (any length;
// zero: a full circle).
static void add_sector(moments *m, const double p[2], const double u[2], const double w[2], double r)
{
    double angle = atan2(u[0] * w[1] - u[1] * w[0], u[0] * w[0] + u[1] * w[1]);
    double start = atan2(-u[0], u[1]); // of the normal (u1, -u0)
    if (!(u[0] * u[0] + u[1] * u[1] > 0.0)) {
        angle = 2.0 * M_PI;
    } else if (angle < 0.0) { // the ends of a segment: half a turn, whichever sign rounding gives it
        angle += 2.0 * M_PI;
    }
    double area = 0.5 * angle * r * r, reach = r * r * r / 3.0; // integral of x over the sector
    double first[2] = {reach * (sin(start + angle) - sin(start)), reach * (cos(start) - cos(start + angle))};
    m->area += area;
    m->second += 0.5 * area * r * r + area * (p[0] * p[0] + p[1] * p[1]);
    for (int i = 0; i < 2; ++i) {
        m->first[i] += area * p[i] + first[i];
        m->second += 2.0 * p[i] * first[i];
    }
}

tn_area tn_polygon_area(int n, const double *corners, double radius)
{
    moments m = {0};
    for (int i = 0; i < n; ++i) {
        const double *o = corners + 2 * ((i + n - 1) % n), *p = corners + 2 * i, *q = corners + 2 * ((i + 1) % n);
        double in[2] = {p[0] - o[0], p[1] - o[1]}, on[2] = {q[0] - p[0], q[1] - p[1]};
        add_triangle(&m, p, q);
        if (radius > 0.0) {
            add_strip(&m, p, q, radius);
            add_sector(&m, p, in, on, radius);
        }
    }
    tn_area out = {.area = m.area};
    if (!(m.area > 0.0)) { // a segment without radius
        for (int i = 0; i < 2; ++i) {
            out.centroid[i] = n > 0 ? 0.5 * (corners[i] + corners[2 * (n - 1) + i]) : 0.0;
        }
        out.area = 0.0;
        return out;
    }
    out.centroid[0] = m.first[0] / m.area;
    out.centroid[1] = m.first[1] / m.area;
    out.moment = m.second - m.area * (out.centroid[0] * out.centroid[0] + out.centroid[1] * out.centroid[1]);
    return out;
}

static int compare_points(const void *left, const void *right)
{
    const double *p = left, *q = right;
    if (p[0] != q[0]) {
        return p[0] < q[0] ? -1 : 1;
    }
    return p[1] < q[1] ? -1 : p[1] > q[1];
}

// How far q lies to the right of the way from p to r.
static double right_of(const double p[2], const double q[2], const double r[2])
{
    double u[2] = {r[0] - p[0], r[1] - p[1]}, length = sqrt(u[0] * u[0] + u[1] * u[1]);
    double cross = (q[0] - p[0]) * u[1] - (q[1] - p[1]) * u[0];
    return length > 0.0 ? cross / length : 0.0;
}

// One side of the hull, over sorted points taken by step 1 or -1; appends to out without the last point (Andrew's
// monotone chain, 1979).
static int add_chain(int n, const double *sorted, int step, double slack, double *out)
{
    int m = 0;
    for (int k = 0; k < n; ++k) {
        const double *p = sorted + 2 * (step > 0 ? k : n - 1 - k);
        while (m >= 2 && right_of(out + 2 * (m - 2), out + 2 * (m - 1), p) <= slack) {
            m--;
        }
        out[2 * m] = p[0];
        out[2 * m + 1] = p[1];
        m++;
    }
    return m - 1;
}

int tn_polygon_hull(int n, const double *points, double *out)
{
    double sorted[2 * 1024], chain[2 * 1024 + 2], extent = 0.0;
    if (n < 1 || n > 1024) {
        return 0;
    }
    for (int i = 0; i < 2 * n; ++i) {
        sorted[i] = points[i];
        extent = fmax(extent, fabs(points[i] - points[i % 2]));
    }
    qsort(sorted, (size_t)n, 2 * sizeof *sorted, compare_points);
    int m = add_chain(n, sorted, 1, 1e-9 * extent, chain);
    m += add_chain(n, sorted, -1, 1e-9 * extent, chain + 2 * m);
    m = m < 1 ? 1 : m; // one point only
    if (m == 2 && !(extent > 0.0)) {
        m = 1;
    }
    for (int i = 0; m <= TN_POLYGON_MAX && i < 2 * m; ++i) {
        out[i] = m == 1 ? sorted[i] : chain[i];
    }
    return m <= TN_POLYGON_MAX ? m : 0;
}

static tn_area area_of(const tn_shape *shape)
{
    double corners[2 * TN_POLYGON_MAX];
    for (int i = 0; i < shape->n_points; ++i) {
        corners[2 * i] = shape->points[3 * i];
        corners[2 * i + 1] = shape->points[3 * i + 2];
    }
    return tn_polygon_area(shape->n_points, corners, shape->size[0]);
}

static double volume(const tn_shape *shape)
{
    return area_of(shape).area;
}

static void inertia(const tn_shape *shape, double density, double *mass, double out[9])
{
    tn_area area = area_of(shape);
    tn_flat_inertia(&area, density, mass, out);
}

// Smallest width of a convex polygon, over its edges' normals.
static double polygon_width(int n, const double *x)
{
    double width = INFINITY;
    for (int i = 0; i < n; ++i) {
        const double *p = x + 3 * i, *q = x + 3 * ((i + 1) % n);
        double out[2] = {q[2] - p[2], p[0] - q[0]}, length = sqrt(out[0] * out[0] + out[1] * out[1]), most = 0.0;
        for (int k = 0; k < n && length > 0.0; ++k) {
            most = fmax(most, -(out[0] * (x[3 * k] - p[0]) + out[1] * (x[3 * k + 2] - p[2])) / length);
        }
        width = length > 0.0 ? fmin(width, most) : width;
    }
    return width < INFINITY ? width : 0.0;
}

static double least(const tn_shape *shape)
{
    return shape->size[0] + 0.5 * polygon_width(shape->n_points, shape->points);
}

static void bounds(const tn_placed *placed, double low[3], double high[3])
{
    const tn_shape *shape = placed->shape;
    double thick = least(shape);
    for (int i = 0; i < 3; ++i) {
        const double *row = placed->rotation + 3 * i;
        double least = INFINITY, most = -INFINITY;
        for (int k = 0; k < shape->n_points; ++k) {
            double along = row[0] * shape->points[3 * k] + row[2] * shape->points[3 * k + 2];
            least = fmin(least, along);
            most = fmax(most, along);
        }
        double reach = shape->size[0] + fabs(row[1]) * thick;
        low[i] = placed->position[i] + least - reach;
        high[i] = placed->position[i] + most + reach;
    }
}

static double spin_radius(const tn_shape *shape)
{
    double most = 0.0;
    for (int k = 0; k < shape->n_points; ++k) {
        most = fmax(most, tn_vec3_norm(shape->points + 3 * k));
    }
    return most;
}

// In the plane, the same at any height above it.
static double distance(const tn_placed *placed, const double x[3], double normal[3])
{
    const tn_shape *shape = placed->shape;
    double d[3], local[3], n[3] = {0.0, 0.0, 1.0}, square = INFINITY, inside = -INFINITY;
    tn_vec3_sub(d, x, placed->position);
    tn_mat3_tvec(local, placed->rotation, d);
    double near[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < shape->n_points; ++i) {
        const double *p = shape->points + 3 * i, *q = shape->points + 3 * ((i + 1) % shape->n_points);
        double edge[3], to[3], foot[3];
        tn_vec3_sub(edge, q, p);
        tn_vec3_set(to, local[0] - p[0], 0.0, local[2] - p[2]);
        double length = tn_vec3_norm(edge), t = tn_vec3_dot(to, edge) / (length * length);
        double height = (to[0] * edge[2] - to[2] * edge[0]) / length;
        if (height > inside) {
            inside = height;
            tn_vec3_set(n, edge[2] / length, 0.0, -edge[0] / length);
        }
        tn_vec3_madd(foot, to, -fmin(1.0, fmax(0.0, t)), edge);
        if (tn_vec3_dot(foot, foot) < square) {
            square = tn_vec3_dot(foot, foot);
            tn_vec3_copy(near, foot);
        }
    }
    double length = sqrt(square), core = inside > 0.0 || shape->n_points == 2 ? length : inside;
    if (core > 0.0 && core > inside * (1.0 + 1e-14)) { // nearest to a corner
        tn_vec3_set(n, near[0] / length, 0.0, near[2] / length);
    }
    tn_mat3_vec(normal, placed->rotation, n);
    return isnan(local[0] + local[2]) ? NAN : core - shape->size[0];
}

static void geometry(const tn_shape *shape, tn_geometry *out)
{
    *out = (tn_geometry){.n_points = (size_t)shape->n_points, .shared = shape->points};
}

static void fill(const tn_shape *shape, double *points, int32_t *triangles)
{
    memcpy(points, shape->points, 24 * (size_t)shape->n_points);
}

const tn_shape_class tn_shape_class_polygon = {
    .name = "polygon",
    .form = TN_FORM_PLANAR,
    .volume = volume,
    .inertia = inertia,
    .bounds = bounds,
    .spin_radius = spin_radius,
    .least = least,
    .distance = distance,
    .geometry = geometry,
    .fill = fill,
    .draw = tn_draw_polygon,
};
