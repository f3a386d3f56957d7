// Coloured nodal Gauss-Seidel with contacts, eight nodes at once, and the residual that goes with it.
//
// Rows of A are packed in slices of eight (lanes); the rows of one colour share no block of A, so the slices of a
// colour may be swept in any order, by any number of threads, with the same bits. A packed vector holds 24 numbers a
// slice: x of eight rows, y of eight rows, z of eight rows; place[row] is the index of a row's x (y at + 8, z at + 16).
//
// A node without contact: v_i -= A_ii^-1 r_i, r = A v - b. A node with one contact that is a rotation of it, alone:
//     u = v_i - w r_i + c,   z = u + p,   v_i = z - c,      w = 1 / lambda_max(A_ii)
// with the push p [m/s] along the law's operator (strict: normal first, then the disc at that normal force); the
// contact's force is p / w and obeys the law exactly with the new v_i. c is the surface velocity in world axes.
#pragma once

#include "tenon/problem.h"

#include <stdint.h>

enum { TN_NODAL_LANES = 8 };

typedef enum tn_nodal_state {
    TN_NODAL_OPEN,
    TN_NODAL_STICK,
    TN_NODAL_SLIDE,
} tn_nodal_state;

// The contacts of one slice's nodes.
typedef struct tn_nodal_contacts {
    double normal[3][TN_NODAL_LANES]; // world axes, from the node's surroundings to the node
    double offset[3][TN_NODAL_LANES]; // c [m/s]
    double mu[TN_NODAL_LANES];
    double w[TN_NODAL_LANES];       // [m/(N s)]; 1 in lanes without contact
    double push[3][TN_NODAL_LANES]; // p of the last sweep [m/s]; 0 in lanes without contact
    int64_t mask[TN_NODAL_LANES];   // -1: contact, 0: none
    int64_t state[TN_NODAL_LANES];  // tn_nodal_state of the last sweep; open in lanes without contact
} tn_nodal_contacts;

typedef struct tn_nodal_rows {
    int n_slices;
    int n_colours;
    const int *colour_start;     // (n_colours + 1) first slice of each colour
    const int *start;            // (n_slices + 1) first column of each slice
    const int *column;           // (start[n_slices], 8) place of each lane's block column
    const double *value;         // (start[n_slices], 9, 8) blocks row-major, lane by lane
    const double *inverse;       // (n_slices, 9, 8) A_ii^-1; 0 in lanes without row
    const int *contact_of_slice; // (n_slices) index in contacts, or -1
    tn_nodal_contacts *contacts; //
    tn_law law;
} tn_nodal_rows;

// One sweep over all rows, colour by colour: x (packed), b (packed). Writes push and state of the contacts.
void tn_nodal_sweep(const tn_nodal_rows *rows, const double *b, double *x, int n_threads);
// r = A x - b, packed.
void tn_nodal_residual(const tn_nodal_rows *rows, const double *b, const double *x, double *r, int n_threads);
