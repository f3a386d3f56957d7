// How bodies look, and the group `views`: named cameras.
#include "base/memory.h"
#include "record/recorder.h"

#include <string.h>

void tn_layout_color(const tn_color *color, float out[3])
{
    for (int c = 0; c < 3; c++) {
        out[c] = color->said ? (float)color->rgb[c] : -1.0F;
    }
}

bool tn_layout_write_colors(hid_t file, const tn_model *model)
{
    size_t n_rigid = (size_t)model->n_bodies, n = n_rigid + (size_t)model->n_softs;
    float *color = tn_calloc(3 * n, sizeof *color);
    uint8_t *checker = tn_calloc(n, 1);
    const tn_color none = {0};
    for (size_t k = 0; color && checker && k < n; k++) {
        const tn_scene_body *body = k < n_rigid ? model->bodies[k].description : NULL; // none of the world
        const tn_color *own = k >= n_rigid ? &model->scene->softs[k - n_rigid].color : body ? &body->color : &none;
        tn_layout_color(own, color + 3 * k);
        checker[k] = body && body->checker;
    }
    bool ok = color && checker &&
              tn_h5_put_array(file, "bodies/color", H5T_NATIVE_FLOAT, 2, (hsize_t[]){n, 3}, color, NULL,
                              "red, green, blue of the screen, 0 to 1; -1: not said") &&
              tn_h5_put_array(file, "bodies/checker", H5T_NATIVE_UINT8, 1, (hsize_t[]){n}, checker, NULL,
                              "1: with a checker");
    tn_free(color);
    tn_free(checker);
    return ok;
}

static bool put_views(hid_t file, int n, const tn_scene_view *views, const char **name, double *eye, double *target,
                      int32_t *follow)
{
    for (int k = 0; k < n; k++) {
        name[k] = views[k].name;
        memcpy(eye + 3 * k, views[k].eye, sizeof views[k].eye);
        memcpy(target + 3 * k, views[k].target, sizeof views[k].target);
        follow[k] = views[k].follow;
    }
    hsize_t dims[2] = {(hsize_t)n, 3};
    return tn_h5_put_group(file, "views") && tn_layout_write_texts(file, "views/name", n, name) &&
           tn_h5_put_array(file, "views/eye", H5T_NATIVE_DOUBLE, 2, dims, eye, "m",
                           "from the followed body's origin") &&
           tn_h5_put_array(file, "views/target", H5T_NATIVE_DOUBLE, 2, dims, target, "m", "likewise") &&
           tn_h5_put_array(file, "views/follow", H5T_NATIVE_INT32, 1, dims, follow, NULL,
                           "row of bodies/name; 0: the world, which stands");
}

bool tn_layout_write_views(hid_t file, const tn_model *model)
{
    size_t n = (size_t)model->scene->n_views;
    if (n == 0) {
        return true;
    }
    const char **name = tn_calloc(n, sizeof *name);
    double *eye = tn_calloc(3 * n, sizeof *eye), *target = tn_calloc(3 * n, sizeof *target);
    int32_t *follow = tn_calloc(n, sizeof *follow);
    bool ok =
        name && eye && target && follow && put_views(file, (int)n, model->scene->views, name, eye, target, follow);
    tn_free(name);
    tn_free(eye);
    tn_free(target);
    tn_free(follow);
    return ok;
}
