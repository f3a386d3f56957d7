// The force form of a small problem: v and the bilateral joint rows eliminated, dense.
//
//     y = H f + q,   rows 3 m to 3 m + 2 of contact m (n, t1, t2), then the bounded joint rows
//
// with Omega and compliances in H. Joint rows whose force is given (lower = upper) are part of q. Bilateral rows that
// depend on one another are harmless: their forces are those of least norm, weighted with the rows' effective masses.
#pragma once

#include "base/arena.h"
#include "math/cholesky.h"
#include "math/parts.h"
#include "solver/lemke/independent.h"
#include "tenon/problem.h"

typedef struct tn_force_form {
    const tn_problem *problem;
    int n_bounded, n_bilateral;
    int n;                // 3 contacts->n + n_bounded
    const int *bounded;   // (n_bounded) joint row
    const int *bilateral; // (n_bilateral) joint row
    double *H;            // (n, n) row-major
    double *q;            // (n)
    double *own;          // (n) diagonal of H before bilateral rows were eliminated: the scale of rounding in H
    int width;            // n + n_bilateral
    double *all;          // (width, width) of all rows, the bilateral ones last; NULL: H is that
    tn_independent held;  // bilateral rows, and the inverse of their part of all
    double *load;         // (3 A->n_rows) b and the given forces
    const tn_parts *parts;
    tn_part_factors factors; // of A
    tn_cholesky *factor;     // instead, where a part is SPARSE; or NULL
} tn_force_form;

// TN_NUMERICS: A is not positive definite. Destroy frees the factor of A only; also after a failure.
tn_status tn_force_form_create(const tn_problem *problem, tn_arena *arena, tn_force_form *out, tn_error *error);
void tn_force_form_destroy(tn_force_form *form);
// v and all joint forces of the contact forces lambda in the solution and the bounded rows' forces f (n_bounded).
tn_status tn_force_form_recover(const tn_force_form *form, const double *f, tn_solution *solution, tn_arena *arena,
                                tn_error *error);
