// Small friction problems built in a test, solved by name, and judged by formulas of the test's own. Header-only.
#pragma once

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/random.h"
#include "math/blocks.h"
#include "tenon/problem.h"
#include "test.h"

enum { FRICTION_CONTACTS = 64, FRICTION_ROWS = 64, FRICTION_ENTRIES = 256 };

// A problem with all its memory.
typedef struct friction_problem {
    tn_arena *arena;
    tn_problem problem;
    tn_rows contacts;
    tn_solution solution;
    double offset[3 * FRICTION_CONTACTS], mu[2 * FRICTION_CONTACTS];
    double b[3 * FRICTION_ROWS], jacobian[9 * FRICTION_ENTRIES];
    int start[FRICTION_CONTACTS + 1], block[FRICTION_ENTRIES];
    double v[3 * FRICTION_ROWS], lambda[3 * FRICTION_CONTACTS];
} friction_problem;

// Local form from a dense W (3 n square, row-major), q (3 n) and one mu for all.
static inline friction_problem *friction_local(int n, const double *W, const double *q, double mu)
{
    friction_problem *f = calloc(1, sizeof *f);
    tn_blocks_entry *entries = calloc((size_t)(n * n + 1), sizeof *entries);
    assert_true(f && entries && n <= FRICTION_CONTACTS);
    f->arena = tn_arena_create(0);
    for (int i = 0; i < n * n; ++i) {
        entries[i].row = i / n;
        entries[i].column = i % n;
        for (int k = 0; k < 9; ++k) {
            entries[i].value[k] = W[(3 * (i / n) + k / 3) * 3 * n + 3 * (i % n) + k % 3];
        }
    }
    for (int i = 0; i < 3 * n; ++i) {
        f->offset[i] = q[i];
    }
    for (int i = 0; i < 2 * n; ++i) {
        f->mu[i] = mu;
    }
    f->contacts = (tn_rows){.n_triples = n, .offset = f->offset, .mu = f->mu};
    f->problem = (tn_problem){.W = tn_blocks_from_entries(n, n, n * n, entries, f->arena), .step = 1.0};
    f->problem.rows = &f->contacts;
    f->solution = (tn_solution){.lambda = f->lambda};
    free(entries);
    assert_non_null(f->problem.W);
    return f;
}

static inline void friction_destroy(friction_problem *f)
{
    tn_arena_destroy(f->arena);
    free(f);
}

static inline double friction_random(uint64_t seed, uint64_t stream, uint64_t counter)
{
    return 2.0 * tn_random_uniform(seed, stream, counter) - 1.0;
}

// Global form: n_rows blocks, n contacts, each touching its own block and, every other one, a neighbour. A = B B^T + I,
// either in components of two blocks or full. The contacts' frames are random; mu <= mu_max.
static inline friction_problem *friction_global(uint64_t seed, int n_rows, int n, bool full, double mu_max)
{
    friction_problem *f = calloc(1, sizeof *f);
    tn_blocks_entry *entries = calloc((size_t)(n_rows * n_rows), sizeof *entries);
    assert_true(f && entries && n <= FRICTION_CONTACTS && n_rows <= FRICTION_ROWS);
    f->arena = tn_arena_create(0);
    int count = 0, size = 3 * n_rows;
    for (int i = 0; i < n_rows; ++i) {
        for (int j = 0; j < n_rows; ++j) {
            if (!full && i / 2 != j / 2) {
                continue;
            }
            tn_blocks_entry *e = &entries[count++];
            *e = (tn_blocks_entry){.row = i, .column = j};
            for (int k = 0; k < 9; ++k) {
                int row = 3 * i + k / 3, column = 3 * j + k % 3, low = full ? 0 : 6 * (i / 2);
                int high = full ? size : low + 6;
                double sum = row == column ? 1.0 : 0.0;
                for (int l = low; l < high; ++l) {
                    sum += 0.3 * friction_random(seed, 1, (uint64_t)(row * size + l)) *
                           friction_random(seed, 1, (uint64_t)(column * size + l));
                }
                e->value[k] = sum;
            }
        }
    }
    int used = 0;
    for (int m = 0; m < n; ++m) {
        f->start[m] = used;
        int own = m % n_rows, other = (own + 1) % n_rows;
        int pair[2] = {own < other ? own : other, own < other ? other : own};
        int terms = m % 2 ? 2 : 1;
        for (int e = 0; e < terms; ++e, ++used) {
            f->block[used] = terms == 1 ? own : pair[e];
            for (int k = 0; k < 9; ++k) {
                f->jacobian[9 * used + k] = (k % 4 == 0 ? (e == 0 ? 1.0 : -1.0) : 0.0) +
                                            0.3 * friction_random(seed, 2, (uint64_t)(9 * used + k));
            }
        }
        f->mu[2 * m] = f->mu[2 * m + 1] = mu_max * tn_random_uniform(seed, 3, (uint64_t)m);
        for (int i = 0; i < 3; ++i) {
            f->offset[3 * m + i] = 0.2 * friction_random(seed, 4, (uint64_t)(3 * m + i));
        }
    }
    f->start[n] = used;
    for (int i = 0; i < size; ++i) {
        f->b[i] = 2.0 * friction_random(seed, 5, (uint64_t)i);
    }
    f->contacts = (tn_rows){.n_triples = n, .offset = f->offset, .mu = f->mu, .start = f->start, .block = f->block};
    f->contacts.jacobian = f->jacobian;
    f->problem = (tn_problem){.A = tn_blocks_from_entries(n_rows, n_rows, count, entries, f->arena), .step = 0.01};
    f->problem.b = f->b;
    f->problem.rows = &f->contacts;
    f->solution = (tn_solution){.v = f->v, .lambda = f->lambda};
    free(entries);
    assert_non_null(f->problem.A);
    return f;
}

// From zero to a natural map (and momentum) of `tolerance`. Fails the test on any status but TN_OK.
static inline tn_solve_report friction_solve(friction_problem *f, const char *solver, double tolerance)
{
    tn_solve_options options = tn_solve_options_default();
    options.tolerance = (tn_tolerance){.momentum = tolerance, .natural = tolerance};
    options.max_iterations = 100000;
    memset(f->lambda, 0, sizeof f->lambda);
    memset(f->v, 0, sizeof f->v);
    tn_solve_report report = {0};
    tn_error error = {0};
    tn_status status = tn_problem_solve(&f->problem, solver, &options, &f->solution, &report, &error);
    if (status != TN_OK) {
        print_error("%s: %s\n", solver, error.message);
        fail();
    }
    return report;
}

// x (n) = A^-1 x by Gauss elimination with column pivots; A (n, n) row-major is used up.
static inline void friction_gauss(int n, double *A, double *x)
{
    for (int k = 0; k < n; ++k) {
        int best = k;
        for (int i = k + 1; i < n; ++i) {
            best = fabs(A[i * n + k]) > fabs(A[best * n + k]) ? i : best;
        }
        for (int j = 0; j < n; ++j) {
            double swap = A[k * n + j];
            A[k * n + j] = A[best * n + j];
            A[best * n + j] = swap;
        }
        double swap = x[k];
        x[k] = x[best];
        x[best] = swap;
        for (int i = k + 1; i < n; ++i) {
            double factor = A[i * n + k] / A[k * n + k];
            for (int j = k; factor != 0.0 && j < n; ++j) {
                A[i * n + j] -= factor * A[k * n + j];
            }
            x[i] -= factor * x[k];
        }
    }
    for (int i = n - 1; i >= 0; --i) {
        for (int j = i + 1; j < n; ++j) {
            x[i] -= A[i * n + j] * x[j];
        }
        x[i] /= A[i * n + i];
    }
}

// u (n, 3) that the forces give, from the problem's own numbers; global form by a dense elimination.
static inline void friction_velocity(const tn_problem *p, const double *lambda, double *u)
{
    const tn_rows *c = p->rows;
    memcpy(u, c->offset, (size_t)(3 * c->n_triples) * sizeof *u);
    if (p->W) {
        for (int m = 0; m < c->n_triples; ++m) {
            for (int k = p->W->start[m]; k < p->W->start[m + 1]; ++k) {
                for (int i = 0; i < 9; ++i) {
                    u[3 * m + i / 3] += p->W->value[9 * k + i] * lambda[3 * p->W->column[k] + i % 3];
                }
            }
        }
        return;
    }
    int size = 3 * p->A->n_rows;
    double *A = calloc((size_t)size * (size_t)size, sizeof *A), *v = malloc((size_t)size * sizeof *v);
    assert_true(A && v);
    memcpy(v, p->b, (size_t)size * sizeof *v);
    for (int row = 0; row < p->A->n_rows; ++row) {
        for (int k = p->A->start[row]; k < p->A->start[row + 1]; ++k) {
            for (int i = 0; i < 9; ++i) {
                A[(3 * row + i / 3) * size + 3 * p->A->column[k] + i % 3] = p->A->value[9 * k + i];
            }
        }
    }
    for (int m = 0; m < c->n_triples; ++m) {
        for (int e = c->start[m]; e < c->start[m + 1]; ++e) {
            for (int i = 0; i < 9; ++i) {
                v[3 * c->block[e] + i % 3] += c->jacobian[9 * e + i] * lambda[3 * m + i / 3];
            }
        }
    }
    friction_gauss(size, A, v);
    for (int m = 0; m < c->n_triples; ++m) {
        for (int e = c->start[m]; e < c->start[m + 1]; ++e) {
            for (int i = 0; i < 9; ++i) {
                u[3 * m + i / 3] += c->jacobian[9 * e + i] * v[3 * c->block[e] + i % 3];
            }
        }
    }
    free(A);
    free(v);
}

// M6, the natural map error that Siconos reports, written here from its definition (impulses r = h lambda, strict law,
// rho = 1), without a line of the library: sqrt(sum |r - P_K(r - u')|^2) / max(|q|, |r|, |u|).
static inline double friction_m6(const tn_problem *p, const double *lambda)
{
    int n = p->rows->n_triples;
    double *u = calloc((size_t)(6 * n + 1), sizeof *u), *q = u + 3 * n;
    double *none = calloc((size_t)(3 * n + 1), sizeof *none);
    assert_true(u && none);
    friction_velocity(p, lambda, u);
    friction_velocity(p, none, q);
    double error = 0.0, q2 = 0.0, r2 = 0.0, u2 = 0.0;
    for (int m = 0; m < n; ++m) {
        double mu = p->rows->mu[2 * m], h = p->step, *w = u + 3 * m;
        double r[3] = {h * lambda[3 * m], h * lambda[3 * m + 1], h * lambda[3 * m + 2]};
        double z[3] = {r[0] - w[0] - mu * sqrt(w[1] * w[1] + w[2] * w[2]), r[1] - w[1], r[2] - w[2]};
        double t = sqrt(z[1] * z[1] + z[2] * z[2]);
        if (mu * t <= -z[0]) {
            z[0] = z[1] = z[2] = 0.0;
        } else if (t > mu * z[0]) {
            z[0] = (z[0] + mu * t) / (1.0 + mu * mu);
            z[1] *= mu * z[0] / t;
            z[2] *= mu * z[0] / t;
        }
        for (int i = 0; i < 3; ++i) {
            error += (r[i] - z[i]) * (r[i] - z[i]);
            q2 += q[3 * m + i] * q[3 * m + i];
            r2 += r[i] * r[i];
            u2 += w[i] * w[i];
        }
    }
    free(u);
    free(none);
    double scale = sqrt(fmax(q2, fmax(r2, u2)));
    return sqrt(error) / (scale > 2.3e-16 ? scale : 1.0);
}
