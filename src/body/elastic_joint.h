// Elastic joints of rods as a potential, linearised for one step.
//
// d is the way from the first body's point to the second one's, a_i and b_i the axes of their frames, theta the
// rotation vector between these, and
//
//     psi = 1/2 K_0 (lambda - l)^2 + k l/c (lambda - l - u) + 1/4 (K_1 - K_2) (Q_1 - Q_2) + 1/2 theta^T K_r theta,
//     u = d . (a_0 + b_0) (5 - a_0 . b_0)/8,   lambda^2 = (l + u)^2 + c (|d|^2 - u^2),   c = 1.2,
//     Q_i = (d . a_i) (d . b_i),   k = 1/2 (K_1 + K_2).
//
// lambda is the chord of the piece, l long at rest: with e = d in the axes half-way between both frames, u = e_0 and
// |d|^2 - u^2 = e_1^2 + e_2^2 to second order in theta. Where strains and bends are small psi is 1/2 e^T K e, and a
// tension N = K_0 (lambda - l) resists e_1 by 1.2 N/l; the second term grows as the chord turns away from the axes, by
// half a turn too, so that a piece cannot fold back on itself for nothing. The axes half-way turn over where the frames
// pass half a turn; psi does without them, and does not leap. Forces and torques are its gradient. The damper lag K and
// Hessians are those of lambda, e_1 and e_2, world ones, about x half-way between both points, where both bodies feel
// the force:
//
//     r = [v_b(x) - v_a(x), omega_b - omega_a],   H = [G K_t G^T, F_a B^T K_r B F_a^T]
//
// G: what lambda, e_1, e_2 change by with d; K_t: K with c N/lambda across where N is a tension; F_a: the first frame's
// axes; theta' = B F_a^T (omega_b - omega_a). What turns the force with the axes is left out of H, but for the part
// that a step needs: a tension N at the arm r from a body's center resists a turn across by K = N r, as in
// discretize/joint_stiffness.h. A string of bodies of mass m is stable with the tension at the step's start up to h^2 N
// < m r; of what exceeds half of that h K (omega - 0.9 omega_k) is added to the balance, next to nothing where a body
// turns steadily (discretize/elastic_joints.c). Where a side turns by more than half a radian a step, what goes on at
// omega_k is that of the tension a step before, if less: a blow that strains a rod would else drive what turns already.
#pragma once

#include "model/model.h"

// Where both frames are, and what is strained.
typedef struct tn_elastic_strain {
    double axes[9];              // F
    double first[9], second[9];  // F_a, F_b
    double point[3], gap[3];     // x, d
    double stretch[3], theta[3]; // lambda - l, e_1, e_2; in either frame
    double chord, along[3];      // lambda, and what it rises by with d
    double tension;              // N [N], negative: pressure
} tn_elastic_strain;
void tn_elastic_look(const tn_model_joint *joint, const tn_pose *poses, tn_elastic_strain *out);
void tn_elastic_turn(const tn_elastic_strain *strain, double out[9]); // F_a B^T: theta' = out^T (omega_b - omega_a)

typedef struct tn_elastic_element {
    int body_a, body_b;             // -1 in body_a: none
    double arm[2][3];               // from the bodies' centers to x, world [m]
    double turn[2][9];              // the bodies' principal axes to world
    double force[3], torque[3];     // on b without dampers, world axes [N], [N m]
    double stretch[9], bend[9];     // H [N/m], [N m/rad]
    double drift[3], drift_turn[3]; // of r, due to kinematic bodies: mean over the step [m/s], [rad/s]
    double arc[3];                  // likewise: that arms turn by arcs, at the rates of the step's start [m/s]
    double along[3], taut[2];       // direction of the tension; what it resists turns of either body with [N m],
    double goes_on[2];              // and what of that holds for their turns at the step's start
    double lag;                     // [s]
} tn_elastic_element;

// poses (n_bodies), v (3 n_blocks) at the step's start t [s], h its length.
void tn_elastic_linearize(const tn_model *model, const tn_model_joint *joint, const tn_pose *poses, const double *v,
                          double t, double h, tn_elastic_element *out);
// r at v (3 n_blocks).
void tn_elastic_rate(const tn_model *model, const tn_elastic_element *element, const double *v, double rate[3],
                     double turn[3]);
double tn_elastic_energy(const tn_model_joint *joint, const tn_pose *poses); // [J]
