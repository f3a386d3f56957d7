// L D L^T of a symmetric matrix of both signs by small dense fronts: the numbers of problem/assembly.h.
//
// A front eliminates some scalars and couples later ones, its border; what it leaves on the border is added to its
// parent. Pivots have the sign that is known of them: an assembly's matrix is quasi-definite, so that every order is
// stable (Vanderbei, Symmetric quasi-definite matrices, 1995).
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { TN_PANEL = 8 }; // right-hand sides in a panel

typedef struct tn_front {
    int first, n, width; // position of its first scalar; scalars eliminated; with the border
    int positive;        // the first so many of the n have positive pivots, the others negative ones
    int stride;          // width, rounded up to eight numbers
    int child, next;     // first child, next child of the same parent; -1: none
    const int *border;   // (width - n) positions, ascending
    const int *into;     // (width - n) where they are in the parent's front
    size_t at;           // (n, stride) of the values: rows of L^T
    size_t rest;         // (width - n, stride) of the rests: what it adds to its parent, on and right of the diagonal
} tn_front;

typedef struct tn_ldl {
    int n, size;     // fronts, scalars
    tn_front *front; // in the order of elimination, children first
    size_t n_values, n_rests;
    double *value;   // (n_values)
    double *rests;   // (n_rests) while factoring: a front's lasts until its parent has it
    double *inverse; // (size) of the pivots
} tn_ldl;

// In place. False: a pivot has the wrong sign or is not finite.
bool tn_ldl_factor(tn_ldl *s);
// In place: x (size).
void tn_ldl_solve(const tn_ldl *s, double *x);
// The same for a panel of right-hand sides: x (size, TN_PANEL), row-major.
void tn_ldl_solve_panel(const tn_ldl *s, double *x);
// Rows times a panel (problem/assembly.h).
void tn_panel_multiply(int n, const int *start, const int *at, const double *value, const double *panel, size_t stride,
                       double *out);
// The first three by a named instruction set, for tests; false: unknown, or the processor lacks it.
bool tn_ldl_with(const char *kind, tn_ldl *s, double *x, double *panel, bool *definite);
