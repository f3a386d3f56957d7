// Coordinates of joints and their rates.
#include "math/vec3.h"
#include "model/joint_geometry.h"
#include "state/state.h"

void tn_state_joint(const tn_state *state, int joint, double coordinate[3], double rate[3])
{
    const tn_model *model = state->model;
    const tn_model_joint *j = &model->joints[joint];
    tn_joint_geometry at;
    if (j->n_coordinates == 0) {
        return;
    }
    tn_joint_look(j, &state->pose[j->body_a], &state->pose[j->body_b], &at);
    for (int k = 0; k < j->n_coordinates; k++) {
        tn_joint_entries entries = {.n = 0};
        tn_joint_add_entries(model, j, state->pose, &at, &at.coordinate[k], 1.0, &entries);
        coordinate[k] = state->joint_coordinate[j->first_coordinate + k];
        rate[k] = tn_joint_prescribed(model, j, state->pose, &at, &at.coordinate[k], state->time, 0.0);
        for (int e = 0; e < entries.n; e++) {
            rate[k] += tn_vec3_dot(entries.entry[e], state->v + 3 * (size_t)entries.block[e]);
        }
    }
}
