// The surface of a box's grid as a skin, for tests: nodes of the whole lattice, those inside unused.
#pragma once

#include "math/vec3.h"
#include "shape/skin.h"
#include "test.h"

#include <stdio.h>

typedef struct mesh_skin {
    tn_skin skin;
    double *x; // (n_nodes, 3) to be moved
} mesh_skin;

// Two triangles for every square of the side where lattice coordinate `axis` is at its end.
static inline int mesh_skin_side(const int divisions[3], int axis, int end, int *faces)
{
    int u = (axis + 1) % 3, v = (axis + 2) % 3, n = 0;
    for (int i = 0; i < divisions[u]; ++i) {
        for (int j = 0; j < divisions[v]; ++j) {
            int corner[4];
            for (int c = 0; c < 4; ++c) {
                int at[3];
                at[axis] = end ? divisions[axis] : 0;
                at[u] = i + (c == 1 || c == 2);
                at[v] = j + (c >= 2);
                corner[c] = at[0] + (divisions[0] + 1) * (at[1] + (divisions[1] + 1) * at[2]);
            }
            const int order[6] = {0, end ? 1 : 2, end ? 2 : 1, 0, end ? 2 : 3, end ? 3 : 2};
            for (int c = 0; c < 6; ++c) {
                faces[n++] = corner[order[c]];
            }
        }
    }
    return n;
}

static inline mesh_skin mesh_skin_grid(const double size[3], const int divisions[3], tn_arena *arena)
{
    mesh_skin mesh;
    int nx = divisions[0] + 1, ny = divisions[1] + 1, n_nodes = nx * ny * (divisions[2] + 1), n = 0;
    double *rest = TN_PUSH(arena, double, 3 * (size_t)n_nodes);
    int area = divisions[0] * divisions[1] + divisions[1] * divisions[2] + divisions[2] * divisions[0];
    int *faces = TN_PUSH(arena, int, 12 * (size_t)area);
    mesh.x = TN_PUSH(arena, double, 3 * (size_t)n_nodes);
    assert_true(rest && faces && mesh.x);
    for (int i = 0; i < n_nodes; ++i) {
        const int at[3] = {i % nx, i / nx % ny, i / nx / ny};
        for (int k = 0; k < 3; ++k) {
            rest[3 * i + k] = mesh.x[3 * i + k] = size[k] * ((double)at[k] / divisions[k] - 0.5);
        }
    }
    for (int side = 0; side < 6; ++side) {
        n += mesh_skin_side(divisions, side / 2, side % 2, faces + n);
    }
    assert_int_equal(tn_skin_create(n_nodes, rest, n / 3, faces, arena, &mesh.skin, NULL), TN_OK);
    return mesh;
}
