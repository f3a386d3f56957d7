// Readers of OBJ and STL from memory, and the mesh while it is read.
#pragma once

#include "mesh/read.h"
#include "mesh/trimesh.h"

typedef enum tn_trimesh_format { TN_TRIMESH_OBJ, TN_TRIMESH_STL } tn_trimesh_format;

typedef struct tn_tri_part {
    char name[128];
    int first_face;
} tn_tri_part;

typedef struct tn_tri_draft {
    int n_vertices, room_vertices;
    double *vertices; // (n_vertices, 3) as the file has them
    int n_faces, room_faces;
    int *faces; // (n_faces, 3)
    int n_parts, room_parts;
    tn_tri_part *parts; // (n_parts) by first_face ascending
} tn_tri_draft;

enum { TN_TRIMESH_MAX = 100 * 1000 * 1000 }; // vertices, faces

// As tn_trimesh_read.
tn_status tn_trimesh_parse(tn_trimesh_format format, const tn_mesh_file *file, double scale, bool by_part,
                           tn_arena *arena, tn_trimesh *out, tn_error *error);

// Each fills the draft; false with the source's error set.
bool tn_read_obj(tn_source *source, tn_tri_draft *draft);
bool tn_read_stl(tn_source *source, tn_tri_draft *draft);

bool tn_tri_draft_add_vertex(tn_tri_draft *draft, const tn_source *source, const double x[3]);
bool tn_tri_draft_add_face(tn_tri_draft *draft, const tn_source *source, int a, int b, int c);
// Faces from now on belong to a new part; one without faces is forgotten.
bool tn_tri_draft_begin_part(tn_tri_draft *draft, const tn_source *source, const char *name, size_t length);

// Parts with their own vertices, merged; scaled.
tn_status tn_tri_draft_finish(const tn_tri_draft *draft, const char *path, double scale, tn_arena *arena,
                              tn_trimesh *out, tn_error *error);
