// The over-converged solution that benches and tests measure true errors against.
#pragma once

#include "solver/solver.h"

// What a reference has to reach: momentum and natural figure of the certificate, at most.
extern const double TN_REFERENCE_TOLERANCE; // 1e-12

// Solver after solver, the most robust first, each from the best point so far, until momentum and natural of the
// problem's law are at most TN_REFERENCE_TOLERANCE by the certificate. solution: warm start
// in, best point out. report->converged says whether it got there, report->certificate how far, report->solver who
// did it, report->iterations all steps of all solvers. Takes its time: a tenth of a second for a mat of 1500 nodes.
tn_status tn_solve_reference(const tn_problem *problem, tn_arena *arena, tn_solution *solution, tn_solve_report *report,
                             tn_error *error);
