#include "solver/cond/cond.h"

#include "base/assert.h"
#include "kernels/mixer/mixer.h"
#include "problem/nodalize.h"
#include "problem/problem.h"
#include "solver/cond/iterate.h"
#include "solver/cond/system.h"
#include "solver/solvers.h"

#include <math.h>
#include <string.h>

tn_cond_options tn_cond_options_default(void)
{
    return (tn_cond_options){.acceleration = TN_COND_ADAPTIVE,
                             .relaxation = 1.0,
                             .chebyshev_start = 3,
                             .depth = 8,
                             .check_every = 4,
                             .small_component = TN_COND_BODY_MAX,
                             .single_from = 256};
}

// V-FPI on the problem as it is: contacts that are not nodes are condensed. compliance: as in tn_cond_system.
static tn_status solve_condensed(const tn_problem *problem, const double *compliance, const tn_solve_options *options,
                                 const tn_cond_options *cond, tn_arena *arena, tn_solution *solution,
                                 tn_solve_report *report, tn_error *error)
{
    tn_cond_system system;
    tn_status status = tn_cond_system_create(problem, cond, compliance, options->n_threads, arena, &system, error);
    return status == TN_OK ? tn_cond_iterate(&system, options, cond, arena, solution, report, error) : status;
}

// V-FPI with explicit virtual nodes (15), from and into solution of the original problem.
static tn_status solve_explicit(const tn_nodalized *nodalized, const tn_solve_options *options,
                                const tn_cond_options *cond, tn_arena *arena, tn_solution *solution,
                                tn_solve_report *report, tn_error *error)
{
    double *v = TN_PUSH(arena, double, 3 * nodalized->problem.A->n_rows);
    if (!v) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for cond's virtual nodes");
    }
    tn_nodalize_lift(nodalized, solution->v, v);
    tn_solution augmented = {.v = v, .lambda = solution->lambda};
    tn_cond_options explicit_cond = *cond;
    // A body and its virtual nodes together are the document's system, not one to invert.
    explicit_cond.small_component = cond->small_component < 2 ? cond->small_component : 2;
    tn_status status =
        solve_condensed(&nodalized->problem, NULL, options, &explicit_cond, arena, &augmented, report, error);
    if (status == TN_OK) {
        memcpy(solution->v, v, 3 * (size_t)nodalized->n_original * sizeof(double));
    }
    return status;
}

// 1/k_v for each virtual node of each contact: what its elimination adds to the contact's own block of N.
static double *make_compliance(const tn_nodalized *nodalized, double k_v, tn_arena *arena)
{
    const tn_rows *contacts = &nodalized->contacts;
    double *compliance = TN_PUSH(arena, double, contacts->n_triples);
    for (int m = 0; compliance && m < contacts->n_triples; m++) {
        for (int e = contacts->start[m]; e < contacts->start[m + 1]; e++) {
            compliance[m] += contacts->block[e] >= nodalized->n_original ? 1.0 / k_v : 0.0;
        }
    }
    return compliance;
}

// Velocities of rigid bodies from the forces by A^-1: large k_v blur them (their rounding error is k_v / A).
static tn_status polish_bodies(const tn_problem *problem, const tn_cond_options *cond, tn_arena *arena,
                               tn_solution *solution, tn_error *error)
{
    tn_cond_bodies bodies;
    size_t n = 3 * (size_t)problem->A->n_rows;
    double *f = TN_PUSH(arena, double, n);
    if (!f) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for cond's bodies");
    }
    tn_status status = tn_cond_bodies_create(problem->A, cond->small_component, arena, &bodies, error);
    if (status == TN_OK) {
        memcpy(f, problem->b, n * sizeof *f);
        tn_problem_add_contact_force(problem, solution->lambda, f);
        tn_cond_bodies_solve(&bodies, f, solution->v);
    }
    return status;
}

// A finite k_v: explicit virtual nodes, and should they take more than half of the iterations (they are ill-conditioned
// for large k_v) the same fixed point with the nodes eliminated. Tolerances are those of the system with nodes.
static tn_status solve_with_nodes(const tn_problem *problem, const tn_solve_options *options,
                                  const tn_cond_options *cond, tn_arena *arena, tn_solution *solution,
                                  tn_solve_report *report, tn_error *error)
{
    tn_nodalized nodalized;
    tn_status status = tn_nodalize(problem, options->k_v, arena, &nodalized, error);
    if (status != TN_OK) {
        return status;
    }
    double *compliance = make_compliance(&nodalized, options->k_v, arena);
    if (!compliance) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for cond's virtual nodes");
    }
    tn_solve_options demanded = *options;
    int before = 0;
    if (!cond->condense_k_v) {
        bool may_condense = demanded.tolerance.natural > 0.0;
        demanded.max_iterations = may_condense ? (options->max_iterations + 1) / 2 : options->max_iterations;
        status = solve_explicit(&nodalized, &demanded, cond, arena, solution, report, error);
        before = report->iterations;
        demanded.max_iterations = options->max_iterations - before;
        if (status != TN_OK || report->converged || demanded.max_iterations < 1) {
            return status == TN_OK ? polish_bodies(problem, cond, arena, solution, error) : status;
        }
    }
    status = solve_condensed(problem, compliance, &demanded, cond, arena, solution, report, error);
    report->iterations += before;
    return status;
}

tn_status tn_cond_solve(const tn_problem *problem, const tn_solve_options *options, const tn_cond_options *cond,
                        tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    TN_ASSERT(cond->depth >= 1 && cond->depth <= TN_MIXER_DEPTH_MAX && cond->check_every >= 1);
    tn_arena_mark mark = tn_arena_get_mark(arena);
    report->converged = false;
    report->iterations = 0;
    report->theta = NAN;
    tn_solve_options demanded = *options;
    if (!(demanded.tolerance.natural > 0.0) && !(demanded.tolerance.fclib > 0.0)) {
        demanded.tolerance.natural = demanded.tolerance.momentum; // the balance alone does not see condensed contacts
    }
    tn_status status = isfinite(options->k_v)
                           ? solve_with_nodes(problem, &demanded, cond, arena, solution, report, error)
                           : solve_condensed(problem, NULL, &demanded, cond, arena, solution, report, error);
    tn_arena_release(arena, mark);
    return status;
}

static const char *refuses(const tn_problem *problem)
{
    return problem->A ? NULL : "cond needs the balance A, b of a global problem; pgs and apgd take the local form";
}

static tn_status solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                       tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    tn_cond_options cond = tn_cond_options_default();
    return tn_cond_solve(problem, options, &cond, arena, solution, report, error);
}

const tn_solver tn_solver_cond = {
    .name = "cond",
    .summary = "velocity fixed point iteration on contact nodes: no factorisation, made for elastic bodies",
    .sets = TN_TAKES_CONES,
    .refuses = refuses,
    .solve = solve,
};
