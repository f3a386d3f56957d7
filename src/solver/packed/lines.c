#include "solver/packed/lines.h"

#include "base/team.h"
#include "kernels/contact/packs.h"
#include "math/vec3.h"
#include "problem/problem.h"

#include <math.h>

typedef struct builder {
    const tn_problem *problem;
    const tn_parts *parts;
    int n;
    int *at; // -1: no place yet
} builder;

static void place(builder *b, int part, int first)
{
    const tn_parts *p = b->parts;
    for (int k = 0; k < tn_part_size(p, part); ++k) {
        b->at[p->blocks[p->start[part] + k]] = TN_PACK * (first + k / 2) + 3 * (k % 2);
    }
}

static void place_parts(builder *b)
{
    const tn_parts *p = b->parts;
    for (int c = 0; c < p->n; ++c) {
        if (tn_part_size(p, c) > 1) {
            place(b, c, b->n);
            b->n += (tn_part_size(p, c) + 1) / 2;
        }
    }
}

// Single blocks in pairs: a body's velocity and spin follow each other in its contacts' entries. That two small bodies
// may share a line does no harm.
static void place_pairs(builder *b)
{
    const tn_rows *c = b->problem->rows;
    for (int m = 0; m < c->n_triples; ++m) {
        for (int e = c->start[m]; e + 1 < c->start[m + 1]; ++e) {
            int first = c->block[e], second = c->block[e + 1];
            if (second == first + 1 && b->at[first] < 0 && b->at[second] < 0) {
                b->at[first] = TN_PACK * b->n;
                b->at[second] = TN_PACK * b->n + 3;
                b->n++;
            }
        }
    }
    for (int i = 0; i < b->problem->A->n_rows; ++i) {
        if (b->at[i] < 0) {
            b->at[i] = TN_PACK * b->n++;
        }
    }
}

// Rows and columns from `first` on of a lower factor with `width` columns, diagonal inverted.
static void copy_block(const double *L, int width, int first, double out[6])
{
    const double *a = L + first * width + first, *b = a + width, *c = b + width;
    out[0] = 1.0 / a[0];
    out[1] = b[0];
    out[2] = 1.0 / b[1];
    out[3] = c[0];
    out[4] = c[1];
    out[5] = 1.0 / c[2];
}

static bool is_diagonal(const tn_line_factor *f)
{
    double below = 0.0;
    for (int k = 0; k < 2; ++k) {
        below += fabs(f->block[k][1]) + fabs(f->block[k][3]) + fabs(f->block[k][4]);
    }
    return !f->coupled && below == 0.0;
}

// A part's half of its line, or all of it.
static void fill_part(const tn_part_factors *from, const builder *b, int c, tn_line_factor *factors, bool *large)
{
    const tn_parts *p = b->parts;
    const double *L = from->value + from->offset[c];
    int at = b->at[p->blocks[p->start[c]]], size = tn_part_size(p, c);
    tn_line_factor *f = &factors[at / TN_PACK];
    if (size > 2) {
        large[at / TN_PACK] = large[at / TN_PACK + 1] = true;
    } else if (size == 2) {
        copy_block(L, 6, 0, f->block[0]);
        copy_block(L, 6, 3, f->block[1]);
        f->coupled = true;
        f->below = L + 18;
    } else {
        copy_block(L, 3, 0, f->block[at % TN_PACK / 3]);
    }
}

typedef struct filling {
    const tn_part_factors *from;
    const builder *b;
    tn_line_factor *factors;
    bool *large;
} filling;

static void clear_factor(tn_line_factor *f)
{
    *f = (tn_line_factor){0};
    for (int k = 0; k < 2; ++k) {
        f->block[k][0] = f->block[k][2] = f->block[k][5] = 1.0; // where no block lies
    }
}

static void clear_factors(const void *context, int first, int end, int thread)
{
    const filling *f = context;
    for (int i = first; i < end; ++i) {
        clear_factor(&f->factors[i]);
    }
}

static void fill_parts(const void *context, int first, int end, int thread)
{
    const filling *f = context;
    for (int c = first; c < end; ++c) {
        fill_part(f->from, f->b, c, f->factors, f->large);
    }
}

static void judge_factors(const void *context, int first, int end, int thread)
{
    const filling *f = context;
    for (int i = first; i < end; ++i) {
        f->factors[i].diagonal = is_diagonal(&f->factors[i]);
    }
}

// Parts write each to its own half of a line.
static void fill_factors(const tn_part_factors *from, const builder *b, int n_threads, tn_line_factor *factors,
                         bool *large)
{
    enum { PIECE = 512 };
    const filling f = {.from = from, .b = b, .factors = factors, .large = large};
    tn_team_share(n_threads, b->n, PIECE, clear_factors, &f);
    tn_team_share(n_threads, b->parts->n, PIECE, fill_parts, &f);
    tn_team_share(n_threads, b->n, PIECE, judge_factors, &f);
}

// Whether the factors of lines say all: single blocks with nothing off their diagonals.
static bool are_plain(const tn_lines *lines)
{
    bool plain = lines->parts->largest <= 1;
    for (int i = 0; i < lines->n && plain; ++i) {
        plain = lines->factors[i].diagonal;
    }
    return plain;
}

// The factors of parts and of lines; those of parts go again where they say nothing else.
static tn_status factor(const builder *b, int n_threads, tn_line_factor *factors, bool *large, tn_arena *arena,
                        tn_lines *out, tn_error *error)
{
    tn_arena_mark mark = tn_arena_get_mark(arena);
    tn_status status = tn_parts_factor(b->problem->A, b->parts, n_threads, arena, &out->factors_of_parts, error);
    if (status != TN_OK) {
        return status;
    }
    fill_factors(&out->factors_of_parts, b, n_threads, factors, large);
    if (are_plain(out)) {
        tn_arena_release(arena, mark);
        out->factors_of_parts.value = NULL;
    }
    return TN_OK;
}

tn_status tn_lines_create(const tn_problem *problem, int n_threads, tn_arena *arena, tn_lines *out, tn_error *error)
{
    *out = (tn_lines){.parts = tn_problem_parts(problem, arena)};
    if (out->parts && tn_parts_any_sparse(out->parts)) {
        return tn_error_set(error, TN_BAD_INPUT, "A couples %d blocks", out->parts->largest_sparse);
    }
    builder b = {.problem = problem, .parts = out->parts};
    b.at = out->parts ? TN_PUSH(arena, int, problem->A->n_rows) : NULL;
    for (int i = 0; b.at && i < problem->A->n_rows; ++i) {
        b.at[i] = -1;
    }
    if (b.at) {
        place_parts(&b);
        place_pairs(&b);
    }
    tn_line_factor *factors = TN_PUSH_RAW(arena, tn_line_factor, b.n);
    bool *large = TN_PUSH(arena, bool, b.n);
    if (!b.at || !factors || !large) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the bodies of the sweep");
    }
    out->n = b.n;
    out->at = b.at;
    out->factors = factors;
    out->large = large;
    return factor(&b, n_threads, factors, large, arena, out, error);
}

void tn_lines_forward(const tn_lines *lines, int part, double *y)
{
    const tn_parts *p = lines->parts;
    if (!lines->factors_of_parts.value) {
        int at = lines->at[p->blocks[p->start[part]]];
        const double *d = lines->factors[at / TN_PACK].block[at % TN_PACK / 3];
        y[0] *= d[0];
        y[1] *= d[2];
        y[2] *= d[5];
        return;
    }
    tn_part_half_solve(&lines->factors_of_parts, part, y);
}

// Parts first..end-1.
static void solve_range(const tn_lines *lines, int first, int end, double *v)
{
    const tn_parts *p = lines->parts;
    for (int c = first; c < end; ++c) {
        const int *blocks = p->blocks + p->start[c];
        const tn_line_factor *f = &lines->factors[lines->at[blocks[0]] / TN_PACK];
        int size = tn_part_size(p, c);
        bool diagonal = f->diagonal && size <= 2; // larger ones have no factors in lines
        double y[3 * TN_PART_BLOCKS];
        for (int k = 0; k < size && !diagonal; ++k) {
            tn_vec3_copy(y + 3 * k, v + 3 * (size_t)blocks[k]);
        }
        if (!diagonal) {
            tn_part_solve(&lines->factors_of_parts, c, y);
        }
        for (int k = 0; k < size; ++k) {
            double *to = v + 3 * (size_t)blocks[k];
            const double *d = f->block[lines->at[blocks[k]] % TN_PACK / 3];
            if (diagonal) {
                to[0] *= d[0] * d[0];
                to[1] *= d[2] * d[2];
                to[2] *= d[5] * d[5];
            } else {
                tn_vec3_copy(to, y + 3 * k);
            }
        }
    }
}

typedef struct solving {
    const tn_lines *lines;
    double *v;
} solving;

static void solve_some(const void *context, int first, int end, int thread)
{
    const solving *s = context;
    solve_range(s->lines, first, end, s->v);
}

void tn_lines_solve(const tn_lines *lines, int n_threads, double *v)
{
    tn_team_share(n_threads, lines->parts->n, 1024, solve_some, &(solving){lines, v});
}

void tn_lines_free(const tn_lines *lines, const double *b, double *x)
{
    const tn_parts *p = lines->parts;
    for (int c = 0; c < p->n; ++c) {
        double y[3 * TN_PART_BLOCKS];
        const int *blocks = p->blocks + p->start[c];
        for (int k = 0; k < tn_part_size(p, c); ++k) {
            tn_vec3_copy(y + 3 * k, b + 3 * (size_t)blocks[k]);
        }
        tn_lines_forward(lines, c, y);
        for (int k = 0; k < tn_part_size(p, c); ++k) {
            tn_vec3_copy(x + lines->at[blocks[k]], y + 3 * k);
        }
    }
}
