#include "solver/pgs/joint_sweep.h"

#include "math/dense.h"
#include "math/mat3.h"
#include "problem/bound.h"
#include "problem/problem.h"
#include "problem/rows.h"

#include <math.h>
#include <string.h>

static const double REGULAR = 1e-10; // of a block's mean diagonal

// ---- groups of rows and their inverses

static bool is_free(const tn_rows *rows, int i)
{
    return rows->lower[i] == -INFINITY && rows->upper[i] == INFINITY;
}

// The free rows of each joint, joint by joint, then its bounded ones.
static bool create_groups(tn_joint_sweep *s, tn_arena *arena)
{
    const tn_rows singles = tn_rows_singles(s->problem->rows), *rows = &singles;
    int *start = TN_PUSH(arena, int, rows->n_singles + 1), *row = TN_PUSH(arena, int, rows->n_singles), used = 0, n = 0;
    if (!start || !row) {
        return false;
    }
    for (int first = 0, last; first < rows->n_singles; first = last) {
        for (last = first + 1; last < rows->n_singles && rows->joint && rows->joint[last] == rows->joint[first];
             ++last) {
        }
        int size = 0;
        for (int i = first; i < last; ++i) {
            if (is_free(rows, i)) {
                start[n] = size == 0 ? used : start[n];
                row[used++] = i;
                size = (size + 1) % TN_JOINT_SWEEP_ROWS;
                n += size == 0;
            }
        }
        n += size > 0;
        for (int i = first; i < last; ++i) {
            if (!is_free(rows, i)) {
                start[n++] = used;
                row[used++] = i;
            }
        }
    }
    start[n] = used;
    s->n_groups = n;
    s->group_start = start;
    s->group_row = row;
    return true;
}

// G_i A^-1 G_j^T
static double coupling(const tn_joint_sweep *s, int i, int j)
{
    const tn_rows singles = tn_rows_singles(s->problem->rows), *rows = &singles;
    double sum = 0.0;
    for (int e = rows->start[i]; e < rows->start[i + 1]; ++e) {
        for (int k = s->responses.start[j]; k < s->responses.start[j + 1]; ++k) {
            if (s->responses.block[k] == rows->block[e]) {
                sum += tn_vec3_dot(&rows->jacobian[3 * (size_t)e], &s->responses.value[3 * (size_t)k]);
            }
        }
    }
    return sum;
}

// inverse (n square) of the group's block; zero where nothing moves.
static void invert_group(const tn_joint_sweep *s, const int *row, int n, double *inverse)
{
    double M[TN_JOINT_SWEEP_ROWS * TN_JOINT_SWEEP_ROWS], column[TN_JOINT_SWEEP_ROWS], mean = 0.0;
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            M[i * n + j] = coupling(s, row[i], row[j]);
        }
        mean += M[i * n + i] / n;
        M[i * n + i] += s->problem->rows->compliance[row[i]];
    }
    for (int i = 0; i < n; ++i) {
        M[i * n + i] += REGULAR * mean;
    }
    memset(inverse, 0, (size_t)(n * n) * sizeof *inverse);
    if (!tn_dense_cholesky(n, M)) {
        return;
    }
    for (int j = 0; j < n; ++j) {
        memset(column, 0, sizeof column);
        column[j] = 1.0;
        tn_dense_cholesky_solve(n, M, column);
        for (int i = 0; i < n; ++i) {
            inverse[i * n + j] = column[i];
        }
    }
}

static bool create_inverses(tn_joint_sweep *s, tn_arena *arena)
{
    int *at = TN_PUSH(arena, int, s->n_groups + 1);
    for (int g = 0; at && g < s->n_groups; ++g) {
        int n = s->group_start[g + 1] - s->group_start[g];
        at[g + 1] = at[g] + n * n;
    }
    double *inverse = at ? TN_PUSH(arena, double, at[s->n_groups]) : NULL;
    for (int g = 0; inverse && g < s->n_groups; ++g) {
        int first = s->group_start[g];
        invert_group(s, s->group_row + first, s->group_start[g + 1] - first, inverse + at[g]);
    }
    s->inverse_at = at;
    s->inverse = inverse;
    return inverse != NULL;
}

tn_status tn_joint_sweep_create(tn_joint_sweep *s, const tn_problem *problem, const tn_solution *start, tn_arena *arena,
                                tn_error *error)
{
    *s = (tn_joint_sweep){.problem = problem};
    const tn_parts *parts = tn_problem_parts(problem, arena);
    if (parts && tn_parts_any_sparse(parts)) {
        return tn_error_set(error, TN_BAD_INPUT, "sweeps over joints need rigid bodies without springs between them");
    }
    tn_part_factors factors;
    tn_status status = parts ? tn_parts_factor(problem->A, parts, 1, arena, &factors, error)
                             : tn_error_set(error, TN_NO_MEMORY, "no memory for the parts of A");
    status = status == TN_OK ? tn_delassus_create(problem, TN_DELASSUS_COMPONENTS, arena, &s->delassus, error) : status;
    if (status != TN_OK) {
        return status;
    }
    const tn_rows singles = tn_rows_singles(problem->rows);
    size_t n = 3 * (size_t)problem->rows->n_triples, n_rows = (size_t)problem->rows->n_singles;
    s->v = TN_PUSH(arena, double, 3 * (size_t)problem->A->n_rows);
    s->lambda = TN_PUSH(arena, double, n);
    s->f = TN_PUSH(arena, double, n_rows);
    if (!s->v || !s->lambda || !s->f ||
        !tn_responses_create(&singles, problem->rows->n_singles, 1, &factors, arena, &s->responses) ||
        !create_groups(s, arena) || !create_inverses(s, arena)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for sweeps over %d joint rows", problem->rows->n_singles);
    }
    memcpy(s->lambda, start->lambda, n * sizeof *s->lambda);
    for (size_t i = 0; i < n_rows; ++i) {
        s->f[i] = tn_single_clamp(problem->rows, (int)i, start->lambda[n + i]);
    }
    tn_joint_sweep_refresh(s);
    return TN_OK;
}

// ---- sweeps

static void push_row(tn_joint_sweep *s, int i, double change)
{
    for (int k = s->responses.start[i]; k < s->responses.start[i + 1]; ++k) {
        double *v = s->v + 3 * (size_t)s->responses.block[k];
        tn_vec3_madd(v, v, change, &s->responses.value[3 * (size_t)k]);
    }
}

void tn_joint_sweep_refresh(tn_joint_sweep *s)
{
    const tn_delassus *d = &s->delassus;
    memcpy(s->v, d->free, 3 * (size_t)s->problem->A->n_rows * sizeof *s->v);
    for (int m = 0; m < d->n; ++m) {
        for (int k = d->entry_start[m]; k < d->entry_start[m + 1]; ++k) {
            tn_mat3_add_vec(s->v + 3 * (size_t)d->entry_block[k], d->entry_inverse + 9 * (size_t)k,
                            s->lambda + 3 * (size_t)m);
        }
    }
    for (int i = 0; i < s->problem->rows->n_singles; ++i) {
        push_row(s, i, s->f[i]);
    }
}

static double velocity_of(const tn_joint_sweep *s, int i)
{
    const tn_rows singles = tn_rows_singles(s->problem->rows), *rows = &singles;
    return tn_single_velocity(rows, i, s->v) + rows->compliance[i] * s->f[i];
}

static void solve_group(tn_joint_sweep *s, int g)
{
    const int *row = s->group_row + s->group_start[g];
    const double *inverse = s->inverse + s->inverse_at[g];
    int n = s->group_start[g + 1] - s->group_start[g];
    double y[TN_JOINT_SWEEP_ROWS];
    for (int i = 0; i < n; ++i) {
        y[i] = velocity_of(s, row[i]);
    }
    for (int i = 0; i < n; ++i) {
        double wanted = s->f[row[i]];
        for (int j = 0; j < n; ++j) {
            wanted -= inverse[i * n + j] * y[j];
        }
        wanted = tn_single_clamp(s->problem->rows, row[i], wanted);
        push_row(s, row[i], wanted - s->f[row[i]]);
        s->f[row[i]] = wanted;
    }
}

static void solve_contact(tn_joint_sweep *s, int m)
{
    const tn_problem *p = s->problem;
    const tn_rows *c = p->rows;
    const tn_delassus *d = &s->delassus;
    double *lambda = s->lambda + 3 * (size_t)m, W[9], q[3], own[3], change[3];
    memcpy(W, d->diagonal + 9 * (size_t)m, sizeof W);
    tn_vec3_copy(q, c->offset + 3 * (size_t)m);
    for (int e = c->start[m]; e < c->start[m + 1]; ++e) {
        tn_mat3_add_vec(q, c->jacobian + 9 * (size_t)e, s->v + 3 * (size_t)c->block[e]);
    }
    tn_mat3_vec(own, W, lambda);
    tn_vec3_sub(q, q, own);
    tn_rows_soften(c, m, W);
    tn_vec3_copy(change, lambda);
    tn_bound bound = tn_problem_bound(p, m, s->lambda);
    tn_set_solve(&bound, W, q, lambda);
    tn_vec3_sub(change, lambda, change);
    for (int k = d->entry_start[m]; k < d->entry_start[m + 1]; ++k) {
        tn_mat3_add_vec(s->v + 3 * (size_t)d->entry_block[k], d->entry_inverse + 9 * (size_t)k, change);
    }
}

void tn_joint_sweep_once(tn_joint_sweep *s)
{
    for (int g = 0; g < s->n_groups; ++g) {
        solve_group(s, g);
    }
    for (int m = 0; m < s->problem->rows->n_triples; ++m) {
        solve_contact(s, m);
    }
}
