// The group `joints` of a recording: what does not change in time.
#include "base/memory.h"
#include "record/recorder.h"
#include "tenon/sim.h"

#include <string.h>

typedef struct joint_arrays {
    const char **name, **type, **coordinate; // (n), (n), (n_coordinates)
    int32_t *bodies, *first;                 // (n, 2), (n + 1)
    double *frame[2];                        // (n, 7) in body a and b
} joint_arrays;

static void fill(const tn_model *model, const joint_arrays *a)
{
    for (int j = 0; j < model->n_joints; j++) {
        const tn_model_joint *joint = &model->joints[j];
        a->name[j] = joint->name;
        a->type[j] = tn_model_joint_type(model, j);
        tn_model_joint_bodies(model, j, &a->bodies[2 * j], &a->bodies[2 * j + 1]);
        a->first[j] = joint->first_coordinate;
        double *frame_a = a->frame[0] + 7 * (size_t)j, *frame_b = a->frame[1] + 7 * (size_t)j;
        frame_a[3] = frame_b[3] = 1.0; // of gears, which have none
        tn_model_joint_frames(model, j, frame_a, frame_b);
        for (int k = 0; k < joint->n_coordinates; k++) {
            a->coordinate[joint->first_coordinate + k] = tn_model_joint_coordinate_name(model, j, k);
        }
    }
    a->first[model->n_joints] = model->n_joint_coordinates;
}

static bool write_arrays(hid_t file, const tn_model *model, const joint_arrays *a)
{
    int n = model->n_joints, n_coordinates = model->n_joint_coordinates;
    hsize_t pairs[2] = {(hsize_t)n, 2}, ends[1] = {(hsize_t)n + 1}, poses[2] = {(hsize_t)n, 7};
    return tn_h5_put_group(file, "joints") && tn_layout_write_texts(file, "joints/name", n, a->name) &&
           tn_layout_write_texts(file, "joints/type", n, a->type) &&
           tn_h5_put_array(file, "joints/bodies", H5T_NATIVE_INT32, 2, pairs, a->bodies, NULL,
                           "body a, body b (rows of bodies/name); -1: a gear") &&
           tn_h5_put_array(
               file, "joints/frame", H5T_NATIVE_DOUBLE, 2, poses, a->frame[0], "m, 1",
               "position x y z and quaternion w x y z of the joint in body a's own frame (of nodes: that of their "
               "best fit); its axis is x") &&
           tn_h5_put_array(file, "joints/frame_b", H5T_NATIVE_DOUBLE, 2, poses, a->frame[1], "m, 1",
                           "likewise in body b's own frame; both places meet as far as the joint holds") &&
           tn_h5_put_array(file, "joints/first_coordinate", H5T_NATIVE_INT32, 1, ends, a->first, NULL,
                           "joint j has the coordinates first[j] to first[j + 1] - 1") &&
           (n_coordinates == 0 || tn_layout_write_texts(file, "joints/coordinate_name", n_coordinates, a->coordinate));
}

bool tn_layout_write_joints(hid_t file, const tn_model *model)
{
    size_t n = (size_t)model->n_joints;
    if (n == 0) {
        return true;
    }
    joint_arrays a = {.name = tn_calloc(n, sizeof *a.name),
                      .type = tn_calloc(n, sizeof *a.type),
                      .coordinate = tn_calloc((size_t)model->n_joint_coordinates + 1, sizeof *a.coordinate),
                      .bodies = tn_calloc(2 * n, sizeof *a.bodies),
                      .first = tn_calloc(n + 1, sizeof *a.first),
                      .frame = {tn_calloc(7 * n, sizeof(double)), tn_calloc(7 * n, sizeof(double))}};
    bool ok = a.name && a.type && a.coordinate && a.bodies && a.first && a.frame[0] && a.frame[1];
    if (ok) {
        fill(model, &a);
        ok = write_arrays(file, model, &a);
    }
    tn_free(a.name);
    tn_free(a.type);
    tn_free(a.coordinate);
    tn_free(a.bodies);
    tn_free(a.first);
    tn_free(a.frame[0]);
    tn_free(a.frame[1]);
    return ok;
}
