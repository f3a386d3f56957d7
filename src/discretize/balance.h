// The step's linear momentum balance A v^ = b + J^T lambda without its contacts, for the theta schemes.
//
//     A = M/(theta h) + sum_springs J_s^T (kappa h H + C) J_s + soft bodies (soft.h)
//     b = M v_k/(theta h) + f_gravity + f_applied(t_k + theta h) + f_gyro + sum_springs J_s^T (f_s - (kappa h H + C)
//     w_s) + soft bodies
//
// euler: theta = kappa = 1; midpoint: theta = kappa = 1/2. A has the model's constant pattern. M is diagonal and
// constant; the gyroscopic term enters b only (body/gyro.h). Applied forces are taken at t_k + theta h, their body axes
// at t_k.
#pragma once

#include "base/arena.h"
#include "body/grab.h"
#include "body/spring.h"
#include "math/blocks.h"
#include "state/state.h"

typedef struct tn_balance {
    double theta, kappa, h;
    tn_blocks *A;
    double *b;                  // (3 n_blocks) [N, N m]
    double *mass;               // (3 n_blocks) diagonal of M. NULL where only A needs it: scheme euler, rigid bodies
                                // without joints
    double *applied;            // (3 n_blocks) applied forces, without gravity: for the energy report. NULL: none
    double *predicted;          // (3 n_blocks) v^ without contacts, springs and elasticity. NULL where neither bounces
                                // nor turning facets ask for it
    bool held_turns;            // correct_rotation: joints may hold what would turn fast (set by sim)
    double *gyro;               // (3 n_blocks) gyroscopic part of b, zero but for the rotation of free bodies. NULL
                                // where it will not be corrected: scheme euler, only round bodies, no joints
    int n_springs;              //
    tn_spring_element *springs; // (n_springs)
    const tn_tets_elastic *elastic; // of the soft bodies; the caller's
    const double *moved;            // (n_nodes, 3) or NULL, as given
    const tn_grab *grab;            // as given
    double *place;                  // (n_blocks, 3) of nodes at the step's start, NaN elsewhere (tn_problem); or NULL
    double *known_v;                // (3 n_blocks) last step's v^, at the nodes what moved says; or NULL
    double *known_product;          // (3 n_blocks) A known_v [N]; or NULL
    double *pushed;                 // (n_nodes, 3) S moved [N]; or NULL
    double *drive;                  // (n_nodes, 3) mean velocity of nodes on kinematic bodies, zero elsewhere; or NULL
    double *dragged;                // (n_nodes, 3) S drive [N]; NULL without drive
    double *held;                   // (n_nodes, 3) elements' forces if no free node moved [N]; NULL without drive
    double *product;                // (3 n_blocks) A v^ once there is a v^ (set by sim); else NULL
} tn_balance;

// elastic: of the soft bodies at state->x + kappa h moved; moved (n_nodes, 3) NULL: at state->x. Both NULL without
// them. grab: a body held by hand, whose force counts as applied; or NULL.
tn_status tn_balance_build(const tn_model *model, const tn_state *state, const tn_tets_elastic *elastic,
                           const double *moved, const tn_grab *grab, tn_arena *arena, tn_balance *out, tn_error *error);

// The gyroscopic part depends on v^, but at first knows nothing of the torques of contacts and springs. Put it right
// in b for a solution v^; returns the largest change relative to those torques, which shrinks by about h |omega| each
// time the problem is solved again. Without it a contact torque on a spinning body acts turned by an angle of that
// size: a fast top would rise or fall. Bodies whose change is below a hundredth (midpoint: 1e-4) of their torque are
// left alone. Nothing is written unless the change is below `limit` (pass the last result: a growing correction is
// none).
double tn_balance_correct_rotation(const tn_model *model, const tn_state *state, const double *v_hat, double limit,
                                   tn_balance *balance);
