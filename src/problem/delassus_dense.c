// N as one dense matrix of all pairs of contacts, in two ways.
//
// By columns: A^-1 J^T in batches of right-hand sides, then J times that. By the corner: with the blocks that contacts
// touch ordered last, the factor's corner gives A^-1 between them (math/cholesky.h), and N = J (A^-1)_cc J^T. The
// corner is the cheaper one while few blocks are touched: work grows with their number cubed, by columns with the
// number of contacts times the size of the factor.
#include "math/cholesky.h"
#include "math/mat3.h"
#include "problem/delassus_build.h"

#include <string.h>

enum { BATCH = 8 }; // contacts solved together

// Time of a multiplication and addition in solves over that in dense work: by columns 13, dense 35 Gflop/s.
static const double SOLVE_COST = 2.5;

// The blocks that contacts touch into touched, ascending; place (A->n_rows): position there, or -1. Returns their
// number.
static int find_touched(const tn_problem *p, int *touched, int *place)
{
    const tn_rows *c = p->rows;
    for (int i = 0; i < p->A->n_rows; ++i) {
        place[i] = -1;
    }
    for (int e = 0; c->n_triples > 0 && e < c->start[c->n_triples]; ++e) {
        place[c->block[e]] = 0;
    }
    int n = 0;
    for (int i = 0; i < p->A->n_rows; ++i) {
        if (place[i] == 0) {
            place[i] = n;
            touched[n++] = i;
        }
    }
    return n;
}

// Block (m, k) of N = sum over entries J_e C(e, f) J_f^T, C (3 n_touched square).
static void corner_block(const tn_rows *c, const int *place, size_t width, const double *corner, int m, int k,
                         double out[9])
{
    memset(out, 0, 9 * sizeof *out);
    for (int e = c->start[m]; e < c->start[m + 1]; ++e) {
        double left[9] = {0.0}; // sum over f of C(e, f) J_f^T
        for (int f = c->start[k]; f < c->start[k + 1]; ++f) {
            const double *C = corner + 3 * (size_t)place[c->block[e]] * width + 3 * (size_t)place[c->block[f]];
            const double *J = c->jacobian + 9 * (size_t)f;
            for (size_t i = 0; i < 3; ++i) {
                for (size_t j = 0; j < 3; ++j) {
                    left[3 * i + j] +=
                        C[i * width] * J[3 * j] + C[i * width + 1] * J[3 * j + 1] + C[i * width + 2] * J[3 * j + 2];
                }
            }
        }
        double product[9];
        tn_mat3_mul(product, c->jacobian + 9 * (size_t)e, left);
        for (int i = 0; i < 9; ++i) {
            out[i] += product[i];
        }
    }
}

// One half of N from the corner, and its mirror.
static void fill_from_corner(const tn_rows *c, const int *place, size_t width, const double *corner, double *N)
{
    size_t n = 3 * (size_t)c->n_triples;
    for (int m = 0; m < c->n_triples; ++m) {
        for (int k = 0; k <= m; ++k) {
            double block[9];
            corner_block(c, place, width, corner, m, k, block);
            for (size_t i = 0; i < 9; ++i) {
                size_t row = 3 * (size_t)m + i / 3, column = 3 * (size_t)k + i % 3;
                N[column * n + row] = block[i];
                N[row * n + column] = block[i];
            }
        }
    }
}

static tn_status dense_by_corner(const tn_problem *problem, void *factor, int n_touched, const int *place, double *N,
                                 tn_arena *arena, tn_error *error)
{
    tn_arena_mark mark = tn_arena_get_mark(arena);
    size_t width = 3 * (size_t)n_touched;
    double *corner = TN_PUSH(arena, double, width *width);
    if (!corner) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the dense Delassus matrix");
    }
    tn_status status = tn_cholesky_corner_inverse(factor, corner, error);
    if (status == TN_OK) {
        fill_from_corner(problem->rows, place, width, corner, N);
    }
    tn_arena_release(arena, mark);
    return status;
}

// Rows 3 first .. of N (it is symmetric) from count contacts' solved columns x, each `rows` long.
static void fill_columns(const tn_rows *c, int first, int count, size_t rows, const double *x, double *N)
{
    size_t n = 3 * (size_t)c->n_triples;
    for (int k = 0; k < c->n_triples; ++k) {
        for (size_t column = 0; column < 3 * (size_t)count; ++column) {
            double sum[3] = {0.0, 0.0, 0.0};
            for (int e = c->start[k]; e < c->start[k + 1]; ++e) {
                tn_mat3_add_vec(sum, c->jacobian + 9 * (size_t)e, x + column * rows + 3 * (size_t)c->block[e]);
            }
            memcpy(N + (3 * (size_t)first + column) * n + 3 * (size_t)k, sum, sizeof sum);
        }
    }
}

static void set_right_sides(const tn_rows *c, int first, int count, size_t rows, double *x)
{
    memset(x, 0, 3 * (size_t)count * rows * sizeof *x);
    for (int k = 0; k < count; ++k) {
        double *own = x + 3 * (size_t)k * rows;
        for (int e = c->start[first + k]; e < c->start[first + k + 1]; ++e) {
            for (size_t d = 0; d < 9; ++d) {
                own[d / 3 * rows + 3 * (size_t)c->block[e] + d % 3] += c->jacobian[9 * (size_t)e + d];
            }
        }
    }
}

static tn_status dense_by_columns(const tn_problem *problem, void *factor, double *N, tn_arena *arena, tn_error *error)
{
    const tn_rows *c = problem->rows;
    tn_arena_mark mark = tn_arena_get_mark(arena);
    size_t rows = 3 * (size_t)problem->A->n_rows;
    double *x = TN_PUSH(arena, double, 3 * BATCH * rows);
    if (!x) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the dense Delassus matrix");
    }
    tn_status status = TN_OK;
    for (int first = 0; status == TN_OK && first < c->n_triples; first += BATCH) {
        int count = c->n_triples - first < BATCH ? c->n_triples - first : BATCH;
        set_right_sides(c, first, count, rows, x);
        status = tn_cholesky_solve(factor, 3 * count, x, x, error);
        if (status == TN_OK) {
            fill_columns(c, first, count, rows, x, N);
        }
    }
    tn_arena_release(arena, mark);
    return status;
}

// The factor that suits the cheaper way; *n_touched is 0 where that is by columns.
static tn_status choose_factor(const tn_problem *p, bool by_columns, int *touched, int *place, int *n_touched,
                               tn_cholesky **factor, tn_error *error)
{
    tn_error own = {0}; // the caller's may be NULL
    *n_touched = 0;
    *factor = tn_cholesky_create(p->A, &own);
    if (!*factor) {
        return tn_error_set(error, own.status, "%s", own.message);
    }
    int n = find_touched(p, touched, place);
    if (by_columns || n == 0) {
        return TN_OK;
    }
    tn_cholesky *last = tn_cholesky_create_last(p->A, n, touched, &own);
    if (!last) {
        return tn_error_set(error, own.status, "%s", own.message);
    }
    double dense = 3.0 * n;
    double corner = tn_cholesky_flops(last) + 2.0 / 3.0 * dense * dense * dense;
    double columns = tn_cholesky_flops(*factor) + SOLVE_COST * 12.0 * p->rows->n_triples * tn_cholesky_entries(*factor);
    bool corner_wins = corner < columns;
    tn_cholesky_destroy(corner_wins ? *factor : last);
    *factor = corner_wins ? last : *factor;
    *n_touched = corner_wins ? n : 0;
    return TN_OK;
}

tn_status tn_delassus_build_dense(const tn_problem *problem, bool by_columns, double *free_velocity, double *diagonal,
                                  tn_arena *arena, tn_delassus *out, tn_error *error)
{
    const tn_rows *c = problem->rows;
    size_t n = 3 * (size_t)c->n_triples;
    if (c->n_triples > TN_DELASSUS_DENSE_CONTACTS) {
        return tn_error_set(error, TN_BAD_INPUT, "%d contacts on coupled bodies are too many for a dense matrix (%d)",
                            c->n_triples, TN_DELASSUS_DENSE_CONTACTS);
    }
    double *N = TN_PUSH(arena, double, n *n);
    int *touched = TN_PUSH(arena, int, problem->A->n_rows), *place = TN_PUSH(arena, int, problem->A->n_rows), n_touched;
    if (!N || !touched || !place) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the dense Delassus matrix");
    }
    tn_cholesky *factor = NULL;
    tn_status status = choose_factor(problem, by_columns, touched, place, &n_touched, &factor, error);
    out->factor = factor;
    status = status == TN_OK ? tn_cholesky_factor(factor, problem->A, error) : status;
    status = status == TN_OK ? tn_cholesky_solve(factor, 1, free_velocity, free_velocity, error) : status;
    if (status == TN_OK) {
        status = n_touched > 0 ? dense_by_corner(problem, factor, n_touched, place, N, arena, error)
                               : dense_by_columns(problem, factor, N, arena, error);
    }
    for (int m = 0; status == TN_OK && m < c->n_triples; ++m) {
        for (size_t i = 0; i < 9; ++i) {
            diagonal[9 * (size_t)m + i] = N[(3 * (size_t)m + i / 3) * n + 3 * (size_t)m + i % 3];
        }
    }
    out->dense = N;
    return status;
}
