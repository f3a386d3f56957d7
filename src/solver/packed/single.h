// Sweeps over packed contacts in single precision: on the change of the velocities since a point where they are known
// in double, the anchor. The bulk of the work of a solve that is still far from its end.
#pragma once

#include "solver/packed/packed.h"

typedef struct tn_packed_single {
    tn_packed *packed;
    tn_contact_packs_single packs; // offset: the velocities at the anchor; x: the change since
    int n_lambda;                  // packs.lambda's numbers, a multiple of 16
    int n_numbers;                 // with packs.x of bodies, which follows them; a multiple of 16
    float *anchor;                 // (n_lambda) forces there
} tn_packed_single;

// From a packed just created, whose forces are the anchor. packed->single must be there, and becomes part of it. False:
// no memory.
bool tn_packed_single_create(tn_packed_single *single, tn_packed *packed, tn_arena *arena);
void tn_packed_single_anchor(tn_packed_single *single); // where the forces are; x becomes zero
void tn_packed_single_sums(const tn_packed_single *single, bool fclib, tn_check_sums *sums);
void tn_packed_single_sweep(tn_packed_single *single, int sweeps);
void tn_packed_single_refresh(tn_packed_single *single);                           // x of the forces
void tn_packed_single_finish(const tn_packed_single *single, const float *lambda); // packed->forces become these
