// Closed contacts that are solved by themselves: one that acts on one block, which nothing else acts on.
#include "discretize/impact_parts.h"
#include "math/mat3.h"
#include "problem/bound.h"

#include <math.h>

// Coulomb's law in closed form for W = w 1 (a node: its mass is the same in all directions) and round friction; false:
// it is something else.
static bool solve_round(const tn_bound *bound, const double W[9], const double q[3], double lambda[3])
{
    double w = W[0], tiny = 1e-14 * w;
    bool round = fabs(W[4] - w) <= tiny && fabs(W[8] - w) <= tiny && fabs(W[1]) <= tiny && fabs(W[2]) <= tiny &&
                 fabs(W[5]) <= tiny;
    const double *mu = bound->bound;
    if (!round || !(w > 0.0) || bound->set != TN_SET_CONE || bound->associated || mu[0] != mu[1]) {
        return false;
    }
    double normal = fmax(-q[0], 0.0) / w, most = mu[0] * normal;
    double stick = sqrt(q[1] * q[1] + q[2] * q[2]) / w, part = stick > most ? most / stick : 1.0;
    tn_vec3_set(lambda, normal, -part * q[1] / w, -part * q[2] / w);
    return true;
}

// Contact k, which acts on one block alone, from v without it; false: the local solver found nothing.
static bool solve_alone(const tn_problem *first, int k, tn_closed *c, double *v)
{
    const tn_rows *all = first->rows;
    int m = c->source[k], at = 3 * all->block[all->start[m]];
    const double *J = all->jacobian + 9 * (size_t)all->start[m];
    double W[9], scaled[9], q[3], lambda[3], push[3] = {0.0};
    for (int i = 0; i < 9; i++) {
        scaled[i] = J[i] * c->h / c->mass[at + i % 3];
    }
    tn_mat3_mul_nt(W, scaled, J);
    tn_rows_soften(all, m, W);
    tn_vec3_copy(q, c->offset + 3 * k);
    tn_mat3_add_vec(q, J, v + at);
    tn_vec3_copy(lambda, c->lambda + 3 * k);
    tn_bound bound = tn_problem_bound(first, m, NULL);
    if (!solve_round(&bound, W, q, lambda) && tn_set_solve(&bound, W, q, lambda) == TN_LOCAL_FAILED) {
        return false;
    }
    tn_mat3_add_tvec(push, J, lambda);
    for (int i = 0; i < 3; i++) {
        v[at + i] = (c->momentum[at + i] + push[i]) * c->h / c->mass[at + i];
    }
    tn_vec3_copy(c->lambda + 3 * k, lambda);
    return true;
}

void tn_closed_solve_alone(const tn_problem *first, tn_closed *c, double *v)
{
    const tn_rows *all = first->rows;
    for (int k = 0; k < c->n; k++) {
        int m = c->source[k];
        bool single = all->start[m + 1] == all->start[m] + 1;
        c->alone[k] = single && c->load[all->block[all->start[m]]] == 1 && solve_alone(first, k, c, v);
    }
}
