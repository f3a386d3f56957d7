#include "solver/packed/order.h"

#include "base/assert.h"
#include "kernels/contact/packs.h"

#include <stdint.h>
#include <string.h>

// Most rounds of either kind: bodies with more neighbours than this leave some contacts out.
enum { ROUNDS = 64, ALL_ROUNDS = 2 * ROUNDS, NO_ROUND = ALL_ROUNDS, DEPTH = TN_PACK_DEPTH };

// Contacts of one pair, from `first` on; the next pair's `first` ends them.
typedef struct pair {
    int first;
    uint8_t n, round;
    bool central;
} pair;

typedef struct order {
    int n_pairs;
    pair *pairs;
    int n_full_rounds;
    int count[ALL_ROUNDS][DEPTH + 1]; // pairs of each round with so many contacts
} order;

static bool same_pair(const int *line, const int *other)
{
    return line[0] >= 0 && line[0] == other[0] && line[1] == other[1];
}

static void find_pairs(order *o, int n, const int *line, const bool *central)
{
    for (int m = 0; m < n; ++m) {
        const int *l = line + 2 * (size_t)m;
        pair *last = o->pairs + o->n_pairs - 1;
        if (m > 0 && last->n < DEPTH && same_pair(l, l - 2) && !central[m] && !last->central) {
            last->n++;
        } else {
            o->pairs[o->n_pairs++] = (pair){.first = m, .n = 1, .central = central[m]};
        }
    }
}

// The first round in which no contact has the same line yet.
static int find_round(const uint64_t *taken, const int line[2])
{
    uint64_t busy = (line[0] >= 0 ? taken[line[0]] : 0) | (line[1] >= 0 ? taken[line[1]] : 0);
    return ~busy == 0 ? ROUNDS : __builtin_ctzll(~busy);
}

// Pairs of one kind, in rounds from `base` on. Returns the number of rounds so far.
static int assign_rounds(order *o, const int *line, bool central, int base, uint64_t *taken)
{
    int n_rounds = base;
    for (int k = 0; k < o->n_pairs; ++k) {
        pair *p = o->pairs + k;
        if (p->central != central) {
            continue;
        }
        const int *l = line + 2 * (size_t)p->first;
        int r = l[0] == -2 ? ROUNDS : find_round(taken, l);
        for (int side = 0; side < 2 && r < ROUNDS; ++side) {
            if (l[side] >= 0) {
                taken[l[side]] |= (uint64_t)1 << r;
            }
        }
        p->round = (uint8_t)(r < ROUNDS ? base + r : NO_ROUND);
        if (r < ROUNDS) {
            o->count[base + r][p->n]++;
            n_rounds = base + r >= n_rounds ? base + r + 1 : n_rounds;
        }
    }
    return n_rounds;
}

static int groups_of(const order *o, int r)
{
    int pairs = 0;
    for (int depth = 1; depth <= DEPTH; ++depth) {
        pairs += o->count[r][depth];
    }
    int groups = (pairs + TN_PACK - 1) / TN_PACK;
    return r < o->n_full_rounds ? groups : (groups + 1) / 2 * 2;
}

// Within a round the pairs with most contacts come first, so that lanes of a group differ little. next: the place of
// the first pair of each kind, counted in lanes of groups. Returns the number of packs.
static int place_groups(const order *o, tn_pack_order *out, int next[ALL_ROUNDS][DEPTH + 1], int *group_start,
                        int *round_start)
{
    int group = 0, packs = 0;
    for (int r = 0; r < out->n_rounds; ++r) {
        int in_round = 0;
        round_start[r] = group;
        for (int depth = DEPTH; depth > 0; --depth) {
            next[r][depth] = TN_PACK * group + in_round;
            // Groups whose first lane is of this depth.
            for (int lane = (in_round + TN_PACK - 1) / TN_PACK * TN_PACK; lane < in_round + o->count[r][depth];
                 lane += TN_PACK) {
                group_start[group + lane / TN_PACK] = packs;
                packs += depth;
            }
            in_round += o->count[r][depth];
        }
        int filled = (in_round + TN_PACK - 1) / TN_PACK, groups = groups_of(o, r);
        if (filled < groups) { // an empty pack
            group_start[group + filled] = packs++;
        }
        group += groups;
    }
    group_start[group] = packs;
    round_start[out->n_rounds] = group;
    return packs;
}

static void place_contacts(const order *o, tn_pack_order *out, int next[ALL_ROUNDS][DEPTH + 1])
{
    for (int i = 0; i < TN_PACK * out->n; ++i) {
        out->id[i] = -1;
    }
    for (int k = 0; k < o->n_pairs; ++k) {
        const pair *p = o->pairs + k;
        if (p->round == NO_ROUND) {
            for (int i = 0; i < p->n; ++i) {
                out->place[p->first + i] = -1;
                out->left[out->n_left++] = p->first + i;
            }
            continue;
        }
        TN_ASSERT(p->round < out->n_rounds);
        int place = next[p->round][p->n]++, first = out->group_start[place / TN_PACK];
        for (int i = 0; i < p->n; ++i) {
            out->place[p->first + i] = TN_PACK * (first + i) + place % TN_PACK;
            out->id[out->place[p->first + i]] = p->first + i;
        }
    }
}

static int count_groups(const order *o, int n_rounds)
{
    int groups = 0;
    for (int r = 0; r < n_rounds; ++r) {
        groups += groups_of(o, r);
    }
    return groups;
}

bool tn_pack_order_create(int n, int n_lines, const int *line, const bool *central, tn_arena *arena, tn_pack_order *out)
{
    order o = {.pairs = TN_PUSH_RAW(arena, pair, n)};
    *out = (tn_pack_order){.left = TN_PUSH_RAW(arena, int, n), .place = TN_PUSH_RAW(arena, int, n)};
    uint64_t *taken = TN_PUSH(arena, uint64_t, n_lines);
    int *round_start = TN_PUSH_RAW(arena, int, ALL_ROUNDS + 1);
    if (!o.pairs || !out->left || !out->place || !taken || !round_start) {
        return false;
    }
    find_pairs(&o, n, line, central);
    o.n_full_rounds = assign_rounds(&o, line, false, 0, taken);
    memset(taken, 0, (size_t)n_lines * sizeof *taken);
    out->n_rounds = assign_rounds(&o, line, true, o.n_full_rounds, taken);
    out->n_groups = count_groups(&o, out->n_rounds);
    int *group_start = TN_PUSH_RAW(arena, int, out->n_groups + 1), next[ALL_ROUNDS][DEPTH + 1];
    if (!group_start) {
        return false;
    }
    out->n = place_groups(&o, out, next, group_start, round_start);
    out->n_full_groups = round_start[o.n_full_rounds];
    out->group_start = group_start;
    out->round_start = round_start;
    out->id = TN_PUSH_RAW(arena, int, TN_PACK *(size_t)out->n);
    if (!out->id) {
        return false;
    }
    place_contacts(&o, out, next);
    return true;
}
