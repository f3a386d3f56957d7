// What was read becomes a mesh: each part gets vertices of its own, those at one place become one.
#include "base/memory.h"
#include "base/most.h"
#include "mesh/trimesh_read.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A corner of a face, to be sorted by part and place.
typedef struct corner {
    double x[3];
    int part, index; // index: 3 face + corner
} corner;

static int compare_corners(const void *a, const void *b)
{
    const corner *p = a, *q = b;
    if (p->part != q->part) {
        return (p->part > q->part) - (p->part < q->part);
    }
    for (int i = 0; i < 3; i++) {
        if (p->x[i] != q->x[i]) {
            return (p->x[i] > q->x[i]) - (p->x[i] < q->x[i]);
        }
    }
    return (p->index > q->index) - (p->index < q->index);
}

static bool same_place(const corner *p, const corner *q)
{
    return p->part == q->part && p->x[0] == q->x[0] && p->x[1] == q->x[1] && p->x[2] == q->x[2];
}

static void fill_corners(const tn_tri_draft *draft, double scale, corner *corners)
{
    int part = 0;
    for (int i = 0; i < 3 * draft->n_faces; i++) {
        while (part + 1 < draft->n_parts && draft->parts[part + 1].first_face <= i / 3) {
            part++;
        }
        corners[i] = (corner){.part = part, .index = i};
        for (int k = 0; k < 3; k++) {
            corners[i].x[k] = scale * draft->vertices[3 * (size_t)draft->faces[i] + (size_t)k] + 0.0; // no -0
        }
    }
}

// first[c]: the lowest corner at the place of corner c in its part. scratch (n) is sorted.
static void find_first(int n, corner *scratch, int *first)
{
    qsort(scratch, (size_t)n, sizeof *scratch, compare_corners);
    for (int i = 0, from = 0; i < n; i++) {
        from = i > 0 && same_place(scratch + from, scratch + i) ? from : i;
        first[scratch[i].index] = scratch[from].index;
    }
}

// The arrays behind tn_trimesh while they are written.
typedef struct target {
    double *vertices;
    int *faces;
    tn_trimesh_part *parts;
} target;

static bool keep_face(const int *first, int face)
{
    const int *c = first + 3 * (size_t)face;
    return c[0] != c[1] && c[1] != c[2] && c[2] != c[0];
}

// number (3 n_faces): of the vertex that each first corner becomes, -1 so far.
static void fill_face(const tn_tri_draft *draft, double scale, const int *first, int face, int *number, target *to,
                      tn_trimesh *out)
{
    for (int k = 0; k < 3; k++) {
        int c = first[3 * (size_t)face + (size_t)k];
        if (number[c] < 0) {
            number[c] = out->n_vertices++;
            for (int i = 0; i < 3; i++) {
                to->vertices[3 * (size_t)number[c] + (size_t)i] =
                    scale * draft->vertices[3 * (size_t)draft->faces[c] + (size_t)i] + 0.0;
            }
        }
        to->faces[3 * (size_t)out->n_faces + (size_t)k] = number[c];
    }
    out->n_faces++;
}

static void fill(const tn_tri_draft *draft, double scale, const int *first, int *number, target *to, tn_trimesh *out)
{
    for (int i = 0; i < 3 * draft->n_faces; i++) {
        number[i] = -1;
    }
    for (int p = 0; p < out->n_parts; p++) {
        tn_trimesh_part *part = &to->parts[p];
        int begin = p > 0 ? draft->parts[p].first_face : 0; // faces before the first part belong to it
        int end = p + 1 < draft->n_parts ? draft->parts[p + 1].first_face : draft->n_faces;
        part->first_vertex = out->n_vertices;
        part->first_face = out->n_faces;
        for (int f = begin; f < end; f++) {
            if (keep_face(first, f)) {
                fill_face(draft, scale, first, f, number, to, out);
            }
        }
        part->n_vertices = out->n_vertices - part->first_vertex;
        part->n_faces = out->n_faces - part->first_face;
    }
}

// A file of points alone: one part with all of them.
static void fill_points(const tn_tri_draft *draft, double scale, target *to, tn_trimesh *out)
{
    for (size_t i = 0; i < 3 * (size_t)draft->n_vertices; i++) {
        to->vertices[i] = scale * draft->vertices[i] + 0.0;
    }
    out->n_vertices = draft->n_vertices;
    to->parts[0].n_vertices = draft->n_vertices;
}

static bool name_parts(const tn_tri_draft *draft, tn_arena *arena, target *to)
{
    for (int p = 0; p < draft->n_parts; p++) {
        size_t size = strlen(draft->parts[p].name) + 1;
        char *name = tn_arena_push(arena, size, 1);
        if (!name) {
            return false;
        }
        to->parts[p].name = memcpy(name, draft->parts[p].name, size);
    }
    return true;
}

static bool make(const tn_tri_draft *draft, double scale, tn_arena *arena, tn_trimesh *out)
{
    size_t n = 3 * (size_t)draft->n_faces, n_vertices = n > 0 ? n : (size_t)draft->n_vertices;
    target to = {.vertices = TN_PUSH(arena, double, 3 * n_vertices),
                 .faces = TN_PUSH(arena, int, n),
                 .parts = TN_PUSH(arena, tn_trimesh_part, draft->n_parts + 1)};
    corner *corners = tn_malloc(n * sizeof *corners + 1);
    int *first = tn_malloc(2 * n * sizeof *first + 1);
    bool ok = to.vertices && to.faces && to.parts && corners && first && name_parts(draft, arena, &to);
    if (ok) {
        *out = (tn_trimesh){.vertices = to.vertices, .faces = to.faces, .parts = to.parts};
        out->n_parts = draft->n_parts > 0 ? draft->n_parts : 1;
        to.parts[0].name = to.parts[0].name ? to.parts[0].name : "";
        if (n > 0) {
            fill_corners(draft, scale, corners);
            find_first((int)n, corners, first);
            fill(draft, scale, first, first + n, &to, out);
        } else {
            out->n_parts = 1;
            fill_points(draft, scale, &to, out);
        }
    }
    tn_free(corners);
    tn_free(first);
    return ok;
}

tn_status tn_tri_draft_finish(const tn_tri_draft *draft, const char *path, double scale, tn_arena *arena,
                              tn_trimesh *out, tn_error *error)
{
    if (!make(draft, scale, arena, out)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the mesh '%.200s'", path);
    }
    if (tn_first_beyond(out->vertices, 3 * (size_t)out->n_vertices) >= 0) {
        return tn_error_at(error, path, 0, 0, "times the scale %g, coordinates are too large", scale);
    }
    if (draft->n_faces > 0 && out->n_faces == 0) {
        return tn_error_at(error, path, 0, 0, "every triangle has two corners at one place");
    }
    return TN_OK;
}
