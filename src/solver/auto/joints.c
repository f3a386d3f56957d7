// auto with joints and contacts:
//
//     friction of joints alone           pgs by the method of multipliers: joints hold exactly, sweeps find the
//     friction friction beside the contacts'      pgs, which alone knows it, sweeping over joints too elastic bodies
//     newton, by the method of multipliers up to 2000 contacts                ipm, which ends in newton where it stalls
//     more                               pgs: interior point steps cost more than the sweeps of a step of a simulation
//
// Measured on random trees and loops with contacts, to 1e-6, means in us, cold (warm): 2 bodies 2 contacts newton 19
// (15), ipm 32 (31); 12 bodies 10 contacts newton 490 (210), ipm 240 (230), pgs 1200 without getting there; 50 bodies
// 60 contacts newton 27000 (3800), ipm 2400 (1700), pgs likewise not. newton's lead with two contacts is not worth the
// memory that its factorisation asks the machine for. Chains of spherical joints that rub, to 1e-6, ms a step: 10 links
// 0.4, by sweeps over joints too 0.4; 30 links 2.8, by those 2.9, but half of the steps miss.
#include "solver/auto/joints.h"

#include "problem/delassus.h"
#include "solver/multipliers.h"
#include "solver/solvers.h"

enum { MANY_CONTACTS = 2000 };

static tn_status go_on(const tn_solver *solver, const tn_problem *problem, const tn_solve_options *options,
                       tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    report->solver = solver->name;
    return tn_solver_call(solver, problem, options, arena, solution, report, error);
}

tn_status tn_auto_joints_solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                               tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    tn_arena_mark mark = tn_arena_get_mark(arena);
    bool elastic = tn_delassus_choose(problem, arena) == TN_DELASSUS_FACTORED;
    tn_arena_release(arena, mark);
    if (problem->rows->n_frictions == problem->rows->n_triples) {
        report->solver = tn_solver_pgs.name;
        return tn_multipliers_solve(&tn_solver_pgs, problem, options, arena, solution, report, error);
    }
    if (problem->rows->n_frictions > 0 || (problem->rows->n_triples > MANY_CONTACTS && !elastic)) {
        return go_on(&tn_solver_pgs, problem, options, arena, solution, report, error);
    }
    if (elastic) {
        return go_on(&tn_solver_newton, problem, options, arena, solution, report, error);
    }
    return go_on(&tn_solver_ipm, problem, options, arena, solution, report, error);
}
