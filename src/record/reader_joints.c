// The group `joints` of a recording.
#include "record/reader.h"

// *out (n_joints, 7); NULL: not in the file. false: broken.
static bool read_frames(tn_recording *r, const char *path, double **out)
{
    if (!tn_h5_is_there(r->file, path)) {
        return true;
    }
    *out = tn_h5_take_array(r->file, path, H5T_NATIVE_DOUBLE, 7 * (hsize_t)r->n_joints, r->arena);
    return *out != NULL;
}

// Where joints are; files of earlier versions do not say. false: broken.
static bool read_joint_places(tn_recording *r)
{
    hsize_t n = (hsize_t)r->n_joints;
    if (!tn_h5_is_there(r->file, "joints/frame")) {
        return true;
    }
    r->joint_bodies = tn_h5_take_array(r->file, "joints/bodies", H5T_NATIVE_INT, 2 * n, r->arena);
    bool ok = r->joint_bodies && read_frames(r, "joints/frame", &r->joint_frames[0]) &&
              read_frames(r, "joints/frame_b", &r->joint_frames[1]);
    for (hsize_t k = 0; ok && k < 2 * n; k++) {
        ok = r->joint_bodies[k] >= -1 && r->joint_bodies[k] < r->n_bodies;
    }
    return ok;
}

bool tn_recording_read_joints(tn_recording *r)
{
    int n_types = 0;
    if (!tn_h5_is_there(r->file, "joints/name")) {
        return true;
    }
    r->joint_names = tn_h5_get_texts(r->file, "joints/name", r->arena, &r->n_joints);
    r->joint_types = tn_h5_get_texts(r->file, "joints/type", r->arena, &n_types);
    if (tn_h5_is_there(r->file, "joints/coordinate_name")) {
        r->coordinate_names = tn_h5_get_texts(r->file, "joints/coordinate_name", r->arena, &r->n_coordinates);
    }
    r->joint_first =
        tn_h5_take_array(r->file, "joints/first_coordinate", H5T_NATIVE_INT, (hsize_t)r->n_joints + 1, r->arena);
    if (!r->joint_names || !r->joint_types || n_types != r->n_joints || !r->joint_first) {
        return false;
    }
    bool ok = r->joint_first[0] == 0 && r->joint_first[r->n_joints] == r->n_coordinates;
    for (int j = 0; ok && j < r->n_joints; j++) {
        ok = r->joint_first[j] <= r->joint_first[j + 1];
    }
    return ok && read_joint_places(r);
}
