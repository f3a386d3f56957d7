// Two soft bodies, or a soft body and itself: vertices against faces, and sharp edges against sharp edges.
//
// A vertex inside the other body is found however deep it is. Of a body and itself: a vertex and a face count if at
// rest they are farther apart than the longest edge (else they are neighbours in the material) and face each other; and
// they overlap no deeper than a tenth of that distance, than half of the longest edge, and than the reach of contacts:
// the far side of a sheet is not taken for another layer.
#pragma once

#include "collide/soft_hit.h"

// Appends the contacts of pair (soft, soft), a <= b.
tn_status tn_collide_softs(tn_collide_view *view, const tn_shape_pair *pair, tn_contact_buffer *buffer,
                           tn_error *error);
