#include "problem/active.h"

#include "math/blocks.h"
#include "math/mat3.h"
#include "problem/bound.h"
#include "problem/problem.h"
#include "problem/rows.h"

#include <math.h>

// g . A_bb^-1 g; 0 where the block has no inverse.
static double mobility(const tn_blocks *A, int block, const double g[3])
{
    const double *own = tn_blocks_find(A, block, block);
    double inverse[9], x[3];
    if (!own || !tn_mat3_inverse(inverse, own)) {
        return 0.0;
    }
    tn_mat3_vec(x, inverse, g);
    return tn_vec3_dot(g, x);
}

static double inverse_of(double sum)
{
    return sum > 0.0 && isfinite(1.0 / sum) ? 1.0 / sum : 1.0;
}

double tn_contact_normal_mass(const tn_problem *problem, int m)
{
    const tn_rows *c = problem->rows;
    double sum = c->softness ? c->softness[9 * (size_t)m] : 0.0;
    for (int e = c->start[m]; e < c->start[m + 1]; e++) {
        sum += mobility(problem->A, c->block[e], c->jacobian + 9 * (size_t)e);
    }
    return inverse_of(sum);
}

bool tn_contact_is_closed(const tn_problem *problem, int m, const double *v, const double *lambda)
{
    const double *f = lambda + 3 * (size_t)m;
    double u[3];
    tn_contact_row_velocity(problem, m, v, lambda, u);
    // Without a force or with no way to part the mass has no say.
    double mass = f[0] > 0.0 && u[0] > 0.0 ? tn_contact_normal_mass(problem, m) : 1.0;
    tn_bound bound = tn_problem_bound(problem, m, NULL);
    return tn_set_active(&bound, (const double[2]){mass, mass}, f, u) == TN_ACTIVE_INSIDE;
}

tn_active tn_single_active(const tn_rows *rows, int i, const tn_blocks *A, const double *v, double f)
{
    const tn_rows singles = tn_rows_singles(rows), *joints = &singles;
    double sum = joints->compliance[i], y = tn_single_velocity(joints, i, v) + joints->compliance[i] * f;
    for (int e = joints->start[i]; e < joints->start[i + 1]; e++) {
        sum += mobility(A, joints->block[e], joints->jacobian + 3 * (size_t)e);
    }
    return tn_active_bound(inverse_of(sum), f, y, joints->lower[i], joints->upper[i]);
}
