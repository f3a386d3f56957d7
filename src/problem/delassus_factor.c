// N and its diagonal from a sparse factor of A, by batches of right-hand sides, block-sparse by components of A.
#include "math/blocks.h"
#include "math/cholesky.h"
#include "math/mat3.h"
#include "problem/delassus_build.h"
#include "problem/problem.h"

#include <limits.h>

enum { BATCH = 8 }; // contacts solved together: 24 right-hand sides keep CHOLMOD's dense kernels busy

// mark[k] = row + 1 for every contact k that shares a component of A with the row's contact. seen: by component.
static void mark_coupled(const tn_rows *c, const tn_parts *p, int row, int *seen, int *mark)
{
    for (int e = c->start[row]; e < c->start[row + 1]; ++e) {
        seen[p->of_block[c->block[e]]] = row + 1;
    }
    for (int k = 0; k < c->n_triples; ++k) {
        for (int e = c->start[k]; e < c->start[k + 1]; ++e) {
            if (seen[p->of_block[c->block[e]]] == row + 1) {
                mark[k] = row + 1;
                break;
            }
        }
    }
}

// The pattern of N: all pairs of contacts that share a component. Dense where one soft body carries all contacts.
static tn_status push_pattern(const tn_problem *p, tn_arena *arena, tn_blocks **out, tn_error *error)
{
    const tn_rows *c = p->rows;
    const tn_parts *parts = tn_problem_parts(p, arena);
    int *start = TN_PUSH(arena, int, (size_t)c->n_triples + 1);
    int *mark = TN_PUSH(arena, int, c->n_triples);
    int *seen = TN_PUSH(arena, int, p->A->n_rows);
    *out = TN_PUSH(arena, tn_blocks, 1);
    if (!*out || !start || !mark || !seen || !parts) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the explicit Delassus matrix");
    }
    long long n_blocks = 0;
    for (int pass = 0; pass < 2; ++pass) { // count, then fill
        n_blocks = 0;
        for (int i = 0; i < c->n_triples; ++i) {
            mark_coupled(c, parts, i, seen, mark);
            for (int k = 0; k < c->n_triples; ++k) {
                if (mark[k] == i + 1) {
                    if (pass == 1) {
                        (*out)->column[n_blocks] = k;
                    }
                    ++n_blocks;
                }
            }
            start[i + 1] = (int)n_blocks;
        }
        if (pass == 1) {
            break;
        }
        if (n_blocks > INT_MAX / 9) {
            return tn_error_set(error, TN_BAD_INPUT, "%d coupled contacts are too many for an explicit matrix",
                                c->n_triples);
        }
        **out = (tn_blocks){c->n_triples, c->n_triples, start, TN_PUSH(arena, int, n_blocks),
                            TN_PUSH(arena, double, 9 * n_blocks)};
        if (!(*out)->column || !(*out)->value) {
            return tn_error_set(error, TN_NO_MEMORY, "no memory for the explicit Delassus matrix");
        }
        for (int i = 0; i < c->n_triples; ++i) {
            mark[i] = 0;
        }
        for (int i = 0; i < p->A->n_rows; ++i) {
            seen[i] = 0;
        }
    }
    return TN_OK;
}

// x: three columns of `rows` numbers, J_contact^T.
static void set_right_side(const tn_rows *c, int contact, size_t rows, double *x)
{
    for (size_t i = 0; i < 3 * rows; ++i) {
        x[i] = 0.0;
    }
    for (int e = c->start[contact]; e < c->start[contact + 1]; ++e) {
        for (size_t d = 0; d < 9; ++d) {
            x[d / 3 * rows + 3 * (size_t)c->block[e] + d % 3] += c->jacobian[9 * (size_t)e + d];
        }
    }
}

// out = J_contact x, 3x3: rows of the contact, columns of x.
static void project(const tn_rows *c, int contact, size_t rows, const double *x, double out[9])
{
    for (int d = 0; d < 9; ++d) {
        out[d] = 0.0;
    }
    for (int e = c->start[contact]; e < c->start[contact + 1]; ++e) {
        for (size_t d = 0; d < 9; ++d) {
            out[d] +=
                tn_vec3_dot(&c->jacobian[9 * (size_t)e + 3 * (d / 3)], &x[d % 3 * rows + 3 * (size_t)c->block[e]]);
        }
    }
}

// One contact's solved columns to its diagonal block and to column `contact` of N.
static void store(const tn_rows *c, int contact, size_t rows, const double *x, tn_blocks *N, double *diagonal)
{
    project(c, contact, rows, x, &diagonal[9 * (size_t)contact]);
    for (int k = 0; k < c->n_triples; ++k) {
        double *value = tn_blocks_find(N, k, contact);
        if (value) {
            project(c, k, rows, x, value);
        }
    }
}

tn_status tn_delassus_build_from_factor(const tn_problem *problem, tn_arena *arena, tn_delassus *out, double *diagonal,
                                        tn_error *error)
{
    const tn_rows *c = problem->rows;
    tn_blocks *N = NULL;
    tn_status status = push_pattern(problem, arena, &N, error);
    if (status != TN_OK) {
        return status;
    }
    tn_arena_mark mark = tn_arena_get_mark(arena);
    size_t rows = 3 * (size_t)problem->A->n_rows;
    double *x = TN_PUSH(arena, double, 3 * BATCH * rows);
    if (!x) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the Delassus operator");
    }
    for (int first = 0; status == TN_OK && first < c->n_triples; first += BATCH) {
        int count = c->n_triples - first < BATCH ? c->n_triples - first : BATCH;
        for (int k = 0; k < count; ++k) {
            set_right_side(c, first + k, rows, &x[3 * (size_t)k * rows]);
        }
        status = tn_cholesky_solve(out->factor, 3 * count, x, x, error);
        for (int k = 0; status == TN_OK && k < count; ++k) {
            store(c, first + k, rows, &x[3 * (size_t)k * rows], N, diagonal);
        }
    }
    tn_arena_release(arena, mark);
    out->N = N;
    return status;
}
