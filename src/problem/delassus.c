#include "problem/delassus.h"

#include "kernels/dense_rows.h"
#include "math/blocks.h"
#include "math/cholesky.h"
#include "math/mat3.h"
#include "problem/delassus_build.h"
#include "problem/problem.h"
#include "problem/responses.h"

#include <string.h>

tn_delassus_kind tn_delassus_choose(const tn_problem *problem, tn_arena *arena)
{
    if (problem->W) {
        return TN_DELASSUS_EXPLICIT;
    }
    return tn_problem_is_elastic(problem, arena) ? TN_DELASSUS_FACTORED : TN_DELASSUS_COMPONENTS;
}

static tn_status no_memory(tn_error *error)
{
    return tn_error_set(error, TN_NO_MEMORY, "no memory for the Delassus operator");
}

static tn_status create_local(const tn_problem *p, double *diagonal, tn_delassus *out)
{
    out->N = p->W;
    out->q = p->rows->offset;
    for (int i = 0; i < out->n; ++i) {
        const double *own = tn_blocks_find(p->W, i, i);
        for (int d = 0; own && d < 9; ++d) {
            diagonal[9 * (size_t)i + (size_t)d] = own[d];
        }
    }
    return TN_OK;
}

// J_e (A^-1 J^T on the same block), over the entries of both.
static void block_from_entries(const tn_delassus *d, int m, int k, double out[9])
{
    const tn_rows *c = d->problem->rows;
    memset(out, 0, 9 * sizeof *out);
    for (int e = c->start[m]; e < c->start[m + 1]; ++e) {
        for (int f = d->entry_start[k]; f < d->entry_start[k + 1]; ++f) {
            double product[9];
            if (d->entry_block[f] != c->block[e]) {
                continue;
            }
            tn_mat3_mul(product, &c->jacobian[9 * (size_t)e], &d->entry_inverse[9 * (size_t)f]);
            for (int i = 0; i < 9; ++i) {
                out[i] += product[i];
            }
        }
    }
}

static void block_of(const tn_delassus *d, size_t m, size_t k, double out[9])
{
    if (!d->dense) {
        block_from_entries(d, (int)m, (int)k, out);
        return;
    }
    for (size_t i = 0; i < 9; ++i) {
        out[i] = d->dense[(3 * m + i / 3) * 3 * (size_t)d->n + 3 * k + i % 3];
    }
}

// N by blocks, without those of contacts that nothing couples.
static bool make_sparse(tn_delassus *d, tn_arena *arena)
{
    size_t n = (size_t)d->n, used = 0;
    tn_blocks *N = TN_PUSH(arena, tn_blocks, 1);
    int *start = TN_PUSH(arena, int, n + 1), *column = TN_PUSH_RAW(arena, int, n *n);
    double *value = TN_PUSH_RAW(arena, double, 9 * n * n);
    if (!N || !start || !column || !value) {
        return false;
    }
    for (size_t m = 0; m < n; ++m) {
        for (size_t k = 0; k < n; ++k) {
            double *to = value + 9 * used;
            bool any = false;
            block_of(d, m, k, to);
            for (int i = 0; i < 9; ++i) {
                any = any || to[i] != 0.0;
            }
            column[used] = (int)k;
            used += any || m == k;
        }
        start[m + 1] = (int)used;
    }
    *N = (tn_blocks){d->n, d->n, start, column, value};
    d->N = N;
    d->dense = NULL;
    return true;
}

static tn_status create_from_parts(const tn_problem *p, const tn_part_factors *factors, bool with_matrix,
                                   double *free_velocity, double *diagonal, tn_arena *arena, tn_delassus *out)
{
    tn_parts_solve(factors, free_velocity);
    tn_responses entries;
    if (!tn_responses_create(p->rows, out->n, factors, arena, &entries)) {
        return TN_NO_MEMORY;
    }
    out->entry_start = entries.start;
    out->entry_block = entries.block;
    out->entry_inverse = entries.value;
    for (int m = 0; m < out->n; ++m) {
        block_from_entries(out, m, m, diagonal + 9 * (size_t)m);
    }
    return with_matrix && !make_sparse(out, arena) ? TN_NO_MEMORY : TN_OK;
}

static tn_status create_from_factor(const tn_problem *p, double *free_velocity, tn_delassus *out, tn_error *error)
{
    tn_error own = {0}; // the caller's may be NULL
    tn_cholesky *factor = tn_cholesky_create(p->A, &own);
    if (!factor) {
        return tn_error_set(error, own.status, "%s", own.message);
    }
    out->factor = factor;
    tn_status status = tn_cholesky_factor(factor, p->A, error);
    status = status == TN_OK ? tn_cholesky_solve(factor, 1, free_velocity, free_velocity, error) : status;
    return status;
}

// Whatever needs A^-1: free velocity (b on entry), diagonal, entries or factor, N.
static tn_status apply_inverse(const tn_problem *p, double *free_velocity, double *diagonal, tn_arena *arena,
                               tn_delassus *out, tn_error *error)
{
    const tn_parts *parts = tn_problem_parts(p, arena);
    if (!parts) {
        return no_memory(error);
    }
    bool small = !tn_parts_any_sparse(parts);
    bool with_matrix = out->kind == TN_DELASSUS_EXPLICIT;
    if (out->kind == TN_DELASSUS_COMPONENTS && !small) {
        return tn_error_set(error, TN_BAD_INPUT,
                            "A couples %d blocks, too many by components: choose the factored operator",
                            parts->largest_sparse);
    }
    if (out->kind == TN_DELASSUS_FACTORED) {
        return create_from_factor(p, free_velocity, out, error);
    }
    if (out->kind == TN_DELASSUS_DENSE || out->kind == TN_DELASSUS_COLUMNS || !small) {
        bool by_columns = out->kind == TN_DELASSUS_COLUMNS;
        tn_status status = tn_delassus_build_dense(p, by_columns, free_velocity, diagonal, arena, out, error);
        return status == TN_OK && with_matrix && !make_sparse(out, arena) ? no_memory(error) : status;
    }
    tn_part_factors factors;
    tn_status status = tn_parts_factor(p->A, parts, 1, arena, &factors, error);
    if (status == TN_OK && create_from_parts(p, &factors, with_matrix, free_velocity, diagonal, arena, out) != TN_OK) {
        return no_memory(error);
    }
    return status;
}

static tn_status create_global(const tn_problem *p, double *diagonal, tn_arena *arena, tn_delassus *out,
                               tn_error *error)
{
    const tn_rows *c = p->rows;
    size_t rows = 3 * (size_t)p->A->n_rows;
    double *free_velocity = TN_PUSH(arena, double, rows);
    double *q = TN_PUSH(arena, double, 3 * (size_t)c->n_triples);
    if (!free_velocity || !q) {
        return no_memory(error);
    }
    for (size_t i = 0; i < rows; ++i) {
        free_velocity[i] = p->b[i];
    }
    tn_status status = apply_inverse(p, free_velocity, diagonal, arena, out, error);
    if (status != TN_OK) {
        return status;
    }
    for (int i = 0; i < c->n_triples; ++i) { // q = J A^-1 b + w
        tn_vec3_copy(&q[3 * (size_t)i], &c->offset[3 * (size_t)i]);
        for (int e = c->start[i]; e < c->start[i + 1]; ++e) {
            tn_mat3_add_vec(&q[3 * (size_t)i], &c->jacobian[9 * (size_t)e], &free_velocity[3 * (size_t)c->block[e]]);
        }
    }
    out->free = free_velocity;
    out->q = q;
    return TN_OK;
}

tn_status tn_delassus_create(const tn_problem *problem, tn_delassus_kind kind, tn_arena *arena, tn_delassus *out,
                             tn_error *error)
{
    *out = (tn_delassus){.kind = kind, .n = problem->rows->n_triples, .problem = problem};
    if (problem->W && kind != TN_DELASSUS_EXPLICIT) {
        return tn_error_set(error, TN_BAD_INPUT, "a local problem has no A: only the explicit Delassus matrix applies");
    }
    double *diagonal = TN_PUSH(arena, double, 9 * (size_t)out->n);
    if (!diagonal) {
        return no_memory(error);
    }
    out->diagonal = kind == TN_DELASSUS_FACTORED ? NULL : diagonal;
    tn_status status =
        problem->W ? create_local(problem, diagonal, out) : create_global(problem, diagonal, arena, out, error);
    if (status != TN_OK) {
        tn_delassus_destroy(out);
    }
    return status;
}

void tn_delassus_destroy(tn_delassus *delassus)
{
    tn_cholesky_destroy(delassus->factor);
    delassus->factor = NULL;
}

// dv = A^-1 J^T lambda added to v, from the entries.
static void add_response(const tn_delassus *d, const double *lambda, double *v)
{
    for (int i = 0; i < d->n; ++i) {
        for (int e = d->entry_start[i]; e < d->entry_start[i + 1]; ++e) {
            tn_mat3_add_vec(&v[3 * (size_t)d->entry_block[e]], &d->entry_inverse[9 * (size_t)e],
                            &lambda[3 * (size_t)i]);
        }
    }
}

tn_status tn_delassus_recover(const tn_delassus *delassus, const double *lambda, double *v, tn_arena *arena,
                              tn_error *error)
{
    const tn_problem *p = delassus->problem;
    if (!p->A) {
        return tn_error_set(error, TN_BAD_INPUT, "a local problem has no velocities to recover");
    }
    size_t rows = 3 * (size_t)p->A->n_rows;
    bool by_entries = !delassus->factor;
    for (size_t i = 0; i < rows; ++i) {
        v[i] = by_entries ? delassus->free[i] : p->b[i];
    }
    if (by_entries) {
        add_response(delassus, lambda, v);
        return TN_OK;
    }
    tn_problem_add_contact_force(p, lambda, v);
    return tn_cholesky_solve(delassus->factor, 1, v, v, error);
}

// N is symmetric: its rows are its columns. Contacts without force cost nothing.
static void dense_velocity(const tn_delassus *d, const double *lambda, double *u)
{
    const double *softness = d->problem->rows->softness;
    size_t n = 3 * (size_t)d->n;
    memcpy(u, d->q, n * sizeof *u);
    for (int m = 0; m < d->n; ++m) {
        const double *force = lambda + 3 * m;
        if (force[0] != 0.0 || force[1] != 0.0 || force[2] != 0.0) {
            tn_dense_rows_add((int)n, d->dense + 3 * (size_t)m * n, force, u);
        }
    }
    for (int m = 0; softness && m < d->n; ++m) {
        tn_mat3_add_vec(u + 3 * m, softness + 9 * m, lambda + 3 * m);
    }
}

tn_status tn_delassus_velocity(const tn_delassus *delassus, const double *lambda, double *u, tn_arena *arena,
                               tn_error *error)
{
    const tn_rows *c = delassus->problem->rows;
    if (delassus->dense) {
        dense_velocity(delassus, lambda, u);
        return TN_OK;
    }
    if (delassus->kind != TN_DELASSUS_EXPLICIT) {
        tn_arena_mark mark = tn_arena_get_mark(arena);
        double *v = TN_PUSH(arena, double, 3 * (size_t)delassus->problem->A->n_rows);
        tn_status status = v ? tn_delassus_recover(delassus, lambda, v, arena, error) : no_memory(error);
        if (status == TN_OK) {
            tn_problem_velocity(delassus->problem, v, lambda, u);
        }
        tn_arena_release(arena, mark);
        return status;
    }
    const tn_blocks *N = delassus->N;
    for (int i = 0; i < c->n_triples; ++i) {
        double *ui = &u[3 * (size_t)i];
        tn_vec3_copy(ui, &delassus->q[3 * (size_t)i]);
        for (int k = N->start[i]; k < N->start[i + 1]; ++k) {
            tn_mat3_add_vec(ui, &N->value[9 * (size_t)k], &lambda[3 * (size_t)N->column[k]]);
        }
        if (c->softness) {
            tn_mat3_add_vec(ui, &c->softness[9 * (size_t)i], &lambda[3 * (size_t)i]);
        }
    }
    return TN_OK;
}
