#include "solver/packed_single.h"

#include <string.h>

bool tn_packed_single_fits(const tn_packed *packed)
{
    return packed->rest.n == 0;
}

bool tn_packed_single_create(tn_packed_single *s, tn_packed *packed, tn_arena *arena)
{
    const tn_contact_packs *packs = &packed->packs;
    *s = (tn_packed_single){.packed = packed};
    s->packs.packs = TN_PUSH_RAW(arena, tn_contact_pack_single, packs->n);
    s->packs.lambda = TN_PUSH_RAW(arena, float, 3 * TN_PACK * (size_t)packs->n);
    s->packs.x = TN_PUSH(arena, float, TN_PACK *(size_t)(packs->n_lines + packs->n));
    s->x_start = TN_PUSH_RAW(arena, double, TN_PACK *(size_t)packs->n_lines);
    if (!s->packs.packs || !s->packs.lambda || !s->packs.x || !s->x_start) {
        return false;
    }
    tn_contact_packs_single_copy(packs, &s->packs);
    return true;
}

void tn_packed_single_sums(tn_packed_single *s, tn_check_sums *sums)
{
    double packed[TN_PACK_SUMS];
    tn_contact_packs_sums(&s->packed->packs, &s->packs, packed);
    *sums = tn_packed_check_sums(packed);
    memcpy(s->x_start, s->packed->x, TN_PACK * (size_t)s->packed->lines.n * sizeof *s->x_start);
}

void tn_packed_single_sweep(tn_packed_single *s, int sweeps)
{
    size_t n_x = TN_PACK * (size_t)s->packed->lines.n, n_lambda = 3 * TN_PACK * (size_t)s->packs.n;
    double *x = s->packed->x, *lambda = s->packed->lambda;
    for (size_t i = 0; i < n_x; ++i) {
        s->packs.x[i] = (float)(x[i] - s->x_start[i]);
    }
    for (size_t i = 0; i < n_lambda; ++i) {
        s->packs.lambda[i] = (float)lambda[i];
    }
    for (int k = 0; k < sweeps; ++k) {
        tn_contact_packs_single_sweep(&s->packs);
    }
    for (size_t i = 0; i < n_x; ++i) {
        x[i] = s->x_start[i] + (double)s->packs.x[i];
    }
    for (size_t i = 0; i < n_lambda; ++i) {
        lambda[i] = s->packs.lambda[i];
    }
}
