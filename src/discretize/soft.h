// What soft bodies add to the step's momentum balance (balance.h).
//
// Node i with a block: M = m_i (1/(theta h) + alpha), force m_i g + pull + f_i, S = (kappa h + beta) K + kappa h E to
// A. Nodes attached to a free body move with it, x_i' = P_i V: their rows of S and f act on the body through P_i^T
// (their mass is part of it). Nodes attached to a kinematic body have a given velocity: S times it goes to b.
#pragma once

#include "discretize/balance.h"

// f and S belong to x_k + kappa h v_0 (balance->moved; else x_k). Then f - S v becomes f + (S - D) v_0 - S v with the
// damping's part D = beta/(kappa h + beta) S of it: linearised there. implicit: v_0 is Newton's last iterate, and S =
// (h + beta) (K + E). midpoint: v_0 is the last step's v^.
//
// Adds to A, b, mass, applied, predicted, and sets drive. elastic: at state->x.
double tn_soft_damped_part(const tn_balance *balance, const tn_scene_soft *said); // beta/(kappa h + beta)
tn_status tn_balance_add_softs(const tn_model *model, const tn_state *state, tn_arena *arena, tn_balance *out,
                               tn_error *error);
// Other arcs (n_softs) than the balance holds: b and what belongs to them. Elements are at x_k (scheme euler).
tn_status tn_balance_turn_arcs(const tn_model *model, const tn_state *state, const struct tn_arc *arcs, tn_arena *arena,
                               tn_balance *balance, tn_error *error);
