// From the momentum balance and the contact rows to the step's problem.
#pragma once

#include "discretize/joints.h"
#include "discretize/rows.h"

// A, b, contacts, joints (NULL: none), law, step and scales; points into balance and rows.
void tn_step_problem(const tn_model *model, const tn_state *state, const tn_balance *balance,
                     const tn_contact_rows *rows, const tn_joint_rows *joints, tn_problem *out);
