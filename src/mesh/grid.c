// Box cut into cells, cells into tetrahedra.
#include "mesh/limits.h"
#include "mesh/tet.h"

#include <math.h>

static tn_status check(const double size[3], const int divisions[3], tn_error *error)
{
    double nodes = 1.0, tets = 6.0;
    for (int i = 0; i < 3; i++) {
        if (!(size[i] > 0.0) || !isfinite(size[i])) {
            return tn_error_set(error, TN_BAD_INPUT, "the sizes of a grid must be positive, not %g", size[i]);
        }
        if (divisions[i] < 1) {
            return tn_error_set(error, TN_BAD_INPUT, "a grid has at least 1 division along each axis, not %d",
                                divisions[i]);
        }
        nodes *= divisions[i] + 1.0;
        tets *= divisions[i];
    }
    if (nodes > TN_MESH_NODES_MAX || tets > TN_MESH_TETS_MAX) {
        return tn_error_set(error, TN_BAD_INPUT, "a grid of %.3g nodes and %.3g tetrahedra is too large: at most %d",
                            nodes, tets, TN_MESH_TETS_MAX);
    }
    return TN_OK;
}

// Symmetric to the last bit: (2 i - n) is exact.
static void fill_nodes(const double size[3], const int n[3], double *x)
{
    for (int k = 0; k <= n[2]; k++) {
        for (int j = 0; j <= n[1]; j++) {
            for (int i = 0; i <= n[0]; i++) {
                *x++ = (2 * i - n[0]) * size[0] / (2 * n[0]);
                *x++ = (2 * j - n[1]) * size[1] / (2 * n[1]);
                *x++ = (2 * k - n[2]) * size[2] / (2 * n[2]);
            }
        }
    }
}

static void fill_tets(const int n[3], int *tets)
{
    const int row = n[0] + 1;
    const int layer = row * (n[1] + 1);
    for (int k = 0; k < n[2]; k++) {
        for (int j = 0; j < n[1]; j++) {
            for (int i = 0; i < n[0]; i++) {
                int corner[8];
                for (int c = 0; c < 8; c++) {
                    corner[c] = i + (c & 1) + row * (j + (c >> 1 & 1)) + layer * (k + (c >> 2));
                }
                tn_cell_cut(corner, tets);
                tets += 24;
            }
        }
    }
}

tn_status tn_mesh_grid(const double size[3], const int divisions[3], tn_arena *arena, tn_mesh *out, tn_error *error)
{
    tn_status status = check(size, divisions, error);
    if (status != TN_OK) {
        return status;
    }
    int n_nodes = (divisions[0] + 1) * (divisions[1] + 1) * (divisions[2] + 1);
    int n_tets = 6 * divisions[0] * divisions[1] * divisions[2];
    double *nodes = TN_PUSH(arena, double, 3 * (size_t)n_nodes);
    int *tets = TN_PUSH(arena, int, 4 * (size_t)n_tets);
    if (!nodes || !tets) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for a grid of %d nodes", n_nodes);
    }
    fill_nodes(size, divisions, nodes);
    fill_tets(divisions, tets);
    *out = (tn_mesh){.n_nodes = n_nodes, .nodes = nodes, .n_tets = n_tets, .tets = tets};
    return TN_OK;
}
