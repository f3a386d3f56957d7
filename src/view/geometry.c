#include "view/geometry.h"

#include "record/polygons.h"

#include <string.h>

enum { SEARCHED = 256 }; // a recording of more different shapes shares no more

static tn_status no_memory(tn_error *error)
{
    return tn_error_set(error, TN_NO_MEMORY, "no memory for the shapes' triangles");
}

static bool same_numbers(size_t n, const void *a, const void *b)
{
    return n == 0 || memcmp(a, b, n) == 0;
}

// The same triangles in the shape's frame.
static bool same_shape(const tn_recorded_shape *a, const tn_recorded_shape *b)
{
    const tn_shape *s = &a->shape, *t = &b->shape;
    return s->kind == t->kind && same_numbers(sizeof s->size, s->size, t->size) && s->n_points == t->n_points &&
           a->n_triangles == b->n_triangles &&
           same_numbers(3 * (size_t)s->n_points * sizeof *s->points, s->points, t->points) &&
           same_numbers(3 * (size_t)a->n_triangles * sizeof *a->triangles, a->triangles, b->triangles);
}

// Geometry of each shape; vertices and triangles only counted.
static tn_status share(const tn_recording *recording, tn_arena *arena, tn_view_geometries *out, tn_error *error)
{
    out->of_shape = TN_PUSH(arena, int, recording->n_shapes);
    out->geometry = TN_PUSH(arena, tn_view_geometry, recording->n_shapes);
    if (!out->of_shape || !out->geometry) {
        return no_memory(error);
    }
    for (int s = 0; s < recording->n_shapes; s++) {
        const tn_recorded_shape *shape = &recording->shapes[s];
        int g = 0;
        int n_known = out->n < SEARCHED ? out->n : SEARCHED;
        while (g < n_known && !same_shape(out->geometry[g].recorded, shape)) {
            g++;
        }
        if (g < n_known) {
            out->of_shape[s] = g;
            continue;
        }
        out->of_shape[s] = out->n;
        tn_polygons polygons = {0};
        tn_polygons_size(shape, &polygons);
        out->geometry[out->n++] = (tn_view_geometry){.recorded = shape,
                                                     .first_vertex = out->n_vertices,
                                                     .n_vertices = polygons.n_points,
                                                     .first_triangle = out->n_triangles,
                                                     .n_triangles = polygons.n_indices - 2 * polygons.n_polygons};
        out->n_vertices += polygons.n_points;
        out->n_triangles += polygons.n_indices - 2 * polygons.n_polygons;
    }
    return TN_OK;
}

static tn_status fill(const tn_view_geometry *geometry, double extent, tn_arena *arena, tn_view_geometries *out,
                      tn_error *error)
{
    tn_polygons p = {0};
    tn_arena_mark mark = tn_arena_get_mark(arena);
    tn_polygons_size(geometry->recorded, &p);
    p.points = TN_PUSH(arena, double, 3 * (size_t)p.n_points);
    p.index = TN_PUSH(arena, int, p.n_indices);
    p.offset = TN_PUSH(arena, int, p.n_polygons);
    if (!p.points || !p.index || !p.offset) {
        return no_memory(error);
    }
    tn_polygons_fill(geometry->recorded, extent, 0.005 * extent, &p);
    float *vertex = out->vertices + 3 * (size_t)geometry->first_vertex;
    for (size_t k = 0; k < 3 * (size_t)p.n_points; k++) {
        vertex[k] = (float)p.points[k];
    }
    uint32_t *triangle = out->triangles + 3 * (size_t)geometry->first_triangle;
    for (int polygon = 0, first = 0; polygon < p.n_polygons; first = p.offset[polygon++]) {
        for (int k = first + 1; k + 1 < p.offset[polygon]; k++) { // a fan: the polygons are convex
            *triangle++ = (uint32_t)p.index[first];
            *triangle++ = (uint32_t)p.index[k];
            *triangle++ = (uint32_t)p.index[k + 1];
        }
    }
    tn_arena_release(arena, mark);
    return TN_OK;
}

tn_status tn_view_geometries_create(const tn_recording *recording, double extent, tn_arena *arena,
                                    tn_view_geometries *out, tn_error *error)
{
    *out = (tn_view_geometries){0};
    tn_status status = share(recording, arena, out, error);
    if (status != TN_OK) {
        return status;
    }
    out->vertices = TN_PUSH(arena, float, 3 * (size_t)out->n_vertices);
    out->triangles = TN_PUSH(arena, uint32_t, 3 * (size_t)out->n_triangles);
    if (!out->vertices || !out->triangles) {
        return no_memory(error);
    }
    for (int g = 0; g < out->n && status == TN_OK; g++) {
        status = fill(&out->geometry[g], extent, arena, out, error);
    }
    return status;
}
