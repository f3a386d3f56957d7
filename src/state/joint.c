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
    for (int k = 0; k < j->n_coordinates; k++) {
        tn_joint_share share[2];
        int n = tn_joint_shares(model, j, k, share);
        coordinate[k] = state->joint_coordinate[j->first_coordinate + k];
        rate[k] = 0.0;
        for (int i = 0; i < n; i++) {
            tn_joint_geometry at;
            const tn_joint_motion *motion = &at.coordinate[share[i].k];
            tn_joint_look_at(model, share[i].joint, &(tn_joint_sides){state->pose, state->x}, &at);
            rate[k] += share[i].factor * (tn_joint_prescribed(model, share[i].joint, motion, state->time, 0.0) +
                                          tn_joint_rate(model, share[i].joint, state->pose, &at, motion, state->v));
        }
    }
}
