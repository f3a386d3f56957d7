// Sizes that meshes may have: every count times four fits an int.
#pragma once

enum {
    TN_MESH_NODES_MAX = 200 * 1000 * 1000,
    TN_MESH_TETS_MAX = 200 * 1000 * 1000,
    TN_MESH_DIVISIONS_MAX = 100 * 1000, // along one axis
};
