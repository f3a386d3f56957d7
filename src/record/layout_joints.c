// The group `joints` of a recording: what does not change in time.
#include "record/recorder.h"

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

static bool write_arrays(const tn_layout *l, const joint_arrays *a)
{
    int n_joints = l->model->n_joints, n_coordinates = l->model->n_joint_coordinates;
    size_t n = (size_t)n_joints;
    return tn_h5_put_group(l->file, "joints") && tn_layout_put_texts(l, "joints/name", n_joints, a->name) &&
           tn_layout_put_texts(l, "joints/type", n_joints, a->type) &&
           tn_layout_put(l, "joints/bodies", H5T_NATIVE_INT32, n, 2, a->bodies, NULL,
                         "body a, body b (rows of bodies/name); -1: a gear") &&
           tn_layout_put(
               l, "joints/frame", H5T_NATIVE_DOUBLE, n, 7, a->frame[0], "m, 1",
               "position x y z and quaternion w x y z of the joint in body a's own frame (of nodes: that of their "
               "best fit); its axis is x") &&
           tn_layout_put(l, "joints/frame_b", H5T_NATIVE_DOUBLE, n, 7, a->frame[1], "m, 1",
                         "likewise in body b's own frame; both places meet as far as the joint holds") &&
           tn_layout_put(l, "joints/first_coordinate", H5T_NATIVE_INT32, n + 1, 1, a->first, NULL,
                         "joint j has the coordinates first[j] to first[j + 1] - 1") &&
           (n_coordinates == 0 || tn_layout_put_texts(l, "joints/coordinate_name", n_coordinates, a->coordinate));
}

bool tn_layout_put_joints(const tn_layout *l)
{
    size_t n = (size_t)l->model->n_joints;
    if (n == 0) {
        return true;
    }
    const joint_arrays a = {
        .name = TN_PUSH(l->arena, const char *, n),
        .type = TN_PUSH(l->arena, const char *, n),
        .coordinate = TN_PUSH(l->arena, const char *, l->model->n_joint_coordinates),
        .bodies = TN_PUSH(l->arena, int32_t, 2 * n),
        .first = TN_PUSH(l->arena, int32_t, n + 1),
        .frame = {TN_PUSH(l->arena, double, 7 * n), TN_PUSH(l->arena, double, 7 * n)},
    };
    if (!a.name || !a.type || !a.coordinate || !a.bodies || !a.first || !a.frame[0] || !a.frame[1]) {
        return false;
    }
    fill(l->model, &a);
    return write_arrays(l, &a);
}
