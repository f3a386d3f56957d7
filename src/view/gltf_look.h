// How the surfaces of a glTF file look: a material for each colour, with the checker or without, a mesh for each pair
// of geometry and material.
#pragma once

#include "view/gltf_parts.h"

// Fills in the looks of g; bad only for lack of memory. The geometries are added.
tn_status gltf_choose_looks(gltf *g, tn_error *error);
// Appends the checker's picture, where one is used; nothing may come after it.
tn_status gltf_add_picture(gltf *g, tn_error *error);
// The members `materials` and, with a checker, `textures`, `images`, `samplers`.
void gltf_put_looks(tn_json *json, const gltf_looks *looks);
