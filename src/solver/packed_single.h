// Sweeps over packed contacts in single precision, about a point where all is known in double: the bulk of the work of
// a solve that is still far from its end.
#pragma once

#include "solver/packed.h"

typedef struct tn_packed_single {
    tn_packed *packed;
    tn_contact_packs_single packs;
    double *x_start; // (8 lines.n) the point: packs' offsets are the velocities there
} tn_packed_single;

// Whether all contacts are in packs; the others are swept in double only.
bool tn_packed_single_fits(const tn_packed *packed);
bool tn_packed_single_create(tn_packed_single *single, tn_packed *packed, tn_arena *arena); // false: no memory
// The figures' sums at packed's forces and x, which become the point.
void tn_packed_single_sums(tn_packed_single *single, tn_check_sums *sums);
// So many sweeps from packed's forces and x, which follow.
void tn_packed_single_sweep(tn_packed_single *single, int sweeps);
