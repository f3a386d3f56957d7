// Second solve of the midpoint scheme: the velocity after the step.
//
// Non-penetration is a statement on v^ and fixes q_{k+1}; v_{k+1} = 2 v^ - v_k would then make every landing a
// perfectly elastic bounce (physics: "a trap of midpoint"). For the contacts that are closed at the end of the step,
// v_{k+1} is therefore found from Newton's law with the same solver:
//
//     M (v_{k+1} - v_k)/h = f + J^T lambda',   u_n(v_{k+1}) >= -eps u_n(v_k),   law(u, lambda')
//
// f are all forces but the contacts', as the first solve left them: f = b - A v^ + M (v^ - v_k)/(theta h) at its v^.
// M is diagonal. Blocks that no closed contact acts on have v_{k+1} = v_k + h M^-1 f at once; a contact that acts on
// one block alone, and alone on it (a soft body's vertex on something that does not give way), is solved by itself
// (law/set.h), whatever the solver. The solver is left with the others.
//
// Joints: their forces of the first solve stay in f, half of them in the axes at the step's start, half in those at its
// end; rows at the end find what the velocities violate there (joints.h).
#pragma once

#include "discretize/problem.h"

// Rows at the step's end, which forces to start from, and what stays of the first solve.
typedef struct tn_impact_joints {
    const tn_rows *end;
    const double *start; // (end->n) [N, N m]
    const double *held;  // (3 n_blocks) generalized forces
} tn_impact_joints;

// What the first solve has left.
typedef struct tn_impact_first {
    const tn_solution *solution;
    const double *product; // (3 n_blocks) A v^
    const double *turn;    // (n_bodies, 4) of the free bodies over the step, from the axes at its end to those at its
                           // start
    const tn_impact_joints *joints; // NULL: without
} tn_impact_first;

typedef struct tn_impact {
    tn_problem problem;           // of the closed contacts and the blocks that they act on
    tn_problem coupled;           // the first of both: what is left to solve
    tn_rows rows;                 // of problem
    tn_rows coupled_rows;         // of coupled
    tn_blocks coupled_A;          // of coupled
    int *source;                  // (rows.n_triples) number of the contact in the first problem
    int *block;                   // (problem.A->n_rows) the model's block of each block row
    tn_solution solution;         // of problem; the coupled part: by tn_impact_finish, until then start values
    tn_solution coupled_solution; // of coupled: start values, from the first solve; v is that of solution
    double *v;                    // (3 model->n_blocks) v_{k+1}; blocks of coupled: by tn_impact_finish
} tn_impact;

// v_{k+1} and the problem are about the axes at the step's end. Closed: in the first solve (problem/active.h), or the
// gap at the step's end below touch. With none of them and no joints problem.rows is empty and v_{k+1} = 2 v^ - v_k
// holds.
tn_status tn_impact_build(const tn_model *model, const tn_state *state, const tn_balance *balance,
                          const tn_contact_rows *rows, const tn_impact_first *first, tn_arena *arena, tn_impact *out,
                          tn_error *error);
// The solution of the coupled part to that of all, and to v.
void tn_impact_finish(tn_impact *impact);
