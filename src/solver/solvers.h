// The rows of table.c: one constant a solver, each defined in the file of its name.
#pragma once

#include "solver/solver.h"

extern const tn_solver tn_solver_auto;  // by structure: picks one of the others
extern const tn_solver tn_solver_cond;  // velocity fixed point iteration
extern const tn_solver tn_solver_nodal; // coloured nodal Gauss-Seidel with Anderson acceleration
extern const tn_solver tn_solver_ccs;   // ADMM
extern const tn_solver tn_solver_pgs;   // block projected Gauss-Seidel
// What both of the dense N refuse; NULL: nothing.
const char *tn_dense_delassus_refuses(const tn_problem *problem);
extern const tn_solver tn_solver_pgs_dense;  // the same, plain, on the dense N: a baseline
extern const tn_solver tn_solver_apgd;       // accelerated projected gradient
extern const tn_solver tn_solver_apgd_dense; // the same on the dense N: a baseline
extern const tn_solver tn_solver_newton;     // semismooth Newton: sparse for elastic bodies, dense for small problems
extern const tn_solver tn_solver_ipm;        // interior point, then sweeps and proximal Newton steps: hard heaps
extern const tn_solver tn_solver_few;        // at most ten contacts, dense, to rounding
extern const tn_solver tn_solver_dense;      // few contacts, limits and drives round joints, to rounding
extern const tn_solver tn_solver_direct;     // no contacts: A v = b
extern const tn_solver tn_solver_penalty;    // spring-damper baseline
extern const tn_solver tn_solver_lemke;      // pivoting on the LCP of the polyhedral law
extern const tn_solver tn_solver_qp;         // dual active set method on the convex polyhedral law
