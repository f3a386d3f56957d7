// Table of named cameras.
#include "scene/keys.h"

#define VIEW(field) AT(tn_raw_view, field)
static const tn_key view_keys[] = {
    {"eye", TN_KEY_VECTOR, VIEW(eye), METRES, ANY,
     .doc = "Camera position, z up; with `follow` from that body's origin. Default: where all moving bodies are seen."},
    {"target", TN_KEY_VECTOR, VIEW(target), METRES, ANY,
     .doc = "Point looked at, counted likewise. Default: the followed body, or the middle of what moves."},
    {"follow", TN_KEY_NAME, VIEW(follow), .doc = "Body that the camera goes along with."},
};
const tn_section tn_section_view = {"views", "Named cameras; the first is used first, key `v` steps through them.",
                                    sizeof(tn_raw_view), "follow", KEYS(view_keys)};
