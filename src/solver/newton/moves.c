// The two kinds of step of velocity.h.
#include "kernels/block_product.h"
#include "math/mat3.h"
#include "math/sums.h"
#include "problem/problem.h"
#include "solver/newton/linear.h"

#include <math.h>
#include <string.h>

// sqrt(R^T K^-1 R), and K^-1 R into out (n_v).
static tn_status residual_norm(tn_newton_velocity *s, double *out, double *norm, tn_error *error)
{
    tn_status status = tn_newton_solve_symmetric(s, s->R, out, error);
    *norm = sqrt(fmax(tn_dot((size_t)s->n_v, s->R, out), 0.0));
    return status;
}

static void advance(tn_newton_velocity *s, double length)
{
    for (int i = 0; i < s->n_v; ++i) {
        s->v[i] = s->v_old[i] + length * s->step[i];
    }
    tn_newton_velocity_evaluate(s);
}

// The symmetric step -K^-1 R from v_old, as long as the convex function falls.
static tn_status search_step(tn_newton_velocity *s, tn_error *error)
{
    memcpy(s->v, s->v_old, (size_t)s->n_v * sizeof *s->v);
    tn_newton_velocity_evaluate(s);
    double norm;
    tn_status status = residual_norm(s, s->step, &norm, error);
    for (int i = 0; i < s->n_v; ++i) {
        s->step[i] = -s->step[i];
    }
    tn_block_product(s->problem->A, s->step, s->Astep, s->n_threads);
    tn_rows_motion(s->problem->rows, s->step, s->ustep);
    advance(s, tn_newton_velocity_search(s));
    return status;
}

tn_status tn_newton_velocity_move(tn_newton_velocity *s, tn_error *error)
{
    double before = 0.0, after = 0.0;
    memcpy(s->v_old, s->v, (size_t)s->n_v * sizeof *s->v);
    tn_newton_take_slopes(s);
    tn_status status = tn_newton_factor(s, error);
    status = status == TN_OK ? residual_norm(s, s->force, &before, error) : status;
    status = status == TN_OK ? tn_newton_add_friction(s, s->force, error) : status;
    if (status != TN_OK) {
        return status;
    }
    for (int i = 0; i < s->n_v; ++i) {
        s->step[i] = -s->step[i];
    }
    advance(s, 1.0);
    status = residual_norm(s, s->force, &after, error);
    return status == TN_OK && !(after <= 0.8 * before) ? search_step(s, error) : status;
}

// y^ by the same linear equations as v: -g - rho M^-1 P' D J step.
static void move_multipliers(tn_newton_velocity *s, const double *g)
{
    tn_rows_motion(s->problem->rows, s->step, s->contact);
    for (int m = 0; m < s->n; ++m) {
        const double *du = s->contact + 3 * m;
        double df[3];
        tn_mat3_vec(df, s->C + 9 * m, du);
        tn_mat3_add_vec(df, s->rest + 9 * m, du);
        for (int i = 0; i < 3; ++i) {
            double D = s->scale[3 * m + i];
            s->multiplier[3 * m + i] -= g[3 * m + i] + (D > 0.0 ? df[i] / D : 0.0);
        }
    }
}

tn_status tn_newton_velocity_dual(tn_newton_velocity *s, tn_error *error)
{
    double *g = s->ustep; // M^-1 F
    tn_newton_eliminate_forces(s, g);
    for (int i = 0; i < 3 * s->n; ++i) { // y^ - M^-1 F
        s->contact[i] = s->scale[i] * (s->multiplier[i] - g[i]);
    }
    tn_status status = tn_newton_factor(s, error);
    if (status != TN_OK) {
        return status;
    }
    for (int i = 0; i < s->n_v; ++i) {
        s->force[i] = s->problem->b[i] - s->Av[i];
    }
    tn_problem_add_contact_force(s->problem, s->contact, s->force);
    status = tn_newton_solve_symmetric(s, s->force, s->force, error);
    status = status == TN_OK ? tn_newton_add_friction(s, s->force, error) : status;
    if (status != TN_OK) {
        return status;
    }
    for (int i = 0; i < s->n_v; ++i) {
        s->v[i] += s->step[i];
    }
    move_multipliers(s, g);
    tn_newton_velocity_evaluate(s);
    return TN_OK;
}
