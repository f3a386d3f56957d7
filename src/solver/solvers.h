// The rows of table.c: one constant a solver, each defined in the file of its name.
#pragma once

#include "solver/solver.h"

extern const tn_solver tn_solver_auto;    // by structure: picks one of the others
extern const tn_solver tn_solver_cond;    // velocity fixed point iteration
extern const tn_solver tn_solver_nodal;   // coloured nodal Gauss-Seidel with Anderson acceleration
extern const tn_solver tn_solver_ccs;     // ADMM
extern const tn_solver tn_solver_pgs;     // block projected Gauss-Seidel
extern const tn_solver tn_solver_apgd;    // accelerated projected gradient
extern const tn_solver tn_solver_newton;  // damped semismooth Newton, for small problems that pgs stalls on
extern const tn_solver tn_solver_direct;  // no contacts: A v = b
extern const tn_solver tn_solver_penalty; // spring-damper baseline
