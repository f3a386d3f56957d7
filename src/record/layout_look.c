// How bodies look, and the group `views`: named cameras.
#include "record/recorder.h"

#include <string.h>

void tn_layout_color(const tn_color *color, float out[3])
{
    for (int c = 0; c < 3; c++) {
        out[c] = color->said ? (float)color->rgb[c] : -1.0F;
    }
}

bool tn_layout_put_colors(const tn_layout *l)
{
    const tn_model *model = l->model;
    size_t n_rigid = (size_t)model->n_bodies, n = n_rigid + (size_t)model->n_softs;
    float *color = TN_PUSH(l->arena, float, 3 * n);
    uint8_t *checker = TN_PUSH(l->arena, uint8_t, n);
    const tn_color none = {0};
    for (size_t k = 0; color && checker && k < n; k++) {
        const tn_scene_body *body = k < n_rigid ? model->bodies[k].description : NULL; // none of the world
        const tn_color *own = k >= n_rigid ? &model->scene->softs[k - n_rigid].color : body ? &body->color : &none;
        tn_layout_color(own, color + 3 * k);
        checker[k] = body && body->checker;
    }
    return color && checker &&
           tn_layout_put(l, "bodies/color", H5T_NATIVE_FLOAT, n, 3, color, NULL,
                         "red, green, blue of the screen, 0 to 1; -1: not said") &&
           tn_layout_put(l, "bodies/checker", H5T_NATIVE_UINT8, n, 1, checker, NULL, "1: with a checker");
}

bool tn_layout_put_views(const tn_layout *l)
{
    const tn_scene_view *views = l->model->scene->views;
    size_t n = (size_t)l->model->scene->n_views;
    const char **name = TN_PUSH(l->arena, const char *, n);
    double *eye = TN_PUSH(l->arena, double, 3 * n), *target = TN_PUSH(l->arena, double, 3 * n);
    int32_t *follow = TN_PUSH(l->arena, int32_t, n);
    if (n == 0 || !name || !eye || !target || !follow) {
        return n == 0;
    }
    for (size_t k = 0; k < n; k++) {
        name[k] = views[k].name;
        memcpy(eye + 3 * k, views[k].eye, sizeof views[k].eye);
        memcpy(target + 3 * k, views[k].target, sizeof views[k].target);
        follow[k] = views[k].follow;
    }
    return tn_h5_put_group(l->file, "views") && tn_layout_put_texts(l, "views/name", (int)n, name) &&
           tn_layout_put(l, "views/eye", H5T_NATIVE_DOUBLE, n, 3, eye, "m", "from the followed body's origin") &&
           tn_layout_put(l, "views/target", H5T_NATIVE_DOUBLE, n, 3, target, "m", "likewise") &&
           tn_layout_put(l, "views/follow", H5T_NATIVE_INT32, n, 1, follow, NULL,
                         "row of bodies/name; 0: the world, which stands");
}
