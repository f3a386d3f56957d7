// The linear system of a solved problem with its active set frozen: how the solution moves when the problem does
// (implicit differentiation; on the natural map of all laws, as solver `dense` takes Newton steps on it).
//
//     A dv - J^T dl = -dr,   dl = D (dl - M (J dv + R dl + dy)) + E dl_p - dm
//
// D, E: slopes of the projection P at z = l - M y, dP/dz and dP/d pressed; M: effective masses; dr, dy, dm: what the
// change of the problem makes of momentum balance, velocities and P itself at the old solution. Rows whose D is zero
// (open contacts, motors at their strength) keep their force. Rows that depend on one another get some dl that
// balances; dv is the same for all of them.
#pragma once

#include "base/arena.h"
#include "math/cholesky.h"
#include "problem/bound.h"
#include "tenon/problem.h"

#include <stdint.h>

typedef struct tn_tangent {
    int n, n_rows, n_constraints; // numbers of v and lambda
    uint64_t shape;               // hash of what has to be the same in a problem that is near
    tn_cholesky *factor;          // of A
    const tn_rows *rows;          // a copy: start, block, jacobian only
    double *v, *lambda, *y;       // (n), (n_rows), (n_rows) solution, velocities with softness
    double *rho;                  // (n_constraints) effective masses
    tn_bound *bound;              // (n_constraints)
    tn_projection *map;           // (n_constraints)
    const int *pressed_by;        // (n_constraints) constraint whose normal force presses; -1
    bool *active;                 // (n_constraints)
    bool *idle;                   // (n_constraints) would be active, but another holds the same: its force stays
    int n_active;                 // rows
    int *row;                     // (n_active) numbers in lambda
    double *matrix, *lu;          // (n_active square): of dl, and softened and factored
    int *pivot;
} tn_tangent;

// Of a problem (shape: what names its rows beside it) and its solution, which goes to the rounding of the system by
// Newton steps first. Arrays in arena; destroy frees the factor. TN_NUMERICS: A is not positive definite, or no factor.
tn_status tn_tangent_create(const tn_problem *problem, uint64_t shape, tn_solution *solution, tn_arena *arena,
                            tn_tangent *out, tn_error *error);
// Whether no change of forces that the laws allow moves anything.
bool tn_tangent_is_unique(const tn_tangent *t, tn_arena *scratch);
void tn_tangent_destroy(tn_tangent *t);
uint64_t tn_tangent_shape(const tn_problem *problem, uint64_t names); // names: hash of what its constraints are of
// Solution of a problem that is near, to first order; false: no memory. Its shape must be the same.
bool tn_tangent_solve(const tn_tangent *t, const tn_problem *near, tn_arena *scratch, tn_solution *out);
