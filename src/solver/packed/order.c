#include "solver/packed/order.h"

#include "base/assert.h"
#include "kernels/contact/packs.h"

#include <stdint.h>
#include <string.h>

// Most rounds of a class: bodies with more neighbours than this leave some contacts out.
enum { ROUNDS = 64, NO_ROUND = UINT16_MAX, DEPTH = TN_PACK_DEPTH };
enum { PIECE = 16 }; // packs that a thread takes at a time
// Tiles of lines where there are many, and one class of pairs more: those between tiles.
enum { FEW_LINES = 4096, MANY_LINES = 32768, FEW_TILES = 4, MAX_CLASSES = TN_PACK_TILES + 1 };

// Contacts of one pair, from `first` on; the next pair's `first` ends them.
typedef struct pair {
    int first;
    uint8_t n;
    bool central;
    uint16_t round; // of all classes of both kinds
} pair;

typedef struct order {
    int n_pairs;
    pair *pairs;
    int n_tiles, tile_lines; // 0: no tiles; lines in each
    int n_all;               // rounds of all classes, most of them empty
    int (*count)[DEPTH + 1]; // (n_all) pairs of each round with so many contacts
    int (*next)[DEPTH + 1];  // (n_all) place of the next such pair, counted in lanes of groups
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

static bool is_alone(const int line[2])
{
    return line[0] < 0 || line[1] < 0;
}

// The tile that holds a pair's lines; n_tiles: they lie in two.
static int class_of(const order *o, const int line[2])
{
    if (o->n_tiles == 0) {
        return 0;
    }
    int a = line[0] >= 0 ? line[0] : line[1], b = line[1] >= 0 ? line[1] : a;
    int tile = a >= 0 ? a / o->tile_lines : 0;
    return a < 0 || b / o->tile_lines == tile ? tile : o->n_tiles;
}

// The first round in which no contact has the same line yet.
static int find_round(const uint64_t *taken, const int line[2])
{
    uint64_t busy = (line[0] >= 0 ? taken[line[0]] : 0) | (line[1] >= 0 ? taken[line[1]] : 0);
    return ~busy == 0 ? ROUNDS : __builtin_ctzll(~busy);
}

// A pair goes into the first round that is free of its lines. taken (2, n_lines), zero at first: rounds that have each
// line, inside of tiles and between them.
static void assign_round(order *o, const int *line, pair *p, int n_lines, uint64_t *taken)
{
    int first_class = p->central ? o->n_tiles + 1 : 0;
    const int *l = line + 2 * (size_t)p->first;
    int class = class_of(o, l);
    uint64_t *own = taken + (class < o->n_tiles ? (size_t)n_lines : 0);
    int r = l[0] == -2 ? ROUNDS : find_round(own, l);
    for (int side = 0; side < 2 && r < ROUNDS; ++side) {
        if (l[side] >= 0) {
            own[l[side]] |= (uint64_t)1 << r;
        }
    }
    p->round = (uint16_t)(r < ROUNDS ? ROUNDS * (first_class + class) + r : NO_ROUND);
    if (r < ROUNDS) {
        o->count[p->round][p->n]++;
    }
}

// Pairs of one line come last: those with fixed things. Of 1000 boxes' fall (three seeds) that takes 0.83 of the
// sweeps, those between bodies in turn. Central ones go in numbers downwards: 1000 spheres (balls1000, ten seeds) take
// 0.87 of the sweeps that all in turn take, upwards 0.94.
static void assign_rounds(order *o, const int *line, int n_lines, bool central, uint64_t *taken)
{
    memset(taken, 0, 2 * (size_t)n_lines * sizeof *taken);
    for (int alone = 0; alone < 2; ++alone) {
        for (int k = 0; k < o->n_pairs; ++k) {
            pair *p = o->pairs + (central ? o->n_pairs - 1 - k : k);
            if (p->central == central && is_alone(line + 2 * (size_t)p->first) == (alone == 1)) {
                assign_round(o, line, p, n_lines, taken);
            }
        }
    }
}

// Of a round of all; where contacts are central an even number.
static int groups_of(const order *o, int r)
{
    int pairs = 0;
    for (int depth = 1; depth <= DEPTH; ++depth) {
        pairs += o->count[r][depth];
    }
    int groups = (pairs + TN_PACK - 1) / TN_PACK;
    return r < o->n_all / 2 ? groups : (groups + 1) / 2 * 2;
}

// One round's groups, from `group` and its first pack on: the pairs with most contacts come first, so that lanes of a
// group differ little. Returns the packs so far.
static int place_round(const order *o, int r, int group, int n_groups, int packs, int *group_start)
{
    int in_round = 0;
    for (int depth = DEPTH; depth > 0; --depth) {
        o->next[r][depth] = TN_PACK * group + in_round;
        // Groups whose first lane is of this depth.
        for (int lane = (in_round + TN_PACK - 1) / TN_PACK * TN_PACK; lane < in_round + o->count[r][depth];
             lane += TN_PACK) {
            group_start[group + lane / TN_PACK] = packs;
            packs += depth;
        }
        in_round += o->count[r][depth];
    }
    int filled = (in_round + TN_PACK - 1) / TN_PACK;
    if (filled < n_groups) { // an empty pack
        group_start[group + filled] = packs++;
    }
    return packs;
}

// The order as it is filled.
typedef struct filling {
    int group, packs;
    int *group_start, *round_start, *piece_start, *round_piece;
    tn_pack_order *out;
} filling;

static void begin_piece(filling *f)
{
    f->piece_start[f->out->pieces.n++] = f->group;
}

static void begin_round(filling *f)
{
    f->round_piece[f->out->n_rounds] = f->out->pieces.n;
    f->round_start[f->out->n_rounds++] = f->group;
}

// The groups from `group` on to f's become pieces of a microsecond or so, with an even number of groups in each but the
// last.
static void cut_round(int group, filling *f)
{
    int end = f->group;
    for (f->group = group; f->group < end;) {
        begin_piece(f);
        int first = f->group_start[f->group];
        do {
            f->group = f->group + 2 < end ? f->group + 2 : end;
        } while (f->group < end && f->group_start[f->group] - first < PIECE);
    }
}

static void place_class(const order *o, int class, bool is_tile, filling *f)
{
    for (int r = ROUNDS * class; r < ROUNDS * (class + 1); ++r) {
        int n_groups = groups_of(o, r), first = f->group;
        if (n_groups == 0) {
            break; // rounds are taken in turn
        }
        if (!is_tile) {
            begin_round(f);
        }
        f->packs = place_round(o, r, f->group, n_groups, f->packs, f->group_start);
        f->group += n_groups;
        if (!is_tile) {
            cut_round(first, f);
        }
    }
}

// All tiles of a kind are one round.
static void place_tiles(const order *o, bool central, filling *f)
{
    int first = f->group;
    begin_round(f);
    for (int tile = 0; tile < o->n_tiles; ++tile) {
        begin_piece(f);
        place_class(o, (central ? o->n_tiles + 1 : 0) + tile, true, f);
    }
    f->out->pieces.tiled[central] = f->out->n_rounds - 1;
    if (f->group == first) {
        f->out->pieces.n -= o->n_tiles;
        f->out->pieces.tiled[central] = -1;
        f->out->n_rounds--;
    }
}

static void place_groups(const order *o, filling *f)
{
    for (int central = 0; central < 2; ++central) {
        f->out->pieces.tiled[central] = -1;
        if (o->n_tiles > 0) {
            place_tiles(o, central, f);
        }
        place_class(o, central * (o->n_tiles + 1) + o->n_tiles, false, f);
        if (!central) {
            f->out->n_full_groups = f->group;
        }
    }
    f->group_start[f->group] = f->packs;
    f->round_start[f->out->n_rounds] = f->piece_start[f->out->pieces.n] = f->group;
    f->round_piece[f->out->n_rounds] = f->out->pieces.n;
    f->out->n = f->packs;
}

static void place_contacts(const order *o, tn_pack_order *out)
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
        TN_ASSERT(p->round < o->n_all);
        int place = o->next[p->round][p->n]++, first = out->group_start[place / TN_PACK];
        for (int i = 0; i < p->n; ++i) {
            out->place[p->first + i] = TN_PACK * (first + i) + place % TN_PACK;
            out->id[out->place[p->first + i]] = p->first + i;
        }
    }
}

static int count_groups(const order *o)
{
    int groups = 0;
    for (int first = 0; first < o->n_all; first += ROUNDS) {
        // Rounds of a class are taken in turn.
        for (int r = first, own = 1; r < first + ROUNDS && own > 0; ++r) {
            own = groups_of(o, r);
            groups += own;
        }
    }
    return groups;
}

// Where a sweep goes through the lines of one tile after the other their velocities stay in the cache, and threads need
// not wait for one another. Bodies of near numbers are taken to be near.
static tn_spare make_room(order *o, int n, int n_lines, uint64_t **taken, tn_arena *arena)
{
    o->n_tiles = n_lines < FEW_LINES ? 0 : n_lines < MANY_LINES ? FEW_TILES : TN_PACK_TILES;
    o->tile_lines = o->n_tiles > 0 ? (n_lines + o->n_tiles - 1) / o->n_tiles : 0;
    o->n_all = 2 * (o->n_tiles + 1) * ROUNDS;
    size_t n_taken = 2 * (size_t)n_lines, rounds = (size_t)o->n_all * sizeof *o->count;
    size_t bytes = n_taken * sizeof **taken + 2 * rounds + (size_t)n * sizeof *o->pairs;
    char *room = TN_PUSH(arena, char, bytes);
    if (room) {
        *taken = (uint64_t *)room;
        o->count = (int(*)[DEPTH + 1])(*taken + n_taken);
        o->next = o->count + o->n_all;
        o->pairs = (pair *)(o->next + o->n_all);
    }
    return (tn_spare){room, bytes};
}

bool tn_pack_order_create(int n, int n_lines, const int *line, const bool *central, tn_arena *arena, tn_pack_order *out)
{
    order o = {0};
    *out = (tn_pack_order){.left = TN_PUSH_RAW(arena, int, n), .place = TN_PUSH_RAW(arena, int, n)};
    uint64_t *taken = NULL;
    out->spare = make_room(&o, n, n_lines, &taken, arena);
    if (!out->spare.at || !out->left || !out->place) {
        return false;
    }
    filling f = {.round_start = TN_PUSH_RAW(arena, int, 2 * ROUNDS + 3),
                 .round_piece = TN_PUSH_RAW(arena, int, 2 * ROUNDS + 3),
                 .out = out};
    find_pairs(&o, n, line, central);
    assign_rounds(&o, line, n_lines, false, taken);
    assign_rounds(&o, line, n_lines, true, taken);
    out->n_groups = count_groups(&o);
    f.group_start = TN_PUSH_RAW(arena, int, out->n_groups + 1);
    f.piece_start = TN_PUSH_RAW(arena, int, out->n_groups + 2 * o.n_tiles + 1);
    if (!f.round_start || !f.round_piece || !f.group_start || !f.piece_start) {
        return false;
    }
    place_groups(&o, &f);
    out->group_start = f.group_start;
    out->round_start = f.round_start;
    out->pieces.start = f.piece_start;
    out->pieces.of_round = f.round_piece;
    out->id = TN_PUSH_RAW(arena, int, TN_PACK *(size_t)out->n);
    if (!out->id) {
        return false;
    }
    place_contacts(&o, out);
    return true;
}
