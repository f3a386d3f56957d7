// auto with joints and contacts:
//
//     rolling or torsional friction      pgs, which alone knows moments
//     elastic bodies                     newton, by the method of multipliers
//     at most 8 contacts                 newton for a moment: from the last step's forces often a step or two
//     up to 2000 contacts                ipm, which ends in newton where it stalls
//     more                               pgs: interior point steps cost more than the sweeps of a step of a simulation
//
// Measured on random trees and loops with contacts, to 1e-6, means in us, cold (warm): 2 bodies 2 contacts newton 19
// (15), ipm 32 (31); 12 bodies 10 contacts newton 490 (210), ipm 240 (230), pgs 1200 without getting there; 50 bodies
// 60 contacts newton 27000 (3800), ipm 2400 (1700), pgs likewise not.
#include "solver/auto_joints.h"

#include "problem/delassus.h"
#include "solver/solvers.h"

enum { FEW_CONTACTS = 8, FEW_STEPS = 40, MANY_CONTACTS = 2000 };

// One solver on at most max_iterations of what is left; its name and the sum of iterations in the report.
static tn_status go_on(const tn_solver *solver, int max_iterations, const tn_problem *problem,
                       const tn_solve_options *options, tn_arena *arena, tn_solution *solution, tn_solve_report *report,
                       tn_error *error)
{
    int before = report->iterations, left = options->max_iterations - before;
    tn_solve_options part = *options;
    part.max_iterations = max_iterations < left ? max_iterations : left;
    tn_arena_mark mark = tn_arena_get_mark(arena);
    tn_status status = tn_solver_call(solver, problem, &part, arena, solution, report, error);
    tn_arena_release(arena, mark);
    report->iterations += before;
    report->solver = solver->name;
    return status;
}

tn_status tn_auto_joints_solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                               tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    int all = options->max_iterations, n = problem->contacts->n;
    tn_arena_mark mark = tn_arena_get_mark(arena);
    bool elastic = tn_delassus_choose(problem, arena) == TN_DELASSUS_FACTORED;
    tn_arena_release(arena, mark);
    if (problem->contacts->n_moments > 0 || (n > MANY_CONTACTS && !elastic)) {
        return go_on(&tn_solver_pgs, all, problem, options, arena, solution, report, error);
    }
    if (elastic) {
        return go_on(&tn_solver_newton, all, problem, options, arena, solution, report, error);
    }
    if (n <= FEW_CONTACTS) {
        tn_status status = go_on(&tn_solver_newton, FEW_STEPS, problem, options, arena, solution, report, error);
        if (status != TN_OK || report->converged || report->iterations >= all) {
            return status;
        }
    }
    return go_on(&tn_solver_ipm, all, problem, options, arena, solution, report, error);
}
