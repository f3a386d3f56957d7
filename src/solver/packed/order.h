// Which contacts go into which pack: eight that share no line of bodies. The contacts of one pair of lines lie in the
// same lane of neighbouring packs, a group; groups that share no line form a round.
//
// Many lines are divided into tiles of successive ones. All pairs inside of a tile come in one piece, in rounds of
// their own that need not be known; tiles share no line, and the pieces together are one round. Pairs between tiles
// follow.
#pragma once

#include "base/arena.h"
#include "kernels/contact/packs.h"

#include <stdbool.h>

enum {
    TN_PACK_DEPTH = 8, // most packs in a group
    TN_PACK_TILES = 8, // most tiles
};

// Memory of what has done its work, for what comes later.
typedef struct tn_spare {
    char *at; // 64-byte aligned
    size_t bytes;
} tn_spare;

// NULL: there is not enough.
static inline void *tn_spare_take(tn_spare *spare, size_t bytes)
{
    enum { ALIGNMENT = 64 };
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (bytes > spare->bytes) {
        return NULL;
    }
    void *block = spare->at;
    *spare = (tn_spare){spare->at + bytes, spare->bytes - bytes};
    return block;
}

typedef struct tn_pack_order {
    int n;                  // packs
    int *id;                // (n, 8) contacts, -1: none
    int *place;             // (contacts) where each is in id, -1: in no pack
    int n_groups;           //
    int n_full_groups;      // the others hold central contacts, one pack each; even in number in every round
    const int *group_start; // (n_groups + 1) first pack
    int n_rounds;           //
    const int *round_start; // (n_rounds + 1) first group
    tn_pack_pieces pieces;  // tiled: rounds of full and of central packs
    int n_left;
    int *left;      // (n_left) contacts that go into no pack; room for all
    tn_spare spare; // of what the order was found with
} tn_pack_order;

// line (n, 2): what each contact touches, -1: nothing; [0] = -2: the contact goes into no pack. Contacts of one pair
// are found where they follow each other. central (n): those that go into packs of their own, rounds that come last.
// False: no memory.
bool tn_pack_order_create(int n, int n_lines, const int *line, const bool *central, tn_arena *arena,
                          tn_pack_order *out);
