// Any bytes as an OBJ or STL file or a grid of heights: it is read or refused with a file name, and what was read is
// sound.
//
// A first byte 'b' or 's' and what is too short for text is STL's (the 'b' of binary files' headers); 'P', byte 0x89
// (PNG), a digit or a sign begin a grid; the rest is OBJ's.
#include "file_error.h"

#include "mesh/raster.h"
#include "mesh/trimesh_read.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_MAX_READ = 1 << 18 };

// A file of this size has no honest use for more.
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1:max_allocation_size_mb=64";
}

static void check_mesh(const tn_trimesh *mesh)
{
    demand(mesh->n_parts >= 1 && mesh->n_vertices >= 1, "nothing was read");
    for (int i = 0; i < 3 * mesh->n_vertices; i++) {
        demand(isfinite(mesh->vertices[i]), "a coordinate that is not finite");
    }
    int vertices = 0, faces = 0;
    for (int p = 0; p < mesh->n_parts; p++) {
        const tn_trimesh_part *part = &mesh->parts[p];
        demand(part->first_vertex == vertices && part->first_face == faces, "parts are not in order");
        vertices += part->n_vertices;
        faces += part->n_faces;
        for (int i = 3 * part->first_face; i < 3 * faces; i++) {
            demand(mesh->faces[i] >= part->first_vertex && mesh->faces[i] < vertices, "a corner of another part");
        }
        demand(part->name != NULL, "a part without name");
    }
    demand(vertices == mesh->n_vertices && faces == mesh->n_faces, "parts do not add up");
}

static void read_grid(const tn_mesh_file *file, tn_arena *arena)
{
    tn_error error = {0};
    tn_raster raster;
    tn_status status = tn_raster_parse(file, arena, &raster, &error);
    if (status != TN_OK) {
        check_file_error(status, &error);
        return;
    }
    demand(raster.n[0] >= 2 && raster.n[1] >= 2, "a grid without cells");
    for (int i = 0; i < raster.n[0] * raster.n[1]; i++) {
        demand(isfinite(raster.values[i]), "a height that is not finite");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > SIZE_MAX_READ) {
        return 0;
    }
    char *text = malloc(size + 1); // a copy, so that a read beyond the end is seen; with the NUL that is promised
    memcpy(text, data, size);
    text[size] = 0;
    bool stl = size < 3 || data[0] == 'b' || data[0] == 's';
    const tn_mesh_file file = {"file", text, size};
    tn_arena *arena = tn_arena_create(0);
    bool grid = size > 0 && strchr("P+-.0123456789\x89", text[0]) && text[0];
    if (grid) {
        read_grid(&file, arena);
    }
    for (int by_part = 0; by_part < 2 && !grid; by_part++) {
        tn_error error = {0};
        tn_trimesh mesh;
        tn_status status =
            tn_trimesh_parse(stl ? TN_TRIMESH_STL : TN_TRIMESH_OBJ, &file, 0.5, by_part, arena, &mesh, &error);
        if (status == TN_OK) {
            check_mesh(&mesh);
        } else {
            check_file_error(status, &error);
        }
    }
    tn_arena_destroy(arena);
    free(text);
    return 0;
}
