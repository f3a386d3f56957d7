#include "solver/lemke/force_form.h"

#include "math/mat3.h"
#include "problem/problem.h"
#include "problem/rows.h"
#include "solver/lemke/force_rows.h"

#include <math.h>
#include <string.h>

// Of the numbers that a difference was made of.
static const double ROUNDING = 1e-12;

// ---- which rows

// Bounded and bilateral joint rows apart; given forces into load.
static bool sort_joints(tn_force_form *s, tn_arena *arena)
{
    const tn_problem *p = s->problem;
    const tn_rows singles = tn_rows_singles(p->rows), *joints = &singles;
    int n = tn_joint_row_count(p);
    int *bounded = TN_PUSH_RAW(arena, int, n), *bilateral = TN_PUSH_RAW(arena, int, n);
    s->load = p->A ? TN_PUSH_RAW(arena, double, 3 * (size_t)p->A->n_rows) : NULL;
    if (!bounded || !bilateral || (p->A && !s->load)) {
        return false;
    }
    if (p->A) {
        memcpy(s->load, p->b, 3 * (size_t)p->A->n_rows * sizeof *s->load);
    }
    for (int i = 0; i < n; ++i) {
        if (joints->lower[i] == joints->upper[i]) {
            tn_single_push(joints, i, joints->lower[i], s->load);
        } else if (joints->lower[i] == -INFINITY && joints->upper[i] == INFINITY) {
            bilateral[s->n_bilateral++] = i;
        } else {
            bounded[s->n_bounded++] = i;
        }
    }
    s->bounded = bounded;
    s->bilateral = bilateral;
    s->n = 3 * p->rows->n_triples + s->n_bounded;
    s->width = s->n + s->n_bilateral;
    return true;
}

// ---- A^-1

static tn_status factorise(tn_force_form *s, tn_arena *arena, tn_error *error)
{
    s->parts = tn_problem_parts(s->problem, arena);
    if (!s->parts) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the parts of A");
    }
    if (!tn_parts_any_sparse(s->parts)) {
        return tn_parts_factor(s->problem->A, s->parts, 1, arena, &s->factors, error);
    }
    s->factor = tn_cholesky_create(s->problem->A, error);
    return s->factor ? tn_cholesky_factor(s->factor, s->problem->A, error) : TN_NO_MEMORY;
}

// x = A^-1 x.
static tn_status apply_inverse(const tn_force_form *s, double *x, tn_error *error)
{
    if (s->factor) {
        return tn_cholesky_solve(s->factor, 1, x, x, error);
    }
    tn_parts_solve(&s->factors, x);
    return TN_OK;
}

// ---- the global form

static void add_diagonal(const tn_force_form *s, double *all)
{
    const tn_rows *c = s->problem->rows;
    size_t width = (size_t)s->width;
    for (int m = 0; c->softness && m < c->n_triples; ++m) {
        for (size_t i = 0; i < 9; ++i) {
            all[(3 * (size_t)m + i / 3) * width + 3 * (size_t)m + i % 3] += c->softness[9 * (size_t)m + i];
        }
    }
    for (int k = 0; k < s->n_bounded + s->n_bilateral; ++k) {
        int row = k < s->n_bounded ? s->bounded[k] : s->bilateral[k - s->n_bounded];
        all[(3 * (size_t)c->n_triples + (size_t)k) * (width + 1)] += s->problem->rows->compliance[row];
    }
}

// Velocities of all rows without forces.
static void free_velocities(const tn_force_form *s, const double *v, double *y)
{
    const tn_problem *p = s->problem;
    const double *w = p->rows->offset;
    for (int m = 0; m < p->rows->n_triples; ++m) {
        double *u = y + 3 * (size_t)m;
        tn_vec3_copy(u, w + 3 * (size_t)m);
        for (int e = p->rows->start[m]; e < p->rows->start[m + 1]; ++e) {
            tn_mat3_add_vec(u, p->rows->jacobian + 9 * (size_t)e, v + 3 * (size_t)p->rows->block[e]);
        }
    }
    for (int k = 0; k < s->n_bounded + s->n_bilateral; ++k) {
        int row = k < s->n_bounded ? s->bounded[k] : s->bilateral[k - s->n_bounded];
        y[3 * p->rows->n_triples + k] = tn_single_velocity(p->rows, row, v);
    }
}

static tn_status create_global(tn_force_form *s, double *all, double *y, tn_arena *arena, tn_error *error)
{
    tn_status status = factorise(s, arena, error);
    size_t size = 3 * (size_t)s->problem->A->n_rows;
    double *v = TN_PUSH_RAW(arena, double, size);
    if (status == TN_OK && !v) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for %zu velocities", size);
    }
    if (status == TN_OK) {
        memcpy(v, s->load, size * sizeof *v);
        status = apply_inverse(s, v, error);
    }
    if (status != TN_OK) {
        return status;
    }
    free_velocities(s, v, y);
    status = s->factor ? tn_force_rows_by_factor(s, all, arena, error) : tn_force_rows_by_parts(s, all, arena, error);
    if (status == TN_OK) {
        add_diagonal(s, all);
    }
    return status;
}

static void fill_local(const tn_force_form *s, double *all, double *y)
{
    const tn_blocks *W = s->problem->W;
    size_t width = (size_t)s->width;
    memset(all, 0, width * width * sizeof *all);
    for (int m = 0; m < W->n_rows; ++m) {
        for (int k = W->start[m]; k < W->start[m + 1]; ++k) {
            for (size_t i = 0; i < 9; ++i) {
                all[(3 * (size_t)m + i / 3) * width + 3 * (size_t)W->column[k] + i % 3] = W->value[9 * (size_t)k + i];
            }
        }
    }
    add_diagonal(s, all);
    memcpy(y, s->problem->rows->offset, width * sizeof *y);
}

// ---- bilateral rows

// H and q of the other rows: the Schur complement of the independent bilateral ones.
static bool eliminate(tn_force_form *s, const double *y, tn_arena *arena)
{
    size_t n = (size_t)s->n, width = (size_t)s->width, rank;
    if (!tn_independent_create(s->n_bilateral, s->all + n * (width + 1), width, arena, &s->held)) {
        return false;
    }
    rank = (size_t)s->held.rank;
    s->H = TN_PUSH_RAW(arena, double, n *n);
    double *left = TN_PUSH_RAW(arena, double, rank);
    if (!s->H || !left) {
        return false;
    }
    for (size_t i = 0; i < n; ++i) {
        const double *row = s->all + i * width, *across = row + n;
        double *to = s->H + i * n;
        memset(left, 0, rank * sizeof *left);
        for (size_t k = 0; k < rank; ++k) {
            double a = across[s->held.row[k]];
            for (size_t j = 0; a != 0.0 && j < rank; ++j) {
                left[j] += a * s->held.inverse[k * rank + j];
            }
        }
        memcpy(to, row, n * sizeof *to);
        s->q[i] = y[i];
        double size = fabs(y[i]);
        for (size_t k = 0; k < rank; ++k) {
            size_t held = n + (size_t)s->held.row[k];
            const double *below = s->all + held * width;
            s->q[i] -= left[k] * y[held];
            size += fabs(left[k] * y[held]);
            for (size_t j = 0; left[k] != 0.0 && j < n; ++j) {
                to[j] -= left[k] * below[j];
            }
        }
        // A row that the bilateral ones hold keeps nothing but rounding: none of that must become a pivot.
        s->q[i] = fabs(s->q[i]) <= ROUNDING * size ? 0.0 : s->q[i];
        for (size_t j = 0; j < n; ++j) {
            to[j] = fabs(to[j]) <= ROUNDING * sqrt(s->own[i] * s->own[j]) ? 0.0 : to[j];
        }
    }
    return true;
}

tn_status tn_force_form_create(const tn_problem *problem, tn_arena *arena, tn_force_form *out, tn_error *error)
{
    tn_force_form *s = out;
    *s = (tn_force_form){.problem = problem};
    bool ok = sort_joints(s, arena);
    double *y = TN_PUSH(arena, double, s->width);
    s->all = TN_PUSH_RAW(arena, double, (size_t)s->width *(size_t)s->width);
    s->q = TN_PUSH_RAW(arena, double, s->n);
    s->own = TN_PUSH_RAW(arena, double, s->n);
    if (!ok || !y || !s->all || !s->q || !s->own) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for a dense matrix of %d rows", s->width);
    }
    if (problem->W) {
        fill_local(s, s->all, y);
    } else {
        tn_status status = create_global(s, s->all, y, arena, error);
        if (status != TN_OK) {
            return status;
        }
    }
    for (int i = 0; i < s->n; ++i) {
        s->own[i] = s->all[(size_t)i * ((size_t)s->width + 1)];
    }
    if (s->n_bilateral == 0) {
        s->H = s->all;
        memcpy(s->q, y, (size_t)s->n * sizeof *y);
        return TN_OK;
    }
    return eliminate(s, y, arena)
               ? TN_OK
               : tn_error_set(error, TN_NO_MEMORY, "no memory for the inverse of %d joint rows", s->n_bilateral);
}

void tn_force_form_destroy(tn_force_form *form)
{
    tn_cholesky_destroy(form->factor);
    form->factor = NULL;
}

// ---- back

// v = A^-1 (load + J^T lambda + G^T f) with the joint forces in the solution but the given ones, which load holds.
static tn_status find_velocity(const tn_force_form *s, tn_solution *solution, tn_error *error)
{
    const tn_problem *p = s->problem;
    double *v = solution->v;
    memcpy(v, s->load, 3 * (size_t)p->A->n_rows * sizeof *v);
    tn_problem_add_contact_force(p, solution->lambda, v);
    const double *singles = tn_single_forces(p->rows, solution->lambda);
    for (int k = 0; k < s->n_bounded; ++k) {
        tn_single_push(p->rows, s->bounded[k], singles[s->bounded[k]], v);
    }
    for (int k = 0; k < s->n_bilateral; ++k) {
        tn_single_push(p->rows, s->bilateral[k], singles[s->bilateral[k]], v);
    }
    return apply_inverse(s, v, error);
}

tn_status tn_force_form_recover(const tn_force_form *form, const double *f, tn_solution *solution, tn_arena *arena,
                                tn_error *error)
{
    const tn_force_form *s = form;
    const tn_rows singles = tn_rows_singles(s->problem->rows), *joints = &singles;
    if (!s->problem->A) {
        return TN_OK;
    }
    double *force = tn_single_forces(s->problem->rows, solution->lambda);
    for (int i = 0; i < tn_joint_row_count(s->problem); ++i) {
        force[i] = joints->lower[i] == joints->upper[i] ? joints->lower[i] : 0.0;
    }
    for (int k = 0; k < s->n_bounded; ++k) {
        force[s->bounded[k]] = f[k];
    }
    int n = s->n_bilateral;
    double *y = TN_PUSH_RAW(arena, double, n), *held = TN_PUSH(arena, double, n);
    if (!y || !held) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for %d joint rows", n);
    }
    tn_status status = TN_OK;
    // Twice: the second time only what rounding left.
    for (int round = 0; status == TN_OK && n > 0 && round < 2; ++round) {
        status = find_velocity(s, solution, error);
        for (int k = 0; k < n; ++k) {
            int row = s->bilateral[k];
            y[k] = tn_single_velocity(joints, row, solution->v) + joints->compliance[row] * force[row];
        }
        tn_independent_hold(&s->held, y, held);
        if (round == 1) {
            tn_independent_least(&s->held, held);
        }
        for (int k = 0; k < n; ++k) {
            force[s->bilateral[k]] = held[k];
        }
    }
    return status == TN_OK ? find_velocity(s, solution, error) : status;
}
