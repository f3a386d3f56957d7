#include "solver/newton/step.h"

#include "law/cone.h"
#include "math/dense.h"
#include "math/mat3.h"

#include <math.h>
#include <string.h>

static void to_lambda(const tn_newton *s, const double *y, double *lambda)
{
    for (int i = 0; i < 3 * s->n; ++i) {
        lambda[i] = s->scale[i] * y[i];
    }
}

double tn_newton_evaluate(tn_newton *s, const double *y, double *residual, bool with_slope)
{
    tn_gauss_seidel *gs = s->gs;
    to_lambda(s, y, gs->lambda);
    tn_gauss_seidel_velocity(gs);
    double sum = 0.0, slope[9];
    for (int m = 0; m < s->n; ++m) {
        double z[3];
        for (int i = 3 * m; i < 3 * m + 3; ++i) {
            z[i - 3 * m] = y[i] - s->rho[m] * s->scale[i] * gs->u[i];
        }
        tn_cone_map(gs->problem->law == TN_LAW_CONVEX, s->mu[m], z, slope);
        tn_vec3_sub(residual + 3 * m, y + 3 * m, z);
        sum += tn_vec3_dot(residual + 3 * m, residual + 3 * m);
        if (with_slope) {
            memcpy(s->slope + 9 * m, slope, sizeof slope);
        }
    }
    return sqrt(sum);
}

// Contacts that stay open drop out: their forces go to zero at once.
static void choose_active(tn_newton *s)
{
    s->n_active = 0;
    for (int m = 0; m < s->n; ++m) {
        bool open = s->slope[9 * m] == 0.0;
        s->place[m] = open ? -1 : s->n_active;
        if (open) {
            tn_vec3_set(s->y + 3 * m, 0.0, 0.0, 0.0);
        } else {
            s->active[s->n_active++] = m;
        }
    }
}

// One block of ((I - P') + rho P' (D W D + alpha I)).
static void add_block(tn_newton *s, int row, int column, const double w[9], double alpha)
{
    int m = s->active[row], width = 3 * s->n_active;
    const double *dm = s->scale + 3 * m, *dk = s->scale + 3 * s->active[column];
    double scaled[9], product[9];
    for (int i = 0; i < 9; ++i) {
        scaled[i] = s->rho[m] * (dm[i / 3] * w[i] * dk[i % 3] + (i % 4 == 0 ? alpha : 0.0));
    }
    tn_mat3_mul(product, s->slope + 9 * m, scaled);
    for (int i = 0; i < 9; ++i) {
        s->matrix[(size_t)(3 * row + i / 3) * (size_t)width + (size_t)(3 * column + i % 3)] += product[i];
    }
}

static void assemble(tn_newton *s, double alpha)
{
    const tn_blocks *N = s->gs->delassus.N;
    const double *softness = s->gs->problem->rows->softness;
    int width = 3 * s->n_active;
    static const double none[9] = {0.0};
    memset(s->matrix, 0, (size_t)width * (size_t)width * sizeof *s->matrix);
    for (int a = 0; a < s->n_active; ++a) {
        int m = s->active[a];
        for (int k = N->start[m]; k < N->start[m + 1]; ++k) {
            if (s->place[N->column[k]] >= 0) {
                add_block(s, a, s->place[N->column[k]], N->value + 9 * k, 0.0);
            }
        }
        // alpha is relative to the contact's own mobility 1 / rho.
        add_block(s, a, a, softness ? softness + 9 * m : none, alpha / s->rho[m]);
        for (int i = 0; i < 9; ++i) {
            size_t at = (size_t)(3 * a + i / 3) * (size_t)width + (size_t)(3 * a + i % 3);
            s->matrix[at] += (i % 4 == 0) - s->slope[9 * m + i];
        }
    }
}

bool tn_newton_step(tn_newton *s, double alpha, double *norm)
{
    tn_newton_evaluate(s, s->y, s->residual, true);
    choose_active(s);
    *norm = tn_newton_evaluate(s, s->y, s->residual, false);
    assemble(s, alpha);
    for (int a = 0; a < s->n_active; ++a) {
        for (int i = 0; i < 3; ++i) {
            s->step[3 * a + i] = -s->residual[3 * s->active[a] + i];
        }
    }
    if (!tn_dense_solve(3 * s->n_active, s->matrix, s->step, s->pivot)) {
        return false;
    }
    double length = 1.0;
    for (int cut = 0; cut < 8; ++cut, length *= 0.5) {
        memcpy(s->trial, s->y, (size_t)(3 * s->n) * sizeof *s->trial);
        for (int a = 0; a < s->n_active; ++a) {
            tn_vec3_madd(s->trial + 3 * s->active[a], s->y + 3 * s->active[a], length, s->step + 3 * a);
        }
        double next = tn_newton_evaluate(s, s->trial, s->residual, false);
        if (next < (1.0 - 0.05 * length) * *norm) {
            memcpy(s->y, s->trial, (size_t)(3 * s->n) * sizeof *s->y);
            *norm = next;
            return true;
        }
    }
    return false;
}

bool tn_newton_create(tn_newton *s, tn_gauss_seidel *gs, const tn_check *check, tn_arena *arena)
{
    const tn_rows *c = gs->problem->rows;
    int n = c->n_triples;
    *s = (tn_newton){.gs = gs, .check = check, .n = n};
    s->scale = TN_PUSH(arena, double, 3 * n);
    s->mu = TN_PUSH(arena, double, n);
    s->rho = TN_PUSH(arena, double, n);
    s->y = TN_PUSH(arena, double, 3 * n);
    s->trial = TN_PUSH(arena, double, 3 * n);
    s->residual = TN_PUSH(arena, double, 3 * n);
    s->slope = TN_PUSH(arena, double, 9 * n);
    s->active = TN_PUSH(arena, int, n);
    s->place = TN_PUSH(arena, int, n);
    s->matrix = TN_PUSH(arena, double, 9 * (size_t)n * (size_t)n);
    s->step = TN_PUSH(arena, double, 3 * n);
    s->pivot = TN_PUSH(arena, int, 3 * n);
    if (!s->scale || !s->mu || !s->rho || !s->y || !s->trial || !s->residual || !s->slope || !s->active || !s->place ||
        !s->matrix || !s->step || !s->pivot) {
        return false;
    }
    for (int m = 0; m < n; ++m) {
        double mu = fmax(c->mu[2 * m], c->mu[2 * m + 1]);
        s->mu[m] = gs->problem->law == TN_LAW_FRICTIONLESS ? 0.0 : mu;
        tn_vec3_set(s->scale + 3 * m, 1.0, mu > 0.0 ? c->mu[2 * m] / mu : 1.0, mu > 0.0 ? c->mu[2 * m + 1] / mu : 1.0);
        const double *own = gs->own + 9 * m;
        double largest = fmax(own[0], fmax(own[4], own[8]));
        s->rho[m] = largest > 0.0 ? 1.0 / largest : 1.0;
    }
    return true;
}

void tn_newton_take(tn_newton *s)
{
    for (int i = 0; i < 3 * s->n; ++i) {
        s->y[i] = s->scale[i] > 0.0 ? s->gs->lambda[i] / s->scale[i] : 0.0;
    }
}
