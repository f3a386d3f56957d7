// How bodies look, the group `views` and names of what plans press; files of earlier versions have none of them.
#include "math/vec3.h"
#include "record/reader.h"

#include <math.h>

// Colours of n things; NaN where the file has none.
float *tn_recording_read_colors(const tn_recording *r, const char *path, size_t n)
{
    float *rgb = TN_PUSH(r->arena, float, 3 * n);
    bool there = rgb && tn_h5_get_array(r->file, path, H5T_NATIVE_FLOAT, 3 * n, rgb);
    for (size_t k = 0; rgb && k < 3 * n; k++) {
        rgb[k] = there && rgb[k] >= 0.0F && rgb[k] <= 1.0F ? rgb[k] : NAN;
    }
    return rgb;
}

static bool read_views(tn_recording *r)
{
    if (!tn_h5_is_there(r->file, "views/name")) {
        return true;
    }
    r->view_names = tn_h5_get_texts(r->file, "views/name", r->arena, &r->n_views);
    size_t n = (size_t)r->n_views;
    const double *eye = tn_h5_take_array(r->file, "views/eye", H5T_NATIVE_DOUBLE, 3 * n, r->arena);
    const double *target = tn_h5_take_array(r->file, "views/target", H5T_NATIVE_DOUBLE, 3 * n, r->arena);
    const int *follow = tn_h5_take_array(r->file, "views/follow", H5T_NATIVE_INT, n, r->arena);
    r->views = TN_PUSH(r->arena, tn_recorded_view, n);
    bool ok = r->view_names && eye && target && follow && r->views;
    for (size_t k = 0; ok && k < n; k++) {
        tn_vec3_copy(r->views[k].eye, eye + 3 * k);
        tn_vec3_copy(r->views[k].target, target + 3 * k);
        r->views[k].follow = follow[k];
        ok = follow[k] >= 0 && follow[k] < r->n_bodies;
    }
    return ok;
}

bool tn_recording_read_look(tn_recording *r)
{
    size_t n = (size_t)r->n_bodies;
    r->rgb = tn_recording_read_colors(r, "bodies/color", n);
    r->checker = TN_PUSH(r->arena, uint8_t, n);
    if (!r->rgb || !r->checker) {
        return false;
    }
    tn_h5_get_array(r->file, "bodies/checker", H5T_NATIVE_UINT8, n, r->checker); // stays 0 where there is none
    if (tn_h5_is_there(r->file, "plan/names")) {
        r->lane_names = tn_h5_get_texts(r->file, "plan/names", r->arena, &r->n_lanes);
    }
    return read_views(r);
}
