// Joints of rigid bodies alone, by one factorisation a set of rows at their bounds: chains, trees and loops of some
// hundred bodies, in time proportional to their number where they form a tree.
//
// With rows held by stiff dampers p (1e7 times their effective mass) K = A + G^T w G is factored by bodies
// (math/node_cholesky.h). v and f are corrected together,
//
//     K dv = (b + G^T f - A v) - G^T w y,   df = -w (y + G dv),   y = G v + c + R f,   w = 1 / (R + 1 / p),
//
// which ends, after two or three solves, at y = 0 whatever p, and to rounding in both equations: the method of
// multipliers with the forces as unknowns of their own. From f = 0, so rows that depend on one another share their load
// by the least weighted norm.
#pragma once

#include "solver/solver.h"

// The solution's forces serve only to guess which rows are at their bounds. *done false: not a problem for this (too
// many bodies, elastic ones), or guesses that went to and fro; solution is then as before.
tn_status tn_direct_joints_solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                                 tn_solution *solution, tn_solve_report *report, bool *done, tn_error *error);
