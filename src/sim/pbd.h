// Scheme pbd: position-based dynamics with substeps (M. Macklin, M. Mueller, N. Chentanez, XPBD, 2016; M. Mueller and
// others, Detailed rigid body simulation with extended position based dynamics, 2020), the baseline of the cond
// document. A step is n substeps of h; each
//
//     moves all bodies by outside forces alone,
//     goes over all constraints, one by one and `iterations` times: of one with the error C, the compliance c = 1/k,
//     the damper d and the multiplier f h^2 = lambda so far,
//         d lambda = -(C + c lambda/h^2 + c d/h J v h) / ((1 + c d/h) J M^-1 J^T + c/h^2),   q += M^-1 J^T d lambda,
//     and takes the velocities that what has moved the bodies has given them.
//
// Contacts press only; friction holds the points of contact where the substep began, by at most mu times what presses.
// Of a contact that bounces the normal velocity is then set. Overlaps are taken out slowly, so that they push nothing
// away. Contacts are found once a step, with the frames and arms of its start.
#pragma once

#include "model/joint_geometry.h"
#include "sim/sim.h"

typedef struct tn_pbd_body {
    double inverse_mass;       // 0: it does not answer
    double inverse_inertia[9]; // world axes, where the substep's constraints find it
    double v[3], w[3];         // of the center; angular, world axes
    double way[3], turned[3];  // since the step's start
    double pull[3], torque[3]; // outside forces [N, N m], world axes, as at the step's start
} tn_pbd_body;

typedef struct tn_pbd_contact {
    int body_a, body_b;
    tn_joint_motion motion[3]; // along n, t1, t2
    double mobility[3];        // in the substep
    double gap, mu[2], restitution;
    double start[3];   // displacement where the substep began
    double least;      // that the gap may be after the substep: overlaps go slowly
    double before;     // normal velocity there
    double lambda[3];  // of the substep
    double impulse[3]; // of the step [N s]
} tn_pbd_contact;

typedef struct tn_pbd {
    const tn_model *model;
    double h;      // of a substep [s]
    double time;   // at its end [s]
    tn_pose *pose; // (n_bodies)
    tn_pbd_body *bodies;
    int n_contacts;
    tn_pbd_contact *contacts;
    double *coordinate;        // (n_joint_coordinates)
    double *row, *row_impulse; // (n_joint_rows) lambda of the substep; of the step [N s, N m s]
    double (*elastic)[6],
        (*elastic_impulse)[6]; // (n_joints) of rods' joints likewise, the first 3 and all in world axes
    double *spring;            // (n_springs)
} tn_pbd;

// One round over what is no contact: springs, rods' joints, joints.
void tn_pbd_solve_joints(tn_pbd *pbd);
// Displacement since the step's start, or velocity, of b's side less a's along the motion.
double tn_pbd_displacement(const tn_pbd *pbd, int a, int b, const tn_joint_motion *motion);
double tn_pbd_velocity(const tn_pbd *pbd, int a, int b, const tn_joint_motion *motion);
double tn_pbd_mobility(const tn_pbd *pbd, int a, int b, const tn_joint_motion *motion);
// An impulse along it [N s]: velocities change, and where it moves them the places by what that is in a substep.
void tn_pbd_push(tn_pbd *pbd, int a, int b, const tn_joint_motion *motion, double impulse, bool moves);
