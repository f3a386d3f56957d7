#include "problem/problem.h"

#include "kernels/contact/products.h"
#include "math/mat3.h"
#include "problem/bound.h"
#include "problem/rows.h"

#include <math.h>
#include <stddef.h>

// A problem whose parts are found, and where they lie.
typedef struct known_problem {
    tn_problem problem;
    tn_hints hints;
    tn_parts parts;
} known_problem;

const tn_problem *tn_problem_with_parts(const tn_problem *problem, tn_arena *arena)
{
    if (problem->hints || !problem->A) {
        return problem;
    }
    known_problem *known = TN_PUSH(arena, known_problem, 1);
    if (!known || tn_parts_find(problem->A, arena, &known->parts) != TN_OK) {
        return NULL;
    }
    known->problem = *problem;
    known->hints.parts = &known->parts;
    known->problem.hints = &known->hints;
    return &known->problem;
}

const tn_parts *tn_problem_parts(const tn_problem *problem, tn_arena *arena)
{
    const tn_problem *known = tn_problem_with_parts(problem, arena);
    return known ? known->hints->parts : NULL;
}

bool tn_problem_is_elastic(const tn_problem *problem, tn_arena *arena)
{
    tn_arena_mark mark = tn_arena_get_mark(arena);
    const tn_parts *parts = problem->A ? tn_problem_parts(problem, arena) : NULL;
    bool elastic = parts && tn_parts_any_sparse(parts);
    tn_arena_release(arena, mark);
    return elastic;
}

void tn_problem_add_softness(const tn_problem *problem, const double *lambda, double *u)
{
    const tn_rows *c = problem->rows;
    for (int i = 0; c->softness && lambda && i < c->n_triples; ++i) {
        tn_mat3_add_vec(&u[3 * (size_t)i], &c->softness[9 * (size_t)i], &lambda[3 * (size_t)i]);
    }
}

void tn_contact_row_velocity(const tn_problem *problem, int m, const double *v, const double *lambda, double u[3])
{
    const tn_rows *c = problem->rows;
    tn_vec3_copy(u, c->offset + 3 * (size_t)m);
    for (int e = c->start[m]; e < c->start[m + 1]; ++e) {
        tn_mat3_add_vec(u, c->jacobian + 9 * (size_t)e, v + 3 * (size_t)c->block[e]);
    }
    if (c->softness && lambda) {
        tn_mat3_add_vec(u, c->softness + 9 * (size_t)m, lambda + 3 * (size_t)m);
    }
}

void tn_rows_motion(const tn_rows *rows, const double *v, double *u)
{
    for (int m = 0; m < rows->n_triples; ++m) {
        tn_vec3_set(u + 3 * (size_t)m, 0.0, 0.0, 0.0);
        for (int e = rows->start[m]; e < rows->start[m + 1]; ++e) {
            tn_mat3_add_vec(u + 3 * (size_t)m, rows->jacobian + 9 * (size_t)e, v + 3 * (size_t)rows->block[e]);
        }
    }
}

// W lambda + q
static void local_velocity(const tn_problem *problem, const double *lambda, double *u)
{
    const tn_rows *c = problem->rows;
    const tn_blocks *W = problem->W;
    for (int i = 0; i < c->n_triples; ++i) {
        double ui[3] = {c->offset[3 * (size_t)i], c->offset[3 * (size_t)i + 1], c->offset[3 * (size_t)i + 2]};
        for (int k = W->start[i]; k < W->start[i + 1]; ++k) {
            tn_mat3_add_vec(ui, &W->value[9 * (size_t)k], &lambda[3 * (size_t)W->column[k]]);
        }
        tn_vec3_copy(&u[3 * (size_t)i], ui);
    }
}

void tn_problem_velocity(const tn_problem *problem, const double *v, const double *lambda, double *u)
{
    if (problem->W) {
        local_velocity(problem, lambda, u);
    } else {
        tn_contact_products_run(problem->rows, &(tn_contact_products){.v = v, .u = u});
    }
    tn_problem_add_softness(problem, lambda, u);
}

void tn_problem_add_contact_force(const tn_problem *problem, const double *lambda, double *force)
{
    tn_contact_products_run(problem->rows, &(tn_contact_products){.lambda = lambda, .force = force});
}

void tn_problem_apply(const tn_problem *problem, const double *v, const double *lambda, double *u, double *force)
{
    tn_contact_products_run(problem->rows, &(tn_contact_products){.v = v, .u = u, .lambda = lambda, .force = force});
    tn_problem_add_softness(problem, lambda, u);
}

static tn_status check_numbers(const char *name, const double *x, size_t count, tn_error *error)
{
    if (count > 0 && !x) {
        return tn_error_set(error, TN_BAD_INPUT, "problem: %s is missing", name);
    }
    for (size_t i = 0; i < count; ++i) {
        if (!isfinite(x[i])) {
            return tn_error_set(error, TN_BAD_INPUT, "problem: %s[%zu] is %g, expected a finite number", name, i, x[i]);
        }
    }
    return TN_OK;
}

// Row pointers from 0 and never falling, so that the last one is the largest index that is read.
static tn_status check_pointers(const char *name, int n, const int *start, tn_error *error)
{
    if (n > 0 && (!start || start[0] != 0)) {
        return tn_error_set(error, TN_BAD_INPUT, "problem: the row pointers of %s are missing or do not start at 0",
                            name);
    }
    for (int i = 0; i < n; ++i) {
        if (start[i + 1] < start[i]) {
            return tn_error_set(error, TN_BAD_INPUT, "problem: the row pointers of %s fall at row %d", name, i);
        }
    }
    return TN_OK;
}

// Columns ascending and in range.
static tn_status check_columns(const char *name, const tn_blocks *m, tn_error *error)
{
    for (int i = 0; i < m->n_rows; ++i) {
        for (int k = m->start[i]; k < m->start[i + 1]; ++k) {
            int column = m->column[k];
            if (column < 0 || column >= m->n_cols || (k > m->start[i] && column <= m->column[k - 1])) {
                return tn_error_set(error, TN_BAD_INPUT,
                                    "problem: row %d of %s names block %d, expected ascending blocks from 0 to %d", i,
                                    name, column, m->n_cols - 1);
            }
        }
    }
    return TN_OK;
}

static tn_status check_matrix(const char *name, const tn_blocks *m, int n, tn_error *error)
{
    if (m->n_rows != n || m->n_cols != n) {
        return tn_error_set(error, TN_BAD_INPUT, "problem: %s has %d x %d blocks, expected %d x %d", name, m->n_rows,
                            m->n_cols, n, n);
    }
    tn_status status = check_pointers(name, n, m->start, error);
    status = status == TN_OK ? check_columns(name, m, error) : status;
    return status != TN_OK ? status : check_numbers(name, m->value, n > 0 ? 9 * (size_t)m->start[n] : 0, error);
}

// Entries of a contact need not ascend and may repeat a block: they only have to be in range.
static tn_status check_entries(const tn_rows *c, int n_blocks, tn_error *error)
{
    tn_status status = check_pointers("the Jacobians", c->n_triples, c->start, error);
    if (status != TN_OK) {
        return status;
    }
    for (int i = 0; i < c->n_triples; ++i) {
        for (int e = c->start[i]; e < c->start[i + 1]; ++e) {
            if (c->block[e] < 0 || c->block[e] >= n_blocks) {
                return tn_error_set(error, TN_BAD_INPUT, "problem: contact %d acts on block %d, expected 0 to %d", i,
                                    c->block[e], n_blocks - 1);
            }
        }
    }
    return check_numbers("jacobian", c->jacobian, c->n_triples > 0 ? 9 * (size_t)c->start[c->n_triples] : 0, error);
}

static tn_status check_contacts(const tn_rows *c, tn_error *error)
{
    size_t n = (size_t)c->n_triples;
    tn_status status = check_numbers("offset", c->offset, 3 * n, error);
    status = status == TN_OK ? check_numbers("mu", c->mu, 2 * n, error) : status;
    if (status == TN_OK && c->softness) {
        status = check_numbers("softness", c->softness, 9 * n, error);
    }
    return status;
}

static tn_status check_frictions(const tn_rows *c, tn_error *error)
{
    int n = c->n_triples - c->n_frictions;
    if (c->n_frictions < 0 || n < 0 || (c->n_frictions > 0 && !c->pressed_by)) {
        return tn_error_set(error, TN_BAD_INPUT,
                            "problem: n_frictions is %d of %d row blocks, or pressed_by is missing", c->n_frictions,
                            c->n_triples);
    }
    for (int k = 0; k < c->n_frictions; ++k) {
        tn_set set = tn_friction_set(c, k);
        if (set != TN_SET_MOMENT && set != TN_SET_BALL && set != TN_SET_ELLIPSE) {
            return tn_error_set(error, TN_BAD_INPUT, "problem: friction_set[%d] is %d, expected %d, %d or %d", k,
                                (int)set, TN_SET_MOMENT, TN_SET_BALL, TN_SET_ELLIPSE);
        }
        bool alone = set == TN_SET_ELLIPSE || (set == TN_SET_BALL && c->mu[2 * (n + k) + 1] == 0.0);
        if (c->pressed_by[k] >= n || c->pressed_by[k] < (alone ? -1 : 0)) {
            return tn_error_set(error, TN_BAD_INPUT, "problem: pressed_by[%d] is %d, expected a contact below %d", k,
                                c->pressed_by[k], n);
        }
    }
    return TN_OK;
}

// The numbers of every law; friction counts under the law without it too.
static tn_status check_laws(const tn_problem *problem, tn_error *error)
{
    const tn_rows *c = problem->rows;
    tn_problem strict = *problem;
    strict.law = TN_LAW_COULOMB;
    for (int i = 0; i < c->n_triples + c->n_singles; ++i) {
        bool triple = i < c->n_triples, contact = i < c->n_triples - c->n_frictions;
        tn_bound bound = tn_problem_bound(&strict, i, NULL);
        bound.preload = triple && c->preload ? c->preload[i] : 0.0;
        const char *refusal = tn_set_refusal(&bound);
        if (!refusal && !contact && bound.preload != 0.0) {
            refusal = "what is no contact has no preload";
        }
        if (refusal) {
            return tn_error_set(error, TN_BAD_INPUT, "problem: %s %d has the numbers %g and %g, preload %g: %s",
                                triple ? "contact" : "joint row", triple ? i : i - c->n_triples, bound.bound[0],
                                bound.bound[1], bound.preload, refusal);
        }
    }
    return TN_OK;
}

tn_status tn_problem_check(const tn_problem *problem, tn_error *error)
{
    const tn_rows *c = problem->rows;
    if (!c || c->n_triples < 0) {
        return tn_error_set(error, TN_BAD_INPUT, "problem: contacts are missing");
    }
    if ((problem->A != NULL) == (problem->W != NULL)) {
        return tn_error_set(error, TN_BAD_INPUT,
                            "problem: exactly one of A (global form) and W (local form) is needed");
    }
    if (!(problem->step > 0.0) || !isfinite(problem->step)) {
        return tn_error_set(error, TN_BAD_INPUT, "problem: step is %g s, expected more than 0", problem->step);
    }
    if (problem->law != TN_LAW_COULOMB && problem->law != TN_LAW_CONVEX && problem->law != TN_LAW_FRICTIONLESS) {
        return tn_error_set(error, TN_BAD_INPUT, "problem: law %d is unknown", (int)problem->law);
    }
    tn_status status = check_contacts(c, error);
    status = status == TN_OK ? check_frictions(c, error) : status;
    if (status != TN_OK) {
        return status;
    }
    if (problem->W && tn_joint_row_count(problem) > 0) {
        return tn_error_set(error, TN_BAD_INPUT, "problem: joint rows need the global form");
    }
    if (problem->W) {
        status = check_matrix("W", problem->W, c->n_triples, error);
        return status == TN_OK ? check_laws(problem, error) : status;
    }
    status = check_matrix("A", problem->A, problem->A->n_rows, error);
    status = status == TN_OK ? check_numbers("b", problem->b, 3 * (size_t)problem->A->n_rows, error) : status;
    status = status == TN_OK ? check_entries(c, problem->A->n_rows, error) : status;
    status = status == TN_OK ? tn_singles_check(c, problem->A->n_rows, error) : status; // whose arrays follow those
    return status == TN_OK ? check_laws(problem, error) : status;
}
