// Explicit virtual nodes: every contact point that is not a node of its own becomes one, tied to its body by a damper.
//
// Source: the velocity fixed point iteration's augmented system (docs: solvers, cond). The point velocity J_v v_o of a
// contact side gets a massless node v_v and the force k_v (J_v v_o - v_v) on it:
//
//     [ A + k_v Jv^T Jv   -k_v Jv^T ] [ v_o ]   [ b ]
//     [     -k_v Jv          k_v I  ] [ v_v ] = [ 0 ] + J^T lambda
//
// The result is SPD where A is, and its solution tends to the rigid one as k_v grows. In it every side of a contact is
// one block with a rotation (+R or -R): J W J^T is diagonal for any W that is a number a block.
#pragma once

#include "base/arena.h"
#include "tenon/problem.h"

typedef struct tn_nodalized {
    tn_problem problem;   // augmented; v holds the original blocks first, then the virtual nodes
    tn_rows contacts;     // what problem.rows points to; rows, frames, offsets as before, so lambda is unchanged
    int n_original;       // blocks of the original problem
    int n_virtual;        // virtual nodes: block n_original + k
    const int *tie_start; // (n_virtual + 1) blocks that carry each virtual node
    const int *tie_block;
    const double *tie; // (tie_start[n_virtual], 9) v_v = sum tie v_block
} tn_nodalized;

// k_v in N s/m, finite and positive. The sides of a contact: Jacobian entries that are a positive or a negative
// multiple of a rotation are body B's or A's; any other entry goes with the block before it (a rigid body's angular
// block follows its linear one), else with an entry on the same component of A. A side that is one block with a pure
// rotation stays as it is, if no earlier contact took that block. TN_BAD_INPUT: local form, bad k_v.
// All in arena; out must stay where it is (problem.rows points into it).
tn_status tn_nodalize(const tn_problem *problem, double k_v, tn_arena *arena, tn_nodalized *out, tn_error *error);
// v_augmented (3 (n_original + n_virtual)): v (3 n_original) and the virtual nodes moving with it: a warm start.
void tn_nodalize_lift(const tn_nodalized *nodalized, const double *v, double *v_augmented);
