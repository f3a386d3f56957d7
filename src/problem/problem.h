// Plain properties of a problem that solvers and certificate share: is it well formed, what is J v + w.
#pragma once

#include "math/parts.h"
#include "problem/hints.h"
#include "tenon/problem.h"

// Shapes, index ranges, finite numbers, mu >= 0; O(size). TN_BAD_INPUT names the array and the element.
// Positive definiteness of A is left to the factorisations.
tn_status tn_problem_check(const tn_problem *problem, tn_error *error);

// Whether its owner wants no more of it. Whatever asks ends as if all were exact enough: nobody looks at the result.
static inline bool tn_problem_stopped(const tn_problem *problem)
{
    return problem->stop && problem->stop(problem->user);
}

// With the parts of A among its hints: itself where they are known or there is no A, else a copy that has found them.
// NULL: no memory.
const tn_problem *tn_problem_with_parts(const tn_problem *problem, tn_arena *arena);
// The parts of A: those of the hints, or found. NULL: no memory. Global form.
const tn_parts *tn_problem_parts(const tn_problem *problem, tn_arena *arena);
// A holds a soft body, or more bodies tied together than a dense factor is for. False in local form.
bool tn_problem_is_elastic(const tn_problem *problem, tn_arena *arena);

// u (n, 3) = J v + w + Omega lambda in global form, W lambda + q + Omega lambda in local form [m/s].
// Global form: lambda NULL is none.
void tn_problem_velocity(const tn_problem *problem, const double *v, const double *lambda, double *u);
// u (3) of contact m; global form. lambda NULL: none.
void tn_contact_row_velocity(const tn_problem *problem, int m, const double *v, const double *lambda, double u[3]);
// u (n_triples, 3) = J v
void tn_rows_motion(const tn_rows *rows, const double *v, double *u);
// u (n, 3) += Omega lambda, where there are both.
void tn_problem_add_softness(const tn_problem *problem, const double *lambda, double *u);
// force (3 A->n_rows) += J^T lambda [N]; global form.
void tn_problem_add_contact_force(const tn_problem *problem, const double *lambda, double *force);
// Both at once, reading J once; global form.
void tn_problem_apply(const tn_problem *problem, const double *v, const double *lambda, double *u, double *force);
