#include "problem/certificate_blocks.h"

#include "kernels/sell.h"
#include "math/blocks.h"
#include "math/mat3.h"
#include "problem/components.h"

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

static void add_block(const tn_blocks *A, int i, tn_certificate_blocks *out)
{
    bool alone = A->start[i + 1] == A->start[i] + 1 && A->column[A->start[i]] == i;
    const double *own = alone ? &A->value[9 * (size_t)A->start[i]] : tn_blocks_find(A, i, i);
    out->touched[i] = true;
    out->alone = out->alone && alone;
    out->diagonal = out->diagonal && own && is_diagonal(own);
    out->regular = own && invert(own, &out->inverse[9 * (size_t)i]) && out->regular;
}

tn_status tn_certificate_blocks_create(const tn_blocks *A, const tn_contacts *contacts, tn_arena *arena,
                                       tn_certificate_blocks *out)
{
    *out = (tn_certificate_blocks){.inverse = TN_PUSH_RAW(arena, double, 9 * (size_t)A->n_rows),
                                   .touched = TN_PUSH(arena, bool, A->n_rows),
                                   .regular = true,
                                   .diagonal = true,
                                   .alone = true};
    if (!out->inverse || !out->touched) {
        return TN_NO_MEMORY;
    }
    for (int e = 0; e < contacts->start[contacts->n]; ++e) {
        if (!out->touched[contacts->block[e]]) {
            add_block(A, contacts->block[e], out);
        }
    }
    return TN_OK;
}

// x (3 n_rows) = inverse x of the touched blocks; others are left as they are.
static void solve_touched(const tn_certificate_blocks *blocks, int n_rows, double *x)
{
    for (size_t i = 0; i < (size_t)n_rows; ++i) {
        if (blocks->touched[i]) {
            double f[3] = {x[3 * i], x[3 * i + 1], x[3 * i + 2]};
            tn_mat3_vec(&x[3 * i], &blocks->inverse[9 * i], f);
        }
    }
}

static tn_status find_components(const tn_problem *p, tn_arena *arena, tn_certificate_motion *out)
{
    tn_status status = tn_components_of(p, arena, &out->components);
    if (status != TN_OK || out->components.largest > TN_COMPONENT_BLOCKS) {
        return status;
    }
    status = tn_components_factor(p->A, arena, &out->components, NULL);
    out->known = status == TN_OK;
    return status == TN_NUMERICS ? TN_OK : status;
}

void tn_certificate_motion_solve(const tn_problem *p, const tn_certificate_blocks *blocks,
                                 const tn_certificate_motion *motion, double *x)
{
    if (motion->by_blocks) {
        solve_touched(blocks, p->A->n_rows, x);
    } else {
        tn_components_solve(&motion->components, x);
    }
}

tn_status tn_certificate_find_motion(const tn_problem *p, const tn_certificate_blocks *blocks, tn_arena *arena,
                                     tn_certificate_motion *out)
{
    size_t size = 3 * (size_t)p->A->n_rows;
    *out = (tn_certificate_motion){.by_blocks = blocks->alone && blocks->regular};
    if (p->layout && p->layout->largest_component > TN_COMPONENT_BLOCKS) {
        return TN_OK;
    }
    out->known = out->by_blocks;
    tn_status status = out->by_blocks ? TN_OK : find_components(p, arena, out);
    if (status != TN_OK || !out->known) {
        return status;
    }
    out->free = TN_PUSH_RAW(arena, double, size);
    if (!out->free) {
        return TN_NO_MEMORY;
    }
    memcpy(out->free, p->b, size * sizeof *out->free);
    tn_certificate_motion_solve(p, blocks, out, out->free);
    return TN_OK;
}
