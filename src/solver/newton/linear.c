#include "solver/newton/linear.h"

#include "base/timer.h"
#include "math/mat3.h"
#include "problem/problem.h"

#include <math.h>
#include <string.h>

static const double FRICTION_TOLERANCE = 1e-3; // of the GMRES solve
// Compliance of rigid rows, and the least of soft ones where steps are not damped, relative to 1 / rho:
// kernels/crowd.c.
static const double DELTA = 1e-4, LEAST = 1e-7;

// C = D rho symmetric D, rest = D rho (full - symmetric) D of one contact.
static void set_block(tn_newton_velocity *s, int m, const double full[9], const double symmetric[9])
{
    const double *D = s->scale + 3 * m;
    for (int i = 0; i < 9; ++i) {
        double scale = s->rho[m] * D[i / 3] * D[i % 3];
        s->C[9 * m + i] = scale * symmetric[i];
        s->rest[9 * m + i] = scale * (full[i] - symmetric[i]);
        s->has_rest = s->has_rest || s->rest[9 * m + i] != 0.0;
    }
}

// P' without the strict law's dependence of friction on the normal force: symmetric, eigenvalues in [0, 1].
static void drop_friction(const tn_newton_velocity *s, const double P[9], double out[9])
{
    for (int i = 0; i < 9; ++i) {
        bool friction = s->problem->law == TN_LAW_COULOMB && i % 3 == 0 && i > 0;
        out[i] = friction ? 0.0 : P[i];
    }
}

void tn_newton_take_slopes(tn_newton_velocity *s)
{
    s->has_rest = false;
    for (int m = 0; m < s->n; ++m) {
        double symmetric[9];
        drop_friction(s, s->slope + 9 * m, symmetric);
        set_block(s, m, s->slope + 9 * m, symmetric);
    }
}

// inverse = (I - P + P (delta + rho D Omega D))^-1
static void invert(const tn_newton_velocity *s, int m, const double P[9], double inverse[9])
{
    const double *D = s->scale + 3 * m, *softness = s->problem->rows->softness;
    double compliance[9], M[9];
    for (int i = 0; i < 9; ++i) {
        double own = softness ? s->rho[m] * D[i / 3] * softness[9 * m + i] * D[i % 3] : 0.0;
        double delta = own > 0.0 && !s->damped ? fmax(LEAST - own, 0.0) : DELTA;
        compliance[i] = own + (i % 4 == 0 ? delta - 1.0 : 0.0);
    }
    tn_mat3_mul(M, P, compliance);
    for (int i = 0; i < 9; i += 4) {
        M[i] += 1.0;
    }
    if (!tn_mat3_inverse(inverse, M)) {
        tn_mat3_identity(inverse);
    }
}

void tn_newton_eliminate_forces(tn_newton_velocity *s, double *g)
{
    s->has_rest = false;
    for (int m = 0; m < s->n; ++m) {
        const double *P = s->slope + 9 * m;
        double P_symmetric[9], inverse[9], F[3], full[9], symmetric[9];
        drop_friction(s, P, P_symmetric);
        invert(s, m, P_symmetric, inverse);
        tn_mat3_mul(symmetric, inverse, P_symmetric);
        invert(s, m, P, inverse);
        tn_mat3_mul(full, inverse, P);
        set_block(s, m, full, symmetric);
        tn_vec3_sub(F, s->multiplier + 3 * m, s->y + 3 * m);
        tn_mat3_vec(g + 3 * m, inverse, F);
    }
}

tn_status tn_newton_factor(tn_newton_velocity *s, tn_error *error)
{
    double start = tn_timer_now();
    tn_contact_matrix_fill(&s->K, s->C);
    tn_status status =
        s->factor ? tn_cholesky_factor(s->factor, &s->K.K, error) : tn_body_factor_values(&s->bodies, &s->K.K, error);
    ++s->factorisations;
    s->setup += tn_timer_now() - start;
    return status;
}

tn_status tn_newton_solve_symmetric(tn_newton_velocity *s, const double *x, double *out, tn_error *error)
{
    ++s->solves;
    if (s->factor) {
        return tn_cholesky_solve(s->factor, 1, x, out, error);
    }
    tn_body_factor_solve(&s->bodies, x, out);
    return TN_OK;
}

// q (n, 3) = rest J x
static void rest_force(const tn_newton_velocity *s, const double *x, double *q)
{
    tn_rows_motion(s->problem->rows, x, q);
    for (int m = 0; m < s->n; ++m) {
        double u[3];
        tn_vec3_copy(u, q + 3 * m);
        tn_mat3_vec(q + 3 * m, s->rest + 9 * m, u);
    }
}

// x (n_v) = K^-1 J^T q
static tn_status respond(tn_newton_velocity *s, const double *q, double *x, tn_error *error)
{
    memset(x, 0, (size_t)s->n_v * sizeof *x);
    tn_problem_add_contact_force(s->problem, q, x);
    return tn_newton_solve_symmetric(s, x, x, error);
}

// out = q + rest J K^-1 J^T q
static bool apply_friction(void *user, const double *q, double *out)
{
    tn_newton_velocity *s = user;
    if (respond(s, q, s->response, NULL) != TN_OK) {
        return false;
    }
    rest_force(s, s->response, out);
    for (int i = 0; i < 3 * s->n; ++i) {
        out[i] += q[i];
    }
    return true;
}

// The unknowns of GMRES are the forces q = rest J step: a velocity
// would have to be known to delta times the accuracy of the forces that follow from it.
tn_status tn_newton_add_friction(tn_newton_velocity *s, const double *x, tn_error *error)
{
    memcpy(s->step, x, (size_t)s->n_v * sizeof *s->step);
    if (!s->has_rest) {
        return TN_OK;
    }
    rest_force(s, x, s->contact);
    if (tn_gmres_solve(&s->gmres, apply_friction, s, s->contact, FRICTION_TOLERANCE, s->q) < 0) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for a Newton step");
    }
    tn_status status = respond(s, s->q, s->response, error);
    for (int i = 0; i < s->n_v; ++i) {
        s->step[i] -= s->response[i];
    }
    return status;
}
