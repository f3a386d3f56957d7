#include "solver/cond/check.h"

#include "math/mat3.h"
#include "math/sums.h"

#include <math.h>
#include <string.h>

// Like tn_check's: a little below what is demanded, so that rounding in the certificate does not undo it.
static const double MARGIN = 0.9;

// q = J A^-1 b + w where bodies are all there is. Otherwise 0: q is only one of the scales of fclib, and without it
// the figure is on the safe side.
static tn_status free_velocity(const tn_cond_system *s, double *q, tn_arena *arena)
{
    const double zero[3] = {0.0, 0.0, 0.0};
    if (s->bodies.n_nodes > 0) {
        return TN_OK;
    }
    tn_arena_mark mark = tn_arena_get_mark(arena);
    double *v = TN_PUSH(arena, double, 3 * s->n_rows), *x = TN_PUSH(arena, double, s->n_packed);
    if (!v || !x) {
        return TN_NO_MEMORY;
    }
    tn_cond_bodies_solve(&s->bodies, s->problem->b, v);
    for (int row = 0; row < s->n_rows; row++) {
        memcpy(x + 4 * (size_t)s->lane[row], v + 3 * (size_t)row, 3 * sizeof *x);
    }
    for (int m = 0; m < s->general.n_triples; m++) {
        tn_cond_velocity(s, m, x, zero, q + 3 * m);
    }
    tn_arena_release(arena, mark);
    return TN_OK;
}

tn_status tn_cond_check_create(const tn_cond_system *system, const tn_tolerance *tolerance, tn_arena *arena,
                               tn_cond_check *out, tn_error *error)
{
    *out = (tn_cond_check){.system = system, .general = *system->problem};
    out->general.rows = &system->general;
    out->u = TN_PUSH(arena, double, 3 * system->general.n_triples);
    out->f = TN_PUSH(arena, double, system->n_packed);
    out->Av = TN_PUSH(arena, double, system->n_packed);
    if (!out->u || !out->f || !out->Av || free_velocity(system, out->u, arena) != TN_OK ||
        !tn_check_create(&out->contacts, &out->general, out->u, tolerance, arena)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for cond's check");
    }
    const double *b = system->problem->b;
    out->b_norm = fmax(sqrt(tn_dot(3 * (size_t)system->n_rows, b, b)), system->problem->force_scale);
    return TN_OK;
}

double tn_cond_check_contacts(const tn_cond_check *check, const tn_tolerance *tolerance, const double *x)
{
    const tn_cond_system *s = check->system;
    if (s->general.n_triples == 0 || !(tolerance->natural > 0.0 || tolerance->fclib > 0.0)) {
        return 0.0;
    }
    const double *lambda = x + s->n_packed;
    for (int m = 0; m < s->general.n_triples; m++) {
        tn_cond_velocity(s, m, x, lambda + 3 * m, check->u + 3 * m);
    }
    return tn_check_score(&check->contacts, lambda, check->u);
}

double tn_cond_check_residual(const tn_cond_check *check, const tn_tolerance *tolerance, double residual)
{
    if (!(tolerance->momentum > 0.0) || residual == 0.0) {
        return 0.0;
    }
    return residual / (check->b_norm * MARGIN * tolerance->momentum);
}

// f = b + J^T lambda, packed.
static void set_force(const tn_cond_check *check, const double *x, double alpha)
{
    const tn_cond_system *s = check->system;
    for (int row = 0; row < s->n_rows; row++) {
        memcpy(check->f + 4 * (size_t)s->lane[row], s->problem->b + 3 * (size_t)row, 3 * sizeof *x);
    }
    for (int m = 0; m < s->general.n_triples; m++) {
        for (int e = s->general.start[m]; e < s->general.start[m + 1]; e++) {
            tn_mat3_add_tvec(check->f + 4 * (size_t)s->lane[s->general.block[e]], s->general.jacobian + 9 * (size_t)e,
                             x + s->n_packed + 3 * m);
        }
    }
    for (int k = 0; k < s->n_nodal; k++) {
        int row = s->problem->rows->block[s->problem->rows->start[s->nodal[k]]];
        double push[3], scale = 1.0 / (alpha * tn_cond_w(s, row));
        tn_fpi_get_push(&s->fpi, s->lane[row], push);
        for (int i = 0; i < 3; i++) {
            check->f[4 * (size_t)s->lane[row] + (size_t)i] += scale * push[i];
        }
    }
}

double tn_cond_check_momentum(const tn_cond_check *check, const tn_tolerance *tolerance, const double *x, double alpha)
{
    const tn_cond_system *s = check->system;
    if (!(tolerance->momentum > 0.0)) {
        return 0.0;
    }
    set_force(check, x, alpha);
    tn_cond_product(s, x, check->Av);
    double square = 0.0;
    for (int row = 0; row < s->n_rows; row++) {
        for (size_t i = 4 * (size_t)s->lane[row]; i < 4 * (size_t)s->lane[row] + 3; i++) {
            square += (check->Av[i] - check->f[i]) * (check->Av[i] - check->f[i]);
        }
    }
    return tn_cond_check_residual(check, tolerance, sqrt(square));
}
