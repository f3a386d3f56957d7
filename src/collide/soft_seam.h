// Seams between rigid shapes that a soft body lies on.
#pragma once

#include "collide/view.h"

// Which contacts of the buffer are walls that are not there: of a shape's edge or side where another shape, which the
// same vertex touches, goes on level with it. out: (buffer->n), in the view's arena; NULL: no memory.
const bool *tn_soft_seams(tn_collide_view *view, const tn_contact_buffer *buffer);
