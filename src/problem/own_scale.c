#include "problem/own_scale.h"

#include "math/blocks.h"
#include "math/mat3.h"
#include "problem/bound.h"

#include <math.h>

// Of the velocity scale of the whole scene: below that nothing moves that could be seen.
static const double STILL = 1e-9;

// |J_e A_ee^-1 b_e| of the contact's faster side [m/s].
static double brought(const tn_problem *p, int m)
{
    const tn_rows *c = p->rows;
    double most = 0.0;
    for (int e = c->start[m]; e < c->start[m + 1]; e++) {
        const double *own = tn_blocks_find(p->A, c->block[e], c->block[e]);
        double inverse[9], v[3], u[3];
        if (own && tn_mat3_inverse(inverse, own)) {
            tn_mat3_vec(v, inverse, p->b + 3 * (size_t)c->block[e]);
            tn_mat3_vec(u, c->jacobian + 9 * (size_t)e, v);
            most = fmax(most, tn_vec3_norm(u));
        }
    }
    return most;
}

double tn_own_error(const tn_problem *p, int m, double mass, const double lambda[3], const double u[3], double allowed)
{
    double floor = mass * fmax(p->change_scale, STILL * p->velocity_scale);
    tn_bound bound = tn_problem_bound(p, m, NULL);
    double size = tn_set_residual(&bound, (const double[2]){mass, mass}, lambda, u), force = tn_vec3_norm(lambda);
    if (size <= allowed * floor || force <= floor) {
        return floor > 0.0 ? size / floor : 0.0;
    }
    return size / fmax(floor, fmin(force, mass * brought(p, m)));
}
