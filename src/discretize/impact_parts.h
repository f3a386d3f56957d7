// What the files of tn_impact share.
#pragma once

#include "discretize/impact.h"

// The closed contacts on their way into the problem.
typedef struct tn_closed {
    int n, n_coupled;          // the coupled ones come first
    int *source;               // (n) number in the first problem
    double *offset;            // (n, 3) w of Newton's law
    double *lambda;            // (n, 3) start; alone: solved
    bool *alone;               // (n) while they are sorted
    int *load;                 // (model->n_blocks) how many act on each block
    const double **turn;       // (model->n_rigid_blocks) of blocks that turn freely (model/rigid.h); NULL: others
    double *start;             // (3 model->n_blocks) velocity if all forces of the first solve stayed
    double *momentum;          // (3 model->n_blocks) M v_k/h + f
    const double *mass;        // (3 model->n_blocks)
    const double *held;        // (3 model->n_blocks) joints' forces that stay; NULL: none
    const tn_rows *joints;     // at the step's end; NULL: none
    const double *joint_start; // (joints->n_singles)
    double h;
} tn_closed;

static inline int tn_closed_joint_entries(const tn_closed *c)
{
    return c->joints ? c->joints->start[c->joints->n_singles] : 0;
}

// Contacts that act on one block alone, and alone on it: lambda of each and v of its block, which comes without it.
void tn_closed_solve_alone(const tn_problem *first, tn_closed *c, double *v);
// out->problem and its coupled part of the closed contacts; out->v is there. false: no memory.
bool tn_closed_build(const tn_model *model, const tn_rows *all, tn_closed *c, tn_arena *arena, tn_impact *out);
