// Coloured nodal Gauss-Seidel with contacts, eight nodes at once, and the residual that goes with it.
//
// A lies in the coloured order of kernels/sell.h: the rows of one colour share no block of A, so the slices of a colour
// may be swept in any order, by any number of threads, with the same bits. Only the large components are swept.
//
// All in single precision, relative to a reference v* of doubles that the caller sets anew now and then: x = v - v*,
// and b is the residual there, b = (b of the problem) - A v* + the contacts' forces p* / w of the reference. What
// rounds is then as small as the change since. The contacts themselves, few numbers, are worked on in doubles.
//
// A node without contact: x_i -= relaxation A_ii^-1 r_i, r = A x - b. A node with one contact that is a rotation of it,
// alone:
//     u = x_i + c - w r_i - p*,   z = u + p,   x_i = z - c,      w = 1 / lambda_max(A_ii)
// with the push p [m/s] along the law's operator (strict: normal first, then the disc at that normal force); the
// contact's force is p / w and obeys the law exactly with z, the new velocity relative to what is touched. c is v* and
// the surface's velocity in world axes. With Omega = omega I the law's push is that of w + omega, and x_i gets its part
// w / (w + omega).
#pragma once

#include "kernels/sell.h"

#include <stdbool.h>
#include <stdint.h>

typedef enum tn_nodal_state {
    TN_NODAL_OPEN,
    TN_NODAL_STICK,
    TN_NODAL_SLIDE,
} tn_nodal_state;

// The contacts of one slice's nodes.
typedef struct tn_nodal_contacts {
    double normal[3][TN_SELL_LANES]; // world axes, from the node's surroundings to the node
    double offset[3][TN_SELL_LANES]; // c [m/s]
    double base[3][TN_SELL_LANES];   // p* [m/s]
    double mu[TN_SELL_LANES];
    double w[TN_SELL_LANES];        // [m/(N s)]; 1 in lanes without contact
    double share[TN_SELL_LANES];    // w / (w + omega)
    double push[3][TN_SELL_LANES];  // p of the last sweep [m/s]; 0 in lanes without contact
    double slip[3][TN_SELL_LANES];  // z of the last sweep [m/s]; of no meaning in lanes without contact
    double friction[TN_SELL_LANES]; // mu times the reaction, of tn_nodal_truncate [N]; 0 where nothing slides
    int64_t mask[TN_SELL_LANES];    // -1: contact, 0: none
    int64_t state[TN_SELL_LANES];   // tn_nodal_state of the last sweep; open in lanes without contact
} tn_nodal_contacts;

typedef struct tn_nodal_rows {
    const tn_sell *sell;         // coloured, single
    const float *inverse;        // (n_slices, 9, 8) A_ii^-1; 0 in lanes without row
    const int *contact_of_slice; // (n_slices) index in contacts, or -1
    tn_nodal_contacts *contacts; //
    tn_law law;
    float relaxation;  // times the step of nodes without contact, in (0, 2); 1: Gauss-Seidel
    const bool *whole; // (n_slices) whether something else than the sweep changes b or x of its rows or their
                       // neighbours; NULL: nowhere
} tn_nodal_rows;

// What a sweep leaves for the residual behind it.
typedef struct tn_nodal_trace {
    float *r;      // packed: A x - b of each row at its turn
    float *change; // packed, and one slice of zeros more: by how much the sweep changed x
} tn_nodal_trace;

// inverse (n_slices, 9, 8) of the diagonal blocks of A. Returns -1, or the first row whose block is not positive
// definite.
int tn_nodal_invert(const tn_ordering *order, const tn_blocks *A, float *inverse);
// One sweep over the rows of large components, colour by colour: x (packed), b (packed). Writes push, slip and state of
// the contacts.
void tn_nodal_sweep(const tn_nodal_rows *rows, const float *b, float *x, int n_threads);
// The same, with its trace (whose zeros are the caller's).
void tn_nodal_sweep_traced(const tn_nodal_rows *rows, const float *b, float *x, const tn_nodal_trace *trace,
                           int n_threads);
// The same by one thread with the named instruction set ("avx512", "avx2", "baseline"); false (x untouched) where the
// processor lacks it. For tests.
bool tn_nodal_sweep_with(const char *kind, const tn_nodal_rows *rows, const float *b, float *x);
// r = A x - b, packed, all rows; A x alone where b is NULL.
void tn_nodal_residual(const tn_nodal_rows *rows, const float *b, const float *x, float *r, int n_threads);
// trace->r = A x - b, after a sweep with that trace and what changed b or x near whole slices: elsewhere only the
// columns that changed after a row's turn are read, little more than half.
void tn_nodal_residual_traced(const tn_nodal_rows *rows, const float *b, const float *x, const tn_nodal_trace *trace,
                              int n_threads);
// The square of |r + (p* - p) / w|, p / w the contacts' forces of the last sweep [N^2].
double tn_nodal_balance(const tn_nodal_rows *rows, const float *r);
