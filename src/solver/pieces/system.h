// The linear equations of one point of a path by pieces (law.h):
//
//     A dv - J^T B dz = f,   C dz - J dv = g
//
// Contact by contact dz is eliminated, with a compliance far below the contacts' own in place of what stick lacks, and
// K = A - J^T B (C - delta B)^-1 J is factored by fronts (front_lu.h). A factor keeps the slopes of contacts where they
// have hardly changed, so that most fronts stay as they are: its solutions are for Newton's steps, which make up for
// that and for the compliance.
#pragma once

#include "solver/contact_matrix.h"
#include "solver/pieces/front_lu.h"

typedef struct tn_piece_system {
    const tn_problem *problem;
    int n, n_v;          // contacts, numbers in v
    double compliance;   // delta [m/s/N]
    double *B, *C;       // (n, 9) slopes of the present point, set by the caller
    double *E;           // (n, 9) (C - delta B)^-1 of the factor's slopes
    double *G;           // (n, 9) -B E of these
    double *kept;        // (n, 18) the factor's B and C
    bool *changed;       // (block rows) since the last factor
    tn_contact_matrix K; //
    tn_front_lu lu;      //
    double *f, *rest;    // (n_v), (n, 3) scratch
    int factorisations;  // done
    bool factored;
} tn_piece_system;

// mobility: a contact's own, about [m/s/N]. False: no memory.
bool tn_piece_system_create(tn_piece_system *s, const tn_problem *problem, double mobility, tn_arena *arena);
// Of the slopes in B and C. Returns the sign of the equations' determinant, up to one that all pieces share; 0:
// singular.
int tn_piece_system_factor(tn_piece_system *s);
// f (n_v) NULL: zero. dv (n_v), dz (n, 3).
void tn_piece_system_solve(tn_piece_system *s, const double *f, const double *g, double *dv, double *dz);
