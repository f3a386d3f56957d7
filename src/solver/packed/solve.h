// Sweeps over packed contacts, with Anderson acceleration of blocks of sweeps.
#pragma once

#include "solver/gauss_seidel.h"
#include "solver/packed/packed.h"

// From packed's forces to the best found, which packed holds at the end; not so its x. Stops at score <= 1.
// TN_NO_MEMORY only.
tn_status tn_packed_solve(tn_packed *packed, const tn_check *check, tn_gauss_seidel_run *run, tn_arena *arena);

// |q|, the contacts' velocities without forces [m/s]; NaN: no memory.
double tn_packed_q_norm(const tn_packed *packed, tn_arena *arena);
