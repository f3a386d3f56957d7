// Narrow phase: the contacts of the pairs that the broad phase found.
#pragma once

#include "collide/view.h"

// The pairs' contacts, in the order of the pairs, with the forces that state->memory has for them. Scratch in the
// view's arena, the list in arena (which may be the same one).
tn_status tn_narrow_phase(tn_collide_view *view, const tn_pair_list *pairs, tn_arena *arena, tn_contact_list *out,
                          tn_error *error);
