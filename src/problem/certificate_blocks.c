#include "problem/certificate_blocks.h"

#include "base/team.h"
#include "math/blocks.h"
#include "math/mat3.h"
#include "problem/problem.h"

#include <string.h>

static bool is_diagonal(const double a[9])
{
    return a[1] == 0.0 && a[2] == 0.0 && a[3] == 0.0 && a[5] == 0.0 && a[6] == 0.0 && a[7] == 0.0;
}

// False: singular.
static bool invert(const double a[9], double out[9])
{
    if (!is_diagonal(a)) {
        return tn_mat3_inverse(out, a);
    }
    for (int i = 0; i < 9; ++i) {
        out[i] = i % 4 == 0 ? 1.0 / a[i] : 0.0;
    }
    return a[0] != 0.0 && a[4] != 0.0 && a[8] != 0.0;
}

// Block rows that a thread takes at a time, and what they have in common.
enum { PART = 1024 };

typedef struct part {
    bool regular, diagonal, alone;
} part;

static part invert_part(const tn_blocks *A, int first, const tn_certificate_blocks *blocks)
{
    part p = {true, true, true};
    for (int i = first; i < A->n_rows && i < first + PART; ++i) {
        if (blocks->touched[i]) {
            bool alone = A->start[i + 1] == A->start[i] + 1 && A->column[A->start[i]] == i;
            const double *own = alone ? &A->value[9 * (size_t)A->start[i]] : tn_blocks_find(A, i, i);
            p.alone = p.alone && alone;
            p.diagonal = p.diagonal && own && is_diagonal(own);
            p.regular = own && invert(own, &blocks->inverse[9 * (size_t)i]) && p.regular;
        }
    }
    return p;
}

typedef struct marking {
    const tn_rows *contacts;
    bool *touched;
} marking;

// Several threads may find the same block, and all write the same.
static void mark_range(const void *context, int first, int end, int thread)
{
    const marking *m = context;
    for (int e = first; e < end; ++e) {
        __atomic_store_n(&m->touched[m->contacts->block[e]], true, __ATOMIC_RELAXED);
    }
}

static void mark_touched(const tn_rows *contacts, int n_threads, bool *touched)
{
    tn_team_share(n_threads, contacts->start[contacts->n_triples], PART, mark_range, &(marking){contacts, touched});
}

typedef struct inverting {
    const tn_blocks *A;
    const tn_certificate_blocks *blocks;
    part *parts;
} inverting;

static void invert_parts(const void *context, int first, int end, int thread)
{
    const inverting *i = context;
    for (int k = first; k < end; ++k) {
        i->parts[k] = invert_part(i->A, k * PART, i->blocks);
    }
}

tn_status tn_certificate_blocks_create(const tn_blocks *A, const tn_rows *contacts, int n_threads, tn_arena *arena,
                                       tn_certificate_blocks *out)
{
    int n_parts = (A->n_rows + PART - 1) / PART;
    part *parts = TN_PUSH_RAW(arena, part, n_parts);
    *out = (tn_certificate_blocks){.inverse = TN_PUSH_RAW(arena, double, 9 * (size_t)A->n_rows),
                                   .touched = TN_PUSH(arena, bool, A->n_rows),
                                   .regular = true,
                                   .diagonal = true,
                                   .alone = true,
                                   .n_threads = n_threads};
    if (!parts || !out->inverse || !out->touched) {
        return TN_NO_MEMORY;
    }
    mark_touched(contacts, n_threads, out->touched);
    tn_team_share(n_threads, n_parts, 1, invert_parts, &(inverting){A, out, parts});
    for (int k = 0; k < n_parts; ++k) {
        out->regular = out->regular && parts[k].regular;
        out->diagonal = out->diagonal && parts[k].diagonal;
        out->alone = out->alone && parts[k].alone;
    }
    return TN_OK;
}

typedef struct solving {
    const tn_certificate_blocks *blocks;
    double *x;
} solving;

static void solve_range(const void *context, int first, int end, int thread)
{
    const solving *s = context;
    for (int i = first; i < end; ++i) {
        if (s->blocks->touched[i]) {
            double f[3];
            tn_vec3_copy(f, s->x + 3 * (size_t)i);
            tn_mat3_vec(s->x + 3 * (size_t)i, &s->blocks->inverse[9 * (size_t)i], f);
        }
    }
}

// x (3 n_rows) = inverse x of the touched blocks; others are left as they are.
static void solve_touched(const tn_certificate_blocks *blocks, int n_rows, double *x)
{
    tn_team_share(blocks->n_threads, n_rows, PART, solve_range, &(solving){blocks, x});
}

void tn_certificate_motion_solve(const tn_problem *p, const tn_certificate_blocks *blocks,
                                 const tn_certificate_motion *motion, double *x)
{
    if (motion->by_blocks) {
        solve_touched(blocks, p->A->n_rows, x);
    } else {
        tn_parts_solve(&motion->factors, x);
    }
}

tn_status tn_certificate_find_motion(const tn_problem *p, const tn_certificate_blocks *blocks, tn_arena *arena,
                                     tn_certificate_motion *out)
{
    size_t size = 3 * (size_t)p->A->n_rows;
    *out = (tn_certificate_motion){.by_blocks = blocks->alone && blocks->regular};
    const tn_parts *parts = tn_problem_parts(p, arena);
    if (!parts || tn_parts_any_sparse(parts)) {
        return parts ? TN_OK : TN_NO_MEMORY;
    }
    tn_status status = out->by_blocks ? TN_OK : tn_parts_factor(p->A, parts, 1, arena, &out->factors, NULL);
    if (status != TN_OK) {
        return status == TN_NUMERICS ? TN_OK : status;
    }
    out->known = true;
    out->free = TN_PUSH_RAW(arena, double, size);
    if (!out->free) {
        return TN_NO_MEMORY;
    }
    memcpy(out->free, p->b, size * sizeof *out->free);
    tn_certificate_motion_solve(p, blocks, out, out->free);
    return TN_OK;
}
