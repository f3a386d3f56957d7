// The least change of the bodies' positions that takes errors of joints away to first order.
#pragma once

#include "sim/sim.h"
#include "solver/dense/motion.h"

typedef struct tn_joint_correction {
    tn_rows rows;       // offset: the errors, (n_singles) and the caller's
    tn_problem problem; // of the blocks that rows act on, numbered anew
    const int *block;   // (A->n_rows) the model's; NULL: the same
    double *way;        // (3 A->n_rows)
    double *force;      // (n_singles) of the last errors
    bool factored;      // motion serves for all errors of these rows
    tn_motion motion;
} tn_joint_correction;

// In setup->arena. Least by the mass, or, as_in_step, by what the step has for it: so that it is what forces on the
// rows would have done. `last`, if any, lends its assembly where its rows are of the same pattern, and serves no more.
// TN_NO_MEMORY only.
tn_status tn_joint_correction_create(const tn_step_setup *setup, const tn_step_equations *eq, const tn_rows *rows,
                                     bool as_in_step, const tn_joint_correction *last, tn_joint_correction *out);
// Of the errors that rows.offset has now, into v (3 n_blocks).
tn_status tn_joint_correction_find(const tn_step_setup *setup, tn_joint_correction *correction, double *v,
                                   tn_error *error);

// The span that rows of its errors are to have [s]: what weighs them is h times A, or, where nodes go along, A.
double tn_joint_correction_span(const tn_step_setup *setup, const tn_step_equations *eq);

// Whether the model's joints are so corrected: not in midpoint, nor where nodes of soft bodies are held.
bool tn_sim_shakes(const tn_model *model);
// Errors of the joints at the step's end are taken away by the forces of its start (shake.c); *drift becomes what is
// left, `exact` will do. *last: the correction that served last, in setup->arena.
tn_status tn_sim_shake(const tn_step_placing *at, double exact, tn_joint_correction *last, double *drift,
                       tn_error *error);
