// How bodies look, the group `views` and names of what plans press; files of earlier versions have none of them.
#include "base/memory.h"
#include "record/reader.h"

#include <math.h>

// Colours of n things; NaN where the file has none.
float *tn_recording_read_colors(const tn_recording *r, const char *path, size_t n)
{
    float *rgb = tn_calloc(3 * n, sizeof *rgb);
    bool there = rgb && tn_h5_get_array(r->file, path, H5T_NATIVE_FLOAT, 3 * n, rgb);
    for (size_t k = 0; rgb && k < 3 * n; k++) {
        rgb[k] = there && rgb[k] >= 0.0F && rgb[k] <= 1.0F ? rgb[k] : NAN;
    }
    return rgb;
}

static bool read_views(tn_recording *r)
{
    hsize_t dims[3];
    if (!tn_h5_get_dims(r->file, "views/name", dims)) {
        return true;
    }
    r->view_names = tn_h5_get_texts(r->file, "views/name", &r->n_views);
    size_t n = (size_t)r->n_views;
    double *eye = tn_calloc(3 * n, sizeof *eye), *target = tn_calloc(3 * n, sizeof *target);
    int *follow = tn_calloc(n, sizeof *follow);
    r->views = tn_calloc(n, sizeof *r->views);
    bool ok = r->view_names && eye && target && follow && r->views &&
              tn_h5_get_array(r->file, "views/eye", H5T_NATIVE_DOUBLE, 3 * n, eye) &&
              tn_h5_get_array(r->file, "views/target", H5T_NATIVE_DOUBLE, 3 * n, target) &&
              tn_h5_get_array(r->file, "views/follow", H5T_NATIVE_INT, n, follow);
    for (size_t k = 0; ok && k < n; k++) {
        for (int i = 0; i < 3; i++) {
            r->views[k].eye[i] = eye[3 * k + i];
            r->views[k].target[i] = target[3 * k + i];
        }
        r->views[k].follow = follow[k];
        ok = follow[k] >= 0 && follow[k] < r->n_bodies;
    }
    tn_free(eye);
    tn_free(target);
    tn_free(follow);
    return ok;
}

bool tn_recording_read_look(tn_recording *r)
{
    size_t n = (size_t)r->n_bodies;
    r->rgb = tn_recording_read_colors(r, "bodies/color", n);
    r->checker = tn_calloc(n, 1);
    if (!r->rgb || !r->checker) {
        return false;
    }
    tn_h5_get_array(r->file, "bodies/checker", H5T_NATIVE_UINT8, n, r->checker); // stays 0 where there is none
    hsize_t dims[3];
    if (tn_h5_get_dims(r->file, "plan/names", dims)) {
        r->lane_names = tn_h5_get_texts(r->file, "plan/names", &r->n_lanes);
    }
    return read_views(r);
}

void tn_recording_free_look(tn_recording *r)
{
    tn_h5_free_texts(r->n_views, r->view_names);
    tn_h5_free_texts(r->n_lanes, r->lane_names);
    tn_free(r->views);
    tn_free(r->rgb);
    tn_free(r->checker);
}
