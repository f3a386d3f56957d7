// The sweep in single precision, once for each instruction set: single_NAME.c says CONTACT_WIDTH,
// CONTACT_TARGET and NAME and includes this file.
#pragma once

#define CONTACT_SINGLE

#include <stdbool.h>

#include "kernels/contact/lanes.h"
#include "kernels/contact/variants.h"

typedef tn_contact_pack_single pack;
typedef tn_contact_packs_single pack_list;
#define SOLVE_LANE tn_contact_solve_lane_single
#define SLIDE_TOLERANCE 2e-6F
#define SLIDE_ENOUGH 0.03F

#include "kernels/contact/figures.h"
#include "kernels/contact/solve.h"
#include "kernels/contact/sums.h"

CONTACT_TARGET static void add(const tn_contact_packs_single *packs, int first, int end)
{
    for (int g = first; g < end; g++) {
        const tn_contact_pack_single *all = packs->packs + packs->group_start[g];
        for (int i = 0; i < TN_PACK; i += CONTACT_WIDTH) {
            lanes x[2][6], r[3], old[3];
            read_bodies(packs, all, i, x);
            for (int k = packs->group_start[g]; k < packs->group_start[g + 1]; k++) {
                read_three(packs->lambda + 3 * TN_PACK * (size_t)k, i, r);
                read_three(packs->anchor + 3 * TN_PACK * (size_t)k, i, old);
                const lanes change[3] = {r[0] - old[0], r[1] - old[1], r[2] - old[2]};
                push_bodies(packs->packs + k, i, change, x);
            }
            write_bodies(packs, all, i, x);
        }
    }
}

const tn_contact_single_variant CONTACT_NAME = {CONTACT_KIND, sweep, add, sums};
