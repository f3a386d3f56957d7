// Volume and quality of a mesh.
#include "mesh/tet.h"

#include <math.h>

double tn_mesh_volume(const tn_mesh *mesh)
{
    double volume = 0.0;
    for (int t = 0; t < mesh->n_tets; t++) {
        volume += tn_tet_volume(mesh->nodes, mesh->tets + 4 * (size_t)t);
    }
    return volume;
}

void tn_mesh_node_volumes(const tn_mesh *mesh, double *out)
{
    for (int i = 0; i < mesh->n_nodes; i++) {
        out[i] = 0.0;
    }
    for (int t = 0; t < mesh->n_tets; t++) {
        const int *tet = mesh->tets + 4 * (size_t)t;
        double part = 0.25 * tn_tet_volume(mesh->nodes, tet);
        for (int i = 0; i < 4; i++) {
            out[tet[i]] += part;
        }
    }
}

double tn_mesh_quality(const tn_mesh *mesh)
{
    double smallest = INFINITY;
    for (int t = 0; t < mesh->n_tets; t++) {
        smallest = fmin(smallest, tn_tet_quality(mesh->nodes, mesh->tets + 4 * (size_t)t));
    }
    return smallest;
}
