// Solid ellipsoid of semi-axes size along its own axes.
#include "math/mat3.h"
#include "math/vec3.h"
#include "shape/convex.h"
#include "shape/corners.h"
#include "shape/draw.h"

static double volume(const tn_shape *shape)
{
    return 4.0 / 3.0 * M_PI * shape->size[0] * shape->size[1] * shape->size[2];
}

static void inertia(const tn_shape *shape, double density, double *mass, double out[9])
{
    const double *e = shape->size;
    *mass = density * volume(shape);
    out[0] = *mass / 5.0 * (e[1] * e[1] + e[2] * e[2]);
    out[4] = *mass / 5.0 * (e[0] * e[0] + e[2] * e[2]);
    out[8] = *mass / 5.0 * (e[0] * e[0] + e[1] * e[1]);
}

static void bounds(const tn_placed *placed, double low[3], double high[3])
{
    const double *e = placed->shape->size;
    for (int i = 0; i < 3; ++i) {
        const double *row = placed->rotation + 3 * i;
        double u = row[0] * e[0], v = row[1] * e[1], w = row[2] * e[2];
        double reach = sqrt(u * u + v * v + w * w);
        low[i] = placed->position[i] - reach;
        high[i] = placed->position[i] + reach;
    }
}

// Largest |x cross n| over the surface: the largest semi-axis less the smallest.
static double spin_radius(const tn_shape *shape)
{
    const double *e = shape->size;
    return fmax(e[0], fmax(e[1], e[2])) - fmin(e[0], fmin(e[1], e[2]));
}

// The surface point x nearest to y >= 0 obeys y - x = t (x_i / e_i^2) with one t, the root of
//     S(t) = sum_i (e_i y_i / (t + e_i^2))^2 = 1   above the largest pole, -e_min^2
// (Eberly, "Distance from a point to an ellipse, an ellipsoid, or a hyperellipsoid"). t is counted from that pole, so
// that nothing cancels next to it.
typedef struct secular {
    double weight[3]; // e_i y_i [m^2]
    double above[3];  // e_i^2 - e_min^2 [m^2]
} secular;

static double secular_sum(const secular *s, double t, double *slope)
{
    double sum = 0.0;
    *slope = 0.0;
    for (int i = 0; i < 3; ++i) {
        if (s->weight[i] > 0.0) {
            double inverse = 1.0 / (t + s->above[i]), ratio = s->weight[i] * inverse;
            sum += ratio * ratio;
            *slope -= 2.0 * ratio * ratio * inverse;
        }
    }
    return sum;
}

// Newton on 1 / sqrt(S) - 1, which is nearly straight, held within a bracket by bisection.
static double secular_root(const secular *s)
{
    double low = 0.0, high = 0.0, slope;
    for (int i = 0; i < 3; ++i) { // one term alone is 1 at weight - above
        low = fmax(low, s->weight[i] - s->above[i]);
        high += s->weight[i] * s->weight[i];
    }
    high = sqrt(high);
    double t = low;
    for (int k = 0; k < 100; ++k) {
        double sum = secular_sum(s, t, &slope);
        if (sum >= 1.0) {
            low = t;
        } else {
            high = t;
        }
        // d/dt S^(-1/2) = -S^(-3/2) S' / 2
        double next = t + 2.0 * (sum - sum * sqrt(sum)) / slope;
        if (fabs(next - t) <= 4e-16 * t) {
            return next;
        }
        if (!(next > low && next < high)) {
            next = low + 0.5 * (high - low);
        }
        if (next <= low || next >= high) {
            return next;
        }
        t = next;
    }
    return t;
}

// Surface point nearest to y >= 0.
static void nearest_point(const double e[3], const double y[3], double out[3])
{
    secular s;
    int least = e[1] < e[0] ? 1 : 0;
    least = e[2] < e[least] ? 2 : least;
    double rest = 1.0, slope;
    for (int i = 0; i < 3; ++i) {
        s.weight[i] = e[i] * y[i];
        s.above[i] = (e[i] - e[least]) * (e[i] + e[least]);
    }
    // Beside the middle plane of the smallest axis, deep inside: the pole itself is the root.
    bool at_pole = true;
    for (int i = 0; i < 3; ++i) {
        at_pole &= s.weight[i] == 0.0 || s.above[i] > 0.0;
    }
    if (at_pole && secular_sum(&s, 0.0, &slope) < 1.0) {
        for (int i = 0; i < 3; ++i) {
            double ratio = s.weight[i] > 0.0 ? s.weight[i] / s.above[i] : 0.0;
            out[i] = e[i] * ratio;
            rest -= ratio * ratio;
        }
        out[least] = e[least] * sqrt(rest);
        return;
    }
    double t = secular_root(&s);
    for (int i = 0; i < 3; ++i) {
        out[i] = s.weight[i] > 0.0 ? e[i] * (s.weight[i] / (t + s.above[i])) : 0.0;
    }
}

static double distance(const tn_placed *placed, const double x[3], double normal[3])
{
    const double *e = placed->shape->size;
    double d[3], local[3], y[3], near[3], n[3];
    tn_vec3_sub(d, x, placed->position);
    tn_mat3_tvec(local, placed->rotation, d);
    for (int i = 0; i < 3; ++i) {
        y[i] = fabs(local[i]);
    }
    if (!(tn_vec3_norm(y) < INFINITY)) {
        tn_vec3_set(normal, 0.0, 0.0, 0.0);
        return isnan(y[0] + y[1] + y[2]) ? NAN : INFINITY;
    }
    nearest_point(e, y, near);
    for (int i = 0; i < 3; ++i) {
        n[i] = near[i] / (e[i] * e[i]);
    }
    double length = tn_vec3_norm(n);
    tn_vec3_set(n, n[0] / length, n[1] / length, n[2] / length);
    tn_vec3_sub(d, y, near);
    double gap = tn_vec3_dot(n, d);
    for (int i = 0; i < 3; ++i) {
        n[i] = local[i] < 0.0 ? -n[i] : n[i];
    }
    tn_mat3_vec(normal, placed->rotation, n);
    return gap;
}

static double least(const tn_shape *shape)
{
    const double *e = shape->size;
    return fmin(e[0], fmin(e[1], e[2]));
}

static void set(tn_convex *c, const tn_shape *shape)
{
    const double *e = shape->size;
    c->extent = fmax(e[0], fmax(e[1], e[2]));
}

static unsigned support(const tn_convex *c, const double direction[3], double out[3])
{
    const double *e = c->size;
    double d[3];
    tn_mat3_tvec(d, c->rotation, direction);
    double q[3] = {e[0] * d[0], e[1] * d[1], e[2] * d[2]}, s = 1.0 / tn_vec3_norm(q);
    const double local[3] = {s * e[0] * q[0], s * e[1] * q[1], s * e[2] * q[2]};
    tn_mat3_vec(out, c->rotation, local);
    return 0;
}

static const tn_convex_class core = {.form = TN_CORE_SMOOTH, .set = set, .support = support};

static tn_core_points count(const tn_shape *shape)
{
    return (tn_core_points){0};
}

static bool round_point(const tn_shape *shape, int part, const double direction[3], double out[3])
{
    const double *h = shape->size;
    tn_vec3_set(out, h[0] * direction[0], h[1] * direction[1], h[2] * direction[2]);
    double length = tn_vec3_norm(out);
    tn_vec3_set(out, h[0] * out[0] / length, h[1] * out[1] / length, h[2] * out[2] / length);
    return length > 0.0;
}

static const tn_corner_class corners = {.count = count, .round_parts = 1, .round_point = round_point};

const tn_shape_class tn_shape_class_ellipsoid = {
    .name = "ellipsoid",
    .form = TN_FORM_CONVEX,
    .volume = volume,
    .inertia = inertia,
    .bounds = bounds,
    .spin_radius = spin_radius,
    .least = least,
    .distance = distance,
    .core = &core,
    .on_plane = tn_pair_plane_ellipsoid,
    .corners = &corners,
    .draw = tn_draw_ellipsoid,
};
