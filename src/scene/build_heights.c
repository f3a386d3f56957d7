// Height fields: from a file, a list of values, or an expression of x and y.
#include "mesh/raster.h"
#include "scene/build.h"
#include "scene/expression.h"
#include "shape/heights.h"

#include <math.h>

// Rows come from the top, the one of greatest y; the shape wants the lowest first.
static bool turn_rows(tn_build *build, const int n[2], const double *values, double scale, double **z)
{
    *z = tn_arena_push_raw(build->reader.scratch, (size_t)n[0] * (size_t)n[1], sizeof **z);
    if (!*z) {
        return tn_read_no_memory(&build->reader);
    }
    for (int j = 0; j < n[1]; j++) {
        const double *row = values + (size_t)(n[1] - 1 - j) * (size_t)n[0];
        for (int i = 0; i < n[0]; i++) {
            (*z)[(size_t)j * (size_t)n[0] + (size_t)i] = scale * row[i];
        }
    }
    return true;
}

static bool from_file(tn_build *build, const tn_raw_solid *raw, const tn_node *node, int n[2], double **z)
{
    tn_raster raster = {0};
    tn_error error = {0};
    const char *path = tn_build_path(build, raw, node);
    if (!path) {
        return false;
    }
    if (tn_raster_read(path, build->reader.scratch, &raster, &error) != TN_OK) {
        return tn_build_file_error(build, &error, tn_node_place_of(node, "file"), "heights");
    }
    n[0] = raster.n[0];
    n[1] = raster.n[1];
    return turn_rows(build, n, raster.values, raw->scale, z);
}

static bool find_count(tn_build *build, const tn_raw_solid *raw, const tn_node *node, int n[2])
{
    if (raw->count.n == 0) {
        return tn_read_error(&build->reader, node->place, "heights by 'values' or 'z' need 'points': how many");
    }
    for (int k = 0; k < 2; k++) {
        if (floor(raw->count.value[k]) != raw->count.value[k]) {
            return tn_read_error(&build->reader, tn_node_place_of(node, "points"), "'points' must be whole numbers");
        }
        n[k] = (int)raw->count.value[k];
    }
    return true;
}

static bool from_values(tn_build *build, const tn_raw_solid *raw, const tn_node *node, int n[2], double **z)
{
    if (!find_count(build, raw, node, n)) {
        return false;
    }
    if (raw->values.n != n[0] * n[1]) {
        return tn_read_error(&build->reader, tn_node_place_of(node, "values"), "%d x %d points need %d values, not %d",
                             n[0], n[1], n[0] * n[1], raw->values.n);
    }
    return turn_rows(build, n, raw->values.value, raw->scale, z);
}

static bool from_expression(tn_build *build, const tn_raw_solid *raw, const tn_node *node, int n[2], double **z)
{
    int column = 0;
    char message[160];
    if (!find_count(build, raw, node, n)) {
        return false;
    }
    const tn_expression *e =
        tn_expression_compile_place(raw->z->text, build->reader.scratch, &column, message, sizeof message);
    if (!e && message[0]) {
        tn_place place = raw->z->place;
        place.column += column - 1 + (raw->z->quoted ? 1 : 0);
        return tn_read_error(&build->reader, place, "in 'z': %s", message);
    }
    *z = tn_arena_push_raw(build->reader.scratch, (size_t)n[0] * (size_t)n[1], sizeof **z);
    if (!e || !*z) {
        return tn_read_no_memory(&build->reader);
    }
    for (int j = 0; j < n[1]; j++) {
        for (int i = 0; i < n[0]; i++) {
            double x = raw->extent.value[0] * ((double)i / (n[0] - 1) - 0.5);
            double y = raw->extent.value[1] * ((double)j / (n[1] - 1) - 0.5);
            double height = raw->scale * tn_expression_eval_place(e, x, y);
            if (!isfinite(height)) {
                return tn_read_error(&build->reader, raw->z->place, "'z' is not finite at x = %g, y = %g", x, y);
            }
            (*z)[(size_t)j * (size_t)n[0] + (size_t)i] = height;
        }
    }
    return true;
}

bool tn_build_heights(tn_build *build, const tn_raw_solid *raw, const tn_node *node, tn_scene_shape *out)
{
    int n[2] = {0, 0}, said = (raw->file != NULL) + (raw->values.n > 0) + (raw->z != NULL);
    double *z = NULL;
    tn_error error = {0};
    if (said != 1) {
        return tn_read_error(&build->reader, node->place, "heights are given by one of 'file', 'values' and 'z'");
    }
    bool ok = raw->file       ? from_file(build, raw, node, n, &z)
              : raw->values.n ? from_values(build, raw, node, n, &z)
                              : from_expression(build, raw, node, n, &z);
    tn_heights *heights = ok ? TN_PUSH(build->reader.storage, tn_heights, 1) : NULL;
    if (!heights) {
        return ok && tn_read_no_memory(&build->reader);
    }
    out->shape.heights = heights;
    return tn_heights_create(n, raw->extent.value, z, build->reader.storage, heights, &error) == TN_OK ||
           tn_build_file_error(build, &error, node->place, "heights");
}
