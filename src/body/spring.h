// Spring-dampers between two points (bodies or the world), linearised for one step.
//
// d = x_b - x_a, n = d/|d|, force on b: -k (|d| - L) n - c n n^T d'. In the step's terms the potential is
// 1/2 k (|d| - L)^2 with Hessian H = k n n^T + k (1 - L/|d|) (1 - n n^T) in d; the second part is dropped where it is
// negative (compression), which keeps A positive definite. L = 0 gives H = k 1, exact and regular at d = 0.
#pragma once

#include "model/model.h"

typedef struct tn_spring_element {
    int n;                 // blocks of v that it touches, 0 to 4
    int block[4];          // (n)
    double jacobian[4][9]; // (n, 9) d' = sum jacobian_i v_block(i) + drift
    double drift[3];       // d' due to kinematic bodies [m/s]
    double force[3];       // on b at the step's start, without damper [N], world axes; -force acts on a
    double stiffness[9];   // H [N/m], world axes, positive semidefinite
    double damping[9];     // c n n^T [N s/m]
} tn_spring_element;

// At poses (n_bodies, principal frames in the world) and time t; drift is the mean over [t, t + h].
void tn_spring_linearize(const tn_model *model, const tn_scene_spring *spring, const tn_pose *poses, double t, double h,
                         tn_spring_element *out);

double tn_spring_energy(const tn_model *model, const tn_scene_spring *spring, const tn_pose *poses); // [J]
