// Sets of one row: intervals, closed or open to one or both sides, fixed or as wide as what presses allows.
#include "law/set_table.h"

// Whether x lies beyond a bound; the sign is the bound's.
static int beyond(const double limit[2], double x)
{
    return x < limit[0] ? -1 : x > limit[1] ? 1 : 0;
}

void tn_set_limits(const tn_bound *b, double limit[2])
{
    double radius = tn_set_radius(b);
    switch (b->set) {
    case TN_SET_RAY:
        limit[0] = b->bound[0];
        limit[1] = HUGE_VAL;
        break;
    case TN_SET_BOX:
        limit[0] = b->bound[0];
        limit[1] = b->bound[1];
        break;
    case TN_SET_FRICTION:
        limit[0] = -radius;
        limit[1] = radius;
        break;
    default:
        limit[0] = -HUGE_VAL;
        limit[1] = HUGE_VAL;
    }
}

static void project(const tn_bound *b, double *f)
{
    double limit[2];
    tn_set_limits(b, limit);
    int side = beyond(limit, f[0]);
    f[0] = side < 0 ? limit[0] : side > 0 ? limit[1] : f[0];
}

static void map(const tn_bound *b, const double rho[2], const double *f, const double *y, tn_projection *out)
{
    double limit[2];
    tn_set_limits(b, limit);
    out->metric[0] = rho[0];
    out->p[0] = f[0] - rho[0] * y[0];
    int side = beyond(limit, out->p[0]);
    out->slope[0] = side == 0;
    out->p[0] = side < 0 ? limit[0] : side > 0 ? limit[1] : out->p[0];
    out->pressed[0] = b->set == TN_SET_FRICTION ? side * tn_set_radius_slope(b) : 0.0;
}

static tn_local_state solve(const tn_bound *b, const double *W, const double *q, double *f)
{
    double limit[2];
    tn_set_limits(b, limit);
    // Nothing answers: the bound that the velocity asks for.
    f[0] = W[0] > 0.0 ? -q[0] / W[0] : q[0] > 0.0 ? -HUGE_VAL : q[0] < 0.0 ? HUGE_VAL : 0.0 * q[0];
    int side = beyond(limit, f[0]);
    project(b, f);
    if (isinf(f[0])) {
        f[0] = 0.0;
        project(b, f);
        return TN_LOCAL_FAILED;
    }
    return side == 0 ? TN_LOCAL_STICK : b->set == TN_SET_RAY ? TN_LOCAL_OPEN : TN_LOCAL_SLIDE;
}

static const char *refuse_free(const tn_bound *b)
{
    return NULL;
}

static const char *refuse_ray(const tn_bound *b)
{
    return isfinite(b->bound[0]) ? NULL : "the bound of a ray is finite";
}

static const char *refuse_box(const tn_bound *b)
{
    double low = b->bound[0], high = b->bound[1];
    return low <= high && low < HUGE_VAL && high > -HUGE_VAL
               ? NULL
               : "the bounds of a box are in order and not both infinite alike";
}

#define ROW(why)                                                                                                       \
    {                                                                                                                  \
        .rows = 1, .refusal = (why), .project = project, .map = map, .solve = solve                                    \
    }
const tn_set_class tn_set_free = ROW(refuse_free);
const tn_set_class tn_set_ray = ROW(refuse_ray);
const tn_set_class tn_set_box = ROW(refuse_box);
const tn_set_class tn_set_friction = ROW(tn_set_refuse_sizes);
