// Tension in joints, taken implicitly where the step is too long for the oscillations that it causes.
//
// A taut chain of light bodies is stiff across: the force f that a joint bears at the arm r from a body's center turns
// with neither, so that a turn of the body by theta across r brings back the torque -K theta, K = (r . f) (1 - e e^T)
// with e = r/|r|, summed over its joints (Tournier, Nesme, Gilles and Faure 2015, "Stable constrained dynamics";
// Andrews, Teichmann and Kry 2017). A step that takes K as it is at its start is stable up to h^2 K = 4 I. Where h^2 K
// exceeds I, some of K is taken at the step's end, A += h (1 - I / (h^2 K)) K, so much that h^2 K / I falls to 1;
// elsewhere A stays as it is, to the bit. What it adds damps those oscillations and, by the same rate per step, slow
// turning of the same bodies; it goes to zero with the step.
//
// I is about what turns: the body, and at its joints what their other sides have to give way with, about the body's
// center or about one of the joints, whichever gives less. A light rod with heavy ends, or one between a hinge in the
// world and a heavy bob, is not stiff in this sense. K and f are of the last step. Schemes euler and implicit.
#pragma once

#include "discretize/balance.h"

// Adds it to balance->A, for joints between rigid bodies; balance->joints is their geometry.
tn_status tn_balance_add_joint_stiffness(const tn_model *model, const tn_state *state, tn_arena *arena,
                                         tn_balance *balance, tn_error *error);

// Scheme midpoint, which takes the joints' forces along the step: K of the forces (n_joint_rows) where v^ is about to
// be found beside v (3 n_blocks), A += h/2 K and b += h/2 K v. Nothing changes for v^ = v; until then the solve knows
// that forces turn with the bodies, which is what makes solving again and again converge. Replaces what the last call
// did.
tn_status tn_balance_tighten(const tn_model *model, const tn_state *state, const double *force, const double *v,
                             tn_arena *arena, tn_balance *balance, tn_error *error);
