// A picture of a frame, drawn by the library itself, for pages that must have one without a browser: bodies in the
// colours of viewers, sun, sky and shadow, the ground, from where `tenon render` looks too. The same frame gives the
// same bytes.
#pragma once

#include "view/frames.h"

typedef struct tn_picture {
    int width, height;
    unsigned char *rgb; // (height, width, 3), the caller's
} tn_picture;

// Whether there is anything to be drawn: a body with a shape other than a plane, or a soft one.
bool tn_picture_has_any(const tn_view *view);
tn_status tn_picture_draw(const tn_view *view, long frame, const tn_picture *out, tn_error *error);
