// P of nodal's coarse level for the present states of the contacts. Part of nodal_coarse.
#pragma once

#include "solver/nodal/coarse.h"

// Chooses slaves, makes coarse->P in its arena, and the envelope first (groups.n_blocks). secant: as
// tn_nodal_coarse_build. TN_NO_MEMORY only.
tn_status tn_nodal_prolong(tn_nodal_coarse *coarse, bool secant, int *first);
