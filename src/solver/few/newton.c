#include "solver/few/newton.h"

#include "law/cone.h"
#include "math/mat3.h"
#include "math/sums.h"

#include <math.h>
#include <string.h>

// Proximal term, relative to a contact's own mobility: DAMPING times the relative residual, at least LEAST_DAMPING. It
// holds forces that redundant contacts leave open.
static const double DAMPING = 1e-3, LEAST_DAMPING = 1e-13;
// Halvings of a step, and the part of the length by which the residual has to fall.
enum { CUTS = 4 };
static const double DECREASE = 0.05;

// residual and slope at y; returns the residual's length.
static double evaluate(const tn_few_newton *s, const double *y, double *residual, double *slope)
{
    const tn_few_system *system = s->system;
    double lambda[TN_FEW_SIZE], u[TN_FEW_SIZE];
    for (int i = 0; i < system->size; ++i) {
        lambda[i] = s->scale[i] * y[i];
    }
    tn_few_velocity(system, lambda, u);
    for (int m = 0; m < system->n; ++m) {
        double z[3];
        for (int i = 0; i < 3; ++i) {
            z[i] = y[3 * m + i] - s->rho[m] * s->scale[3 * m + i] * u[3 * m + i];
        }
        tn_cone_map(system->problem->law == TN_LAW_CONVEX, s->mu[m], z, slope + 9 * m);
        tn_vec3_sub(residual + 3 * m, y + 3 * m, z);
    }
    return sqrt(tn_dot((size_t)system->size, residual, residual));
}

void tn_few_newton_start(const tn_few_system *system, const double *lambda, tn_few_newton *s)
{
    const tn_problem *p = system->problem;
    s->system = system;
    for (int m = 0; m < system->n; ++m) {
        const double *mu = p->rows->mu + 2 * (size_t)m, *own = system->own + 9 * m;
        double most = fmax(mu[0], mu[1]), mobility = fmax(own[0], fmax(own[4], own[8]));
        bool friction = most > 0.0 && p->law != TN_LAW_FRICTIONLESS;
        s->mu[m] = friction ? most : 0.0;
        s->rho[m] = mobility > 0.0 ? 1.0 / mobility : 1.0;
        tn_vec3_set(s->scale + 3 * m, 1.0, friction ? mu[0] / most : 0.0, friction ? mu[1] / most : 0.0);
    }
    for (int i = 0; i < system->size; ++i) {
        s->y[i] = s->scale[i] > 0.0 ? lambda[i] / s->scale[i] : 0.0;
    }
    s->norm = evaluate(s, s->y, s->residual, s->slope);
}

// Those that touch; the forces of the others go to zero at once. Returns their number.
static int choose_active(tn_few_newton *s)
{
    int n = 0;
    bool moved = false;
    for (int m = 0; m < s->system->n; ++m) {
        double *y = s->y + 3 * m;
        if (s->slope[9 * m] != 0.0) {
            s->active[n++] = m;
        } else if (y[0] != 0.0 || y[1] != 0.0 || y[2] != 0.0) {
            tn_vec3_set(y, 0.0, 0.0, 0.0);
            moved = true;
        }
    }
    if (moved) {
        double unused[9 * TN_FEW_CONTACTS]; // the step is made with the slopes that chose
        s->norm = evaluate(s, s->y, s->residual, unused);
    }
    return n;
}

// Rows of contact m: (I - P') + P' (rho D N D + alpha I) over the active contacts' columns.
static void fill_rows(const tn_few_newton *s, int m, int n_active, double alpha, double *row)
{
    const tn_few_system *system = s->system;
    const double *slope = s->slope + 9 * m, *left = s->scale + 3 * m;
    size_t width = 3 * (size_t)n_active;
    for (int a = 0; a < n_active; ++a) {
        int k = s->active[a];
        const double *N = system->N + (size_t)(3 * m) * (size_t)system->size + 3 * (size_t)k;
        const double *right = s->scale + 3 * k;
        double block[9], product[9];
        for (int i = 0; i < 9; ++i) {
            block[i] = s->rho[m] * left[i / 3] * N[i / 3 * system->size + i % 3] * right[i % 3];
        }
        if (k == m) {
            for (int i = 0; i < 9; i += 4) {
                block[i] += alpha - 1.0;
            }
        }
        tn_mat3_mul(product, slope, block);
        for (size_t i = 0; i < 9; ++i) {
            row[i / 3 * width + 3 * (size_t)a + i % 3] = product[i] + (k == m && i % 4 == 0);
        }
    }
}

// x (n) = a^-1 x, a (n, n) row-major overwritten; pivots by rows. False: singular.
static bool eliminate(int n, double *a, double *x)
{
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n; ++i) {
            best = fabs(a[i * n + k]) > fabs(a[best * n + k]) ? i : best;
        }
        double *top = a + k * n;
        if (!(fabs(a[best * n + k]) > 0.0)) {
            return false;
        }
        for (int j = k; best > k && j < n; ++j) {
            double swap = top[j];
            top[j] = a[best * n + j];
            a[best * n + j] = swap;
        }
        double swap = x[k], inverse = 1.0 / top[k];
        x[k] = x[best];
        x[best] = swap;
        for (int i = k + 1; i < n; ++i) {
            double factor = a[i * n + k] * inverse;
            if (factor != 0.0) {
                for (int j = k + 1; j < n; ++j) {
                    a[i * n + j] -= factor * top[j];
                }
                x[i] -= factor * x[k];
            }
        }
    }
    for (int i = n - 1; i >= 0; --i) {
        double sum = x[i];
        for (int j = i + 1; j < n; ++j) {
            sum -= a[i * n + j] * x[j];
        }
        x[i] = sum / a[i * n + i];
    }
    return true;
}

// y along s->step: 1, 1/2, ... of it.
static bool search(tn_few_newton *s, int n_active)
{
    double trial[TN_FEW_SIZE], residual[TN_FEW_SIZE], slope[9 * TN_FEW_CONTACTS], length = 1.0;
    int size = s->system->size;
    for (int cut = 0; cut <= CUTS; ++cut, length *= 0.5) {
        memcpy(trial, s->y, (size_t)size * sizeof *trial);
        for (int a = 0; a < n_active; ++a) {
            int m = s->active[a];
            tn_vec3_madd(trial + 3 * m, s->y + 3 * m, length, s->step + 3 * a);
        }
        double norm = evaluate(s, trial, residual, slope);
        if (norm < (1.0 - DECREASE * length) * s->norm) {
            memcpy(s->y, trial, (size_t)size * sizeof *trial);
            memcpy(s->residual, residual, (size_t)size * sizeof *residual);
            memcpy(s->slope, slope, 3 * (size_t)size * sizeof *slope);
            s->norm = norm;
            return true;
        }
    }
    return false;
}

bool tn_few_newton_step(tn_few_newton *s)
{
    int n_active = choose_active(s);
    double size = fmax(sqrt(tn_dot((size_t)s->system->size, s->y, s->y)), s->norm);
    double alpha = fmax(LEAST_DAMPING, size > 0.0 ? DAMPING * s->norm / size : 0.0);
    for (int a = 0; a < n_active; ++a) {
        int m = s->active[a];
        fill_rows(s, m, n_active, alpha, s->matrix + (size_t)(9 * a) * (size_t)n_active);
        tn_vec3_scale(s->step + 3 * a, -1.0, s->residual + 3 * m);
    }
    return eliminate(3 * n_active, s->matrix, s->step) && search(s, n_active);
}

void tn_few_newton_forces(const tn_few_newton *s, double *lambda)
{
    for (int i = 0; i < s->system->size; ++i) {
        lambda[i] = s->scale[i] * (s->y[i] - s->residual[i]);
    }
}
