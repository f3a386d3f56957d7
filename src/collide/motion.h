// Where a state's shapes are and how fast they may go within a step: what contacts must be made ahead of time.
#pragma once

#include "state/state.h"

// Of one body, world axes. Kinematic bodies: the mean over the step.
typedef struct tn_body_motion {
    double position[3]; // center of mass [m]
    double linear[3];   // of the center of mass [m/s]
    double angular[3];  // [rad/s]
} tn_body_motion;

void tn_body_motion_of(tn_body_motion *out, const tn_state *state, int body);
void tn_motion_at(double velocity[3], const tn_body_motion *motion, const double x[3]); // of the body's point at x

// Pose of a model shape in the world.
void tn_shape_world_pose(tn_pose *out, const tn_state *state, int shape);

// Bound on the way of any surface point of the shape within the step [m], gravity's pull included.
double tn_shape_reach(const tn_state *state, int shape, const tn_body_motion *motion);
