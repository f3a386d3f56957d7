// The group `soft` of a recording. Numbers in it that lie outside what they refer to would break exports later.
#include "record/reader.h"

#include <math.h>

// A row a soft body.
typedef struct soft_arrays {
    int32_t *body;
    int64_t *node_offset, *tet_offset, *face_offset; // (n_softs + 1)
    double *young, *poisson, *density;
} soft_arrays;

// Rows of a dataset, as a count of ours.
static bool get_count(hid_t file, const char *path, int *n)
{
    hsize_t dims[3];
    bool ok = tn_h5_get_dims(file, path, dims) && dims[0] <= INT32_MAX / 4;
    *n = ok ? (int)dims[0] : 0;
    return ok;
}

static bool ascends(const int64_t *offset, int n, int64_t end)
{
    for (int k = 0; k < n; k++) {
        if (offset[k] > offset[k + 1]) {
            return false;
        }
    }
    return offset[0] == 0 && offset[n] == end;
}

static bool in_range(const int *index, size_t n, int64_t low, int64_t high)
{
    for (size_t k = 0; k < n; k++) {
        if (index[k] < low || index[k] >= high) {
            return false;
        }
    }
    return true;
}

// Tetrahedra and faces use their own body's nodes.
static bool fill_soft(const tn_recording *r, const soft_arrays *a, int s)
{
    const int64_t *node = a->node_offset + s, *tet = a->tet_offset + s, *face = a->face_offset + s;
    tn_recorded_soft *soft = &r->softs[s];
    *soft = (tn_recorded_soft){.body = a->body[s],
                               .first_node = (int)node[0],
                               .n_nodes = (int)(node[1] - node[0]),
                               .first_tet = (int)tet[0],
                               .n_tets = (int)(tet[1] - tet[0]),
                               .first_face = (int)face[0],
                               .n_faces = (int)(face[1] - face[0]),
                               .young = a->young[s],
                               .poisson = a->poisson[s],
                               .density = a->density[s]};
    bool sound = soft->young > 0.0 && isfinite(soft->young) && soft->poisson > -1.0 && soft->poisson < 0.5;
    return sound && soft->body == r->n_bodies - r->n_softs + s &&
           in_range(r->tets + 4 * tet[0], 4 * (size_t)soft->n_tets, node[0], node[1]) &&
           in_range(r->faces + 3 * face[0], 3 * (size_t)soft->n_faces, node[0], node[1]);
}

static bool load_meshes(tn_recording *r)
{
    size_t n_nodes = (size_t)r->n_nodes;
    r->rest = tn_h5_take_array(r->file, "soft/rest", H5T_NATIVE_DOUBLE, 3 * n_nodes, r->arena);
    r->attached = tn_h5_take_array(r->file, "soft/attached", H5T_NATIVE_INT, n_nodes, r->arena);
    r->tets = tn_h5_take_array(r->file, "soft/tets", H5T_NATIVE_INT, 4 * (size_t)r->n_tets, r->arena);
    r->faces = tn_h5_take_array(r->file, "soft/faces", H5T_NATIVE_INT, 3 * (size_t)r->n_faces, r->arena);
    return r->rest && r->attached && r->tets && r->faces &&
           in_range(r->attached, n_nodes, -1, r->n_bodies - r->n_softs);
}

static bool load_softs(tn_recording *r, soft_arrays *a)
{
    hid_t file = r->file;
    if (!get_count(file, "soft/body", &r->n_softs) || r->n_softs < 1 || r->n_softs >= r->n_bodies) {
        return false;
    }
    size_t n = (size_t)r->n_softs;
    r->softs = TN_PUSH(r->arena, tn_recorded_soft, n);
    *a = (soft_arrays){
        .body = tn_h5_take_array(file, "soft/body", H5T_NATIVE_INT32, n, r->arena),
        .node_offset = tn_h5_take_array(file, "soft/node_offset", H5T_NATIVE_INT64, n + 1, r->arena),
        .tet_offset = tn_h5_take_array(file, "soft/tet_offset", H5T_NATIVE_INT64, n + 1, r->arena),
        .face_offset = tn_h5_take_array(file, "soft/face_offset", H5T_NATIVE_INT64, n + 1, r->arena),
        .young = tn_h5_take_array(file, "soft/young", H5T_NATIVE_DOUBLE, n, r->arena),
        .poisson = tn_h5_take_array(file, "soft/poisson", H5T_NATIVE_DOUBLE, n, r->arena),
        .density = tn_h5_take_array(file, "soft/density", H5T_NATIVE_DOUBLE, n, r->arena),
    };
    return r->softs && a->body && a->node_offset && a->tet_offset && a->face_offset && a->young && a->poisson &&
           a->density;
}

static bool fill_softs(tn_recording *r, const soft_arrays *a)
{
    bool ok = ascends(a->node_offset, r->n_softs, r->n_nodes) && ascends(a->tet_offset, r->n_softs, r->n_tets) &&
              ascends(a->face_offset, r->n_softs, r->n_faces);
    for (int s = 0; ok && s < r->n_softs; s++) {
        ok = fill_soft(r, a, s);
    }
    return ok;
}

bool tn_recording_read_softs(tn_recording *r)
{
    if (H5Lexists(r->file, "soft", H5P_DEFAULT) <= 0) {
        return true;
    }
    soft_arrays a;
    r->has_stress = H5Lexists(r->file, "soft/stress", H5P_DEFAULT) > 0;
    return get_count(r->file, "soft/rest", &r->n_nodes) && get_count(r->file, "soft/tets", &r->n_tets) &&
           get_count(r->file, "soft/faces", &r->n_faces) && load_softs(r, &a) && load_meshes(r) && fill_softs(r, &a);
}
