// The group `shapes` of a recording. Numbers in it that lie outside what they refer to would break exports later.
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
    bool *dressed = TN_PUSH(r->arena, bool, r->n_bodies);
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
    return ok;
}

// Since format 3; before it no shape had triangles or shared its points.
static bool load_triangles(tn_recording *r, shape_arrays *a, hsize_t *n_triangles)
{
    hsize_t dims[3], n = (hsize_t)r->n_shapes;
    if (tn_h5_get_dims(r->file, "shapes/triangles", dims)) {
        *n_triangles = dims[0];
        a->same_as = tn_h5_take_array(r->file, "shapes/same_as", H5T_NATIVE_INT32, n, r->arena);
        a->triangles_offset = tn_h5_take_array(r->file, "shapes/triangles_offset", H5T_NATIVE_INT64, n + 1, r->arena);
        r->triangles = tn_h5_take_array(r->file, "shapes/triangles", H5T_NATIVE_INT, 3 * dims[0], r->arena);
        return a->same_as && a->triangles_offset && r->triangles;
    }
    *n_triangles = 0;
    a->same_as = TN_PUSH(r->arena, int32_t, n);
    a->triangles_offset = TN_PUSH(r->arena, int64_t, n + 1);
    r->triangles = TN_PUSH(r->arena, int, 0);
    for (int k = 0; a->same_as && k < r->n_shapes; k++) {
        a->same_as[k] = k;
    }
    return a->same_as && a->triangles_offset && r->triangles;
}

bool tn_recording_read_shapes(tn_recording *r)
{
    shape_arrays a = {.kind = tn_h5_get_texts(r->file, "shapes/kind", r->arena, &r->n_shapes)};
    hsize_t dims[3], n = (hsize_t)r->n_shapes, n_triangles;
    if (!a.kind || !tn_h5_get_dims(r->file, "shapes/points", dims) || !load_triangles(r, &a, &n_triangles)) {
        return false;
    }
    a.body = tn_h5_take_array(r->file, "shapes/body", H5T_NATIVE_INT32, n, r->arena);
    a.size = tn_h5_take_array(r->file, "shapes/size", H5T_NATIVE_DOUBLE, 3 * n, r->arena);
    a.pose = tn_h5_take_array(r->file, "shapes/pose", H5T_NATIVE_DOUBLE, 7 * n, r->arena);
    a.offset = tn_h5_take_array(r->file, "shapes/points_offset", H5T_NATIVE_INT64, n + 1, r->arena);
    a.visual = TN_PUSH(r->arena, uint8_t, n);
    a.rgb = tn_recording_read_colors(r, "shapes/color", n);
    r->points = tn_h5_take_array(r->file, "shapes/points", H5T_NATIVE_DOUBLE, 3 * dims[0], r->arena);
    r->shapes = TN_PUSH(r->arena, tn_recorded_shape, n);
    if (!a.body || !a.size || !a.pose || !a.offset || !a.visual || !a.rgb || !r->points || !r->shapes) {
        return false;
    }
    tn_h5_get_array(r->file, "shapes/visual", H5T_NATIVE_UINT8, n, a.visual); // stays 0 before format 4
    return fill_shapes(r, &a, (int64_t)dims[0], (int64_t)n_triangles) && dress(r, &a);
}
