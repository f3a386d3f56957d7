// Sweeps in single precision for AVX-512: two groups of packs at a time where both have as many packs and share no
// line. A sweep's time is that of the way through one contact's solve, not of its operations, so that two take hardly
// longer than one. What is left over goes by AVX2. The same bits.
#if defined(__x86_64__)
#define CONTACT_SINGLE
#define CONTACT_PAIRS
#define CONTACT_WIDTH 16
#define CONTACT_TARGET __attribute__((target("avx512f,avx512dq,avx512vl")))

#include <stdbool.h>

#include "kernels/contact/lanes.h"
#include "kernels/contact/variants.h"

typedef tn_contact_pack_single pack;
typedef tn_contact_packs_single pack_list;
#define SOLVE_LANE tn_contact_solve_lane_single
#define SLIDE_TOLERANCE 2e-6F
#define SLIDE_ENOUGH 0.03F

#include "kernels/contact/solve.h"

TN_INLINE void read_three(const real *low, const real *high, lanes out[3])
{
    TN_UNROLL
    for (int k = 0; k < 3; k++) {
        out[k] = load_halves(low + TN_PACK * k, high + TN_PACK * k);
    }
}

TN_INLINE void write_three(real *low, real *high, const lanes in[3])
{
    TN_UNROLL
    for (int k = 0; k < 3; k++) {
        store_halves(low + TN_PACK * k, high + TN_PACK * k, in[k]);
    }
}

// Of a group and the next.
TN_INLINE void sweep_two(tn_law law, const pack_list *packs, int group)
{
    int first = packs->group_start[group], depth = packs->group_start[group + 1] - first, line[2][2 * TN_PACK];
    lanes x[2][6];
    for (int side = 0; side < 2; side++) {
        memcpy(line[side], packs->packs[first].line[side], TN_PACK * sizeof(int));
        memcpy(line[side] + TN_PACK, packs->packs[first + depth].line[side], TN_PACK * sizeof(int));
        read_lines(packs->x, line[side], x[side]);
    }
    pack *p = packs->packs + first, *q = p + depth;
    real *forces = packs->lambda + 3 * TN_PACK * (size_t)first, *others = forces + 3 * TN_PACK * (size_t)depth;
    for (int k = 0; k < depth; k++, p++, q++, forces += 3 * TN_PACK, others += 3 * TN_PACK) {
        lanes u[3], old[3], r[3];
        TN_UNROLL
        for (int row = 0; row < 3; row++) {
            u[row] = row_velocity(p, q, row, x);
        }
        read_three(forces, others, old);
        solve(law, p, q, u, old, r);
        write_three(forces, others, r);
        const lanes change[3] = {r[0] - old[0], r[1] - old[1], r[2] - old[2]};
        push_bodies(p, q, change, x);
    }
    write_lines(packs->x, line[0], x[0]);
    write_lines(packs->x, line[1], x[1]);
}

TN_INLINE void sweep_law(tn_law law, const pack_list *packs, int first, int end)
{
    const int *start = packs->group_start;
    for (int g = first, round = 0; g < end;) {
        while (packs->round_start[round + 1] <= g) {
            round++;
        }
        int in_round = packs->round_start[round + 1] < end ? packs->round_start[round + 1] : end;
        bool two = g + 1 < in_round && !tn_contact_is_tiled(packs, round) &&
                   start[g + 1] - start[g] == start[g + 2] - start[g + 1];
        if (two) {
            sweep_two(law, packs, g);
        } else {
            tn_contact_single_avx2.sweep(packs, g, g + 1);
        }
        g += two ? 2 : 1;
    }
}

CONTACT_TARGET void tn_contact_single_sweep_avx512(const tn_contact_packs_single *packs, int first, int end)
{
    if (packs->softness) {
        tn_contact_single_avx2.sweep(packs, first, end);
    } else if (packs->law == TN_LAW_COULOMB) {
        sweep_law(TN_LAW_COULOMB, packs, first, end);
    } else if (packs->law == TN_LAW_CONVEX) {
        sweep_law(TN_LAW_CONVEX, packs, first, end);
    } else {
        sweep_law(TN_LAW_FRICTIONLESS, packs, first, end);
    }
}
#else
typedef int contact_single_needs_x86_64; // a file must not be empty
#endif
