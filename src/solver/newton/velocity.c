#include "solver/newton/linear.h"

#include "base/timer.h"
#include "kernels/block_product.h"
#include "law/cone.h"
#include "math/mat3.h"
#include "math/sums.h"
#include "problem/delassus.h"
#include "problem/problem.h"

#include <math.h>
#include <string.h>

enum { GMRES_PRODUCTS = 30 };

static tn_status no_memory(tn_error *error)
{
    return tn_error_set(error, TN_NO_MEMORY, "no memory for Newton's method");
}

static bool allocate(tn_newton_velocity *s, tn_arena *arena)
{
    return TN_PUSH_EACH(arena, s->n_v, &s->v, &s->R, &s->step, &s->Av, &s->Astep, &s->v_old, &s->force, &s->response) &&
           TN_PUSH_EACH(arena, 3 * s->n, &s->scale, &s->multiplier, &s->u, &s->y, &s->lambda, &s->ustep, &s->contact,
                        &s->q) &&
           TN_PUSH_EACH(arena, 9 * (size_t)s->n, &s->slope, &s->C, &s->rest) &&
           TN_PUSH_EACH(arena, s->n, &s->mu, &s->rho) && tn_contact_matrix_create(&s->K, s->problem, arena) &&
           tn_gmres_create(&s->gmres, 3 * s->n, GMRES_PRODUCTS, arena);
}

tn_status tn_newton_velocity_create(tn_newton_velocity *s, const tn_problem *problem, const tn_check *check,
                                    const tn_solution *start, int n_threads, tn_arena *arena, tn_error *error)
{
    const tn_rows *c = problem->rows;
    *s = (tn_newton_velocity){.problem = problem, .check = check, .n = c->n_triples, .n_v = 3 * problem->A->n_rows};
    s->n_threads = n_threads;
    if (!allocate(s, arena)) {
        return no_memory(error);
    }
    s->b_norm = fmax(sqrt(tn_dot((size_t)s->n_v, problem->b, problem->b)), problem->force_scale);
    for (int m = 0; m < s->n; ++m) {
        double mu = fmax(c->mu[2 * m], c->mu[2 * m + 1]), *D = s->scale + 3 * m;
        s->mu[m] = problem->law == TN_LAW_FRICTIONLESS ? 0.0 : mu;
        tn_vec3_set(D, 1.0, mu > 0.0 ? c->mu[2 * m] / mu : 1.0, mu > 0.0 ? c->mu[2 * m + 1] / mu : 1.0);
    }
    tn_newton_velocity_start(s, start->v, start->lambda);
    double before = tn_timer_now();
    tn_status status = TN_OK;
    if (tn_delassus_choose(problem, arena) == TN_DELASSUS_FACTORED) {
        s->factor = tn_cholesky_create(&s->K.K, error);
        status = s->factor ? TN_OK : TN_NO_MEMORY;
    } else {
        status = tn_body_factor_create(&s->bodies, &s->K.K, arena, error);
    }
    s->setup = tn_timer_now() - before;
    return status;
}

void tn_newton_velocity_destroy(tn_newton_velocity *s)
{
    if (s->factor) {
        tn_cholesky_destroy(s->factor);
    }
    s->factor = NULL;
}

void tn_newton_velocity_start(tn_newton_velocity *s, const double *v, const double *lambda)
{
    memcpy(s->v, v, (size_t)s->n_v * sizeof *s->v);
    for (int i = 0; i < 3 * s->n; ++i) {
        s->multiplier[i] = s->scale[i] > 0.0 ? lambda[i] / s->scale[i] : 0.0;
    }
}

void tn_newton_velocity_set_rho(tn_newton_velocity *s, double factor)
{
    for (int m = 0; m < s->n; ++m) {
        s->rho[m] = factor * s->check->rho[m];
    }
}

// J v + w
static void free_velocity(tn_newton_velocity *s)
{
    const tn_rows *c = s->problem->rows;
    tn_rows_motion(s->problem->rows, s->v, s->u);
    for (int i = 0; i < 3 * s->n; ++i) {
        s->u[i] += c->offset[i];
    }
}

// y, lambda, slope of one contact from its u without Omega, and then u with it.
static void project_contact(tn_newton_velocity *s, int m)
{
    const double *D = s->scale + 3 * m, *softness = s->problem->rows->softness, *held = s->multiplier + 3 * m;
    double *y = s->y + 3 * m, *u = s->u + 3 * m, *lambda = s->lambda + 3 * m, push[3] = {0.0, 0.0, 0.0};
    if (softness) {
        tn_mat3_vec(push, softness + 9 * m, (const double[3]){D[0] * held[0], D[1] * held[1], D[2] * held[2]});
    }
    for (int i = 0; i < 3; ++i) {
        y[i] = held[i] - s->rho[m] * D[i] * (u[i] + push[i]);
    }
    tn_cone_map(s->problem->law == TN_LAW_CONVEX, s->mu[m], y, s->slope + 9 * m);
    for (int i = 0; i < 3; ++i) {
        lambda[i] = D[i] * y[i];
    }
    if (softness) {
        tn_mat3_add_vec(u, softness + 9 * m, lambda);
    }
}

void tn_newton_velocity_evaluate(tn_newton_velocity *s)
{
    const tn_problem *p = s->problem;
    free_velocity(s);
    for (int m = 0; m < s->n; ++m) {
        project_contact(s, m);
    }
    memcpy(s->force, p->b, (size_t)s->n_v * sizeof *s->force);
    tn_problem_add_contact_force(p, s->lambda, s->force);
    tn_block_product(p->A, s->v, s->Av, s->n_threads);
    for (int i = 0; i < s->n_v; ++i) {
        s->R[i] = s->Av[i] - s->force[i];
    }
}

double tn_newton_velocity_momentum(const tn_newton_velocity *s)
{
    double norm = sqrt(tn_dot((size_t)s->n_v, s->R, s->R));
    return norm > 0.0 && s->b_norm > 0.0 ? norm / s->b_norm : norm;
}
