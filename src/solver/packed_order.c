#include "solver/packed_order.h"

#include "kernels/contact_packs.h"

#include <stdint.h>

// Most rounds: bodies with more contacts than this leave some of them out.
enum { ROUNDS = 64, NO_ROUND = ROUNDS };

// The first round in which no contact has the same line yet.
static int find_round(const uint64_t *taken, const int line[2])
{
    uint64_t busy = (line[0] >= 0 ? taken[line[0]] : 0) | (line[1] >= 0 ? taken[line[1]] : 0);
    return ~busy == 0 ? NO_ROUND : __builtin_ctzll(~busy);
}

static int assign_rounds(int n, const int *line, uint64_t *taken, uint8_t *round, int count[ROUNDS + 1])
{
    int n_rounds = 0;
    for (int m = 0; m < n; ++m) {
        const int *l = line + 2 * (size_t)m;
        int r = l[0] == -2 ? NO_ROUND : find_round(taken, l);
        for (int side = 0; side < 2 && r != NO_ROUND; ++side) {
            if (l[side] >= 0) {
                taken[l[side]] |= (uint64_t)1 << r;
            }
        }
        round[m] = (uint8_t)r;
        count[r]++;
        n_rounds = r < NO_ROUND && r >= n_rounds ? r + 1 : n_rounds;
    }
    return n_rounds;
}

bool tn_pack_order_create(int n, int n_lines, const int *line, tn_arena *arena, tn_pack_order *out)
{
    *out = (tn_pack_order){.left = TN_PUSH_RAW(arena, int, n)};
    uint64_t *taken = TN_PUSH(arena, uint64_t, n_lines);
    uint8_t *round = TN_PUSH_RAW(arena, uint8_t, n);
    int *start = TN_PUSH(arena, int, ROUNDS + 1);
    if (!out->left || !taken || !round || !start) {
        return false;
    }
    int count[ROUNDS + 1] = {0}, next[ROUNDS + 1]; // next free place of each round
    out->n_rounds = assign_rounds(n, line, taken, round, count);
    for (int r = 0; r < out->n_rounds; ++r) {
        next[r] = TN_PACK * start[r];
        start[r + 1] = start[r] + (count[r] + TN_PACK - 1) / TN_PACK;
    }
    out->n = start[out->n_rounds];
    out->round_start = start;
    out->id = TN_PUSH_RAW(arena, int, TN_PACK *(size_t)out->n);
    if (!out->id) {
        return false;
    }
    for (int i = 0; i < TN_PACK * out->n; ++i) {
        out->id[i] = -1;
    }
    for (int m = 0; m < n; ++m) {
        if (round[m] == NO_ROUND) {
            out->left[out->n_left++] = m;
        } else {
            out->id[next[round[m]]++] = m;
        }
    }
    return true;
}
