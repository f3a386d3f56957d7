#include "solver/few/system.h"

#include "math/mat3.h"
#include "problem/rows.h"

#include <math.h>
#include <string.h>

// Every block of A is alone in its row.
static bool bodies_are_free(const tn_blocks *A)
{
    if (A->start[A->n_rows] != A->n_rows) {
        return false;
    }
    for (int i = 0; i < A->n_rows; ++i) {
        if (A->start[i] != i || A->column[i] != i) {
            return false;
        }
    }
    return true;
}

const char *tn_few_refusal(const tn_problem *problem)
{
    const tn_rows *c = problem->rows;
    if (c->n_triples == 0 || c->n_triples > TN_FEW_CONTACTS) {
        return "it takes one to ten contacts; auto takes any number";
    }
    if (problem->A && (c->start[c->n_triples] > TN_FEW_ENTRIES || !bodies_are_free(problem->A))) {
        return "it takes bodies that nothing but contacts couples; auto takes others";
    }
    return NULL;
}

// Inverse of a symmetric positive definite block; false: it is none.
static bool invert(const double a[9], double out[9])
{
    if (a[1] == 0.0 && a[2] == 0.0 && a[5] == 0.0 && a[3] == 0.0 && a[6] == 0.0 && a[7] == 0.0) {
        bool ok = a[0] > 0.0 && a[4] > 0.0 && a[8] > 0.0;
        memset(out, 0, 9 * sizeof *out);
        out[0] = 1.0 / a[0];
        out[4] = 1.0 / a[4];
        out[8] = 1.0 / a[8];
        return ok && isfinite(out[0] + out[4] + out[8]);
    }
    return a[0] > 0.0 && a[0] * a[4] - a[1] * a[3] > 0.0 && tn_mat3_det(a) > 0.0 && tn_mat3_inverse(out, a);
}

static void scatter(tn_few_system *s, int row, int column, const double block[9])
{
    double *N = s->N + (size_t)(3 * row) * (size_t)s->size + 3 * (size_t)column;
    for (int i = 0; i < 3; ++i) {
        tn_vec3_add(N + i * s->size, N + i * s->size, block + 3 * i);
    }
}

static void take_local(const tn_problem *p, tn_few_system *s)
{
    memset(s->N, 0, (size_t)s->size * (size_t)s->size * sizeof *s->N);
    memcpy(s->q, p->rows->offset, (size_t)s->size * sizeof *s->q);
    for (int i = 0; i < s->n; ++i) {
        for (int k = p->W->start[i]; k < p->W->start[i + 1]; ++k) {
            scatter(s, i, p->W->column[k], p->W->value + 9 * (size_t)k);
        }
    }
}

// v = A^-1 b, and J_e A^-1 of every entry.
static bool take_bodies(const tn_problem *p, double *v, tn_few_system *s)
{
    const tn_rows *c = p->rows;
    double inverse[9];
    for (int i = 0; i < p->A->n_rows; ++i) {
        if (!invert(p->A->value + 9 * (size_t)i, inverse)) {
            return false;
        }
        tn_mat3_vec(v + 3 * (size_t)i, inverse, p->b + 3 * (size_t)i);
    }
    for (int e = 0; e < c->start[c->n_triples]; ++e) {
        invert(p->A->value + 9 * (size_t)c->block[e], inverse);
        tn_mat3_mul(s->respond + 9 * e, c->jacobian + 9 * (size_t)e, inverse);
    }
    return true;
}

// Block (m, k) of J A^-1 J^T; false: the contacts share no body.
static bool couple(const tn_few_system *s, const tn_rows *c, int m, int k, double out[9])
{
    bool any = false;
    memset(out, 0, 9 * sizeof *out);
    for (int e = c->start[m]; e < c->start[m + 1]; ++e) {
        for (int f = c->start[k]; f < c->start[k + 1]; ++f) {
            if (c->block[e] == c->block[f]) {
                double product[9];
                tn_mat3_mul_nt(product, s->respond + 9 * e, c->jacobian + 9 * (size_t)f);
                for (int i = 0; i < 9; ++i) {
                    out[i] += product[i];
                }
                any = true;
            }
        }
    }
    return any;
}

static bool take_global(const tn_problem *p, double *v, tn_few_system *s)
{
    const tn_rows *c = p->rows;
    if (!take_bodies(p, v, s)) {
        return false;
    }
    memset(s->N, 0, (size_t)s->size * (size_t)s->size * sizeof *s->N);
    for (int m = 0; m < s->n; ++m) {
        tn_vec3_copy(s->q + 3 * m, c->offset + 3 * (size_t)m);
        for (int e = c->start[m]; e < c->start[m + 1]; ++e) {
            tn_mat3_add_vec(s->q + 3 * m, c->jacobian + 9 * (size_t)e, v + 3 * (size_t)c->block[e]);
        }
        for (int k = 0; k <= m; ++k) {
            double block[9];
            if (!couple(s, c, m, k, block)) {
                continue;
            }
            scatter(s, m, k, block);
            if (k < m) {
                const double mirror[9] = {block[0], block[3], block[6], block[1], block[4],
                                          block[7], block[2], block[5], block[8]};
                scatter(s, k, m, mirror);
            }
        }
    }
    return true;
}

// The one contact of a local problem.
static void take_one(const tn_problem *p, tn_few_system *s)
{
    if (p->W->start[1] > 0) {
        memcpy(s->N, p->W->value, 9 * sizeof *s->N);
    } else {
        memset(s->N, 0, 9 * sizeof *s->N);
    }
    tn_vec3_copy(s->q, p->rows->offset);
}

static double largest(double a, double b, double c)
{
    double ab = a > b ? a : b;
    return ab > c ? ab : c;
}

static void add_softness(const double softness[9], int m, tn_few_system *s)
{
    scatter(s, m, m, softness);
    for (int i = 0; i < 9; ++i) {
        s->own[9 * m + i] += softness[i];
    }
}

bool tn_few_build(const tn_problem *problem, double *v, tn_few_system *s)
{
    const double *softness = problem->rows->softness;
    s->problem = problem;
    s->n = problem->rows->n_triples;
    s->size = 3 * s->n;
    if (problem->W && s->n == 1) {
        take_one(problem, s);
    } else if (problem->W) {
        take_local(problem, s);
    } else if (!take_global(problem, v, s)) {
        return false;
    }
    for (int m = 0; m < s->n; ++m) {
        const double *N = s->N + 3 * (size_t)m * (size_t)(s->size + 1);
        double *own = s->own + 9 * m;
        tn_vec3_copy(own, N);
        tn_vec3_copy(own + 3, N + s->size);
        tn_vec3_copy(own + 6, N + 2 * s->size);
        double mobility = largest(own[0], own[4], own[8]);
        s->rho[m] = mobility > 0.0 ? 1.0 / mobility : 1.0;
        if (softness) {
            add_softness(softness + 9 * (size_t)m, m, s);
        }
    }
    return true;
}

void tn_few_velocity(const tn_few_system *s, const double *lambda, double *u)
{
    const double *row = s->N;
    for (int i = 0; i < s->size; ++i, row += s->size) {
        double sum = s->q[i];
        for (int k = 0; k < s->size; k += 3) {
            sum += tn_vec3_dot(row + k, lambda + k);
        }
        u[i] = sum;
    }
}

void tn_few_recover(const tn_few_system *s, const double *lambda, double *v)
{
    const tn_rows *c = s->problem->rows;
    for (int m = 0; m < s->n; ++m) {
        for (int e = c->start[m]; e < c->start[m + 1]; ++e) {
            tn_mat3_add_tvec(v + 3 * (size_t)c->block[e], s->respond + 9 * e, lambda + 3 * m); // A is symmetric
        }
    }
}
