// Readers of the mesh formats, from memory.
#pragma once

#include "mesh/draft.h"

typedef enum tn_mesh_format { TN_MESH_GMSH, TN_MESH_TETGEN, TN_MESH_VTK } tn_mesh_format;

// A file in memory: text[size] is NUL.
typedef struct tn_mesh_file {
    const char *path; // for messages
    const char *text;
    size_t size;
} tn_mesh_file;

// The whole of a regular file; free it with tn_mesh_file_unload, also after a failure. path is not copied.
tn_status tn_mesh_file_load(const char *path, tn_mesh_file *file, tn_error *error);
void tn_mesh_file_unload(tn_mesh_file *file);

// As tn_mesh_read. TetGen: nodes from file, tetrahedra from elements; else elements is not used.
tn_status tn_mesh_parse(tn_mesh_format format, const tn_mesh_file *file, const tn_mesh_file *elements, double scale,
                        tn_arena *arena, tn_mesh *out, tn_error *error);

// Each fills the draft; false with the source's error set.
bool tn_read_gmsh(tn_source *source, tn_draft *draft);
bool tn_read_tetgen_nodes(tn_source *source, tn_draft *draft);
bool tn_read_tetgen_tets(tn_source *source, tn_draft *draft);
bool tn_read_vtk(tn_source *source, tn_draft *draft);
