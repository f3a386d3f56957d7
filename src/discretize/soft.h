// What soft bodies add to the step's momentum balance (balance.h).
//
// Node i with a block: M = m_i (1/(theta h) + alpha), force m_i g + pull + f_i, S = (kappa h + beta) K + kappa h E to
// A. Nodes attached to a free body move with it, x_i' = P_i V: their rows of S and f act on the body through P_i^T
// (their mass is part of it). Nodes attached to a kinematic body have a given velocity: S times it goes to b.
#pragma once

#include "discretize/balance.h"

// Adds to A, b, mass, applied, predicted, and sets drive. elastic: at state->x.
tn_status tn_balance_add_softs(const tn_model *model, const tn_state *state, tn_arena *arena, tn_balance *out,
                               tn_error *error);
