// The soft bodies' elements of a recording, for stresses and energies worked out anew from the nodes.
#pragma once

#include "base/arena.h"
#include "kernels/tets/tets.h"
#include "record/recording.h"

// Elements that belong to no block of a matrix, in arena; scratch is for the call.
tn_status tn_recorded_elements(const tn_recording *recording, tn_arena *arena, tn_arena *scratch, tn_tets **out,
                               tn_error *error);
// Of a stress xx yy zz yz xz xy.
double tn_von_mises(const double stress[6]);
