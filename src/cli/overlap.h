// What overlaps at the start: legal, but seldom meant.
#pragma once

#include "model/model.h"
#include "tenon/sim.h"

typedef struct cli_overlap {
    int n_contacts;     // all within the margin
    int n_pairs;        // pairs of shapes that overlap
    double deepest;     // [m]
    int body_a, body_b; // of it
    double joint_off;   // largest error of what a joint holds [m, rad]
    int joint;          // of it
} cli_overlap;

tn_status cli_overlap_find(const tn_model *model, const tn_state *state, cli_overlap *out, tn_error *error);
// How fast it is pushed apart at most: by the setting, and by the margin in a step [m/s].
double cli_overlap_speed(const tn_model *model);
// Whether they are more than rounding, and worth a word.
bool cli_overlap_matters(const tn_model *model, const cli_overlap *overlap);
bool cli_overlap_joint_matters(const cli_overlap *overlap);
