// Dry friction of joints in all directions: of a spherical joint's rotation, of a plane's two slides.
//
// A triple of the set BALL (tenon/set.h), or of ELLIPSE where the slides have different limits. Its rows are b's
// angular velocity relative to a about the joint's axes on a, or the rates of the two slides and a row of zeros. What
// it bears grows with the force that held the joint's points in the last step, as in a bearing (joint_law.c); within a
// step it is a constant.
#pragma once

#include "discretize/joints.h"
#include "tenon/set.h"

typedef struct tn_joint_ball {
    int n;            // entries, at most tn_joint_entry_count of the joint
    int *block;       // (n) the caller's room, likewise
    double *entry;    // (n, 9)
    double (*row)[3]; // (n) scratch
    double driven[3]; // what kinematic bodies contribute to the rows, mean over the step [rad/s, m/s]
    double frame[9];  // the rows' directions, world axes
    tn_set set;
    double bound[2]; // its numbers [N m, N]
} tn_joint_ball;

// Of joint `number`, which has one, where the rows of `joints` are taken, over the time h from the state's on. False:
// no body answers.
bool tn_joint_ball_fill(const tn_model *model, const tn_state *state, const tn_joint_step *joints, double h, int number,
                        tn_joint_ball *out);
