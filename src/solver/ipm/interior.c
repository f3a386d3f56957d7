#include "solver/ipm/interior.h"

#include "base/timer.h"
#include "math/blocks.h"
#include "math/dense.h"
#include "math/mat3.h"
#include "math/sums.h"
#include "problem/problem.h"
#include "problem/rows.h"
#include "solver/ipm/interior_cone.h"

#include <math.h>
#include <string.h>

enum { HEAP = 50 }; // contacts from which bodies are taken to lie on one another
// Operations of a factor from which rough ones serve.
static const double LARGE = 2e7;
static const double RAISE_FIRST = 1e-15, RAISE_GROWTH = 100.0, RAISE_MOST = 1e-10; // of K's diagonal

static bool allocate(tn_interior *s, tn_arena *arena)
{
    double **matrices[] = {&s->P, &s->E, &s->C};
    bool ok = TN_PUSH_EACH(arena, 3 * (size_t)s->n, &s->S, &s->x, &s->y, &s->lambda, &s->off_law, &s->l, &s->centring,
                           &s->dx, &s->dy, &s->contact, &s->extra);
    for (size_t i = 0; i < sizeof matrices / sizeof matrices[0]; ++i) {
        ok = (*matrices[i] = TN_PUSH_RAW(arena, double, 9 * (size_t)s->n)) && ok;
    }
    ok = TN_PUSH_EACH(arena, s->n_v, &s->v, &s->off_balance, &s->dv, &s->right) && ok;
    ok = (s->kept = TN_PUSH_RAW(arena, double, 6 * (size_t)s->n + 2 * (size_t)s->n_v)) && ok;
    s->cones = (tn_cones){.n = s->n, .x = s->x, .y = s->y, .S = s->S, .l = s->l};
    ok = (s->cones.q = TN_PUSH(arena, double, 3 * (size_t)s->n)) && ok;
    ok = (s->cones.spread = TN_PUSH(arena, double, s->n)) && ok;
    return ok && tn_interior_joints_create(&s->joints, s->problem, arena) &&
           tn_contact_matrix_create(&s->K, s->problem, arena);
}

// Geometric mean of the contacts' and bounded rows' inverse mobilities: bodies may differ by a factor 1e6 in mass.
static double mean_rho(const tn_interior *s, const tn_check *check)
{
    const tn_interior_joints *j = &s->joints;
    double sum = 0.0;
    int n = s->n;
    for (int m = 0; m < s->n; ++m) {
        sum += log(check->rho[m]);
    }
    for (int i = 0; i < j->n; ++i) {
        bool bounded = tn_single_is_bounded(j->rows, i);
        sum += bounded ? log(j->p[i]) : 0.0;
        n += bounded;
    }
    return n > 0 ? exp(sum / n) : 1.0;
}

// Where a factor costs many solves: rough ones, and further correctors.
static bool prepare_large(tn_interior *s, const tn_check *check, tn_arena *arena)
{
    s->rough = TN_PUSH(arena, tn_rough_factor, 1);
    return s->rough && tn_rough_factor_create(s->rough, &s->K, check->rho, &s->factor, arena);
}

tn_status tn_interior_create(tn_interior *s, const tn_problem *problem, const tn_check *check, double velocity,
                             tn_arena *arena, tn_error *error)
{
    const tn_rows *c = problem->rows;
    *s = (tn_interior){.problem = problem, .n = c->n_triples, .n_v = 3 * problem->A->n_rows};
    if (!allocate(s, arena)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the interior point method");
    }
    for (int m = 0; m < s->n; ++m) {
        double mu = problem->law == TN_LAW_FRICTIONLESS ? 0.0 : fmax(c->mu[2 * m], c->mu[2 * m + 1]);
        double *S = s->S + 3 * m;
        tn_vec3_set(S, 1.0, 0.0, 0.0);
        if (mu > 0.0) {
            tn_vec3_set(S, 1.0 / mu, c->mu[2 * m] / mu, c->mu[2 * m + 1] / mu);
        }
    }
    velocity = fmax(velocity, 1e-3 * problem->velocity_scale);
    s->start_y = velocity > 0.0 ? velocity : 1.0;
    s->start_x = s->start_y * mean_rho(s, check);
    s->energy = s->start_x * s->start_y;
    s->depth = s->n < HEAP || s->joints.n > 0 ? 1.0 : cbrt(s->n);
    double before = tn_timer_now();
    tn_status status = tn_body_factor_create(&s->factor, &s->K.K, arena, error);
    if (status == TN_OK && s->factor.flops > LARGE && s->joints.n == 0) {
        status =
            prepare_large(s, check, arena) ? TN_OK : tn_error_set(error, TN_NO_MEMORY, "no memory for a rough factor");
    }
    s->setup = tn_timer_now() - before;
    return status;
}

void tn_interior_destroy(tn_interior *s)
{
    if (s->rough) {
        tn_rough_factor_destroy(s->rough);
    }
}

void tn_interior_summarise(tn_interior *s)
{
    for (int i = 0; i < 3 * s->n; ++i) {
        s->lambda[i] = s->S[i] * s->x[i];
    }
    int pairs = s->n + s->joints.n_pairs;
    double sum = tn_dot(3 * (size_t)s->n, s->x, s->y) + tn_interior_joints_gap(&s->joints);
    s->gap = pairs > 0 ? sum / (pairs * s->energy) : 0.0;
}

void tn_interior_start(tn_interior *s, const double *v)
{
    memcpy(s->v, v, (size_t)s->n_v * sizeof *v);
    tn_interior_joints_start(&s->joints, s->energy);
    for (int m = 0; m < s->n; ++m) {
        tn_vec3_set(s->x + 3 * m, s->depth * s->start_x, 0.0, 0.0);
        tn_vec3_set(s->y + 3 * m, s->start_y, 0.0, 0.0);
    }
    tn_interior_summarise(s);
}

// off_balance, off_law
static void evaluate(tn_interior *s, const double *shift)
{
    const tn_problem *p = s->problem;
    tn_problem_velocity(p, s->v, s->lambda, s->contact);
    for (int i = 0; i < 3 * s->n; ++i) {
        s->off_law[i] = s->y[i] - s->S[i] * s->contact[i] - (i % 3 == 0 && shift ? s->S[i] * shift[i / 3] : 0.0);
        s->contact[i] = -s->lambda[i];
    }
    tn_blocks_mul(p->A, s->v, s->off_balance);
    for (int i = 0; i < s->n_v; ++i) {
        s->off_balance[i] -= p->b[i];
    }
    tn_problem_add_contact_force(p, s->contact, s->off_balance);
    for (int i = 0; i < s->joints.n; ++i) {
        tn_single_push(s->joints.rows, i, -s->joints.f[i], s->off_balance);
    }
    tn_interior_joints_evaluate(&s->joints, s->v);
}

// P = (I + W S Omega S W)^-1 W, E = W P = (W^-2 + S Omega S)^-1, and C. That form keeps E symmetric and
// positive whatever the scales of W.
static void linearise(tn_interior *s, int m)
{
    const double *softness = s->problem->rows->softness, *S = s->S + 3 * m;
    double *P = s->P + 9 * m, *E = s->E + 9 * m, W[9], M[9], scaled[9], product[9];
    tn_interior_scaling(s->x + 3 * m, s->y + 3 * m, W, s->l + 3 * m);
    memcpy(P, W, 9 * sizeof *P);
    if (softness) {
        for (int i = 0; i < 9; ++i) {
            scaled[i] = S[i / 3] * softness[9 * m + i] * S[i % 3];
        }
        tn_mat3_mul(product, W, scaled);
        tn_mat3_mul(M, product, W);
        for (int i = 0; i < 9; i += 4) {
            M[i] += 1.0;
        }
        bool regular = tn_dense_cholesky(3, M);
        for (int j = 0; j < 3 && regular; ++j) {
            double column[3] = {W[j], W[3 + j], W[6 + j]};
            tn_dense_cholesky_solve(3, M, column);
            P[j] = column[0];
            P[3 + j] = column[1];
            P[6 + j] = column[2];
        }
    }
    tn_mat3_mul(E, W, P);
    for (int i = 0; i < 9; ++i) {
        s->C[9 * m + i] = 0.5 * S[i / 3] * (E[i] + E[3 * (i % 3) + i / 3]) * S[i % 3];
    }
}

// Where rounding has made K indefinite (redundant contacts late in a solve) its diagonal is raised a
// little: the step is a little off, and the next one makes up for it.
tn_status tn_interior_factor(tn_interior *s, tn_error *error)
{
    double before = tn_timer_now();
    tn_status status = tn_body_factor_values(&s->factor, &s->K.K, error);
    for (double raise = RAISE_FIRST; status == TN_NUMERICS && raise <= RAISE_MOST; raise *= RAISE_GROWTH) {
        for (int i = 0; i < s->K.K.n_rows; ++i) {
            double *own = tn_blocks_find(&s->K.K, i, i);
            for (int k = 0; k < 9; k += 4) {
                own[k] *= 1.0 + raise;
            }
        }
        status = tn_body_factor_values(&s->factor, &s->K.K, error);
    }
    s->setup += tn_timer_now() - before;
    return status;
}

// K of C
static void fill(tn_interior *s)
{
    tn_contact_matrix_fill(&s->K, s->C);
    tn_interior_joints_linearise(&s->joints);
    tn_contact_matrix_add_singles(&s->K, s->joints.weight);
}

void tn_interior_scale(tn_interior *s, const double *shift)
{
    evaluate(s, shift);
    tn_cones_scale(&s->cones, s->C);
    for (int m = 0; m < s->n && s->problem->rows->softness; ++m) {
        linearise(s, m);
    }
    fill(s);
}

tn_status tn_interior_linearise(tn_interior *s, const double *shift, tn_error *error)
{
    evaluate(s, shift);
    for (int m = 0; m < s->n; ++m) {
        linearise(s, m);
    }
    fill(s);
    return tn_interior_factor(s, error);
}

static double relative(double size, double scale)
{
    return size > 0.0 ? size / scale : 0.0;
}

tn_interior_error tn_interior_measure(tn_interior *s, const double *shift)
{
    size_t n = 3 * (size_t)s->n, n_v = (size_t)s->n_v;
    const tn_interior_joints *j = &s->joints;
    evaluate(s, shift);
    tn_interior_error out = {.gap = s->gap * (s->n + j->n_pairs) * s->energy};
    double b = tn_dot(n_v, s->problem->b, s->problem->b), off = tn_dot(n_v, s->off_balance, s->off_balance), law, size;
    tn_blocks_mul(s->problem->A, s->v, s->right);
    out.balance = relative(sqrt(off), sqrt(fmax(b, tn_dot(n_v, s->right, s->right))));
    law = tn_dot(n, s->off_law, s->off_law);
    size = tn_dot(n, s->y, s->y);
    for (int i = 0; i < j->n; ++i) {
        double y = fabs(j->off[i]) + j->z[i] + j->w[i];
        law += j->off[i] * j->off[i];
        size = fmax(size, y * y);
    }
    out.law = relative(sqrt(law), sqrt(size));
    return out;
}
