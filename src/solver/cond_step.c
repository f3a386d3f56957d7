// One V-FPI step: the hot loop of cond.
#include "solver/cond_system.h"

#include "kernels/block_product.h"
#include "law/cone.h"
#include "math/mat3.h"

#include <string.h>

// out += m x. Here, not in math/: the sweep lives on it being inlined.
static inline void add_product(double out[3], const double m[9], const double x[3])
{
    out[0] += m[0] * x[0] + m[1] * x[1] + m[2] * x[2];
    out[1] += m[3] * x[0] + m[4] * x[1] + m[5] * x[2];
    out[2] += m[6] * x[0] + m[7] * x[1] + m[8] * x[2];
}

void tn_cond_velocity(const tn_cond_system *s, int m, const double *v, const double lambda_m[3], double u[3])
{
    const tn_contacts *contacts = s->problem->contacts;
    for (int i = 0; i < 3; i++) {
        u[i] = contacts->offset[3 * m + i] + (s->compliance ? s->compliance[m] * lambda_m[i] : 0.0);
    }
    if (contacts->omega) {
        add_product(u, contacts->omega + 9 * m, lambda_m);
    }
    for (int e = contacts->start[m]; e < contacts->start[m + 1]; e++) {
        add_product(u, contacts->jacobian + 9 * e, v + 3 * contacts->block[e]);
    }
}

void tn_cond_force(const tn_cond_system *s, const double *lambda, double *f)
{
    const tn_contacts *contacts = s->problem->contacts;
    memcpy(f, s->problem->b, 3 * (size_t)s->n_rows * sizeof *f);
    for (int m = 0; m < s->n_contacts; m++) {
        for (int e = contacts->start[m]; e < contacts->start[m + 1]; e++) {
            tn_mat3_add_tvec(f + 3 * contacts->block[e], contacts->jacobian + 9 * e, lambda + 3 * m);
        }
    }
}

// v* = v - S (A v - b - J^T lambda): bodies exactly, nodes by W.
static void predict(const tn_cond_system *s, double alpha, const double *lambda, double *v, const double *Av, double *f)
{
    tn_cond_force(s, lambda, f);
    for (int i = 0; i < 3 * s->n_rows && s->bodies.n_nodes > 0; i++) {
        if (s->bodies.is_node[i / 3]) {
            v[i] -= alpha * s->w[i] * (Av[i] - f[i]);
        }
    }
    tn_cond_bodies_solve(&s->bodies, f, v);
}

// The source's operators: strict (normal first, then the disc at that normal force) or proximal (nearest point).
static void project(tn_law law, const double mu[2], double f[3])
{
    switch (law) {
    case TN_LAW_COULOMB:
        tn_cone_strict(mu, f);
        break;
    case TN_LAW_CONVEX:
        tn_cone_proximal(mu, f);
        break;
    case TN_LAW_FRICTIONLESS:
        tn_cone_frictionless(f);
        break;
    }
}

// One after the other: contacts that share a body or a node see each other's change. All at once, a box on its four
// corners diverges.
static void sweep(const tn_cond_system *s, tn_cond_step_size size, double *v, double *lambda)
{
    const tn_contacts *contacts = s->problem->contacts;
    for (int m = 0; m < s->n_contacts; m++) {
        double gamma = size.gamma * (s->gamma_body[m] + size.alpha * s->gamma_node[m]);
        if (!(gamma > 0.0)) {
            continue; // a contact that moves nothing
        }
        double u[3], old[3], change[3];
        double *l = lambda + 3 * m;
        tn_cond_velocity(s, m, v, l, u);
        for (int i = 0; i < 3; i++) {
            old[i] = l[i];
            l[i] -= u[i] / gamma;
        }
        project(s->problem->law, contacts->mu + 2 * m, l);
        for (int i = 0; i < 3; i++) {
            change[i] = l[i] - old[i];
        }
        for (int r = s->response_start[m]; r < s->response_start[m + 1]; r++) {
            int block = s->response_block[r];
            double scale = s->bodies.is_node[block] ? size.alpha : 1.0;
            double scaled[3] = {scale * change[0], scale * change[1], scale * change[2]};
            add_product(v + 3 * block, s->response + 9 * r, scaled);
        }
    }
}

void tn_cond_product(const tn_cond_system *system, const double *v, double *Av)
{
    if (system->bodies.n_nodes > 0) {
        tn_block_product(system->problem->A, v, Av, system->n_threads);
    }
}

void tn_cond_step(const tn_cond_system *system, tn_cond_step_size size, double *v, double *lambda, const double *Av,
                  bool refresh, double *f)
{
    if (refresh || system->bodies.n_nodes > 0) {
        predict(system, size.alpha, lambda, v, Av, f);
    }
    sweep(system, size, v, lambda);
}
