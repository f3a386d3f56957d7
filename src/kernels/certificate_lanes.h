// The certificate's figures of contacts, several at a time where they are of the common kind. Its formulas are its own:
// no code of law/ or of a solver's kernels, so that none grades itself with its own mistake.
#pragma once

#include "tenon/problem.h"

typedef struct tn_certificate_rows {
    const double *lambda; // (n, 3)
    const double *u;      // (n, 3) with them
    const double *scale;  // (n) of the residuals m_i > 0 [s/kg, 1/(kg m^2 s)...]
    const double *free;   // (n, 3) velocities without the contact forces; NULL: no fclib figure
    const double *loaded; // (n, 3) those that the forces make of free
} tn_certificate_rows;

// Sums over contacts.
typedef struct tn_certificate_sums {
    double natural;        // squares of the law's residuals [N^2]
    double strict_natural; // of the strict law's
    double fclib;          // of the strict law's in impulses [N^2 s^2]
    double free, loaded;   // of velocities without and with the forces [m^2/s^2]
    double force;          // of forces [N^2]
} tn_certificate_sums;

// What contacts of the strict or the frictionless law with round cones and finite numbers add to sums and out, four at
// a time (the last are up to three) from contact `first` on: as long as they are such, at most to `end`. Returns the
// first that is not done.
int tn_certificate_add_round(const tn_problem *problem, const tn_certificate_rows *rows, int first, int end,
                             tn_certificate_sums *sums, tn_certificate *out);
