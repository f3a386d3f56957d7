// Which contacts go into which pack: eight that share no line of bodies. The contacts of one pair of lines lie in the
// same lane of neighbouring packs, a group; groups that share no line form a round.
#pragma once

#include "base/arena.h"

#include <stdbool.h>

enum { TN_PACK_DEPTH = 8 }; // most packs in a group

typedef struct tn_pack_order {
    int n;                  // packs
    int *id;                // (n, 8) contacts, -1: none
    int n_groups;           //
    const int *group_start; // (n_groups + 1) first pack
    int n_rounds;           //
    const int *round_start; // (n_rounds + 1) first group
    int n_left;
    int *left; // (n_left) contacts that go into no pack; room for all
} tn_pack_order;

// line (n, 2): what each contact touches, -1: nothing; [0] = -2: the contact goes into no pack. Contacts of one pair
// are found where they follow each other. False: no memory.
bool tn_pack_order_create(int n, int n_lines, const int *line, tn_arena *arena, tn_pack_order *out);
