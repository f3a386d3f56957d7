// The velocity fixed point iteration in one pass over A, in the sliced format: product, damped step, contact law,
// Chebyshev's combination and the sums that control it.
//
//     s  = A v - b,   u = v - alpha w s                              w: one number a node [m/(N s)]
//     F  = u on free lanes, the law's v+ on lanes with a contact
//     out = nu (relaxation (F - v) + v - previous) + previous         or F itself in a plain step
//
// A contact of the kernel stands alone on its node and touches it as a rotation (J J^T = I), with isotropic friction.
// Then force and tangents need not be formed. With z = u + c, n the world normal towards the node and c the surface
// velocity in world axes (gap term included), a = -n.z, t = z + a n, P the law's operator:
//
//     strict:  p = max(0, a)                                    z+ = (p - a) n + max(0, 1 - mu p/|t|) t
//     convex:  p = a if |t| <= mu a, else max(0, (a + mu |t|)/(1 + mu^2)),    z+ as above
//
// and v+ = z+ - c. The push v+ - u over alpha w is the contact's force in world axes.
//
// Where the matrix holds single values, all of the product is in single precision, eight nodes at once: twice as fast
// in cache and beyond. It multiplies v - reference, and A reference comes from the caller in double precision:
//
//     s = A_single (v - reference) - (b - A reference)
//
// so the error shrinks with the difference: set the reference anew now and then and the limit is that of doubles.
//
// The same bits for any instruction set and any number of threads.
#pragma once

#include "base/arena.h"
#include "kernels/sell.h"

#include <stdint.h>

enum { TN_FPI_LANES = 4 };

// The contacts of half a slice; zeros in lanes without.
typedef struct tn_fpi_contacts {
    double normal[3][TN_FPI_LANES]; // n
    double shift[3][TN_FPI_LANES];  // c [m/s]
    double mu[TN_FPI_LANES];        //
    double stiffness[TN_FPI_LANES]; // 1 / w [N s/m]
    double push[3][TN_FPI_LANES];   // v+ - u of the last pass that recorded it [m/s]
    int64_t held[TN_FPI_LANES];     // -1: the caller's lane, without a contact of the kernel: out = u, not in the sums
    int n_held;                     //
} tn_fpi_contacts;

typedef struct tn_fpi {
    const tn_sell *matrix;
    tn_law law;
    int n_slices;              // the first of the matrix's slices that are iterated on
    double *b;                 // (n_slices, 3, 8) b - A reference, component by component [N]; 0 in lanes without row
    double *w;                 // (n_slices, 8) [m/(N s)]; 0: the lane keeps its velocity
    int n_contacts;            // halves with contacts
    int *contacts_of;          // (n_slices, 2) of each half, -1: none
    tn_fpi_contacts *contacts; // (n_contacts)
    double *partial;           // (parts, 2) scratch of the sums
    double *reference;         // packed; single precision only [m/s]
    float *difference;         // packed v - reference; single precision only [m/s]
    float *next;               // the same of the last pass's out: they change places
} tn_fpi;

typedef struct tn_fpi_step {
    double alpha;      // factor of w
    bool plain;        // out = F; else the combination
    double nu;         // of the combination
    double relaxation; //
    bool record;       // fill push
    bool goes_on;      // v is the last pass's out, tn_fpi_rewrite was told of what else was written there, and the
                       // reference is the same
} tn_fpi_step;

typedef struct tn_fpi_sums {
    double theta;    // |out - v|^2 [m^2/s^2]
    double residual; // |A v - b - J^T lambda|^2 at v and the new forces [N^2]
} tn_fpi_sums;

// capacity: lanes that will get a contact or be held, at most. No contacts yet, w = 0, b = 0. TN_NO_MEMORY only.
tn_status tn_fpi_create(const tn_sell *matrix, int n_slices, int capacity, tn_law law, tn_arena *arena, tn_fpi *out);
// b (3 n_rows), with reference 0.
void tn_fpi_set_b(tn_fpi *fpi, const double *b);
// A new reference x, with Ax = A x in double precision (both packed). Does nothing but set b for a matrix of doubles.
void tn_fpi_set_reference(tn_fpi *fpi, const double *b, const double *x, const double *Ax);
// w that minimises |I - W A|_F with one number a node: tr A_ii / |A_i|_F^2. squares: of tn_sell_fill.
void tn_fpi_set_frobenius_w(tn_fpi *fpi, const double *squares);
// A contact on a lane: normal and shift (3) in world axes. A lane takes one; its w must be set before.
void tn_fpi_add_contact(tn_fpi *fpi, int lane, const double normal[3], const double shift[3], double mu);
void tn_fpi_hold(tn_fpi *fpi, int lane);
// The push (3) recorded for a lane with a contact.
void tn_fpi_get_push(const tn_fpi *fpi, int lane, double push[3]);

// One pass from v and previous (packed; previous is not read in a plain step) to out, which does not overlap v and may
// be previous.
// Lanes beyond n_slices are not touched.
void tn_fpi_pass(tn_fpi *fpi, const tn_fpi_step *step, const double *v, const double *previous, double *out,
                 int n_threads, tn_fpi_sums *sums);
// The caller wrote v (3) on a lane of the last pass's out.
void tn_fpi_rewrite(tn_fpi *fpi, int lane, const double v[3]);
// The pass by one thread with the named instruction set, as tn_sell_product_with.
bool tn_fpi_pass_with(const char *kind, tn_fpi *fpi, const tn_fpi_step *step, const double *v, const double *previous,
                      double *out, tn_fpi_sums *sums);
