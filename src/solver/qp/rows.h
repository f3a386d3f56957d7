// The convex law of rigid bodies as a quadratic program in forces between bounds: row i has a force f_i and a velocity
// y_i of y = N f + c, N = R A^-1 R^T, with
//
//     y_i = 0 between the bounds, >= 0 at the lower one, <= 0 at the upper one
//
// A contact has a row n + mu d for each direction d of its polyhedral cone, with forces from 0 on: lambda is their sum.
// Joint rows are themselves. Rows are scaled to N_ii = 1.
#pragma once

#include "base/arena.h"
#include "math/parts.h"
#include "tenon/problem.h"

typedef struct tn_qp_rows {
    const tn_problem *problem;
    int n;
    int *first;    // (contacts->n + 1) rows of each contact; joint rows follow the last
    double *push;  // (first[contacts->n], 3) force of a unit in the contact's frame, before scaling
    double *scale; // (n) force over scaled force; velocity over scaled velocity is its inverse
    double *lower; // (n) scaled
    double *upper; // (n)
    double *c;     // (n) scaled velocities without forces
    const tn_parts *parts;
    tn_part_factors factors;
    int *offset;    // (parts->n + 1) first number of each part
    double *number; // (3 A->n_rows) scratch: numbers by component
    int *mark;      // (parts->n) scratch: part of a row in each, or -1
    int *start;     // (n + 1) parts of each row
    int *component; // (start[n])
    size_t *at;     // (start[n]) first of its numbers in g and w
    double *g, *w;  // scaled rows by component, and A^-1 of them
} tn_qp_rows;

#define TN_QP_ELASTIC "it takes rigid bodies, and A couples more than four blocks; auto takes that"

// TN_BAD_INPUT: a part of A is SPARSE. TN_NUMERICS: A is not positive definite.
tn_status tn_qp_rows_create(const tn_problem *problem, tn_arena *arena, tn_qp_rows *out, tn_error *error);
// order (n): all rows, those of bodies that are few contacts apart near one another. False: no memory.
bool tn_qp_rows_order(const tn_qp_rows *rows, tn_arena *arena, int *order);
// out (n_of) = N between row p and the rows `of`.
void tn_qp_rows_column(const tn_qp_rows *rows, int p, int n_of, const int *of, double *out);
// y (n) += N change at the rows `at` (n_at), change (n_of) of the rows `of`; NULL: of the first n_of. Other rows' y is
// void after it.
void tn_qp_rows_add(const tn_qp_rows *rows, int n_of, const int *of, const double *change, int n_at, const int *at,
                    double *y);
// Sweeps of Gauss and Seidel over the rows `at` (n_at), each force moved to where its own velocity is right; not with
// Omega.
void tn_qp_rows_sweep(const tn_qp_rows *rows, int sweeps, int n_at, const int *at, double *f);
// Forces of a solution's lambda and joint: lambda outside the cone is moved into it.
void tn_qp_rows_read(const tn_qp_rows *rows, const tn_solution *solution, double *f);
// And back: lambda, joint and v.
void tn_qp_rows_write(const tn_qp_rows *rows, const double *f, tn_solution *solution);
