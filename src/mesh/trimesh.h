// Triangle meshes of rigid shapes from files: Wavefront OBJ and STL.
#pragma once

#include "base/arena.h"

#include <stdbool.h>

// An object or group of an OBJ file, a solid of an STL file: its own range of vertices and of faces.
typedef struct tn_trimesh_part {
    const char *name; // "" where the file gives none
    int first_vertex, n_vertices;
    int first_face, n_faces;
} tn_trimesh_part;

typedef struct tn_trimesh {
    int n_vertices;
    const double *vertices; // (n_vertices, 3) [m]
    int n_faces;
    const int *faces; // (n_faces, 3) in the file's order of corners: counter-clockwise seen from outside
    int n_parts;
    const tn_trimesh_part *parts; // (n_parts) at least one
} tn_trimesh;

// Reader by the file's name: .obj, .stl (ASCII or binary). Lengths times scale. The file's parts stay apart where
// by_part, else all is one part. Vertices of one part at exactly one place are merged, triangles that lose a corner by
// that are dropped, vertices of no face too, unless there are no faces at all (an OBJ file of points). TN_BAD_INPUT:
// message with file and line (or byte). TN_IO: it cannot be read.
tn_status tn_trimesh_read(const char *path, double scale, bool by_part, tn_arena *arena, tn_trimesh *out,
                          tn_error *error);
