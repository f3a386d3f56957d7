// From the momentum balance and the contact rows to the step's problem.
#pragma once

#include "discretize/joints.h"
#include "discretize/rows.h"

// A, b, law, step and scales; points into balance and rows, and to `all`, which is filled with the contacts' rows and
// then the joints' (NULL: none). TN_NO_MEMORY only.
tn_status tn_step_problem(const tn_model *model, const tn_state *state, const tn_balance *balance,
                          const tn_contact_rows *contacts, const tn_rows *joints, tn_arena *arena, tn_rows *all,
                          tn_problem *out, tn_error *error);
