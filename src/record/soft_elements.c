#include "record/soft_elements.h"

#include <math.h>

tn_status tn_recorded_elements(const tn_recording *r, tn_arena *arena, tn_arena *scratch, tn_tets **out,
                               tn_error *error)
{
    size_t n_nodes = (size_t)r->n_nodes, n_tets = (size_t)r->n_tets;
    double *lambda = TN_PUSH(scratch, double, n_tets), *mu = TN_PUSH(scratch, double, n_tets);
    double *no_time = TN_PUSH(scratch, double, n_tets);
    int *block = TN_PUSH(scratch, int, n_nodes);
    bool *tied = TN_PUSH(scratch, bool, n_nodes);
    if (!lambda || !mu || !no_time || !block || !tied) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the elements of %d tetrahedra", r->n_tets);
    }
    for (int s = 0; s < r->n_softs; s++) {
        const tn_recorded_soft *soft = &r->softs[s];
        double shear = soft->young / (2.0 * (1.0 + soft->poisson));
        for (int t = soft->first_tet; t < soft->first_tet + soft->n_tets; t++) {
            mu[t] = shear;
            lambda[t] = 2.0 * shear * soft->poisson / (1.0 - 2.0 * soft->poisson);
        }
    }
    for (size_t i = 0; i < n_nodes; i++) {
        block[i] = -1;
    }
    const tn_blocks empty = {0};
    const tn_tets_input input = {.n_nodes = r->n_nodes,
                                 .rest = r->rest,
                                 .n_tets = r->n_tets,
                                 .tets = r->tets,
                                 .lambda = lambda,
                                 .mu = mu,
                                 .stiffness_time = no_time,
                                 .geometric_time = no_time,
                                 .block = block,
                                 .tied = tied,
                                 .pattern = &empty};
    return tn_tets_create(&input, arena, out, error);
}

double tn_von_mises(const double s[6])
{
    double a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
    return sqrt(0.5 * (a * a + b * b + c * c) + 3.0 * (s[3] * s[3] + s[4] * s[4] + s[5] * s[5]));
}
