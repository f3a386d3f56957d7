// pgs with joint rows: sweeps over joints and contacts (joint_sweep.h), blocks of them accelerated by Anderson's
// method.
#pragma once

#include "solver/gauss_seidel.h"

// As tn_pgs_run, of a problem with joint rows on rigid bodies.
tn_status tn_pgs_joints_run(const tn_problem *problem, const tn_solve_options *options, tn_gauss_seidel_run *run,
                            tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error);
