// auto with joints and contacts:
//
//     friction beside the contacts'      pgs, which alone knows it: forty sweeps over joints too; where that was not
//                                        enough, up to 2000 triples, joints by the method of multipliers
//     elastic bodies                     nodal, then newton, by the method of multipliers; rods newton
//     up to 2000 contacts                ipm, which ends in newton where it stalls
//     more                               pgs: interior point steps cost more than the sweeps of a step of a simulation
//
// Measured on random trees and loops with contacts, to 1e-6, means in us, cold (warm): 2 bodies 2 contacts newton 19
// (15), ipm 32 (31); 12 bodies 10 contacts newton 490 (210), ipm 240 (230), pgs 1200 without getting there; 50 bodies
// 60 contacts newton 27000 (3800), ipm 2400 (1700), pgs likewise not. newton's lead with two contacts is not worth the
// memory that its factorisation asks the machine for.
//
// Chains of spherical joints with dry friction that fall on a floor, to 1e-6, mean ms of a solve: 15 links 2.8, 30
// links 4.9, all steps to 1e-4; by sweeps alone 5.3 and 10, and of the 15 links a third of the steps misses by 1e-3 and
// more.
#include "solver/auto/joints.h"

#include "problem/problem.h"
#include "solver/auto/go_on.h"
#include "solver/dense/dense.h"
#include "solver/multipliers.h"
#include "solver/solvers.h"

enum { MANY_CONTACTS = 2000, FEW_SWEEPS = 40, NODAL_STEPS = 200 };
// Blocks a row of A from which bodies are thick enough for sweeps over nodes: tetrahedra have 13, rods 6.
enum { THICK_BLOCKS = 10 };

static tn_status go_on(const tn_solver *solver, const tn_problem *problem, const tn_solve_options *options,
                       tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    report->solver = solver->name;
    return tn_solver_call(solver, problem, options, arena, solution, report, error);
}

// Sweeps carry forces on by a joint a sweep: enough for short chains only.
static tn_status solve_rubbing(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                               tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    tn_solve_options part = *options;
    part.max_iterations = options->max_iterations < FEW_SWEEPS ? options->max_iterations : FEW_SWEEPS;
    tn_status status = go_on(&tn_solver_pgs, problem, &part, arena, solution, report, error);
    int done = report->iterations;
    if (status != TN_OK || report->converged || done >= options->max_iterations) {
        return status;
    }
    part.max_iterations = options->max_iterations - done;
    status = tn_multipliers_solve(&tn_solver_pgs, problem, &part, arena, solution, report, error);
    report->iterations += done;
    return status;
}

// An arm that holds a mat of 1458 nodes: nodal 4 ms, newton 50.
static tn_status solve_elastic(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                               tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    const tn_blocks *A = problem->A;
    bool thick = A->start[A->n_rows] > THICK_BLOCKS * A->n_rows;
    report->iterations = 0;
    if (thick && !tn_solver_nodal.refuses(problem)) {
        tn_solution start;
        tn_solve_options part = *options;
        part.max_iterations = options->max_iterations < NODAL_STEPS ? options->max_iterations : NODAL_STEPS;
        tn_status status = tn_auto_keep(problem, solution, arena, &start, error);
        report->solver = tn_solver_nodal.name;
        status = status == TN_OK ? tn_multipliers_try(&tn_solver_nodal, problem, &part, arena, solution, report, error)
                                 : status;
        if (status != TN_OK || report->converged || report->iterations >= options->max_iterations) {
            return status;
        }
        tn_auto_copy(problem, &start, solution);
    }
    return tn_auto_go_on(&tn_solver_newton, problem, options, options->max_iterations, arena, solution, report, error);
}

tn_status tn_auto_joints_solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                               tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    bool elastic = tn_problem_is_elastic(problem, arena);
    if (!elastic && !tn_solver_dense.refuses(problem)) {
        bool fits;
        tn_status status = tn_dense_try(problem, options, arena, solution, report, &fits, error);
        if (status != TN_OK || report->converged || report->iterations >= options->max_iterations) {
            return status;
        }
    }
    bool many = problem->rows->n_triples > MANY_CONTACTS, rubs = problem->rows->n_frictions > 0;
    if (rubs && !many && !elastic) {
        return solve_rubbing(problem, options, arena, solution, report, error);
    }
    if (rubs || (many && !elastic)) {
        return go_on(&tn_solver_pgs, problem, options, arena, solution, report, error);
    }
    if (elastic) {
        return solve_elastic(problem, options, arena, solution, report, error);
    }
    return go_on(&tn_solver_ipm, problem, options, arena, solution, report, error);
}
