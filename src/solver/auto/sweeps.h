// Rigid bodies in auto: sweeps, and what takes over where it is cheaper.
#pragma once

#include "solver/auto/route.h"

// pgs; it ends and t->handed_over is set where contacts of rigid bodies go so slowly that others are cheaper. With
// options->enough for a large problem that has had its share of work.
tn_status tn_auto_sweep(tn_traits *t, const tn_solve_options *options, tn_arena *arena, tn_solution *solution,
                        tn_solve_report *report, tn_error *error);
