// Bodies that bilateral rows couple, as one linear system and its factor:
//
//     [A     G^T  ] [ v]   [ b]
//     [G  -(R + d)] [-f] = [-c]
//
// A small d > 0 on each row (the caller's) keeps rows that depend on one another apart; corrections with the residual
// of the rows without it make v exact and f the weighted least of all forces that balance (the proximal point method).
//
// L D L^T by dense fronts. Bodies are taken by minimum degree in the graph of joints; a joint's rows right after their
// first body where the body's degrees of freedom bear them, else after the next one. Trees and chains are factored
// without fill, in time linear in their joints (Baraff, Linear-time dynamics using Lagrange multipliers, 1996).
#pragma once

#include "base/arena.h"
#include "math/parts.h"
#include "tenon/problem.h"

#include <stddef.h>

typedef struct tn_assembly {
    int size;            // of the system
    const int *block_at; // (A->n_rows) where a block row's three numbers begin in a vector of the system
    const int *row_at;   // (n_singles) where a row's number is; -1: it is none of the assembly's
    double flops;        // of a factorisation
    struct tn_assembly_fronts *fronts;
} tn_assembly;

enum { TN_ASSEMBLY_BLOCKS = 8 }; // most block rows of a SPARSE part of A

// Of the pattern. rows: singles only (tn_rows_singles); taken (n_singles): which of them belong to it, NULL: all.
// False: no memory, or *fits became false: a part of A is too large, or so many loops that the factor would take
// more than max_flops. INFINITY: it is made whatever it costs.
bool tn_assembly_create(tn_assembly *assembly, const tn_blocks *A, const tn_parts *parts, const tn_rows *rows,
                        const bool *taken, double max_flops, tn_arena *arena, bool *fits);
// give (n_singles): R + d of each row [m/(s N)], above zero; INFINITY: the row is left out, its f is zero.
// False: A is not positive definite to rounding.
bool tn_assembly_factor(tn_assembly *assembly, const tn_blocks *A, const tn_rows *rows, const double *give);
// The pivot of row i in the factor, below zero: about as small as what was given, the row follows from others.
double tn_assembly_pivot(const tn_assembly *assembly, int i);
// In place, x (size): right-hand side in, [v; -f] out. Any number of threads may solve.
void tn_assembly_solve(const tn_assembly *assembly, double *x);
enum { TN_ASSEMBLY_PANEL = 8 };
// The same for a panel of right-hand sides: x (size, TN_ASSEMBLY_PANEL), row-major.
void tn_assembly_solve_panel(const tn_assembly *assembly, double *x);
// The product of n rows with a panel: of row r, entries start[r] to start[r + 1], each three numbers `value` at place
// `at`; out (n, stride), the panel's columns of it.
void tn_assembly_multiply_panel(int n, const int *start, const int *at, const double *value, const double *panel,
                                size_t stride, double *out);
