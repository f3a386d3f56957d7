// All faces of a mesh's tetrahedra, sorted by their nodes, so that equal faces stand side by side.
#pragma once

#include "mesh/mesh.h"

typedef struct tn_mesh_face {
    int node[3]; // ascending
    int corner;  // 4 t + f: face f of tetrahedron t
} tn_mesh_face;

// (4 n_tets) faces by node[0], node[1], node[2], corner; O(n_tets + n_nodes) by counting. Node numbers must be in
// range. NULL: no memory. Free with tn_free.
tn_mesh_face *tn_mesh_faces_sort(const tn_mesh *mesh);

// Number of faces equal to the one at `first`, at least 1.
long tn_mesh_faces_run(const tn_mesh_face *faces, long n, long first);
