// The core of cylinders and cones: two circles about the z axis, of which one may be a point, and all between them.
#include "math/mat3.h"
#include "math/vec3.h"
#include "shape/corners.h"
#include "shape/patch.h"

tn_rims tn_rims_between(double radius0, double z0, double radius1, double z1)
{
    double inward = radius0 - radius1, up = z1 - z0, length = sqrt(inward * inward + up * up);
    return (tn_rims){.radius = {radius0, radius1}, .z = {z0, z1}, .side = {up / length, inward / length}};
}

// across: length of d's part across the axis.
static int farthest(const tn_rims *r, double across, const double d[3])
{
    return (r->radius[1] - r->radius[0]) * across + (r->z[1] - r->z[0]) * d[2] > 0.0;
}

int tn_rims_farthest(const tn_rims *r, const double d[3])
{
    return farthest(r, sqrt(d[0] * d[0] + d[1] * d[1]), d);
}

void tn_rimmed_bounds(const tn_placed *placed, double low[3], double high[3])
{
    const tn_rims r = tn_class_of(placed->shape)->rims(placed->shape);
    for (int i = 0; i < 3; ++i) {
        const double *row = placed->rotation + 3 * i;
        double across = sqrt(row[0] * row[0] + row[1] * row[1]);
        double out[2] = {r.radius[0] * across, r.radius[1] * across}, up[2] = {r.z[0] * row[2], r.z[1] * row[2]};
        high[i] = placed->position[i] + fmax(out[0] + up[0], out[1] + up[1]);
        low[i] = placed->position[i] - fmax(out[0] - up[0], out[1] - up[1]);
    }
}

static void set(tn_convex *c, const tn_shape *shape)
{
    c->rims = tn_class_of(shape)->rims(shape);
    const double *r = c->rims.radius, *z = c->rims.z;
    c->extent = sqrt(fmax(r[0] * r[0] + z[0] * z[0], r[1] * r[1] + z[1] * z[1]));
}

// The point of a rim that is farthest along d (own axes), world axes.
static void rim_point(const tn_convex *c, int end, double across, const double d[3], double out[3])
{
    double s = c->rims.radius[end] * (across > 0.0 ? 1.0 / across : 0.0); // does not wait for the end
    double local[3] = {s * d[0], s * d[1], c->rims.z[end]};
    tn_mat3_vec(out, c->rotation, local);
}

static unsigned support(const tn_convex *c, const double direction[3], double out[3])
{
    double d[3];
    tn_mat3_tvec(d, c->rotation, direction);
    double across = sqrt(d[0] * d[0] + d[1] * d[1]);
    int end = farthest(&c->rims, across, d);
    rim_point(c, end, across, d, out);
    return (unsigned)end;
}

// A cap; an apex has none.
static double facing(const tn_convex *c, const double direction[3], double normal[3])
{
    double d[3];
    tn_mat3_tvec(d, c->rotation, direction);
    if (!(c->rims.radius[d[2] >= 0.0] > 0.0)) {
        return -1.0;
    }
    tn_convex_axis(c, 2, d[2] < 0.0 ? -1.0 : 1.0, normal);
    return fabs(d[2]);
}

static bool below(const tn_convex *c, const double x[3], double normal[3])
{
    double z = c->rotation[2] * x[0] + c->rotation[5] * x[1] + c->rotation[8] * x[2];
    int end = 2.0 * z > c->rims.z[0] + c->rims.z[1];
    tn_convex_axis(c, 2, end ? 1.0 : -1.0, normal);
    return c->rims.radius[end] > 0.0;
}

static void cap(const tn_convex *c, int upper, tn_patch *out)
{
    static const double h = 0.86602540378443865; // sin(60 degrees)
    static const double corner[TN_CAP_CORNERS][2] = {{1, 0}, {0.5, h}, {-0.5, h}, {-1, 0}, {-0.5, -h}, {0.5, -h}};
    double r = c->rims.radius[upper];
    out->n = r > 0.0 ? TN_CAP_CORNERS : 0;
    for (int q = 0; q < out->n; ++q) {
        int k = upper ? q : TN_CAP_CORNERS - 1 - q; // counter-clockwise from outside
        double local[3] = {r * corner[k][0], r * corner[k][1], c->rims.z[upper]};
        unsigned first = 2u + (upper ? TN_CAP_CORNERS : 0);
        out->vertex[q] = first + (unsigned)k;
        out->edge[q] = first + (unsigned)(upper ? k : (k + TN_CAP_CORNERS - 1) % TN_CAP_CORNERS);
        tn_mat3_vec(out->x[q], c->rotation, local);
    }
    tn_convex_axis(c, 2, upper ? 1.0 : -1.0, out->normal);
}

// The cap or the line of the side, whichever looks more along the direction.
static void patch(const tn_convex *c, const double direction[3], tn_patch *out)
{
    double d[3];
    tn_mat3_tvec(d, c->rotation, direction);
    double beside = sqrt(d[0] * d[0] + d[1] * d[1]) * c->rims.side[0] + d[2] * c->rims.side[1];
    if (fabs(d[2]) > beside) {
        cap(c, d[2] > 0.0, out);
        return;
    }
    out->n = 2;
    for (int end = 0; end < 2; ++end) {
        out->vertex[end] = (unsigned)end;
        out->edge[end] = 0;
        rim_point(c, end, sqrt(d[0] * d[0] + d[1] * d[1]), d, out->x[end]);
    }
}

const tn_convex_class tn_rimmed_core = {
    .form = TN_CORE_RIMMED,
    .set = set,
    .support = support,
    .facing = facing,
    .below = below,
    .patch = patch,
};

// Points of rim k.
static int rim_count(const tn_rims *rims, int k)
{
    return rims->radius[k] > 0.0 ? TN_RIM_POINTS : 1;
}

int tn_rims_count(const tn_shape *shape)
{
    const tn_rims rims = tn_class_of(shape)->rims(shape);
    return rim_count(&rims, 0) + rim_count(&rims, 1);
}

void tn_rims_point(const tn_shape *shape, int i, double out[3])
{
    const tn_rims rims = tn_class_of(shape)->rims(shape);
    int first = rim_count(&rims, 0), k = i >= first;
    double angle = 2.0 * M_PI * (k ? i - first : i) / TN_RIM_POINTS;
    tn_vec3_set(out, rims.radius[k] * cos(angle), rims.radius[k] * sin(angle), rims.z[k]);
}

// Of a rim that lies flat no point is the lowest, nor of one that looks away.
bool tn_rims_round_point(const tn_shape *shape, int part, const double direction[3], double out[3])
{
    const tn_rims rims = tn_class_of(shape)->rims(shape);
    double radial = sqrt(direction[0] * direction[0] + direction[1] * direction[1]);
    if (!(radial > TN_CORNER_SLACK) || (part ? direction[2] : -direction[2]) < -TN_CORNER_SLACK) {
        return false;
    }
    double r = rims.radius[part];
    tn_vec3_set(out, r * direction[0] / radial, r * direction[1] / radial, rims.z[part]);
    return true;
}

// Neither into the side, along the line that leads from the rim to the other, nor into the flat end.
bool tn_rims_open(const tn_shape *shape, int rim, const double local[3], const double outward[3])
{
    const tn_rims rims = tn_class_of(shape)->rims(shape);
    double r = rims.radius[rim], sign = rim ? -1.0 : 1.0, inwards = -sign * rims.side[1];
    if (!(r > 0.0)) { // of all lines from an apex the one that leads most along the direction
        double across = sqrt(outward[0] * outward[0] + outward[1] * outward[1]);
        return fabs(inwards) * across + sign * rims.side[0] * outward[2] <= TN_CORNER_SLACK;
    }
    double radial = (local[0] * outward[0] + local[1] * outward[1]) / r;
    return radial >= -TN_CORNER_SLACK && inwards * radial + sign * rims.side[0] * outward[2] <= TN_CORNER_SLACK;
}

// In its sector the lowest point counts instead, if there is one.
bool tn_rims_point_open(const tn_shape *shape, int i, const double outward[3])
{
    const tn_rims rims = tn_class_of(shape)->rims(shape);
    double local[3], lowest[3];
    int rim = i >= rim_count(&rims, 0);
    double r = rims.radius[rim];
    tn_rims_point(shape, i, local);
    bool instead = r > 0.0 && tn_rims_round_point(shape, rim, outward, lowest) &&
                   local[0] * lowest[0] + local[1] * lowest[1] > cos(M_PI / TN_RIM_POINTS) * r * r;
    return tn_rims_open(shape, rim, local, outward) && !instead;
}
