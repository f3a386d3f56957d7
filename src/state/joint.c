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
    tn_joint_rates(model, j, &(tn_joint_sides){state->pose, state->x}, state->v, state->time, 0.0, rate);
    for (int k = 0; k < j->n_coordinates; k++) {
        coordinate[k] = state->joint_coordinate[j->first_coordinate + k];
    }
}
