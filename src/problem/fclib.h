// FCLIB's HDF5 layout for one step's friction problem (local: W, q, mu; global: M, H, f, w, mu), read and written.
// HDF5's usual build is not thread safe: one thread at a time.
#pragma once

#include "base/arena.h"
#include "tenon/problem.h"

typedef struct tn_fclib_problem {
    tn_problem problem;  // local form, or global form built from M, H, f, w (2-D embedded with a zero second tangent)
    tn_rows contacts;    // what problem.rows points to
    int space_dimension; // 2 or 3, of the file
    int n_velocities;    // rows of M before padding to blocks of three; 0 in local form
    char title[256];
} tn_fclib_problem;

// All arrays in arena. out must stay where it is while in use (problem.rows points into it). FCLIB has no step: 1; law
// and facets are strict Coulomb and the round cone unless the text `math_info` says others ("law convex facets 8").
// Errors name the file and the dataset that is wrong.
tn_status tn_fclib_read(const char *path, tn_arena *arena, tn_fclib_problem *out, tn_error *error);
// Local form is written as fclib_local, global as fclib_global. Replaces an FCLIB file at path, once all is written;
// any other file is refused (TN_IO).
// FCLIB balances impulses, M v = f + H r and u = H^T v + w: the file holds M = h A, f = h b, H = J^T (local: W / h),
// and what is read back has step 1, the same v and u, and lambda = r = h lambda. Frames, gaps are not in FCLIB;
// two different friction coefficients at a contact, omega, moments and joints are refused.
tn_status tn_fclib_write(const char *path, const tn_problem *problem, const char *title, tn_error *error);
// The same with the problem in its own dimension and without padding, and group `solution` with v (global form),
// u and r unless solution is NULL. u is computed from v (from lambda in local form).
tn_status tn_fclib_write_solution(const char *path, const tn_fclib_problem *problem, const tn_solution *solution,
                                  tn_error *error);
// Whether they would find room at path, ahead of a long solve.
tn_status tn_fclib_write_check(const char *path, tn_error *error);
