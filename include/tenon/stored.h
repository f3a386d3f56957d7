// Problems that own their memory, of a file or copied from a step; their certificate; which solvers there are.
#pragma once

#include "tenon/problem.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) // all else is hidden

// Immutable but for its law; any number of threads may read and solve it.
typedef struct tn_stored_problem tn_stored_problem;

// A file in FCLIB's HDF5 layout, local (W, q, mu) or global (M, H, f, w, mu). FCLIB has no step: 1. Law
// and facets are those of a file of tn_stored_problem_write or of an export, else strict Coulomb and the round cone; an
// unknown law there or facets that cannot be are an error. NULL on failure: no such file, or the error names the
// dataset that is wrong. One thread at a time: HDF5 is not made for more.
tn_stored_problem *tn_stored_problem_read(const char *path, tn_error *error);
// Of a problem of the caller's or of a step (tn_sim_problem), checked as tn_problem_solve does; what a simulation knows
// beside it stays behind, so that its solvers may take another way to the same solution. NULL on failure.
tn_stored_problem *tn_stored_problem_copy(const tn_problem *problem, tn_error *error);
void tn_stored_problem_destroy(tn_stored_problem *stored); // NULL is fine

// The law and facets (0: the round cone) that the problem has from here on, by which it is solved, certified and
// written; its numbers stay. TN_BAD_INPUT: no such law, or facets that are neither 0, 2, nor even from 4 to 1000.
tn_status tn_stored_problem_set_law(tn_stored_problem *stored, tn_law law, int facets, tn_error *error);

const tn_problem *tn_stored_problem_get(const tn_stored_problem *stored); // its memory; NULL: there is none

typedef struct tn_stored_info {
    const char *title; // of the file; "": none
    int dimension;     // 2 or 3, of the file
    int n_velocities;  // of the file, before they were padded to blocks of three; 0 in local form
} tn_stored_info;
void tn_stored_problem_info(const tn_stored_problem *stored, tn_stored_info *out);

// An FCLIB file, in the form and dimension that it was read in, with the group `solution` (v, u, r) unless solution is
// NULL. Frames and gaps are not in FCLIB, law and facets a text beside it (`math_info`); what it has no place for
// (joints, rolling or directional friction, softness) is TN_BAD_INPUT. It balances impulses: M = h A, f = h b, r = h
// lambda. Replaces an FCLIB file, and nothing else (TN_IO). The check says ahead of a long solve whether it would find
// room at path.
tn_status tn_stored_problem_write_check(const char *path, tn_error *error);
tn_status tn_stored_problem_write(const tn_stored_problem *stored, const char *path, const char *title,
                                  const tn_solution *solution, tn_error *error);

// How well a solution solves a problem, by code that shares nothing with the solvers. penetration and drift are NaN:
// there is no geometry here.
tn_status tn_problem_certify(const tn_problem *problem, const tn_solution *solution, tn_certificate *certificate,
                             tn_error *error);

// Solver number i, in the order of `tenon info`, and in a line what it is; NULL: there is none.
const char *tn_solver_name(int i);
const char *tn_solver_summary(int i);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
