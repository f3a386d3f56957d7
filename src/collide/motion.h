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
void tn_body_motions_of(tn_body_motion *out, const tn_state *state, int n_threads); // of all bodies

// Pose of a model shape in the world.
void tn_shape_world_pose(tn_pose *out, const tn_state *state, int shape);

// How far two shapes may come towards each other within the step [m], as far as one can tell at its start. A blow at
// one end of a body can double the speed of the other end, so speeds count twice; and gravity pulls.
double tn_pair_way(const tn_state *state, const tn_body_motion motions[], const tn_pose poses[], int shape_a,
                   int shape_b);

// The same for one shape: any point of its surface stays within this of its place.
double tn_shape_way(const tn_state *state, const tn_body_motion motions[], int shape);

// Velocity of the body's point at x [m/s].
void tn_motion_velocity_at(double velocity[3], const tn_body_motion *motion, const double x[3]);

// Pose `now` of what the body carries, after the time t [s] of the same motion.
void tn_motion_carry(tn_pose *out, const tn_body_motion *motion, double t, const tn_pose *now);

// Velocity of a soft body's node within the step [m/s]: its own, or that of the body it is attached to.
void tn_node_motion(double velocity[3], const tn_state *state, const tn_body_motion motions[], int node);

// Twice the way at the speed, and the fall of one step [m].
double tn_way_of(const tn_state *state, double speed);
