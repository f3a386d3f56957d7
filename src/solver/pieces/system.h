// The linear equations of one point of a path by pieces (law.h):
//
//     A dv - J^T B dz = f,   C dz - J dv = g
//
// Contact by contact dz is eliminated, with a compliance far below the contacts' own in place of what stick lacks, and
// K = A - J^T B (C - delta B)^-1 J is factored in a band; the corrections of one more solve make up for the compliance.
#pragma once

#include "math/band_lu.h"
#include "solver/contact_matrix.h"

typedef struct tn_piece_system {
    const tn_problem *problem;
    int n, n_v;               // contacts, numbers in v
    double compliance;        // delta [m/s/N]
    double *B, *C;            // (n, 9) slopes that the factor has
    double *E;                // (n, 9) (C - delta B)^-1
    double *G;                // (n, 9) -B E
    tn_contact_matrix K;      //
    int *place;               // (block rows) of each in the band
    tn_band_lu band;          //
    double *x, *f, *g, *rest; // (n_v), (n_v), (n, 3), (n, 3) scratch
    int factorisations;       // done
} tn_piece_system;

// mobility: a contact's own, about [m/s/N]. False: no memory.
bool tn_piece_system_create(tn_piece_system *s, const tn_problem *problem, double mobility, tn_arena *arena);
// Of the slopes in B and C. Returns the sign of the equations' determinant, up to one that all pieces share; 0:
// singular.
int tn_piece_system_factor(tn_piece_system *s);
// f (n_v) NULL: zero. dv (n_v), dz (n, 3).
void tn_piece_system_solve(tn_piece_system *s, const double *f, const double *g, double *dv, double *dz);
