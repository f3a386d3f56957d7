// pgs for the solvers that take turns with it.
#pragma once

#include "solver/gauss_seidel.h"

// options' tolerances and threads, run's caps; fills report but for its certificate.
tn_status tn_pgs_run(const tn_problem *problem, const tn_solve_options *options, tn_gauss_seidel_run *run,
                     tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error);
