// The *compliant* document's programs for spring-damper constraints, literally: the QP (83)-(85) of unilateral rows and
// the QCQP (181)-(182) of contacts, which is the same without contacts. docs/compliant-document.md derives them. Their
// optimum is not the spring law's, which compliant_law solves, so they are no solver of the library's table; each
// answer is judged by the conditions of its own program. Dense, for a few rows that keep their direction (no terms in
// G' v).
#pragma once

#include <stdbool.h>

enum { COMPLIANT_MOST = 24 }; // rows, and velocities

typedef struct compliant_problem {
    int n_v, n_bilateral, n_unilateral, n_contacts;
    double h;                                             // [s]
    double inverse_mass[COMPLIANT_MOST * COMPLIANT_MOST]; // (n_v, n_v)
    double f[COMPLIANT_MOST], v[COMPLIANT_MOST];          // (n_v) applied forces, velocities before
    double G[COMPLIANT_MOST * COMPLIANT_MOST];            // (rows, n_v): bilateral, unilateral, contacts' n, r, s
    double K[COMPLIANT_MOST], B[COMPLIANT_MOST];          // (rows) [N/m], [N s/m]
    double phi[COMPLIANT_MOST];                           // (rows) [m]
    double mu[COMPLIANT_MOST];                            // (n_contacts) > 0
} compliant_problem;

typedef struct compliant_answer {
    double force[COMPLIANT_MOST]; // (rows) [N]
    double v[COMPLIANT_MOST];     // (n_v) after the step
    double residual;              // of the conditions of optimality, relative
} compliant_answer;

// The document's program, by the conic interior point. False: no answer.
bool compliant_document(const compliant_problem *p, compliant_answer *out);
// The law itself: l = max(0, spring law) row by row, strict Coulomb without tangential springs.
bool compliant_law(const compliant_problem *p, compliant_answer *out);

// The examples of docs/compliant-document.md: two coupled rows (S_12 is given, the other numbers are chosen to give the
// known forces); 1 kg on a slope [rad] with its speed down it.
compliant_problem compliant_two_rows(void);
compliant_problem compliant_slope(double slope, double mu, double speed);
