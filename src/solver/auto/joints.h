// auto on problems with joint rows and contacts.
#pragma once

#include "solver/solver.h"

tn_status tn_auto_joints_solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                               tn_solution *solution, tn_solve_report *report, tn_error *error);
