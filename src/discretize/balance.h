// The step's linear momentum balance A v^ = b + J^T lambda without its contacts, for the theta schemes.
//
//     A = M/(theta h) + sum_springs J_s^T (kappa h H + C) J_s + soft bodies (soft.h)
//     b = M v_k/(theta h) + f_gravity + f_applied(t_k + theta h) + sum_springs J_s^T (f_s - (kappa h H + C) w_s) +
//         soft bodies
//
// euler: theta = kappa = 1; midpoint: theta = kappa = 1/2. A has the model's constant pattern. M is diagonal and
// constant. There is no gyroscopic term: angular velocities and torques are those about the principal axes at t_k. The
// step is a splitting: forces act for theta h where the bodies are, bodies move freely for h (model/gyro.h), forces act
// for (1 - theta) h as they did, fixed in the world. So v^ is the velocity between both, torques neither damp nor turn
// a spin that they are across, and the angular momentum changes by what acts from outside alone.
#pragma once

#include "base/arena.h"
#include "body/elastic_joint.h"
#include "body/spring.h"
#include "math/blocks.h"
#include "model/joint_geometry.h"
#include "problem/hints.h"
#include "state/state.h"
#include "tenon/input.h"

typedef struct tn_balance {
    double theta, kappa, h;
    tn_blocks *A;
    double *b;         // (3 n_blocks) [N, N m]
    double *mass;      // (3 n_blocks) diagonal of M. NULL where only A needs it: scheme euler, rigid bodies
                       // without joints
    double *applied;   // (3 n_blocks) applied forces, without gravity: for the energy report. NULL: none
    double *predicted; // (3 n_blocks) v^ without contacts, springs and elasticity. NULL where neither bounces
                       // nor turning facets ask for it
    double *swing;     // (3 n_blocks) mean angular velocity over the step less v^, of bodies whose free
                       // rotation changes it (model/gyro.h), zero elsewhere; for springs and joints. NULL: all zero
    tn_joint_geometry *joints;    // (n_joints) at the state, where the balance has their stiffness; else NULL
    double *slack;                // A and b before tn_balance_tighten (joint_stiffness.h); NULL: as they are
    int n_springs;                //
    tn_spring_element *springs;   // (n_springs)
    tn_elastic_element *elastics; // (n_joints) of rods' joints (elastic_joints.h); NULL: there are none
    const double (*borne)[6];     // (n_joints) force and torque on b of elastic joints [N, N m], world axes, where the
                                  // step has its own (scheme pbd, set by sim); else NULL
    const tn_tets_elastic *elastic; // of the soft bodies; the caller's
    const double *moved;            // (n_nodes, 3) or NULL, as given
    const tn_input *input;          // as given
    const double *effort;           // (n_joint_coordinates) of it, a copy; NULL: none
    tn_hints hints;                 // of the step's problem: places of nodes at its start; known_v is the last step's
                                    // v^, at the nodes what moved says
    double *pushed;                 // (n_nodes, 3) S moved [N]; or NULL
    double *drive;                  // (n_nodes, 3) mean velocity of nodes on kinematic bodies, zero elsewhere; or NULL
    double *dragged;                // (n_nodes, 3) S drive [N]; NULL without drive
    double *held;                   // (n_nodes, 3) elements' forces if no free node moved [N]; NULL without drive
    struct tn_arc *arcs;            // (n_softs) as the elements take them (arc.h): scheme euler; else NULL
    double *chord, *chord_force;    // (n_nodes, 3) w of the arcs [m/s], S w [N]: where they count
    bool chords;                    // whether they do
} tn_balance;

// elastic: of the soft bodies at state->x + kappa h moved; moved (n_nodes, 3) NULL: at state->x. Both NULL without
// them. input: what acts beside the scene, counted as applied; or NULL.
tn_status tn_balance_build(const tn_model *model, const tn_state *state, const tn_tets_elastic *elastic,
                           const double *moved, const tn_input *input, tn_arena *arena, tn_balance *out,
                           tn_error *error);

// M's diagonal (3 n_blocks), of rigid bodies and nodes [kg, kg m^2]. NULL: no memory.
double *tn_balance_push_mass(const tn_model *model, tn_arena *arena);
