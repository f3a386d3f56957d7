// Lanes of plans: numbers and names of what may press, so that recordings and whoever reads them agree (lanes.h).
#include "model/lanes.h"

#include "tenon/model.h"

#include <stdio.h>

bool tn_model_may_touch(const tn_model *model, int shape_a, int shape_b)
{
    const tn_model_shape *a = &model->shapes[shape_a], *b = &model->shapes[shape_b];
    return a->body != b->body && model->surfaces[a->material * model->n_materials + b->material].collide &&
           !tn_model_joined(model, a->body, b->body) &&
           (model->bodies[a->body].n_blocks > 0 || model->bodies[b->body].n_blocks > 0);
}

// How many pairs there are before one, a < b; no more are counted than there are lanes.
static int pairs_before(const tn_model *model, int shape_a, int shape_b)
{
    int n = 0;
    for (int a = 0; a <= shape_a && a < model->n_shapes && n < TN_LANES_MAX; a++) {
        for (int b = a + 1; b < (a < shape_a ? model->n_shapes : shape_b) && n < TN_LANES_MAX; b++) {
            n += tn_model_may_touch(model, a, b);
        }
    }
    return n;
}

int tn_model_pair_lane(const tn_model *model, int shape_a, int shape_b)
{
    const int lane = pairs_before(model, shape_a, shape_b);
    return tn_model_may_touch(model, shape_a, shape_b) && lane < TN_LANES_MAX ? lane : -1;
}

int tn_model_limit_lane(const tn_model *model, int coordinate)
{
    const int lane = pairs_before(model, model->n_shapes, 0) + coordinate;
    return lane < TN_LANES_MAX ? lane : -1;
}

static void name_shape(const tn_model *model, int shape, char *out, size_t size)
{
    const int body = model->shapes[shape].body;
    int number = 0, n = 0;
    for (int s = 0; s < model->n_shapes; s++) {
        n += model->shapes[s].body == body;
        number += s <= shape && model->shapes[s].body == body;
    }
    if (n > 1) {
        snprintf(out, size, "%.60s.%d", tn_model_body_name(model, body), number);
    } else {
        snprintf(out, size, "%.60s", tn_model_body_name(model, body));
    }
}

int tn_model_lane_names(const tn_model *model, tn_lane_name out[TN_LANES_MAX])
{
    int n = 0;
    for (int a = 0; a < model->n_shapes; a++) {
        for (int b = a + 1; b < model->n_shapes && n < TN_LANES_MAX; b++) {
            if (tn_model_may_touch(model, a, b)) {
                char one[76], other[76];
                name_shape(model, a, one, sizeof one);
                name_shape(model, b, other, sizeof other);
                snprintf(out[n++], sizeof *out, "%s - %s", one, other);
            }
        }
    }
    const tn_scene_mpc *said = model->scene ? model->scene->mpc : NULL;
    for (int i = 0; said && i < said->n_coordinates && n < TN_LANES_MAX; i++) {
        snprintf(out[n++], sizeof *out, "%.120s limit", said->coordinates[i]);
    }
    return n;
}
