// How many of the rows that joints lock are independent, and whether they can all hold at the start.
#pragma once

#include "discretize/joints.h"

typedef struct tn_joint_census {
    int n_rows;           // of holds and motors of endless strength that bodies answer to
    int n_dependent;      // of them, that follow from the others at the start
    int n_uncounted;      // rows in groups of joined bodies too large to look; they count as independent
    double contradiction; // largest velocity that is left of what they ask for, by least squares [m/s, rad/s]
    int joint;            // whose row that is
} tn_joint_census;

tn_status tn_joint_census_of(const tn_model *model, const tn_state *state, tn_joint_census *out, tn_error *error);
