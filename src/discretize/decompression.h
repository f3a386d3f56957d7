// Poisson's law of restitution, scheme euler: the step's solve is the compression, in which bouncing contacts come to
// rest; a second one, the decompression, gives back the share e of each contact's impulse.
//
//     A v = b + J^T lambda_1 + sum e c n + J^T lambda_2,   0 <= lambda_2n perp u_n + phi >= 0
//
// c is what the contact bore beyond its force of the last step, where that would change its velocity by more than the
// threshold of restitution, and some contact in the step was fast: resting contacts do not bounce, contacts that an
// impact elsewhere presses do. Friction of
// lambda_2 is its own, that of e c comes as bounded joint rows: in the plane one row within +- mu e c; in space half as
// many rows as the cone has facets (16 where it is round), whose segments add up to its polygon. So the second problem
// is one that every solver with joints takes, and the sum of both frictions obeys mu (e c + lambda_2n) exactly. Dry
// friction of spherical and planar joints, which no contact presses, is found anew by the second solve, for the whole
// step.
#pragma once

#include "discretize/rows.h"

typedef struct tn_decompression {
    int n_bounces; // contacts with e c > 0; 0: nothing to do, and the rest is not there
    tn_problem problem;
    tn_solution solution;   // of problem; v starts at the first one
    tn_rows rows;           // of problem: its singles are the step's own, then friction
    int n_own;              // the step's own
    int n_anew;             // of the last triples, whose forces are those of the whole step
    const double *returned; // (contacts->n) e c [N]
    const int *contact;     // (joints.n - n_own) contact of each friction row
    const double *along;    // (joints.n - n_own, 2) its direction in (t1, t2)
} tn_decompression;

// first: the compression and its solution; rest (contacts->n, 3): forces that the contacts bore before; part
// (contacts->n): so much of what the law gives back, NULL: all.
tn_status tn_decompression_build(const tn_model *model, const tn_contact_list *list, const tn_contact_rows *rows,
                                 const tn_problem *first, const tn_solution *solution, const double *rest,
                                 const double *part, tn_arena *arena, tn_decompression *out, tn_error *error);
// Adds its forces to those of the compression, v becomes its own.
void tn_decompression_add(const tn_decompression *decompression, tn_solution *solution);
