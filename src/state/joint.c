// Coordinates of joints and their rates.
#include "model/joint_geometry.h"
#include "state/state.h"

void tn_state_joint(const tn_state *state, int joint, double coordinate[3], double rate[3])
{
    if (!state || joint < 0 || joint >= state->model->n_joints || !coordinate || !rate) {
        return;
    }
    const tn_model *model = state->model;
    const tn_model_joint *j = &model->joints[joint];
    tn_joint_geometry at;
    if (j->n_coordinates == 0) {
        return;
    }
    tn_joint_look_at(model, j, &(tn_joint_sides){state->pose, state->x}, &at);
    for (int k = 0; k < j->n_coordinates; k++) {
        coordinate[k] = state->joint_coordinate[j->first_coordinate + k];
        rate[k] = tn_joint_prescribed(model, j, &at.coordinate[k], state->time, 0.0) +
                  tn_joint_rate(model, j, state->pose, &at, &at.coordinate[k], state->v);
    }
}
