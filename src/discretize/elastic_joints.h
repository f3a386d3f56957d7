// Elastic joints of rods in the balance: A += J^T (kappa h H + lag H) J + h tension, b += J^T (f - (kappa h H + lag H)
// w) (body/elastic_joint.h).
#pragma once

#include "discretize/balance.h"

// Of all joints that have them, into balance->elastics (n_joints).
tn_status tn_balance_add_elastic_joints(const tn_model *model, const tn_state *state, tn_arena *arena,
                                        tn_balance *balance);
// What the joint bears in the step at v (3 n_blocks): force and torque on b at its point, world axes.
void tn_balance_elastic_force(const tn_model *model, const tn_balance *balance, int joint, const double *v,
                              double force[3], double torque[3]);
