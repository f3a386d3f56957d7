// The group `shapes` of a recording. Numbers in it that lie outside what they refer to would break exports later.
#include "base/memory.h"
#include "record/reader.h"

#include <string.h>

static int shape_kind(const char *name)
{
    for (int kind = 0; kind < TN_SHAPE_COUNT; kind++) {
        if (strcmp(name, tn_shape_name((tn_shape_kind)kind)) == 0) {
            return kind;
        }
    }
    return -1;
}

// Raw arrays of the group `shapes`, checked and turned into shapes.
typedef struct shape_arrays {
    char **kind;
    int32_t *body;
    double *size, *pose;
    int32_t *same_as; // of the recording's
    int64_t *offset, *triangles_offset;
    uint8_t *visual;
    float *rgb;
} shape_arrays;

// Triangles of points that the shape has.
static bool triangles_fit(const tn_recorded_shape *shape)
{
    for (int i = 0; i < 3 * shape->n_triangles; i++) {
        if (shape->triangles[i] < 0 || shape->triangles[i] >= shape->shape.n_points) {
            return false;
        }
    }
    return true;
}

static bool part_fits(const int64_t *offset, int k, int64_t n)
{
    return offset[k] >= 0 && offset[k] <= offset[k + 1] && offset[k + 1] <= n;
}

static bool fill_shapes(tn_recording *r, const shape_arrays *a, int64_t n_points, int64_t n_triangles)
{
    for (int k = 0; k < r->n_shapes; k++) {
        int kind = shape_kind(a->kind[k]);
        bool in_range = a->body[k] >= 0 && a->body[k] < r->n_bodies && part_fits(a->offset, k, n_points) &&
                        part_fits(a->triangles_offset, k, n_triangles);
        if (kind < 0 || !in_range) {
            return false;
        }
        tn_recorded_shape *shape = &r->shapes[k];
        shape->body = a->body[k];
        shape->shape.kind = (tn_shape_kind)kind;
        int from = a->same_as[k]; // k itself, or a shape before it
        if (from < 0 || from > k) {
            return false;
        }
        shape->shape.n_points = (int)(a->offset[from + 1] - a->offset[from]);
        shape->shape.points = r->points + 3 * a->offset[from];
        shape->n_triangles = (int)(a->triangles_offset[from + 1] - a->triangles_offset[from]);
        shape->triangles = r->triangles + 3 * a->triangles_offset[from];
        if (from == k && !triangles_fit(shape)) {
            return false;
        }
        memcpy(shape->shape.size, a->size + 3 * k, sizeof shape->shape.size);
        memcpy(shape->pose.position, a->pose + 7 * k, sizeof shape->pose.position);
        memcpy(shape->pose.quaternion, a->pose + 7 * k + 3, sizeof shape->pose.quaternion);
    }
    return true;
}

// What is seen of each body. false: a visual shape stands before another one.
static bool dress(tn_recording *r, const shape_arrays *a)
{
    bool *dressed = tn_calloc((size_t)r->n_bodies, sizeof *dressed);
    bool ok = dressed != NULL;
    for (int k = 0; ok && k < r->n_shapes; k++) {
        tn_recorded_shape *shape = &r->shapes[k];
        shape->visual = a->visual[k] != 0;
        memcpy(shape->rgb, a->rgb + 3 * k, sizeof shape->rgb);
        ok = shape->visual || r->n_solid == k;
        r->n_solid += !shape->visual;
        dressed[shape->body] = dressed[shape->body] || shape->visual;
    }
    for (int k = 0; ok && k < r->n_shapes; k++) {
        r->shapes[k].seen = r->shapes[k].visual || !dressed[r->shapes[k].body];
    }
    tn_free(dressed);
    return ok;
}

static bool load_shapes(tn_recording *r, shape_arrays *a)
{
    hsize_t dims[3];
    a->kind = tn_h5_get_texts(r->file, "shapes/kind", &r->n_shapes);
    if (!a->kind || !tn_h5_get_dims(r->file, "shapes/points", dims)) {
        return false;
    }
    hsize_t n = (hsize_t)r->n_shapes, n_points = dims[0];
    bool has_triangles = tn_h5_get_dims(r->file, "shapes/triangles", dims); // since format 3
    hsize_t n_triangles = has_triangles ? dims[0] : 0;
    a->body = tn_calloc(n, sizeof *a->body);
    a->size = tn_calloc(3 * n, sizeof *a->size);
    a->pose = tn_calloc(7 * n, sizeof *a->pose);
    a->same_as = tn_calloc(n, sizeof *a->same_as);
    for (int k = 0; a->same_as && k < r->n_shapes; k++) {
        a->same_as[k] = k;
    }
    a->offset = tn_calloc(n + 1, sizeof *a->offset);
    a->triangles_offset = tn_calloc(n + 1, sizeof *a->triangles_offset);
    r->triangles = tn_calloc(3 * n_triangles, sizeof *r->triangles);
    r->points = tn_calloc(3 * n_points, sizeof *r->points);
    r->shapes = tn_calloc(n, sizeof *r->shapes);
    a->visual = tn_calloc(n, sizeof *a->visual);
    a->rgb = tn_recording_read_colors(r, "shapes/color", n);
    if (a->visual) {
        tn_h5_get_array(r->file, "shapes/visual", H5T_NATIVE_UINT8, n, a->visual); // stays 0 before format 4
    }
    return a->body && a->same_as && a->size && a->pose && a->offset && a->triangles_offset && r->triangles &&
           r->points && r->shapes && a->visual && a->rgb &&
           (!has_triangles ||
            (tn_h5_get_array(r->file, "shapes/same_as", H5T_NATIVE_INT32, n, a->same_as) &&
             tn_h5_get_array(r->file, "shapes/triangles_offset", H5T_NATIVE_INT64, n + 1, a->triangles_offset) &&
             tn_h5_get_array(r->file, "shapes/triangles", H5T_NATIVE_INT, 3 * n_triangles, r->triangles))) &&
           tn_h5_get_array(r->file, "shapes/body", H5T_NATIVE_INT32, n, a->body) &&
           tn_h5_get_array(r->file, "shapes/size", H5T_NATIVE_DOUBLE, 3 * n, a->size) &&
           tn_h5_get_array(r->file, "shapes/pose", H5T_NATIVE_DOUBLE, 7 * n, a->pose) &&
           tn_h5_get_array(r->file, "shapes/points_offset", H5T_NATIVE_INT64, n + 1, a->offset) &&
           tn_h5_get_array(r->file, "shapes/points", H5T_NATIVE_DOUBLE, 3 * n_points, r->points) &&
           fill_shapes(r, a, (int64_t)n_points, (int64_t)n_triangles) && dress(r, a);
}

bool tn_recording_read_shapes(tn_recording *r)
{
    shape_arrays a = {0};
    bool ok = load_shapes(r, &a);
    tn_h5_free_texts(a.kind ? r->n_shapes : 0, a.kind);
    tn_free(a.body);
    tn_free(a.size);
    tn_free(a.pose);
    tn_free(a.same_as);
    tn_free(a.visual);
    tn_free(a.rgb);
    tn_free(a.offset);
    tn_free(a.triangles_offset);
    return ok;
}

void tn_recording_free_shapes(tn_recording *r)
{
    tn_free(r->shapes);
    tn_free(r->points);
    tn_free(r->triangles);
}
