// Joint rows of the step's problem: Jacobians, drift terms, motors, limits, friction, springs.
//
// A row y = G v^ + c + R f with bounds on f (tn_joint_rows); q a coordinate, theta an error of what is locked, w what
// kinematic bodies contribute:
//
//     hold       c = w + s(theta)                       R = 1e-6 h/m any f
//     compliant  c = w + theta/(kappa h)                R = C/(kappa h)     force -(theta + kappa h theta')/C
//     spring     c = w + k (q - rest) R                 R = 1/(kappa h k + d)
//     motor      c = w + (q - target(t + h))/h, or w - target(t + h/2)    |f| <= strength; R of a hold if infinite
//     friction   c = w                                  |f| <= friction
//     low        c = w + s(q - low)                     f >= 0
//     high       G negated, c = -w + s(high - q)        f >= 0
//
// The R of rigid rows (m: mass or moment of the lighter body) leaves a millionth of the change of velocity that they
// would make; in return the forces of redundant rows, as those of closed loops, are unique, bounded and shared evenly.
// s is the stabilization: full x/h; baumgarte beta x/h; none 0. A limit that is not reached has x/h in all modes.
//
// Rows hold at the step's start, where G is taken. Over the step a value x moves on by h (G v^ + w + e), e its
// curvature, which euler (of first order) leaves out. midpoint puts in that of the velocity v that v^ will be about,
// v = 2 v_k - v^_{k-1},
//
//     e = (x(q_k (+) h v) - x(q_k))/h - (G v + w)
//
// so that positions at the step's end are right to third order; then a second solve (impact.h) finds v_{k+1}: half of
// the first solve's forces stay, the other half is found anew with G at the step's end, so that the velocities allowed
// there come out. Springs and dampers act whole, with G where v leads to in half a step. Without contacts this is
// RATTLE (Andersen 1983), symplectic and of second order. G is never taken where joints are violated: redundant rows,
// as those of closed loops, would then lock what is free.
#pragma once

#include "discretize/balance.h"
#include "model/joint_geometry.h"

typedef struct tn_joint_step {
    tn_joint_rows rows; // for tn_problem; arrays in the arena
    int *source;        // (rows.n) number in model->joint_rows
    double *driven;     // (rows.n) w that meets the force, with its sign [m/s, rad/s]: at the step's start where
                        // only half of it acts there, else the mean
    double *share;      // (rows.n) part of the row's force that stays in midpoint's second solve; 1 in euler
    tn_joint_geometry *geometry; // (n_joints) where G is taken
    tn_joint_sides sides;        // there
} tn_joint_step;

// Of the first solve. Rows that nothing moves along are left out.
tn_status tn_joint_step_build(const tn_model *model, const tn_state *state, const tn_balance *balance, tn_arena *arena,
                              tn_joint_step *out, tn_error *error);
// Of midpoint's second solve: sides and coordinates at the step's end, force (n_joint_rows) what stays of
// the first solve, which the bounds allow for.
tn_status tn_joint_step_end(const tn_model *model, const tn_state *state, const tn_joint_sides *sides,
                            const double *coordinates, const double *force, tn_arena *arena, tn_joint_step *out,
                            tn_error *error);
// Of a correction of positions, whose velocities count as ways: c = theta, limits where they are passed. What they are
// weighed by is M over the time h.
tn_status tn_joint_step_position(const tn_model *model, const tn_joint_sides *sides, const double *coordinates,
                                 double h, tn_arena *arena, tn_joint_step *out, tn_error *error);

// q_2 - ratio q_1 of a gear, less that at the start.
double tn_joint_gear_error(const tn_model_joint *joint, const double *coordinates);
// Coordinates (n_joint_coordinates) at sides, continuing `expected`; may alias it.
void tn_joints_coordinates(const tn_model *model, const tn_joint_sides *sides, const double *expected, double *out);
// Free nodes moved from x along v (3 n_blocks) for a time [s], into out (3 n_nodes); nothing where joints hold none.
void tn_joint_move_nodes(const tn_model *model, const double *x, const double *v, double time, double *out);
// Velocity by which rigid holds and motors of endless strength give way to their forces f (rows.n), the largest [m/s,
// rad/s]: small unless joints contradict one another.
double tn_joint_step_yield(const tn_model *model, const tn_joint_step *step, const double *f);
// Largest error of what rigid holds lock, and of limits [m, rad].
double tn_joints_drift(const tn_model *model, const tn_joint_sides *sides, const double *coordinates);
// Of springs and compliances [J].
double tn_joints_energy(const tn_model *model, const tn_joint_sides *sides, const double *coordinates);
