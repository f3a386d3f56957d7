// The group `soft`: meshes and materials of the soft bodies.
#include "record/recorder.h"

// Where each soft body's part of the nodes, tetrahedra and faces begins, and after the last one where all end.
static bool put_offsets(const tn_layout *l)
{
    const tn_model *model = l->model;
    size_t n = (size_t)model->n_softs;
    int64_t *node = TN_PUSH(l->arena, int64_t, n + 1), *tet = TN_PUSH(l->arena, int64_t, n + 1);
    int64_t *face = TN_PUSH(l->arena, int64_t, n + 1);
    if (!node || !tet || !face) {
        return false;
    }
    for (size_t s = 0; s < n; s++) {
        node[s] = model->softs[s].first_node;
        tet[s] = model->softs[s].first_tet;
        face[s] = model->softs[s].first_face;
    }
    node[n] = model->n_nodes;
    tet[n] = model->n_tets;
    face[n] = model->n_faces;
    return tn_layout_put(l, "soft/node_offset", H5T_NATIVE_INT64, n + 1, 1, node, NULL,
                         "soft body k has the nodes node_offset[k] to node_offset[k + 1] - 1") &&
           tn_layout_put(l, "soft/tet_offset", H5T_NATIVE_INT64, n + 1, 1, tet, NULL,
                         "and rows of soft/tets likewise") &&
           tn_layout_put(l, "soft/face_offset", H5T_NATIVE_INT64, n + 1, 1, face, NULL,
                         "and rows of soft/faces likewise");
}

static bool put_materials(const tn_layout *l)
{
    const tn_model *model = l->model;
    size_t n = (size_t)model->n_softs;
    int32_t *body = TN_PUSH(l->arena, int32_t, n);
    double *young = TN_PUSH(l->arena, double, n), *poisson = TN_PUSH(l->arena, double, n);
    double *density = TN_PUSH(l->arena, double, n);
    if (!body || !young || !poisson || !density) {
        return false;
    }
    for (size_t s = 0; s < n; s++) {
        const tn_scene_soft *said = model->softs[s].description;
        body[s] = model->n_bodies + (int32_t)s;
        young[s] = said->young;
        poisson[s] = said->poisson;
        density[s] = said->density;
    }
    return tn_layout_put(l, "soft/body", H5T_NATIVE_INT32, n, 1, body, NULL, "row of bodies/name") &&
           tn_layout_put(l, "soft/young", H5T_NATIVE_DOUBLE, n, 1, young, "Pa", "Young's modulus") &&
           tn_layout_put(l, "soft/poisson", H5T_NATIVE_DOUBLE, n, 1, poisson, "1", "Poisson's ratio") &&
           tn_layout_put(l, "soft/density", H5T_NATIVE_DOUBLE, n, 1, density, "kg/m^3", "at rest");
}

// What all soft bodies' meshes hold, one after the other.
static bool put_meshes(const tn_layout *l)
{
    const tn_model *model = l->model;
    size_t n_nodes = (size_t)model->n_nodes;
    int *attached = TN_PUSH(l->arena, int, n_nodes);
    for (size_t i = 0; attached && i < n_nodes; i++) {
        attached[i] = model->nodes[i].body;
    }
    return attached &&
           tn_layout_put(l, "soft/rest", H5T_NATIVE_DOUBLE, n_nodes, 3, model->node_rest, "m",
                         "nodes without strain, where the scene places the body") &&
           tn_layout_put(l, "soft/attached", H5T_NATIVE_INT, n_nodes, 1, attached, NULL,
                         "row of bodies/name that the node is fastened to; -1: none") &&
           tn_layout_put(l, "soft/tets", H5T_NATIVE_INT, (size_t)model->n_tets, 4, model->tets, NULL,
                         "nodes of each tetrahedron, rows of soft/rest") &&
           tn_layout_put(l, "soft/faces", H5T_NATIVE_INT, (size_t)model->n_faces, 3, model->faces, NULL,
                         "nodes of each surface triangle, counterclockwise from outside");
}

bool tn_layout_put_softs(const tn_layout *l)
{
    return l->model->n_softs == 0 ||
           (tn_h5_put_group(l->file, "soft") && put_materials(l) && put_offsets(l) && put_meshes(l));
}
