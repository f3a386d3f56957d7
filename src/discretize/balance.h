// The step's linear momentum balance A v^ = b + J^T lambda without its contacts, for the theta schemes.
//
//     A = M/(theta h) + sum_springs J_s^T (kappa h H + C) J_s
//     b = M v_k/(theta h) + f_gravity + f_applied(t_k + theta h) + f_gyro + sum_springs J_s^T (f_s - (kappa h H + C)
//     w_s)
//
// euler: theta = kappa = 1; midpoint: theta = kappa = 1/2. M is diagonal and constant; the gyroscopic term enters b
// only (body/gyro.h). Applied forces are taken at t_k + theta h, their body axes at t_k.
#pragma once

#include "base/arena.h"
#include "body/spring.h"
#include "math/blocks.h"
#include "state/state.h"

typedef struct tn_balance {
    double theta, kappa, h;
    tn_blocks *A;
    double *b;                  // (3 n_blocks) [N, N m]
    double *mass;               // (3 n_blocks) diagonal of M
    double *applied;            // (3 n_blocks) applied forces, without gravity: for the energy report
    double *predicted;          // (3 n_blocks) v^ without contacts and springs
    int n_springs;              //
    tn_spring_element *springs; // (n_springs)
} tn_balance;

tn_status tn_balance_build(const tn_model *model, const tn_state *state, tn_arena *arena, tn_balance *out,
                           tn_error *error);
