// Sharp edges of two soft bodies across each other: rim on rim, which vertices and faces miss. Edges count as sharp if
// bent by more than 20 degrees at rest; flatter ones are left to vertices. Of a body and itself: as soft_pair.h says of
// vertices and faces.
#pragma once

#include "collide/soft_hit.h"

// Appends the hits of pair (soft, soft), a <= b, by feature ascending. False: no memory.
bool tn_collide_sharp_edges(tn_collide_view *view, const tn_shape_pair *pair, tn_hit_buffer *hits);
