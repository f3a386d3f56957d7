#include "mesh/faces.h"

#include "base/memory.h"
#include "mesh/tet.h"

static void swap_up(int *a, int *b)
{
    if (*a > *b) {
        int t = *a;
        *a = *b;
        *b = t;
    }
}

static void list_faces(const tn_mesh *mesh, tn_mesh_face *faces)
{
    for (int c = 0; c < 4 * mesh->n_tets; c++) {
        const int *tet = mesh->tets + 4 * (size_t)(c / 4);
        int *node = faces[c].node;
        for (int i = 0; i < 3; i++) {
            node[i] = tet[tn_tet_face[c % 4][i]];
        }
        swap_up(&node[0], &node[1]);
        swap_up(&node[1], &node[2]);
        swap_up(&node[0], &node[1]);
        faces[c].corner = c;
    }
}

// Stable counting sort by node[key]; start (n_nodes + 1) is scratch.
static void sort_by(const tn_mesh *mesh, int key, const tn_mesh_face *from, tn_mesh_face *to, int *start)
{
    const int n = 4 * mesh->n_tets;
    for (int i = 0; i <= mesh->n_nodes; i++) {
        start[i] = 0;
    }
    for (int i = 0; i < n; i++) {
        start[from[i].node[key] + 1]++;
    }
    for (int i = 0; i < mesh->n_nodes; i++) {
        start[i + 1] += start[i];
    }
    for (int i = 0; i < n; i++) {
        to[start[from[i].node[key]]++] = from[i];
    }
}

tn_mesh_face *tn_mesh_faces_sort(const tn_mesh *mesh)
{
    size_t bytes = 4 * (size_t)mesh->n_tets * sizeof(tn_mesh_face);
    tn_mesh_face *a = tn_malloc(bytes + 1);
    tn_mesh_face *b = tn_malloc(bytes + 1);
    int *start = tn_malloc(((size_t)mesh->n_nodes + 1) * sizeof *start);
    if (a && b && start) {
        list_faces(mesh, a);
        sort_by(mesh, 2, a, b, start);
        sort_by(mesh, 1, b, a, start);
        sort_by(mesh, 0, a, b, start);
    } else {
        tn_free(b);
        b = NULL;
    }
    tn_free(a);
    tn_free(start);
    return b;
}

long tn_mesh_faces_run(const tn_mesh_face *faces, long n, long first)
{
    const int *a = faces[first].node;
    long end = first + 1;
    while (end < n && faces[end].node[0] == a[0] && faces[end].node[1] == a[1] && faces[end].node[2] == a[2]) {
        end++;
    }
    return end - first;
}
