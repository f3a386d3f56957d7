// nodal: coloured projected Gauss-Seidel on the velocities of nodes, Anderson acceleration, and for stiff bodies a
// truncated two-level correction. What nodal_*.c share, and the settings that tests and benches vary.
#pragma once

#include "base/arena.h"
#include "tenon/problem.h"

typedef struct tn_nodal_options {
    int depth;        // steps that Anderson remembers, default 4, at most TN_MIXER_DEPTH_MAX
    int check_every;  // steps between two looks at the tolerances while they are far, default 6
    int coarse_after; // steps without the coarse level; default: when it pays, judged by the rate of the sweeps
    int group_size;   // nodes a group of the coarse level, default 0: by the number of nodes
    int patience;     // steps in which the figures must fall to a third, else it gives up; default 0: never
} tn_nodal_options;

enum { TN_NODAL_COARSE_WHEN_IT_PAYS = -1, TN_NODAL_COARSE_NEVER = -2 };

tn_nodal_options tn_nodal_options_default(void);

// As tn_solver's solve, with nodal's own settings.
tn_status tn_nodal_solve(const tn_problem *problem, const tn_solve_options *options, const tn_nodal_options *nodal,
                         tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error);
