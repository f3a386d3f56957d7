#include "model/skins.h"

tn_status tn_skins_create(const tn_model *model, tn_arena *arena, tn_skin **out, tn_error *error)
{
    tn_status status = TN_OK;
    int *faces = TN_PUSH(arena, int, 3 * (size_t)model->n_faces);
    *out = TN_PUSH(arena, tn_skin, model->n_softs);
    if (!faces || !*out) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the surfaces of %d soft bodies", model->n_softs);
    }
    for (int s = 0; !status && s < model->n_softs; ++s) {
        const tn_model_soft *soft = model->softs + s;
        int *own = faces + 3 * (size_t)soft->first_face;
        for (int i = 0; i < 3 * soft->n_faces; ++i) {
            own[i] = model->faces[3 * (size_t)soft->first_face + (size_t)i] - soft->first_node;
        }
        status = tn_skin_create(soft->n_nodes, model->node_rest + 3 * (size_t)soft->first_node, soft->n_faces, own,
                                arena, *out + s, error);
    }
    return status;
}
