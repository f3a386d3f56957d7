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
static const double OPEN = 0.2;       // of the balance's error that a rough solve may leave
static const double REFINED = 0.03;   // likewise after directions were refined
static const double PREDICTED = 4.0;  // times as much by the first solve of a step, which only tells how far to aim
static const double BESIDE = 1e-2;    // of the gap, and of b, likewise: the balance need not be far ahead of the gap
static const double LATE = 1e-3;      // gap from which that holds, and directions are refined
static const double ROUNDING = 1e-12; // of b, likewise
static const double AHEAD = 0.2;      // further correctors look this much beyond what the step can do
static const double GAIN = 0.02;      // of the step's length that a corrector must bring to be followed
static const double SPREAD = 5.0;     // products x o y from 1/5 to 5 times their aim are left as they are
enum { MANY = 50 };                   // contacts from which further correctors save steps
enum { CORRECTORS = 3, FEW_CORRECTORS = 2, REFINEMENTS = 40, STALE = 8 }; // few: where a factor is cheap

static double length(size_t n, const double *x)
{
    return sqrt(tn_dot(n, x, x));
}

// What a solve may leave open of the balance: that share of what is open now, or one of the gap and of rounding.
static double open_balance(const tn_interior *s, double of_open)
{
    size_t n = (size_t)s->n_v;
    double share = fmax(BESIDE * fmin(s->gap, LATE), ROUNDING);
    return fmax(of_open * length(n, s->off_balance), share * length(n, s->problem->b));
}

// dv of right, by the factor that was made; `open` may be left of the balance.
static tn_status solve(tn_interior *s, double open, tn_error *error)
{
    if (s->rough && s->rough->kind != TN_ROUGH_NONE) {
        if (tn_rough_factor_solve(s->rough, &s->K.K, s->right, open, s->dv)) {
            return TN_OK;
        }
        s->rough->kind = TN_ROUGH_NONE;
        tn_status status = tn_interior_factor(s, error);
        if (status != TN_OK) {
            return status;
        }
    }
    tn_body_factor_solve(&s->factor, s->right, s->dv);
    return TN_OK;
}

// With Omega: the change of x with y held for x o y -> target, and with `correct` extra on top of it.
static void centre(const tn_interior *s, int m, double target, bool correct, double out[3])
{
    double want[3], a[3];
    tn_interior_product(s->l + 3 * m, s->l + 3 * m, a);
    tn_vec3_set(want, target - a[0], -a[1], -a[2]);
    if (correct) {
        tn_vec3_add(want, want, s->extra + 3 * m);
    }
    tn_interior_divide(s->l + 3 * m, want, a);
    tn_mat3_tvec(out, s->P + 9 * m, a);
}

// Right-hand side of dv for the law's part: contact = S (centring + E off_law). Without Omega P^T l = x and
// P^T l^-1 = y^-1, which spares the rounding of l = W y: where a contact slides W's terms cancel to some 1e-10 of
// themselves.
static void push(tn_interior *s, double target, bool correct)
{
    if (!s->problem->rows->softness) {
        tn_cones_aim(&s->cones, target, correct ? s->extra : NULL, s->off_law, s->centring, s->contact);
        return;
    }
    for (int m = 0; m < s->n; ++m) {
        double force[3];
        centre(s, m, target, correct, s->centring + 3 * m);
        tn_mat3_vec(force, s->E + 9 * m, s->off_law + 3 * m);
        for (int i = 0; i < 3; ++i) {
            s->contact[3 * m + i] = s->S[3 * m + i] * (s->centring[3 * m + i] + force[i]);
        }
    }
}

// u = J dv
static void contact_change(const tn_interior *s, const double *dv, double *u)
{
    const tn_rows *c = s->problem->rows;
    for (int m = 0; m < s->n; ++m, u += 3) {
        tn_vec3_set(u, 0.0, 0.0, 0.0);
        for (int e = c->start[m]; e < c->start[m + 1]; ++e) {
            tn_mat3_add_vec(u, c->jacobian + 9 * (size_t)e, dv + 3 * (size_t)c->block[e]);
        }
    }
}

// dy, dx of dv
static void follow(tn_interior *s)
{
    const tn_rows *c = s->problem->rows;
    contact_change(s, s->dv, s->dy);
    if (!c->softness) {
        tn_cones_follow(&s->cones, s->centring, s->off_law, s->dx, s->dy);
        return;
    }
    for (int m = 0; m < s->n; ++m) {
        double force[3], pushed[3], *dx = s->dx + 3 * m, *dy = s->dy + 3 * m;
        const double *S = s->S + 3 * m;
        for (int i = 0; i < 3; ++i) {
            dy[i] = S[i] * dy[i] - s->off_law[3 * m + i];
        }
        tn_mat3_vec(force, s->E + 9 * m, dy);
        tn_vec3_sub(dx, s->centring + 3 * m, force);
        tn_vec3_set(force, S[0] * dx[0], S[1] * dx[1], S[2] * dx[2]);
        tn_mat3_vec(pushed, c->softness + 9 * m, force);
        for (int i = 0; i < 3; ++i) {
            dy[i] += S[i] * pushed[i];
        }
    }
}

// dv, dx, dy for x o y -> target, and with `correct` extra on top of it.
static tn_status aim(tn_interior *s, double target, bool correct, tn_error *error)
{
    push(s, target, correct);
    for (int i = 0; i < s->n_v; ++i) {
        s->right[i] = -s->off_balance[i];
    }
    tn_problem_add_contact_force(s->problem, s->contact, s->right);
    tn_interior_joints_aim(&s->joints, target, correct, s->right);
    tn_status status = solve(s, (correct ? 1.0 : PREDICTED) * open_balance(s, OPEN), error);
    follow(s);
    tn_interior_joints_follow(&s->joints, s->dv);
    return status;
}

static double reach_of(const tn_interior *s, double fraction)
{
    double most = tn_interior_joints_reach(&s->joints, 2.0);
    return fmin(1.0, fraction * tn_cones_reach(&s->cones, s->dx, s->dy, most));
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
    int most = s->rough ? CORRECTORS : FEW_CORRECTORS;
    double reach = reach_of(s, 1.0);
    tn_status status = TN_OK;
    for (int k = 0; k < most && reach < 1.0 - GAIN && status == TN_OK; ++k) {
        keep_direction(s);
        tn_cones_outliers how = {.reach = fmin(1.0, reach + AHEAD), .target = target, .spread = SPREAD};
        tn_cones_add_outliers(&s->cones, &how, s->dx, s->dy, s->extra);
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

// right = -(A dv + off_balance - J^T S dx), what the direction's own balance lacks. Without joints.
static void find_missing(tn_interior *s)
{
    tn_blocks_mul(s->problem->A, s->dv, s->right);
    for (int i = 0; i < s->n_v; ++i) {
        s->right[i] = -s->right[i] - s->off_balance[i];
    }
    for (int i = 0; i < 3 * s->n; ++i) {
        s->contact[i] = s->S[i] * s->dx[i];
    }
    tn_problem_add_contact_force(s->problem, s->contact, s->right);
}

// out (n_v) = K p, of the contacts' own matrices, and contact = J p.
static void apply(tn_interior *s, const double *p, double *out)
{
    contact_change(s, p, s->contact);
    for (int m = 0; m < s->n; ++m) {
        tn_mat3_vec(s->extra + 3 * m, s->C + 9 * (size_t)m, s->contact + 3 * m);
    }
    tn_blocks_mul(s->problem->A, p, out);
    tn_problem_add_contact_force(s->problem, s->extra, out);
}

// d of K d = right, by the factor that was made, beside dv.
static tn_status solve_beside(tn_interior *s, double open, double *d, tn_error *error)
{
    double *dv = s->dv;
    if (s->rough) {
        s->rough->begun = false; // this x is another
    }
    s->dv = d;
    tn_status status = solve(s, open, error);
    s->dv = dv;
    return status;
}

// Late in a solve the direction's balance is off by the rounding of E S J dv, E being large where contacts hold, and by
// what K's diagonal was raised: the gap would come to rest near 1e-10. Further solves, for what is missing, mend that,
// since their own dv is small; most often there is nothing to do. They are steps of conjugate gradients: a raised
// diagonal is far from K where mass alone resists. Without Omega and joints.
static tn_status refine(tn_interior *s, tn_error *error)
{
    size_t n_v = (size_t)s->n_v;
    double *p = s->kept, *d = s->kept + n_v, before = 0.0, least = HUGE_VAL;
    tn_status status = TN_OK;
    for (int k = 0, stale = 0; k < REFINEMENTS && status == TN_OK; ++k) {
        find_missing(s);
        double missing = length(n_v, s->right), open = open_balance(s, REFINED);
        stale = missing > 0.5 * least ? stale + 1 : 0;
        least = fmin(least, missing);
        if (missing <= open || stale > STALE) {
            break;
        }
        status = solve_beside(s, open, d, error);
        double now = tn_dot(n_v, s->right, d);
        for (size_t i = 0; i < n_v; ++i) {
            p[i] = d[i] + (k > 0 ? now / before * p[i] : 0.0);
        }
        apply(s, p, d);
        double share = now / tn_dot(n_v, p, d);
        if (!(share > 0.0) || !isfinite(share)) {
            break;
        }
        before = now;
        for (int i = 0; i < 3 * s->n; ++i) {
            s->contact[i] *= share;
        }
        tn_cones_refine(&s->cones, s->contact, s->dx, s->dy);
        for (size_t i = 0; i < n_v; ++i) {
            s->dv[i] += share * p[i];
        }
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
    status = status == TN_OK ? aim(s, 0.0, false, error) : status;
    if (status != TN_OK) {
        return status;
    }
    // Mehrotra: the further the uncentred step can go, the less centring.
    double rest = 1.0 - reach_of(s, 1.0), centring = rest * rest * rest;
    double target = fmax(centring * s->gap, s->least_gap) * s->energy;
    tn_cones_second_order(&s->cones, s->dx, s->dy, s->extra);
    status = aim(s, target, true, error);
    if (status == TN_OK && s->n >= MANY && s->joints.n == 0) {
        status = correct_further(s, target, error);
    }
    if (status == TN_OK && s->gap < LATE && s->joints.n == 0 && !s->problem->rows->softness) {
        status = refine(s, error);
    }
    if (status == TN_OK && !isfinite(length((size_t)s->n_v, s->dv))) {
        status = tn_error_set(error, TN_NUMERICS, "an interior point step is no number: too close to the cones' edge");
    }
    if (status == TN_OK) {
        tn_interior_move(s, FRACTION);
    }
    return status;
}
