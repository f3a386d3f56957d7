#include "solver/cond_check.h"

#include "kernels/block_product.h"

#include <math.h>

// Like tn_check's: a little below what is demanded, so that rounding in the certificate does not undo it.
static const double MARGIN = 0.9;

// q = J A^-1 b + w where bodies are all there is. Otherwise 0: q is only one of the scales of fclib, and without it
// the figure is on the safe side.
static void free_velocity(const tn_cond_system *s, double *v, double *q)
{
    const double zero[3] = {0.0, 0.0, 0.0};
    if (s->bodies.n_nodes > 0) {
        return;
    }
    tn_cond_bodies_solve(&s->bodies, s->problem->b, v);
    for (int m = 0; m < s->n_contacts; m++) {
        tn_cond_velocity(s, m, v, zero, q + 3 * m);
    }
}

tn_status tn_cond_check_create(const tn_cond_system *system, const tn_tolerance *tolerance, tn_arena *arena,
                               tn_cond_check *out, tn_error *error)
{
    const tn_problem *problem = system->problem;
    *out = (tn_cond_check){.system = system};
    out->u = TN_PUSH(arena, double, 3 * system->n_contacts);
    out->Av = TN_PUSH(arena, double, 3 * system->n_rows);
    out->f = TN_PUSH(arena, double, 3 * system->n_rows);
    if (out->u && out->Av && out->f) {
        free_velocity(system, out->Av, out->u);
    }
    if (!out->u || !out->Av || !out->f || !tn_check_create(&out->contacts, problem, out->u, tolerance, arena)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for cond's check");
    }
    double square = 0.0;
    for (int i = 0; i < 3 * system->n_rows; i++) {
        square += problem->b[i] * problem->b[i];
    }
    out->b_norm = fmax(sqrt(square), problem->force_scale);
    return TN_OK;
}

static double momentum(const tn_cond_check *check, const double *v, const double *lambda)
{
    const tn_cond_system *s = check->system;
    tn_block_product(s->problem->A, v, check->Av, s->n_threads);
    tn_cond_force(s, lambda, check->f);
    double residual = 0.0;
    for (int i = 0; i < 3 * s->n_rows; i++) {
        double r = check->Av[i] - check->f[i];
        residual += r * r;
    }
    return residual == 0.0 ? 0.0 : sqrt(residual) / check->b_norm;
}

// fmax drops a NaN; this keeps it.
static double larger(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}

double tn_cond_check_merit(const tn_cond_check *check, const tn_tolerance *tolerance, const double *v,
                           const double *lambda)
{
    double merit = 0.0;
    if (tolerance->momentum > 0.0) {
        merit = momentum(check, v, lambda) / (MARGIN * tolerance->momentum);
    }
    if (tolerance->natural > 0.0 || tolerance->fclib > 0.0) {
        for (int m = 0; m < check->system->n_contacts; m++) {
            tn_cond_velocity(check->system, m, v, lambda + 3 * m, check->u + 3 * m);
        }
        merit = larger(tn_check_score(&check->contacts, lambda, check->u), merit);
    }
    return merit;
}
