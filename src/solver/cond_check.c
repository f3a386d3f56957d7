#include "solver/cond_check.h"

#include "law/local.h"
#include "math/blocks.h"
#include "math/mat3.h"

#include <float.h>
#include <math.h>

// rho of contact m from the own 3x3 blocks of A alone.
static double contact_rho(const tn_problem *problem, int m)
{
    const tn_contacts *contacts = problem->contacts;
    double diagonal[3] = {0.0, 0.0, 0.0};
    for (int e = contacts->start[m]; e < contacts->start[m + 1]; e++) {
        const double *own = tn_blocks_find(problem->A, contacts->block[e], contacts->block[e]);
        double inverse[9];
        if (!own || !tn_mat3_inverse(inverse, own)) {
            continue;
        }
        for (int i = 0; i < 3; i++) {
            const double *j = contacts->jacobian + 9 * e + 3 * i;
            double x[3];
            tn_mat3_vec(x, inverse, j);
            diagonal[i] += tn_vec3_dot(j, x);
        }
    }
    double worst = fmax(diagonal[0], fmax(diagonal[1], diagonal[2]));
    return worst > 0.0 ? 1.0 / worst : 1.0;
}

// q = J A^-1 b + w where bodies are all there is; Omega and 1/k_v play no part at lambda = 0.
static void free_velocity(const tn_cond_system *s, double *v, double *q)
{
    const double zero[3] = {0.0, 0.0, 0.0};
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
    out->rho = TN_PUSH(arena, double, system->n_contacts);
    out->Av = TN_PUSH(arena, double, 3 * system->n_rows);
    out->f = TN_PUSH(arena, double, 3 * system->n_rows);
    bool wants_free = tolerance->fclib > 0.0 && system->bodies.n_nodes == 0;
    out->free = wants_free ? TN_PUSH(arena, double, 3 * system->n_contacts) : NULL;
    if (!out->rho || !out->Av || !out->f || (wants_free && !out->free)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for cond's check");
    }
    if (wants_free) {
        free_velocity(system, out->Av, out->free);
    }
    for (int m = 0; m < system->n_contacts; m++) {
        out->rho[m] = contact_rho(problem, m);
    }
    out->f0 = problem->force_scale;
    return TN_OK;
}

static double ratio(double numerator, double denominator)
{
    if (numerator == 0.0) {
        return 0.0;
    }
    return numerator / denominator; // a zero scale gives infinity: not converged
}

static double momentum(const tn_cond_check *check, const double *v, const double *lambda)
{
    const tn_problem *problem = check->system->problem;
    tn_blocks_mul_threads(problem->A, v, check->Av, check->system->n_threads);
    tn_cond_force(check->system, lambda, check->f);
    double residual = 0.0, scale = 0.0;
    for (int i = 0; i < 3 * check->system->n_rows; i++) {
        double r = check->Av[i] - check->f[i];
        residual += r * r;
        scale += problem->b[i] * problem->b[i];
    }
    return ratio(sqrt(residual), fmax(sqrt(scale), check->f0));
}

static double natural_square(tn_law law, const double mu[2], double rho, const double f[3], const double u[3])
{
    double out[3];
    tn_local_natural(law, mu, rho, f, u, out);
    return tn_vec3_dot(out, out);
}

// natural and fclib in one pass over the contacts.
static void contact_figures(const tn_cond_check *check, const double *v, const double *lambda, double *natural,
                            double *fclib)
{
    const tn_cond_system *s = check->system;
    const tn_problem *problem = s->problem;
    double h = problem->step > 0.0 ? problem->step : 1.0;
    double force = 0.0, velocity = 0.0, free = 0.0, distance = 0.0, impulse_distance = 0.0;
    for (int m = 0; m < s->n_contacts; m++) {
        const double *l = lambda + 3 * m;
        double u[3], impulse[3];
        tn_cond_velocity(s, m, v, l, u);
        velocity += tn_vec3_dot(u, u);
        force += tn_vec3_dot(l, l);
        const double *mu = problem->contacts->mu + 2 * m;
        distance += natural_square(problem->law, mu, check->rho[m], l, u);
        tn_vec3_scale(impulse, h, l);
        impulse_distance += natural_square(TN_LAW_COULOMB, mu, 1.0, impulse, u); // fclib is of the strict law always
        if (check->free) {
            free += tn_vec3_dot(check->free + 3 * m, check->free + 3 * m);
        }
    }
    *natural = ratio(sqrt(distance), fmax(sqrt(force), check->f0));
    double scale = fmax(fmax(sqrt(free), h * sqrt(force)), sqrt(velocity));
    *fclib = sqrt(impulse_distance) / (scale > DBL_EPSILON ? scale : 1.0);
}

// fmax drops a NaN; this keeps it.
static double larger(double a, double b)
{
    return isnan(a) || a > b ? a : b;
}

double tn_cond_check_merit(const tn_cond_check *check, const tn_tolerance *tolerance, const double *v,
                           const double *lambda)
{
    double natural, fclib, merit = 0.0;
    if (tolerance->momentum > 0.0) {
        merit = larger(merit, momentum(check, v, lambda) / tolerance->momentum);
    }
    if (tolerance->natural > 0.0 || tolerance->fclib > 0.0) {
        contact_figures(check, v, lambda, &natural, &fclib);
        if (tolerance->natural > 0.0) {
            merit = larger(merit, natural / tolerance->natural);
        }
        if (tolerance->fclib > 0.0) {
            merit = larger(merit, fclib / tolerance->fclib);
        }
    }
    return merit;
}
