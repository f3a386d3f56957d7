// Forces along the free coordinates of joints, that the step's input gives.
#pragma once

#include "discretize/balance.h"

// effort (n_joint_coordinates) [N, N m], into b, applied and predicted. Directions are those at the step's start.
tn_status tn_balance_add_efforts(const tn_model *model, const tn_state *state, const double *effort, tn_arena *arena,
                                 tn_balance *balance, tn_error *error);
