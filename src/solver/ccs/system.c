#include "solver/ccs/system.h"

#include "base/timer.h"
#include "kernels/block_product.h"
#include "law/cone.h"
#include "math/mat3.h"
#include "math/sums.h"
#include "problem/bound.h"
#include "problem/problem.h"

#include <math.h>
#include <string.h>

static bool allocate(tn_ccs *s, tn_arena *arena)
{
    return TN_PUSH_EACH(arena, s->n_v, &s->v, &s->v_last, &s->force, &s->right, &s->best_v) &&
           TN_PUSH_EACH(arena, 3 * s->n, &s->u, &s->z, &s->lambda, &s->held, &s->mismatch, &s->best_lambda, &s->u_split,
                        &s->velocity_then, &s->force_then) &&
           TN_PUSH_EACH(arena, s->n, &s->rho) && TN_PUSH_EACH(arena, 9 * (size_t)s->n, &s->C) &&
           tn_contact_matrix_create(&s->K, s->problem, arena);
}

tn_status tn_ccs_factor(tn_ccs *s, tn_error *error)
{
    double start = tn_timer_now();
    for (int m = 0; m < s->n; ++m) {
        s->rho[m] = s->factor_of_rho * s->check.rho[m];
        for (int i = 0; i < 9; i += 4) {
            s->C[9 * (size_t)m + (size_t)i] = s->rho[m];
        }
    }
    tn_contact_matrix_fill(&s->K, s->C);
    if (!s->cholesky) {
        s->cholesky = tn_cholesky_create(&s->K.K, error);
    }
    tn_status status = s->cholesky ? tn_cholesky_factor(s->cholesky, &s->K.K, error) : TN_NO_MEMORY;
    s->setup += tn_timer_now() - start;
    return status;
}

// u (n, 3) = J v + w, without Omega.
static void contact_velocity(const tn_ccs *s, const double *v, double *u)
{
    const tn_rows *c = s->problem->rows;
    memcpy(u, c->offset, (size_t)(3 * s->n) * sizeof *u);
    for (int m = 0; m < s->n; ++m) {
        for (int e = c->start[m]; e < c->start[m + 1]; ++e) {
            tn_mat3_add_vec(u + 3 * m, c->jacobian + 9 * (size_t)e, v + 3 * (size_t)c->block[e]);
        }
    }
}

tn_status tn_ccs_create(tn_ccs *s, const tn_solution *start, tn_arena *arena, tn_error *error)
{
    double *q = TN_PUSH(arena, double, 3 * s->n); // zero: on the safe side for the fclib figure
    if (!q || !allocate(s, arena) || !tn_check_create(&s->check, s->problem, q, &s->tolerance, arena)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for solver 'ccs'");
    }
    s->b_norm = fmax(sqrt(tn_dot((size_t)s->n_v, s->problem->b, s->problem->b)), s->problem->force_scale);
    s->factor_of_rho = s->options->rho;
    s->score = HUGE_VAL;
    memcpy(s->v, start->v, (size_t)s->n_v * sizeof *s->v);
    memcpy(s->lambda, start->lambda, (size_t)(3 * s->n) * sizeof *s->lambda);
    contact_velocity(s, s->v, s->z);
    return tn_ccs_factor(s, error);
}

// x = K^-1 x, with one step of iterative refinement where rounding would spoil the momentum figure.
static tn_status solve(tn_ccs *s, double *x, tn_error *error)
{
    if (!s->refines) {
        return tn_cholesky_solve(s->cholesky, 1, x, x, error);
    }
    memcpy(s->right, x, (size_t)s->n_v * sizeof *x);
    tn_status status = tn_cholesky_solve(s->cholesky, 1, x, x, error);
    tn_block_product(&s->K.K, x, s->force, s->n_threads);
    for (int i = 0; i < s->n_v; ++i) {
        s->force[i] = s->right[i] - s->force[i];
    }
    status = status == TN_OK ? tn_cholesky_solve(s->cholesky, 1, s->force, s->force, error) : status;
    for (int i = 0; i < s->n_v; ++i) {
        x[i] += s->force[i];
    }
    return status;
}

tn_status tn_ccs_balance(tn_ccs *s, tn_error *error)
{
    const double *w = s->problem->rows->offset;
    memcpy(s->v_last, s->v, (size_t)s->n_v * sizeof *s->v);
    memcpy(s->v, s->problem->b, (size_t)s->n_v * sizeof *s->v);
    for (int i = 0; i < 3 * s->n; ++i) {
        s->held[i] = s->lambda[i] + s->rho[i / 3] * (s->z[i] - w[i]);
    }
    tn_problem_add_contact_force(s->problem, s->held, s->v);
    tn_status status = solve(s, s->v, error);
    contact_velocity(s, s->v, s->u);
    memcpy(s->u_split, s->u, (size_t)(3 * s->n) * sizeof *s->u);
    for (int i = 0; i < 3 * s->n; ++i) {
        s->held[i] = s->lambda[i] - s->rho[i / 3] * (s->u[i] - s->z[i]);
    }
    double sum = 0.0;
    for (int i = 0; i < s->n_v; ++i) {
        sum += (s->v[i] - s->v_last[i]) * (s->v[i] - s->v_last[i]);
    }
    s->theta = sqrt(sum);
    return status;
}

// lambda of one contact with velocity u + Omega lambda + (lambda - old)/rho under the law.
static void obey(const tn_ccs *s, int m, const double u[3], double lambda[3])
{
    const tn_rows *c = s->problem->rows;
    tn_bound bound = tn_problem_bound(s->problem, m, NULL);
    double rho = s->rho[m];
    if (c->softness) {
        double W[9] = {1.0 / rho, 0.0, 0.0, 0.0, 1.0 / rho, 0.0, 0.0, 0.0, 1.0 / rho}, q[3];
        tn_rows_soften(c, m, W);
        tn_vec3_madd(q, u, -1.0 / rho, lambda);
        tn_set_solve(&bound, W, q, lambda);
        return;
    }
    tn_vec3_madd(lambda, lambda, -rho, u);
    if (bound.associated) {
        tn_set_project(&bound, lambda);
    } else {
        tn_cone_strict(bound.bound, lambda);
    }
}

void tn_ccs_split(tn_ccs *s)
{
    const double *softness = s->problem->rows->softness;
    double a = s->options->relaxation;
    for (int m = 0; m < s->n; ++m) {
        double relaxed[3], old[3], *lambda = s->lambda + 3 * m, rho = s->rho[m];
        for (int i = 0; i < 3; ++i) {
            relaxed[i] = a * s->u[3 * m + i] + (1.0 - a) * s->z[3 * m + i];
            old[i] = lambda[i];
        }
        obey(s, m, relaxed, lambda);
        for (int i = 0; i < 3; ++i) {
            s->z[3 * m + i] = relaxed[i] + (lambda[i] - old[i]) / rho;
        }
        if (softness) { // for the check
            tn_mat3_add_vec(s->u + 3 * m, softness + 9 * m, lambda);
        }
    }
}

double tn_ccs_momentum(tn_ccs *s)
{
    memset(s->force, 0, (size_t)s->n_v * sizeof *s->force);
    for (int i = 0; i < 3 * s->n; ++i) {
        s->mismatch[i] = s->held[i] - s->lambda[i];
    }
    tn_problem_add_contact_force(s->problem, s->mismatch, s->force);
    double norm = sqrt(tn_dot((size_t)s->n_v, s->force, s->force));
    return norm > 0.0 && s->b_norm > 0.0 ? norm / s->b_norm : norm;
}

double tn_ccs_true_momentum(tn_ccs *s)
{
    memcpy(s->right, s->problem->b, (size_t)s->n_v * sizeof *s->right);
    tn_problem_add_contact_force(s->problem, s->lambda, s->right);
    tn_block_product(s->problem->A, s->v, s->force, s->n_threads);
    for (int i = 0; i < s->n_v; ++i) {
        s->force[i] -= s->right[i];
    }
    double norm = sqrt(tn_dot((size_t)s->n_v, s->force, s->force));
    return norm > 0.0 && s->b_norm > 0.0 ? norm / s->b_norm : norm;
}
