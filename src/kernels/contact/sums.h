// The figures' sums over packs of contacts, for doubles and floats, after solve.h.
#pragma once

TN_INLINE void sum_up(lanes total[TN_PACK_SUMS][TN_PACK / CONTACT_WIDTH], double out[TN_PACK_SUMS])
{
    for (int s = 0; s < TN_PACK_SUMS; s++) {
        real lane[TN_PACK];
        double wide[TN_PACK];
        memcpy(lane, total[s], sizeof lane);
        for (int i = 0; i < TN_PACK; i++) {
            wide[i] = (double)lane[i];
        }
        out[s] = sum_of_lanes(wide);
    }
}

// Where packs end that have the lines of the first one: those of its group.
TN_INLINE int end_of_run(const pack_list *packs, int first, int end)
{
    const pack *p = packs->packs;
    int k = first + 1;
    while (k < end && memcmp(p[k].line, p[first].line, sizeof p->line) == 0) {
        k++;
    }
    return k;
}

TN_INLINE void sums_law(tn_law law, bool fclib, bool soft, const pack_list *packs, int first, int end,
                        double out[TN_PACK_SUMS])
{
    lanes total[TN_PACK_SUMS][TN_PACK / CONTACT_WIDTH] = {0};
    for (int run = first, next; run < end; run = next) {
        next = end_of_run(packs, run, end);
        for (int i = 0; i < TN_PACK; i += CONTACT_WIDTH) {
            lanes x[2][6], u[3], r[3], part[TN_PACK_SUMS];
            read_bodies(packs, packs->packs + run, i, x);
            for (int k = run; k < next; k++) {
                const pack *p = packs->packs + k;
                TN_UNROLL
                for (int row = 0; row < 3; row++) {
                    u[row] = row_velocity(p, i, row, x);
                }
                read_three(packs->lambda + 3 * TN_PACK * (size_t)k, i, r);
                if (soft) {
                    give_way(packs, k, i, r, u);
                }
                figures_of(law, fclib, lanes_load(p->mu + i), lanes_load(p->rho + i), 1.0 / packs->step, r, u, part);
                for (int s = 0; s < TN_PACK_SUMS; s++) {
                    total[s][i / CONTACT_WIDTH] += part[s];
                }
            }
        }
    }
    sum_up(total, out);
}

TN_INLINE bool is_soft(const pack_list *packs)
{
    return packs->softness;
}

#include "kernels/contact/by_law.h"
