// The group `soft`: meshes and materials of the soft bodies.
#include "base/memory.h"
#include "record/recorder.h"

// A row a soft body.
typedef struct soft_arrays {
    int32_t *body;
    int64_t *node_offset, *tet_offset, *face_offset; // (n_softs + 1)
    double *young, *poisson, *density;
} soft_arrays;

static void fill_softs(const tn_model *model, soft_arrays *out)
{
    for (int s = 0; s < model->n_softs; s++) {
        const tn_model_soft *soft = &model->softs[s];
        out->body[s] = model->n_bodies + s;
        out->node_offset[s] = soft->first_node;
        out->tet_offset[s] = soft->first_tet;
        out->face_offset[s] = soft->first_face;
        out->young[s] = soft->description->young;
        out->poisson[s] = soft->description->poisson;
        out->density[s] = soft->description->density;
    }
    out->node_offset[model->n_softs] = model->n_nodes;
    out->tet_offset[model->n_softs] = model->n_tets;
    out->face_offset[model->n_softs] = model->n_faces;
}

static bool put_softs(hid_t file, const tn_model *model, const soft_arrays *a)
{
    const hsize_t n = (hsize_t)model->n_softs, n_offsets = n + 1;
    const struct {
        const char *path, *about;
        const int64_t *offset;
    } offsets[] = {
        {"soft/node_offset", "soft body k has the nodes node_offset[k] to node_offset[k + 1] - 1", a->node_offset},
        {"soft/tet_offset", "and rows of soft/tets likewise", a->tet_offset},
        {"soft/face_offset", "and rows of soft/faces likewise", a->face_offset}};
    const struct {
        const char *path, *unit, *about;
        const double *value;
    } materials[] = {{"soft/young", "Pa", "Young's modulus", a->young},
                     {"soft/poisson", "1", "Poisson's ratio", a->poisson},
                     {"soft/density", "kg/m^3", "at rest", a->density}};
    bool ok = tn_h5_put_array(file, "soft/body", H5T_NATIVE_INT32, 1, &n, a->body, NULL, "row of bodies/name");
    for (size_t k = 0; k < 3; k++) {
        ok = ok && tn_h5_put_array(file, offsets[k].path, H5T_NATIVE_INT64, 1, &n_offsets, offsets[k].offset, NULL,
                                   offsets[k].about);
        ok = ok && tn_h5_put_array(file, materials[k].path, H5T_NATIVE_DOUBLE, 1, &n, materials[k].value,
                                   materials[k].unit, materials[k].about);
    }
    return ok;
}

// What all soft bodies' meshes hold, one after the other.
static bool put_meshes(hid_t file, const tn_model *model)
{
    hsize_t n_nodes = (hsize_t)model->n_nodes;
    int *attached = tn_malloc(n_nodes * sizeof *attached);
    for (int i = 0; attached && i < model->n_nodes; i++) {
        attached[i] = model->nodes[i].body;
    }
    bool ok = attached &&
              tn_h5_put_array(file, "soft/rest", H5T_NATIVE_DOUBLE, 2, (hsize_t[]){n_nodes, 3}, model->node_rest, "m",
                              "nodes without strain, where the scene places the body") &&
              tn_h5_put_array(file, "soft/attached", H5T_NATIVE_INT, 1, &n_nodes, attached, NULL,
                              "row of bodies/name that the node is fastened to; -1: none") &&
              tn_h5_put_array(file, "soft/tets", H5T_NATIVE_INT, 2, (hsize_t[]){(hsize_t)model->n_tets, 4}, model->tets,
                              NULL, "nodes of each tetrahedron, rows of soft/rest") &&
              tn_h5_put_array(file, "soft/faces", H5T_NATIVE_INT, 2, (hsize_t[]){(hsize_t)model->n_faces, 3},
                              model->faces, NULL, "nodes of each surface triangle, counterclockwise from outside");
    tn_free(attached);
    return ok;
}

bool tn_layout_write_softs(hid_t file, const tn_model *model)
{
    if (model->n_softs == 0) {
        return true;
    }
    size_t n = (size_t)model->n_softs;
    soft_arrays a = {
        .body = tn_calloc(n, sizeof *a.body),
        .node_offset = tn_calloc(n + 1, sizeof *a.node_offset),
        .tet_offset = tn_calloc(n + 1, sizeof *a.tet_offset),
        .face_offset = tn_calloc(n + 1, sizeof *a.face_offset),
        .young = tn_calloc(n, sizeof *a.young),
        .poisson = tn_calloc(n, sizeof *a.poisson),
        .density = tn_calloc(n, sizeof *a.density),
    };
    bool ok = a.body && a.node_offset && a.tet_offset && a.face_offset && a.young && a.poisson && a.density;
    if (ok) {
        fill_softs(model, &a);
        ok = tn_h5_put_group(file, "soft") && put_softs(file, model, &a) && put_meshes(file, model);
    }
    tn_free(a.body);
    tn_free(a.node_offset);
    tn_free(a.tet_offset);
    tn_free(a.face_offset);
    tn_free(a.young);
    tn_free(a.poisson);
    tn_free(a.density);
    return ok;
}
