// The boundary of a mesh: faces that only one tetrahedron has, in the order of the tetrahedra.
#include "base/memory.h"
#include "mesh/faces.h"
#include "mesh/tet.h"

// open[4 t + f] = 1 where face f of tetrahedron t is on the boundary. Returns their number.
static int mark_open(const tn_mesh *mesh, const tn_mesh_face *faces, unsigned char *open)
{
    const long n = 4L * mesh->n_tets;
    int n_open = 0;
    for (long i = 0, run; i < n; i += run) {
        run = tn_mesh_faces_run(faces, n, i);
        if (run == 1) {
            open[faces[i].corner] = 1;
            n_open++;
        }
    }
    return n_open;
}

// used[i] = 1 for the nodes of open faces. Returns their number.
static int list_faces(const tn_mesh *mesh, const unsigned char *open, int *faces, unsigned char *used)
{
    int n_used = 0;
    for (int c = 0; c < 4 * mesh->n_tets; c++) {
        for (int i = 0; open[c] && i < 3; i++) {
            int node = mesh->tets[4 * (size_t)(c / 4) + (size_t)tn_tet_face[c % 4][i]];
            *faces++ = node;
            n_used += !used[node];
            used[node] = 1;
        }
    }
    return n_used;
}

static tn_status fill(const tn_mesh *mesh, int n_faces, const unsigned char *open, tn_arena *arena,
                      tn_mesh_surface *out)
{
    unsigned char *used = tn_calloc((size_t)mesh->n_nodes + 1, 1);
    int *faces = TN_PUSH(arena, int, 3 * (size_t)n_faces);
    if (!used || !faces) {
        tn_free(used);
        return TN_NO_MEMORY;
    }
    int n_vertices = list_faces(mesh, open, faces, used);
    int *vertices = TN_PUSH(arena, int, n_vertices);
    for (int i = 0, n = 0; vertices && i < mesh->n_nodes; i++) {
        if (used[i]) {
            vertices[n++] = i;
        }
    }
    tn_free(used);
    *out = (tn_mesh_surface){n_faces, faces, n_vertices, vertices};
    return vertices ? TN_OK : TN_NO_MEMORY;
}

tn_status tn_mesh_get_surface(const tn_mesh *mesh, tn_arena *arena, tn_mesh_surface *out, tn_error *error)
{
    tn_mesh_face *faces = tn_mesh_faces_sort(mesh);
    unsigned char *open = tn_calloc(4 * (size_t)mesh->n_tets + 1, 1);
    tn_status status = TN_NO_MEMORY;
    if (faces && open) {
        int n_faces = mark_open(mesh, faces, open);
        status = fill(mesh, n_faces, open, arena, out);
    }
    tn_free(faces);
    tn_free(open);
    return status == TN_OK ? TN_OK : tn_error_set(error, status, "no memory for the surface of a mesh");
}
