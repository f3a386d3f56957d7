// Mechanisms in the coordinates of their joints: mass matrix, inverse and forward dynamics, Jacobians, centroidal
// quantities, inverse kinematics.
//
// Of all bodies that hang from one another, from a fixed or a kinematic body, or from a free base, by rigid joints
// (revolute, prismatic, cylindrical, spherical, universal, weld, planar, screw), whatever `coordinates` the scene
// simulates them in. Joints that close loops, gears, springs, drives, friction and contacts have no part in it: what
// they do is a force along the rates.
//
// n rates: of a free base six (velocity of its center of mass in world axes [m/s], angular velocity about its principal
// axes [rad/s]), of a joint its coordinates' [m/s, rad/s], of a spherical one the angular velocity of b relative to a
// about the axes of the joint's frame on a. tn_dynamics_rate names them.
//
// A handle belongs to one thread at a time; calls but tn_dynamics_create ask for no memory once each was made.
#pragma once

#include "tenon/state.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) // all else is hidden

typedef struct tn_dynamics tn_dynamics;

// NULL: no memory, or no model. The model must outlive it. A model without such joints has no rates.
tn_dynamics *tn_dynamics_create(const tn_model *model, tn_error *error);
void tn_dynamics_destroy(tn_dynamics *dynamics); // NULL is fine

int tn_dynamics_rate_count(const tn_dynamics *dynamics); // n
// What rate i is: of the joint, its coordinate's number among all (tn_model_coordinate_count; -1: a spherical joint's),
// or of a free base (*joint -1), *body and which of its six. Pointers may be NULL. TN_BAD_INPUT: there is no such rate.
tn_status tn_dynamics_rate(const tn_dynamics *dynamics, int i, int *joint, int *coordinate, int *body, int *which,
                           tn_error *error);

// To the places and velocities of a state of the same model: what all the following is about.
tn_status tn_dynamics_update(tn_dynamics *dynamics, const tn_state *state, tn_error *error);

tn_status tn_dynamics_rates(const tn_dynamics *dynamics, double *rates, tn_error *error); // (n)
// M (n, n): 1/2 rates M rates is the kinetic energy of the mechanisms, where nothing kinematic moves.
tn_status tn_dynamics_mass(const tn_dynamics *dynamics, double *mass, tn_error *error);
// Forces along the rates (n) that the accelerations (n) of the rates ask for, against gravity and inertia:
// M a + bias [N, N m]. acceleration NULL: zero, which leaves the bias. Kinematic bodies count as moving evenly.
tn_status tn_dynamics_inverse(tn_dynamics *dynamics, const double *acceleration, double *force, tn_error *error);
// Accelerations (n) under forces along the rates (n; NULL: none): M^-1 (force - bias).
tn_status tn_dynamics_forward(tn_dynamics *dynamics, const double *force, double *acceleration, tn_error *error);
// Of a point of a rigid body, in its own frame [m]: velocity of the point, then angular velocity of the body, world
// axes, are out (6, n) times the rates (and what kinematic bodies add).
tn_status tn_dynamics_jacobian(const tn_dynamics *dynamics, int body, const double point[3], double *out,
                               tn_error *error);

// Of all bodies of the mechanisms together.
typedef struct tn_centroid {
    double mass;                // [kg]
    double center[3];           // of mass, world [m]
    double velocity[3];         // of it [m/s]
    double momentum[3];         // [N s]
    double angular_momentum[3]; // about it [N m s]
    double inertia[9];          // about it, world axes [kg m^2]
} tn_centroid;
tn_status tn_dynamics_centroid(const tn_dynamics *dynamics, tn_centroid *out, tn_error *error);

// Places bodies where coordinates (tn_model_coordinate_count; NaN: as it is) say, from the bases on, with the
// coordinates' rates (likewise; NULL: as they are). Free bases and spherical joints keep how they stand and move.
// With schemes euler and implicit bodies have the velocities that a step which ends there would leave, which read as
// these rates: half of a step's centripetal acceleration off what the joints allow. So Coriolis' part is not lost.
// Joints that close loops, and gears, are the caller's care.
tn_status tn_dynamics_set(tn_dynamics *dynamics, tn_state *state, const double *coordinate, const double *rate,
                          tn_error *error);

// Where a point of a body is to be, how the body is to stand, or both.
typedef struct tn_reach {
    int body;
    double point[3];           // in the body's own frame [m]
    const double *position;    // (3) world [m]; NULL: anywhere
    const double *orientation; // (4) quaternion (w, x, y, z) of the body's own frame; NULL: anyhow
    double weight;             // of its errors beside the other targets' [1]; 0: 1
} tn_reach;
typedef struct tn_reach_options {
    double tolerance;   // of every position [m] and angle [rad], default 1e-6
    int max_iterations; // default 200
    bool move_bases;    // free bases may move too, default false
} tn_reach_options;
typedef struct tn_reach_report {
    bool reached;
    int iterations;
    double position_error, angle_error; // the largest [m, rad]
} tn_reach_report;
// Inverse kinematics: coordinates within their limits for which the weighted sum of squares of the errors is least,
// from the state on (Levenberg-Marquardt with active bounds); bodies of the state are placed there, their rates stay.
// options NULL: default; report may be NULL. TN_OK also where a target is out of reach: report->reached says so.
tn_status tn_dynamics_reach(tn_dynamics *dynamics, tn_state *state, int n, const tn_reach *targets,
                            const tn_reach_options *options, tn_reach_report *report, tn_error *error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
