// Rows of an LCS: contacts, their friction, limits and dry friction of the coordinates, at the mechanics' place.
// Private to this room.
#pragma once

#include "control/mechanics.h"

// A complementary pair: impulse c along `push` of the coordinates, and w = gap_rate-weighted place and velocity of the
// step's end.
//
//     w = at (q' - q) + rate v' + constant + couplings
typedef struct tn_complement {
    tn_lcs_row is;
    double *push;  // (n) what one of c does along the coordinates; zero of speeds
    double *place; // (n) of q'; NULL: zero
    double *rate;  // (n) of v'; NULL: zero
    double constant;
    double softness;     // of its own c
    double f;            // gap [m, rad], of normals and limits
    const double *guard; // (n) of the free q': the velocity level's switch, the gap with its f; NULL: none
    double guard_f;
    int head; // of friction: its contact's normal; of slips likewise; of dry slips: its dry row
    int n_directions;
    double mu;
} tn_complement;

typedef struct tn_complements {
    int n, room;
    tn_complement *row; // in the arena
} tn_complements;

// All rows at the mechanics' place, within the options' margin.
tn_status tn_complements_find(tn_mechanics *m, const tn_lcs_options *options, const double *resistance, double h,
                              tn_arena *arena, tn_complements *out, tn_error *error);
