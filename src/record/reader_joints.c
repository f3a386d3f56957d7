// The group `joints` of a recording.
#include "base/memory.h"
#include "record/reader.h"

// *out (n_joints, 7); NULL: not in the file. false: broken.
static bool read_frames(tn_recording *r, const char *path, double **out)
{
    hsize_t dims[3], n = 7 * (hsize_t)r->n_joints;
    if (!tn_h5_get_dims(r->file, path, dims)) {
        return true;
    }
    *out = tn_calloc(n, sizeof **out);
    return *out && tn_h5_get_array(r->file, path, H5T_NATIVE_DOUBLE, n, *out);
}

// Where joints are; files of earlier versions do not say. false: broken.
static bool read_joint_places(tn_recording *r)
{
    hsize_t dims[3], n = (hsize_t)r->n_joints;
    if (!tn_h5_get_dims(r->file, "joints/frame", dims)) {
        return true;
    }
    r->joint_bodies = tn_calloc(2 * n, sizeof *r->joint_bodies);
    bool ok = r->joint_bodies && read_frames(r, "joints/frame", &r->joint_frames[0]) &&
              read_frames(r, "joints/frame_b", &r->joint_frames[1]) &&
              tn_h5_get_array(r->file, "joints/bodies", H5T_NATIVE_INT, 2 * n, r->joint_bodies);
    for (hsize_t k = 0; ok && k < 2 * n; k++) {
        ok = r->joint_bodies[k] >= -1 && r->joint_bodies[k] < r->n_bodies;
    }
    return ok;
}

bool tn_recording_read_joints(tn_recording *r)
{
    hsize_t dims[3];
    int n_types = 0;
    if (!tn_h5_get_dims(r->file, "joints/name", dims)) {
        return true;
    }
    r->joint_names = tn_h5_get_texts(r->file, "joints/name", &r->n_joints);
    r->joint_types = tn_h5_get_texts(r->file, "joints/type", &n_types);
    if (tn_h5_get_dims(r->file, "joints/coordinate_name", dims)) {
        r->coordinate_names = tn_h5_get_texts(r->file, "joints/coordinate_name", &r->n_coordinates);
    }
    hsize_t n = (hsize_t)r->n_joints + 1;
    r->joint_first = tn_calloc(n, sizeof *r->joint_first);
    if (n_types != r->n_joints) {
        tn_h5_free_texts(r->joint_types ? n_types : 0, r->joint_types);
        r->joint_types = NULL;
    }
    if (!r->joint_names || !r->joint_types || !r->joint_first ||
        !tn_h5_get_array(r->file, "joints/first_coordinate", H5T_NATIVE_INT, n, r->joint_first)) {
        return false;
    }
    bool ok = r->joint_first[0] == 0 && r->joint_first[r->n_joints] == r->n_coordinates;
    for (int j = 0; ok && j < r->n_joints; j++) {
        ok = r->joint_first[j] <= r->joint_first[j + 1];
    }
    return ok && read_joint_places(r);
}

void tn_recording_free_joints(tn_recording *r)
{
    tn_h5_free_texts(r->n_joints, r->joint_names);
    tn_h5_free_texts(r->n_joints, r->joint_types);
    tn_h5_free_texts(r->n_coordinates, r->coordinate_names);
    tn_free(r->joint_bodies);
    tn_free(r->joint_frames[0]);
    tn_free(r->joint_frames[1]);
    tn_free(r->joint_first);
}
