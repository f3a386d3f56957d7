#include "solver/ipm/interior_strict.h"

#include "math/mat3.h"
#include "problem/problem.h"
#include "solver/ipm/interior_cone.h"

#include <math.h>
#include <string.h>

enum { PRODUCTS = 120 };                // of GMRES; 5 to 90 are needed
static const double ACCURACY = 1e-3;    // of ds
static const double FRACTION = 0.9;     // of the way to the boundary
static const double LEAST_SLOPE = 1e-8; // of the shift in itself: a guard against dividing by 0

bool tn_interior_strict_create(tn_interior_strict *s, tn_interior *interior, tn_arena *arena)
{
    size_t n = (size_t)interior->n;
    *s = (tn_interior_strict){.interior = interior};
    return TN_PUSH_EACH(arena, n, &s->shift, &s->off_shift, &s->g, &s->ds) &&
           TN_PUSH_EACH(arena, 3 * n, &s->by_u, &s->by_x, &s->u, &s->force) &&
           TN_PUSH_EACH(arena, interior->n_v, &s->response) && tn_gmres_create(&s->gmres, interior->n, PRODUCTS, arena);
}

// s(u, x) - shift and its slopes.
static void evaluate_shift(tn_interior_strict *s)
{
    const tn_interior *in = s->interior;
    tn_problem_velocity(in->problem, in->v, in->lambda, s->u);
    double sum = 0.0;
    for (int m = 0; m < in->n; ++m) {
        const double *S = in->S + 3 * m, *x = in->x + 3 * m, *u = s->u + 3 * m;
        double mu = 1.0 / S[0], a = S[1] * u[1], b = S[2] * u[2], along = a * x[1] + b * x[2];
        s->off_shift[m] = -mu * along / x[0] - s->shift[m];
        tn_vec3_set(s->by_u + 3 * m, 0.0, -mu * S[1] * x[1] / x[0], -mu * S[2] * x[2] / x[0]);
        tn_vec3_set(s->by_x + 3 * m, mu * along / (x[0] * x[0]), -mu * a / x[0], -mu * b / x[0]);
        sum += s->off_shift[m] * s->off_shift[m];
    }
    s->residual = sqrt(sum);
}

static void scale(size_t n, double factor, double *x)
{
    for (size_t i = 0; i < n; ++i) {
        x[i] *= factor;
    }
}

// What the contacts push with before any velocity changes, into right; dx eliminated from the shift's equation.
static void eliminate(tn_interior_strict *s, double target)
{
    tn_interior *in = s->interior;
    for (int m = 0; m < in->n; ++m) {
        const double *S = in->S + 3 * m, *E = in->E + 9 * m, *c = s->by_x + 3 * m;
        double want[3], a[3], force[3], slope[3];
        tn_interior_product(in->l + 3 * m, in->l + 3 * m, a);
        tn_vec3_set(want, target - a[0], -a[1], -a[2]);
        tn_interior_divide(in->l + 3 * m, want, a);
        tn_mat3_tvec(in->centring + 3 * m, in->P + 9 * m, a);
        tn_mat3_vec(force, E, in->off_law + 3 * m);
        tn_vec3_add(force, force, in->centring + 3 * m); // dx without du and ds
        tn_mat3_tvec(slope, E, c);
        double own = 1.0 + S[0] * slope[0];
        own = fabs(own) > LEAST_SLOPE ? own : LEAST_SLOPE;
        s->g[m] = (s->off_shift[m] + tn_vec3_dot(c, force)) / own;
        for (int i = 0; i < 3; ++i) {
            s->by_u[3 * m + i] = (s->by_u[3 * m + i] - S[i] * slope[i]) / own;
            in->contact[3 * m + i] = S[i] * force[i];
        }
    }
    for (int i = 0; i < in->n_v; ++i) {
        in->right[i] = -in->off_balance[i];
    }
    tn_problem_add_contact_force(in->problem, in->contact, in->right);
}

// response += sign J^T C e_0 ds
static void push_shift(tn_interior_strict *s, double sign, const double *ds, double *response)
{
    const tn_interior *in = s->interior;
    for (int m = 0; m < in->n; ++m) {
        for (int i = 0; i < 3; ++i) {
            s->force[3 * m + i] = sign * in->C[9 * m + 3 * i] * ds[m];
        }
    }
    tn_problem_add_contact_force(in->problem, s->force, response);
}

// out = in (1 + 1/pace) + b . J K^-1 J^T C e_0 in
static bool apply(void *user, const double *x, double *out)
{
    tn_interior_strict *s = user;
    tn_interior *in = s->interior;
    memset(s->response, 0, (size_t)in->n_v * sizeof *s->response);
    push_shift(s, 1.0, x, s->response);
    ++s->solves;
    tn_body_factor_solve(&in->factor, s->response, s->response);
    tn_rows_motion(in->problem->rows, s->response, s->u);
    for (int m = 0; m < in->n; ++m) {
        out[m] = (1.0 + s->inverse_pace) * x[m] + tn_vec3_dot(s->by_u + 3 * m, s->u + 3 * m);
    }
    return true;
}

// ds, then dv.
static tn_status solve(tn_interior_strict *s, tn_error *error)
{
    tn_interior *in = s->interior;
    tn_body_factor_solve(&in->factor, in->right, s->response);
    tn_rows_motion(in->problem->rows, s->response, s->u);
    for (int m = 0; m < in->n; ++m) {
        s->g[m] += tn_vec3_dot(s->by_u + 3 * m, s->u + 3 * m);
    }
    if (tn_gmres_solve(&s->gmres, apply, s, s->g, ACCURACY, s->ds) < 0) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for an interior point step");
    }
    push_shift(s, -1.0, s->ds, in->right);
    s->solves += 2;
    tn_body_factor_solve(&in->factor, in->right, in->dv);
    return TN_OK;
}

// dy, dx from dv and ds.
static void follow(tn_interior_strict *s)
{
    tn_interior *in = s->interior;
    tn_rows_motion(in->problem->rows, in->dv, s->u);
    for (int m = 0; m < in->n; ++m) {
        double push[3], *dy = in->dy + 3 * m;
        s->u[3 * m] += s->ds[m];
        for (int i = 0; i < 3; ++i) {
            dy[i] = in->S[3 * m + i] * s->u[3 * m + i] - in->off_law[3 * m + i];
        }
        tn_mat3_vec(push, in->E + 9 * m, dy);
        tn_vec3_sub(in->dx + 3 * m, in->centring + 3 * m, push);
    }
}

tn_status tn_interior_strict_step(tn_interior_strict *s, double target, double keep, double pace, tn_error *error)
{
    tn_interior *in = s->interior;
    tn_status status = tn_interior_linearise(in, s->shift, error);
    if (status != TN_OK) {
        return status;
    }
    evaluate_shift(s);
    s->inverse_pace = 1.0 / pace;
    scale(3 * (size_t)in->n, 1.0 - keep, in->off_law);
    scale((size_t)in->n_v, 1.0 - keep, in->off_balance);
    scale((size_t)in->n, 1.0 - keep, s->off_shift);
    eliminate(s, target * in->gap * in->energy);
    status = solve(s, error);
    if (status != TN_OK) {
        return status;
    }
    follow(s);
    tn_interior_move(in, FRACTION);
    for (int m = 0; m < in->n; ++m) {
        s->shift[m] += in->reach * s->ds[m];
    }
    return TN_OK;
}
