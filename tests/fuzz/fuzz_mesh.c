// Any bytes as a mesh file: it is read or refused with a file name, and what was read is sound.
//
// The format goes by the content: a first byte '$' is Gmsh's, '#' VTK's; everything else is TetGen's, nodes and
// tetrahedra in one file with a byte 1 between them.
#include "file_error.h"

#include "mesh/read.h"

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

static void check_mesh(const tn_mesh *mesh, tn_arena *arena)
{
    tn_error error = {0};
    tn_mesh_surface surface;
    demand(tn_mesh_check(mesh, &error) == TN_OK, error.message);
    demand(tn_mesh_volume(mesh) > 0.0, "no volume");
    demand(tn_mesh_get_surface(mesh, arena, &surface, &error) == TN_OK, error.message);
    demand(surface.n_faces >= 4 && surface.n_vertices >= 4, "no surface");
    for (int g = 0; g < mesh->n_groups; g++) {
        const tn_mesh_group *group = &mesh->groups[g];
        demand(group->n > 0 && group->name[0], "an empty group");
        for (int i = 0; i < group->n; i++) {
            demand(group->nodes[i] >= (i ? group->nodes[i - 1] + 1 : 0) && group->nodes[i] < mesh->n_nodes,
                   "a group's nodes are not in order");
        }
    }
}

// Copies, so that a read beyond the end is seen; with the NUL that the readers are promised.
static char *copy(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    memcpy(text, data, size);
    text[size] = 0;
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > SIZE_MAX_READ) {
        return 0;
    }
    tn_mesh_format format = size && data[0] == '$'   ? TN_MESH_GMSH
                            : size && data[0] == '#' ? TN_MESH_VTK
                                                     : TN_MESH_TETGEN;
    const uint8_t *split = format == TN_MESH_TETGEN && size ? memchr(data, 1, size) : NULL;
    size_t first = split ? (size_t)(split - data) : size;
    size_t second = split ? size - first - 1 : 0;
    char *texts[2] = {copy(data, first), copy(split ? split + 1 : data, second)};
    const tn_mesh_file file = {"first", texts[0], first};
    const tn_mesh_file elements = {"second", texts[1], second};
    tn_arena *arena = tn_arena_create(0);
    tn_error error = {0};
    tn_mesh mesh;
    tn_status status = tn_mesh_parse(format, &file, &elements, 0.5, arena, &mesh, &error);
    if (status == TN_OK) {
        check_mesh(&mesh, arena);
    } else {
        check_file_error(status, &error);
    }
    tn_arena_destroy(arena);
    free(texts[0]);
    free(texts[1]);
    return 0;
}
