// Table of named cameras.
#include "scene/keys.h"

static const tn_key view_keys[] = {
    {"eye", TN_KEY_VECTOR, AT(tn_raw_view, eye), .unit = {1, 0, 0, 0}, .low = -LARGE, .high = LARGE,
     .doc = "Camera position, z up; with `follow` from that body's origin. Default: where all moving bodies are seen."},
    {"target", TN_KEY_VECTOR, AT(tn_raw_view, target), .unit = {1, 0, 0, 0}, .low = -LARGE, .high = LARGE,
     .doc = "Point looked at, counted likewise. Default: the followed body, or the middle of what moves."},
    {"follow", TN_KEY_NAME, AT(tn_raw_view, follow), .doc = "Body that the camera goes along with."},
};
const tn_section tn_section_view = {"views", "Named cameras; the first is used first, key `v` steps through them.",
                                    sizeof(tn_raw_view), "follow", KEYS(view_keys)};
