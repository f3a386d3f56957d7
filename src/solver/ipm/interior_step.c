// One predictor-corrector step (interior.h).
#include "solver/ipm/interior.h"

#include "base/timer.h"
#include "math/blocks.h"
#include "math/mat3.h"
#include "math/sums.h"
#include "problem/problem.h"
#include "solver/ipm/interior_cone.h"

#include <math.h>
#include <string.h>

static const double FRACTION = 0.99;  // of the way to the boundary
static const double OPEN = 0.03;      // of the balance's error that a rough solve may leave
static const double BESIDE = 1e-2;    // of the gap, and of b, likewise: the balance need not be far ahead of the gap
static const double LATE = 1e-3;      // gap from which that holds, and directions are refined
static const double ROUNDING = 1e-12; // of b, likewise
static const double AHEAD = 0.2;      // further correctors look this much beyond what the step can do
static const double GAIN = 0.02;      // of the step's length that a corrector must bring to be followed
static const double SPREAD = 5.0;     // products x o y from 1/5 to 5 times their aim are left as they are
enum { CORRECTORS = 5 };

static double length(size_t n, const double *x)
{
    return sqrt(tn_dot(n, x, x));
}

// What a rough solve may leave open of the balance: a share of what is open now, of the gap, and of rounding.
static double open_balance(const tn_interior *s)
{
    size_t n = (size_t)s->n_v;
    double share = fmax(BESIDE * fmin(s->gap, LATE), ROUNDING);
    return fmax(OPEN * length(n, s->off_balance), share * length(n, s->problem->b));
}

// dv of right, by the factor that was made.
static tn_status solve(tn_interior *s, tn_error *error)
{
    if (s->rough && s->rough->kind != TN_ROUGH_NONE) {
        if (tn_rough_factor_solve(s->rough, &s->K.K, s->right, open_balance(s), s->dv)) {
            return TN_OK;
        }
        s->rough->kind = TN_ROUGH_NONE;
        tn_status status = tn_interior_factor(s, error);
        if (status != TN_OK) {
            return status;
        }
    }
    return tn_body_factor_solve(&s->factor, s->right, s->dv, error);
}

// The change of x with y held for x o y -> target, and with `correct` extra on top of it. Without Omega P^T l = x and
// P^T l^-1 = y^-1, which spares the rounding of l = W y: where a contact slides W's terms cancel to some 1e-10 of
// themselves.
static void centre(const tn_interior *s, int m, double target, bool correct, double out[3])
{
    double want[3] = {0.0, 0.0, 0.0}, a[3];
    if (s->problem->contacts->omega) {
        tn_interior_product(s->l + 3 * m, s->l + 3 * m, a);
        tn_vec3_set(want, target - a[0], -a[1], -a[2]);
    }
    if (correct) {
        tn_vec3_add(want, want, s->extra + 3 * m);
    }
    tn_interior_divide(s->l + 3 * m, want, a);
    tn_mat3_tvec(out, s->P + 9 * m, a);
    if (!s->problem->contacts->omega) {
        tn_interior_invert(s->y + 3 * m, a);
        for (int i = 0; i < 3; ++i) {
            out[i] += target * a[i] - s->x[3 * m + i];
        }
    }
}

// E d. Without Omega E = W W, whose weak direction decides where a contact slides.
static void stiffness(const tn_interior *s, int m, const double d[3], double out[3])
{
    if (s->problem->contacts->omega) {
        tn_mat3_vec(out, s->E + 9 * m, d);
    } else {
        tn_interior_stiffness(s->x + 3 * m, s->y + 3 * m, s->W + 9 * m, d, out);
    }
}

// S J dv at contact m.
static void contact_change(const tn_interior *s, int m, double out[3])
{
    const tn_contacts *c = s->problem->contacts;
    tn_vec3_set(out, 0.0, 0.0, 0.0);
    for (int e = c->start[m]; e < c->start[m + 1]; ++e) {
        tn_mat3_add_vec(out, c->jacobian + 9 * (size_t)e, s->dv + 3 * (size_t)c->block[e]);
    }
    for (int i = 0; i < 3; ++i) {
        out[i] *= s->S[3 * m + i];
    }
}

// dv, dx, dy for x o y -> target, and with `correct` extra on top of it.
static tn_status aim(tn_interior *s, double target, bool correct, tn_error *error)
{
    const tn_contacts *c = s->problem->contacts;
    for (int m = 0; m < s->n; ++m) {
        double force[3];
        centre(s, m, target, correct, s->centring + 3 * m);
        stiffness(s, m, s->off_law + 3 * m, force);
        for (int i = 0; i < 3; ++i) {
            s->contact[3 * m + i] = s->S[3 * m + i] * (s->centring[3 * m + i] + force[i]);
        }
    }
    for (int i = 0; i < s->n_v; ++i) {
        s->right[i] = -s->off_balance[i];
    }
    tn_problem_add_contact_force(s->problem, s->contact, s->right);
    tn_interior_joints_aim(&s->joints, target, correct, s->right);
    tn_status status = solve(s, error);
    for (int m = 0; m < s->n; ++m) {
        double push[3], pushed[3], *dx = s->dx + 3 * m, *dy = s->dy + 3 * m;
        contact_change(s, m, dy);
        tn_vec3_sub(dy, dy, s->off_law + 3 * m);
        stiffness(s, m, dy, push);
        tn_vec3_sub(dx, s->centring + 3 * m, push);
        if (c->omega) {
            tn_vec3_set(push, s->S[3 * m] * dx[0], s->S[3 * m + 1] * dx[1], s->S[3 * m + 2] * dx[2]);
            tn_mat3_vec(pushed, c->omega + 9 * m, push);
            for (int i = 0; i < 3; ++i) {
                dy[i] += s->S[3 * m + i] * pushed[i];
            }
        }
    }
    tn_interior_joints_follow(&s->joints, s->dv);
    return status;
}

static double reach_of(const tn_interior *s, double fraction)
{
    double reach = fmin(1.0, fraction * tn_interior_joints_reach(&s->joints, 2.0));
    for (int m = 0; m < s->n; ++m) {
        reach = fmin(reach, fraction * tn_interior_reach(s->x + 3 * m, s->dx + 3 * m, 2.0));
        reach = fmin(reach, fraction * tn_interior_reach(s->y + 3 * m, s->dy + 3 * m, 2.0));
    }
    return reach;
}

void tn_interior_move(tn_interior *s, double fraction)
{
    s->reach = reach_of(s, fraction);
    for (int i = 0; i < s->n_v; ++i) {
        s->v[i] += s->reach * s->dv[i];
    }
    for (int i = 0; i < 3 * s->n; ++i) {
        s->x[i] += s->reach * s->dx[i];
        s->y[i] += s->reach * s->dy[i];
    }
    tn_interior_joints_move(&s->joints, s->reach);
    tn_interior_summarise(s);
}

// The scaled change of both, d_x = W^-1 dx and d_y = W dy.
static void scaled_change(const tn_interior *s, int m, double dx[3], double dy[3])
{
    tn_mat3_vec(dx, s->W_inverse + 9 * m, s->dx + 3 * m);
    tn_mat3_vec(dy, s->W + 9 * m, s->dy + 3 * m);
}

// extra = -d_x o d_y of the last dx, dy: Mehrotra's second-order term.
static void take_second_order(tn_interior *s)
{
    for (int m = 0; m < s->n; ++m) {
        double a[3], b[3], product[3];
        scaled_change(s, m, a, b);
        tn_interior_product(a, b, product);
        tn_vec3_scale(s->extra + 3 * m, -1.0, product);
    }
}

// From an eigenvalue of x o y to the nearest that is well centred, by at most -SPREAD target.
static double towards_centre(double value, double target)
{
    double nearest = fmin(fmax(value, target / SPREAD), SPREAD * target);
    return fmax(nearest - value, -SPREAD * target);
}

// extra += what brings the outliers of x o y at a step of length `reach` back, eigenvalue by eigenvalue (Gondzio).
static void take_outliers(tn_interior *s, double reach, double target)
{
    for (int m = 0; m < s->n; ++m) {
        double a[3], b[3], p[3];
        scaled_change(s, m, a, b);
        for (int i = 0; i < 3; ++i) {
            a[i] = s->l[3 * m + i] + reach * a[i];
            b[i] = s->l[3 * m + i] + reach * b[i];
        }
        tn_interior_product(a, b, p);
        double t = sqrt(p[1] * p[1] + p[2] * p[2]);
        double large = towards_centre(p[0] + t, target), small = towards_centre(p[0] - t, target);
        double along = t > 0.0 ? 0.5 * (large - small) / t : 0.0;
        s->extra[3 * m] += 0.5 * (large + small);
        s->extra[3 * m + 1] += along * p[1];
        s->extra[3 * m + 2] += along * p[2];
    }
}

static void keep_direction(tn_interior *s)
{
    memcpy(s->kept, s->dx, 3 * (size_t)s->n * sizeof *s->dx);
    memcpy(s->kept + 3 * (size_t)s->n, s->dy, 3 * (size_t)s->n * sizeof *s->dy);
    memcpy(s->kept + 6 * (size_t)s->n, s->dv, (size_t)s->n_v * sizeof *s->dv);
}

static void return_to_kept(tn_interior *s)
{
    memcpy(s->dx, s->kept, 3 * (size_t)s->n * sizeof *s->dx);
    memcpy(s->dy, s->kept + 3 * (size_t)s->n, 3 * (size_t)s->n * sizeof *s->dy);
    memcpy(s->dv, s->kept + 6 * (size_t)s->n, (size_t)s->n_v * sizeof *s->dv);
}

// Further correctors, as long as they lengthen the step.
static tn_status correct_further(tn_interior *s, double target, tn_error *error)
{
    double reach = reach_of(s, 1.0);
    tn_status status = TN_OK;
    for (int k = 0; k < CORRECTORS && reach < 1.0 - GAIN && status == TN_OK; ++k) {
        keep_direction(s);
        take_outliers(s, fmin(1.0, reach + AHEAD), target);
        status = aim(s, target, true, error);
        double longer = reach_of(s, 1.0);
        if (!(longer > reach + GAIN)) {
            return_to_kept(s);
            break;
        }
        reach = longer;
    }
    return status;
}

// Late in a solve the direction's own balance, A dv + off_balance - J^T S dx = 0, is off by the rounding of E S J dv,
// E being large where contacts hold: the gap would come to rest near 1e-10. One more solve, for what is missing, mends
// that, since its own dv is small; most often there is nothing to do. Without Omega.
static tn_status refine(tn_interior *s, tn_error *error)
{
    tn_blocks_mul(s->problem->A, s->dv, s->right);
    for (int i = 0; i < s->n_v; ++i) {
        s->right[i] = -s->right[i] - s->off_balance[i];
    }
    for (int i = 0; i < 3 * s->n; ++i) {
        s->contact[i] = s->S[i] * s->dx[i];
    }
    tn_problem_add_contact_force(s->problem, s->contact, s->right);
    if (length((size_t)s->n_v, s->right) <= open_balance(s)) {
        return TN_OK;
    }
    memcpy(s->kept, s->dv, (size_t)s->n_v * sizeof *s->dv);
    s->rough->begun = false;
    tn_status status = solve(s, error);
    for (int m = 0; m < s->n; ++m) {
        double change[3], push[3];
        contact_change(s, m, change);
        stiffness(s, m, change, push);
        tn_vec3_add(s->dy + 3 * m, s->dy + 3 * m, change);
        tn_vec3_sub(s->dx + 3 * m, s->dx + 3 * m, push);
    }
    for (int i = 0; i < s->n_v; ++i) {
        s->dv[i] += s->kept[i];
    }
    return status;
}

static tn_status make_factor(tn_interior *s, tn_error *error)
{
    if (s->rough) {
        double before = tn_timer_now();
        tn_status status = tn_rough_factor_values(s->rough, &s->K.K, s->C, error);
        s->setup += tn_timer_now() - before;
        if (status != TN_OK || s->rough->kind != TN_ROUGH_NONE) {
            return status;
        }
    }
    return tn_interior_factor(s, error);
}

tn_status tn_interior_step(tn_interior *s, const double *shift, tn_error *error)
{
    tn_interior_scale(s, shift);
    tn_status status = make_factor(s, error);
    if (status == TN_OK) {
        status = aim(s, 0.0, false, error);
    }
    if (status != TN_OK) {
        return status;
    }
    // Mehrotra: the further the uncentred step can go, the less centring.
    double rest = 1.0 - reach_of(s, 1.0), centring = rest * rest * rest;
    double target = fmax(centring * s->gap, s->least_gap) * s->energy;
    take_second_order(s);
    status = aim(s, target, true, error);
    if (status == TN_OK && s->rough) {
        status = correct_further(s, target, error);
    }
    if (status == TN_OK && s->rough && s->gap < LATE && !s->problem->contacts->omega) {
        status = refine(s, error);
    }
    tn_interior_move(s, FRACTION);
    return status;
}
