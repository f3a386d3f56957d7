// Rolling and torsional friction of a contact (law/moment.h): an interval and a disc, both as large as what presses.
#include "law/cone.h"
#include "law/moment.h"
#include "law/set_table.h"

static double normal_force(const tn_bound *b)
{
    return b->pressed > 0.0 ? b->pressed : 0.0;
}

static void limits(const tn_bound *b, double limit[2])
{
    limit[0] = b->bound[0] * normal_force(b);
    limit[1] = b->bound[1] * normal_force(b);
}

static void project(const tn_bound *b, double *f)
{
    double limit[2];
    limits(b, limit);
    tn_moment_project(limit, f);
}

static void map(const tn_bound *b, const double rho[2], const double *f, const double *y, tn_projection *out)
{
    double torsion = b->bound[0] * normal_force(b), disc[3] = {normal_force(b)}, slope[9];
    for (int i = 0; i < 3; i++) {
        out->metric[i] = rho[i > 0];
        out->p[i] = f[i] - out->metric[i] * y[i];
    }
    double sign = out->p[0] > torsion ? 1.0 : out->p[0] < -torsion ? -1.0 : 0.0;
    out->slope[0] = sign == 0.0;
    out->pressed[0] = b->pressed > 0.0 ? sign * b->bound[0] : 0.0;
    out->p[0] = sign == 0.0 ? out->p[0] : sign * torsion;
    // The rolling part is a contact's friction under the normal force given.
    disc[1] = out->p[1];
    disc[2] = out->p[2];
    tn_cone_map(false, b->bound[1], disc, slope);
    for (int i = 1; i < 3; i++) {
        out->p[i] = disc[i];
        out->pressed[i] = b->pressed > 0.0 ? slope[3 * i] : 0.0;
        out->slope[3 * i + 1] = slope[3 * i + 1];
        out->slope[3 * i + 2] = slope[3 * i + 2];
    }
}

static tn_local_state solve(const tn_bound *b, const double *W, const double *q, double *f)
{
    double limit[2];
    limits(b, limit);
    tn_moment_solve(limit, W, q, f);
    double rolling = sqrt(f[1] * f[1] + f[2] * f[2]), inside = 1.0 - 1e-14;
    if (!(limit[0] > 0.0 || limit[1] > 0.0)) {
        return TN_LOCAL_OPEN;
    }
    return fabs(f[0]) < inside * limit[0] && rolling < inside * limit[1] ? TN_LOCAL_STICK : TN_LOCAL_SLIDE;
}

static const char *refusal(const tn_bound *b)
{
    return tn_set_refuse_sizes(b->bound);
}

const tn_set_class tn_set_moment = {
    .name = "moment", .rows = 3, .refusal = refusal, .project = project, .map = map, .solve = solve};
