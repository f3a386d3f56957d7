// Table of named cameras.
#include "scene/keys.h"

static const tn_key view_keys[] = {
    {"eye", TN_KEY_VECTOR, AT(tn_raw_view, eye), .unit = {1, 0, 0, 0}, .low = -LARGE, .high = LARGE,
     .doc = "Where the camera stands, z up; with `follow` from that body's origin, along the world's axes. Default: "
            "where it sees all that moves."},
    {"target", TN_KEY_VECTOR, AT(tn_raw_view, target), .unit = {1, 0, 0, 0}, .low = -LARGE, .high = LARGE,
     .doc = "What it looks at, counted likewise; default: that body, or the middle of what moves."},
    {"follow", TN_KEY_NAME, AT(tn_raw_view, follow), .doc = "A body that the camera goes along with."},
};
const tn_section tn_section_view = {"views", "Named cameras of pictures and replays (the key `v` goes through them).",
                                    sizeof(tn_raw_view), "follow", KEYS(view_keys)};
