// Spring-dampers between two points (bodies or the world), linearised for one step.
//
// d = x_b - x_a, n = d/|d|, force on b: -k (|d| - L) n - c n n^T d'. In the step's terms the potential is
// 1/2 k (|d| - L)^2 with Hessian H = k n n^T + k (1 - L/|d|) (1 - n n^T) in d; where the second part is negative
// (compression) it stays out of A, which keeps A positive definite, and acts explicitly at v_k for the time `lead`
// (at most with -k). L = 0 gives H = k 1, exact and regular at d = 0.
#pragma once

#include "model/model.h"

typedef struct tn_spring_element {
    int n;                 // blocks of v that it touches, 0 to 4
    int block[4];          // (n)
    double jacobian[4][9]; // (n, 9) d' = sum jacobian_i v_block(i) + drift
    double drift[3];       // d' due to kinematic bodies, swing and arcs [m/s]
    double driven[3];      // the part of it that is due to kinematic bodies
    double force[3];       // on b without damper [N], world axes; -force acts on a
    double stiffness[9];   // H [N/m], world axes, positive semidefinite
    double damping[9];     // c n n^T [N s/m]
} tn_spring_element;

// Where and when a spring is linearised.
typedef struct tn_spring_instant {
    const tn_pose *poses; // (n_bodies) principal frames in the world
    const double *v;      // (3 n_blocks) velocities, for what happens within `lead`
    const double *swing;  // (3 n_blocks) what turns v into the mean velocity of the step; NULL: nothing
    double t, h;          // [s] drift is the mean over [t, t + h]
    double lead;          // [s] arms of free bodies are taken this long after t: h/2 makes midpoint second order in the
                          // torque; 0 takes them at the poses
} tn_spring_instant;

void tn_spring_linearize(const tn_model *model, const tn_scene_spring *spring, const tn_spring_instant *at,
                         tn_spring_element *out);

double tn_spring_energy(const tn_model *model, const tn_scene_spring *spring, const tn_pose *poses); // [J]
