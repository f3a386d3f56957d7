// What a pack of contacts is made of: rows of J and the factors of A.
#pragma once

#include "kernels/contact/packs.h"
#include "solver/packed/central.h"
#include "solver/packed/lines.h"
#include "solver/packed/order.h"

typedef struct tn_pack_filler {
    const tn_problem *problem;
    const tn_lines *lines;
    int *line;   // (contacts, 2) that each contact touches, -1: none; [0] = -2 where the packs' formulas do not hold
    int *degree; // (lines) contacts
    tn_central central;
} tn_pack_filler;

// False: no memory.
bool tn_pack_filler_create(tn_pack_filler *filler, const tn_problem *problem, const tn_lines *lines, int n_threads,
                           tn_arena *arena);

// The packs of one group, and their turn (tn_contact_packs_prepare) at their place among all. With v (3 A->n_rows)
// offsets are the velocities J v + w and spins in the axes of central contacts, else w and own axes. False where a
// contact does not fit after all: its number in order->id becomes -2 - number.
bool tn_pack_fill(const tn_pack_filler *filler, const tn_pack_order *order, int group, const double *v, double *turn,
                  tn_contact_pack *packs);

// How the contacts of a pack give way (tn_contact_packs).
void tn_pack_softness(const tn_pack_filler *filler, const tn_pack_order *order, int pack, double R[2 * TN_PACK]);
// All central packs, offsets J v + w. Their tangents are not turned. softness: one for each pack where the problem has
// softness.
void tn_pack_fill_central(const tn_pack_filler *filler, const tn_pack_order *order, const double *v, int n_threads,
                          tn_central_pack *packs, tn_central_softness *softness);
