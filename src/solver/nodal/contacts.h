// Which contacts go into the lanes of the sweep, and what the others need. Part of nodal_system.
#pragma once

#include "solver/nodal/system.h"

// Fills rows.contacts, node_of, general and bodies. TN_NUMERICS: a small component of A is not positive definite.
tn_status tn_nodal_set_contacts(tn_nodal_system *system, tn_arena *arena, tn_error *error);
