// The colours of bodies, for pages, pictures and glTF files: one rule for all.
#pragma once

#include "record/recording.h"

// rgb (n_bodies, 3) of the screen, 0 to 1: the scene's own where it says one; links of a mechanism in two shades and
// its last ones in a colour, all pieces of a rod in one; what is fixed or driven grey; everything else from a palette
// in turn.
tn_status tn_view_color_bodies(const tn_recording *recording, float *rgb, tn_error *error);
// A channel of the screen (sRGB, IEC 61966-2-1) as light, and back; both 0 to 1.
double tn_color_to_light(double screen);
double tn_color_to_screen(double light);
