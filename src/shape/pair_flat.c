// Planar shapes against each other and against half spaces.
#include "base/assert.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "shape/flat_view.h"

static void to_plane(double out[2], const tn_flat_pair *pair, const double x[3])
{
    out[0] = tn_vec3_dot(pair->axis[0], x);
    out[1] = tn_vec3_dot(pair->axis[1], x);
}

// Corners and normals. The normals come from the shape's own corners: the place of the body does not round them.
static void set_polygon(tn_flat_core *core, const double *points)
{
    for (int i = 0; i < core->n; ++i) {
        const double *p = points + 3 * tn_flat_corner(core, i),
                     *q = points + 3 * tn_flat_corner(core, (i + 1) % core->n);
        double edge[2], length;
        for (int k = 0; k < 2; ++k) {
            core->x[i][k] = core->centre[k] + p[0] * core->axis[0][k] + p[2] * core->axis[1][k];
            edge[k] = (q[0] - p[0]) * core->axis[0][k] + (q[2] - p[2]) * core->axis[1][k];
        }
        length = sqrt(tn_dot2(edge, edge));
        core->out[i][0] = edge[1] / length;
        core->out[i][1] = -edge[0] / length;
    }
}

static void set_core(tn_flat_core *core, const tn_flat_pair *pair, const tn_placed *placed)
{
    const tn_shape *shape = placed->shape;
    double d[3], axis[3];
    tn_vec3_sub(d, placed->position, pair->origin);
    to_plane(core->centre, pair, d);
    for (int k = 0; k < 2; ++k) {
        tn_placed_axis(axis, placed, 2 * k);
        to_plane(core->axis[k], pair, axis);
    }
    bool round = tn_class_of(shape)->round;
    core->n = round ? 1 : shape->n_points;
    core->size[0] = shape->size[0];
    core->size[1] = shape->size[1];
    core->radius = core->n == 0 ? 0.0 : shape->size[0];
    core->x[0][0] = core->centre[0];
    core->x[0][1] = core->centre[1];
    core->turned = core->axis[0][0] * core->axis[1][1] < core->axis[0][1] * core->axis[1][0];
    if (core->n > 1) {
        set_polygon(core, shape->points);
    }
}

// False where the two do not lie in one plane.
static bool set_flat_pair(tn_flat_pair *pair, const tn_placed *a, const tn_placed *b)
{
    double frame[9], other[3], between[3], cross[3];
    tn_placed_axis(pair->normal, a, 1);
    tn_placed_axis(other, b, 1);
    tn_vec3_cross(cross, pair->normal, other);
    tn_vec3_sub(between, b->position, a->position);
    double least_a = tn_shape_least(a->shape), least_b = tn_shape_least(b->shape);
    double slack = TN_FLAT_TILT * (tn_vec3_norm(between) + least_a + least_b);
    if (tn_vec3_norm(cross) > TN_FLAT_TILT || fabs(tn_vec3_dot(between, pair->normal)) > slack) {
        return false;
    }
    pair->least = fmin(least_a, least_b);
    tn_mat3_frame(frame, pair->normal);
    tn_vec3_copy(pair->axis[0], frame + 3);
    tn_vec3_copy(pair->axis[1], frame + 6);
    tn_vec3_copy(pair->origin, a->position);
    set_core(&pair->a, pair, a);
    set_core(&pair->b, pair, b);
    return true;
}

void tn_flat_add(const tn_flat_pair *pair, const double normal[2], const double point[2], double gap, unsigned feature,
                 tn_manifold *out)
{
    double n[3], x[3];
    tn_vec3_scale(n, normal[0], pair->axis[0]);
    tn_vec3_madd(n, n, normal[1], pair->axis[1]);
    tn_vec3_madd(x, pair->origin, point[0], pair->axis[0]);
    tn_vec3_madd(x, x, point[1], pair->axis[1]);
    tn_manifold_add(out, n, x, gap, feature);
}

// Apart from its place in the plane nothing of a disk counts: no rotation, so that disks in a row have the row as
// normal.
static void disks(const tn_placed *a, const tn_placed *b, tn_manifold *out)
{
    double n[3], d[3], x[3];
    tn_placed_axis(n, a, 1);
    tn_vec3_sub(d, b->position, a->position);
    double off = tn_vec3_dot(d, n), length = tn_vec3_norm(d), ra = a->shape->size[0], rb = b->shape->size[0];
    if (fabs(off) > TN_FLAT_TILT * (length + ra + rb)) {
        return;
    }
    tn_vec3_madd(d, d, -off, n);
    length = tn_vec3_norm(d);
    if (length > 0.0) {
        tn_vec3_set(d, d[0] / length, d[1] / length, d[2] / length);
    } else {
        tn_placed_axis(d, a, 2); // one in the other's middle: every direction is as good
    }
    double gap = length - ra - rb;
    tn_vec3_madd(x, a->position, ra + 0.5 * gap, d);
    tn_manifold_add(out, d, x, gap, 0);
}

void tn_pair_flat(const tn_placed *a, const tn_placed *b, tn_manifold *out)
{
    tn_flat_pair pair;
    if (tn_class_of(a->shape)->round && tn_class_of(b->shape)->round) {
        disks(a, b, out);
    } else if (set_flat_pair(&pair, a, b)) {
        if (pair.a.n > 0 && pair.b.n > 0) {
            tn_flat_polygons(&pair, out);
        } else {
            tn_flat_ellipses(&pair, out);
        }
    }
}

// The lowest corner above the plane, and the lower of its two neighbours.
static void plane_polygon(const double n[3], const double origin[3], const tn_placed *b, tn_manifold *out)
{
    const tn_shape *shape = b->shape;
    double x[TN_POLYGON_MAX][3], height[TN_POLYGON_MAX];
    int count = shape->n_points, low = 0;
    TN_ASSERT(count >= 2);
    for (int i = 0; i < count; ++i) {
        double arm[3];
        tn_mat3_vec(x[i], b->rotation, shape->points + 3 * i);
        tn_vec3_add(x[i], x[i], b->position);
        tn_vec3_sub(arm, x[i], origin);
        height[i] = tn_vec3_dot(n, arm) - shape->size[0];
        low = height[i] < height[low] ? i : low;
    }
    int before = (low + count - 1) % count, after = (low + 1) % count,
        next = height[after] < height[before] ? after : before;
    for (int k = 0; k < 2 && !(k == 1 && next == low); ++k) {
        int i = k ? next : low;
        double point[3];
        tn_vec3_madd(point, x[i], -shape->size[0] - 0.5 * height[i], n);
        tn_manifold_add(out, n, point, height[i], (unsigned)i);
    }
}

void tn_pair_plane_flat(const tn_placed *a, const tn_placed *b, tn_manifold *out)
{
    double n[3], across[3], arm[3], low[3];
    tn_placed_axis(n, a, 2);
    tn_placed_axis(across, b, 1);
    double tilt = tn_vec3_dot(n, across);
    if (fabs(tilt) > TN_FLAT_TILT) {
        return;
    }
    if (tilt != 0.0) {
        tn_vec3_madd(n, n, -tilt, across);
        tn_vec3_scale(n, 1.0 / tn_vec3_norm(n), n);
    }
    if (b->shape->n_points > 0) {
        plane_polygon(n, a->position, b, out);
        return;
    }
    // The lowest point of the curve, from its middle.
    tn_vec3_scale(low, -b->shape->size[0], n);
    if (!tn_class_of(b->shape)->round) {
        double own[3];
        tn_mat3_tvec(own, b->rotation, n);
        double u = b->shape->size[0] * own[0], w = b->shape->size[1] * own[2], reach = sqrt(u * u + w * w);
        tn_vec3_set(own, -b->shape->size[0] * u / reach, 0.0, -b->shape->size[1] * w / reach);
        tn_mat3_vec(low, b->rotation, own);
    }
    tn_vec3_add(low, low, b->position);
    tn_vec3_sub(arm, low, a->position);
    double gap = tn_vec3_dot(n, arm);
    tn_vec3_madd(low, low, -0.5 * gap, n);
    tn_manifold_add(out, n, low, gap, 0);
}
