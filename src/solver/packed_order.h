// Which contacts go into which pack: eight that share no line of bodies, in rounds of packs that share none either.
#pragma once

#include "base/arena.h"

#include <stdbool.h>

typedef struct tn_pack_order {
    int n;                  // packs
    int *id;                // (n, 8) contacts, -1: none
    int n_rounds;           //
    const int *round_start; // (n_rounds + 1) first pack
    int n_left;
    int *left; // (n_left) contacts that go into no pack; room for all
} tn_pack_order;

// line (n, 2): what each contact touches, -1: nothing; [0] = -2: the contact goes into no pack. False: no memory.
bool tn_pack_order_create(int n, int n_lines, const int *line, tn_arena *arena, tn_pack_order *out);
