// Skins of all soft bodies of a model: what contact with their faces needs and no motion changes.
#pragma once

#include "model/model.h"
#include "shape/skin.h"

// One skin for each soft body, numbered within it, into *out (n_softs).
tn_status tn_skins_create(const tn_model *model, tn_arena *arena, tn_skin **out, tn_error *error);
