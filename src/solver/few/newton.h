// Semismooth Newton on lambda = P(lambda - rho u) for a few contacts, as solver/newton's dense one, with all of its
// room at hand and a factorisation of its own: LAPACK's call alone takes longer than twelve unknowns do.
#pragma once

#include "solver/few/system.h"

typedef struct tn_few_newton {
    const tn_few_system *system;
    double mu[TN_FEW_CONTACTS], rho[TN_FEW_CONTACTS]; // (n) of the scaled contact; with Omega [kg/s]
    double scale[TN_FEW_SIZE];                        // (n, 3) D: lambda = D y makes elliptic friction round
    double y[TN_FEW_SIZE];                            // (n, 3) scaled forces
    double slope[9 * TN_FEW_CONTACTS];                // (n, 9) P' at y
    double residual[TN_FEW_SIZE];                     // (n, 3) y - P(y - rho D u)
    double norm;                                      // its length [N]
    double matrix[TN_FEW_SIZE * TN_FEW_SIZE], step[TN_FEW_SIZE];
    int active[TN_FEW_CONTACTS];
} tn_few_newton;

// From the forces lambda (n, 3).
void tn_few_newton_start(const tn_few_system *system, const double *lambda, tn_few_newton *out);
// One step of y, shortened until the residual falls. False: it does not.
bool tn_few_newton_step(tn_few_newton *newton);
// lambda (n, 3) = D P(y - rho D u): inside the cones.
void tn_few_newton_forces(const tn_few_newton *newton, double *lambda);
