// The table of solvers, and what every solve has in common: check, refuse, solve, certify.
#include "solver/solver.h"

#include "base/assert.h"
#include "problem/bound.h"
#include "problem/certificate.h"
#include "problem/preload.h"
#include "problem/problem.h"
#include "problem/rows.h"
#include "solver/islands.h"
#include "solver/multipliers.h"
#include "solver/polish.h"
#include "solver/solvers.h"
#include "tenon/stored.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// The order of `tenon info`.
static const tn_solver *const TABLE[] = {
    &tn_solver_auto,   &tn_solver_cond,       &tn_solver_nodal,  &tn_solver_ccs, &tn_solver_pgs, &tn_solver_pgs_dense,
    &tn_solver_apgd,   &tn_solver_apgd_dense, &tn_solver_newton, &tn_solver_ipm, &tn_solver_few, &tn_solver_dense,
    &tn_solver_direct, &tn_solver_penalty,    &tn_solver_lemke,  &tn_solver_qp,
};
enum { TABLE_SIZE = sizeof TABLE / sizeof TABLE[0] };

const tn_solver *tn_solver_at(int index)
{
    return index >= 0 && index < TABLE_SIZE ? TABLE[index] : NULL;
}

const char *tn_solver_name(int i)
{
    return tn_solver_at(i) ? tn_solver_at(i)->name : NULL;
}

const char *tn_solver_summary(int i)
{
    return tn_solver_at(i) ? tn_solver_at(i)->summary : NULL;
}

const tn_solver *tn_solver_find(const char *name)
{
    for (int i = 0; i < TABLE_SIZE; ++i) {
        if (strcmp(TABLE[i]->name, name) == 0) {
            return TABLE[i];
        }
    }
    return NULL;
}

tn_solve_options tn_solve_options_default(void)
{
    return (tn_solve_options){
        .tolerance = {.momentum = 1e-8, .natural = 1e-8, .joint = 1e-8},
        .max_iterations = 10000,
        .penalty_stiffness = 1e5,
        .penalty_damping = 1e2,
        .n_threads = 1,
    };
}

static bool all_finite(int n, const double *x)
{
    // A sum of x - x is zero exactly when every number is finite: one pass without branches.
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] - x[i];
    }
    return sum == 0.0;
}

static bool blocks_finite(const tn_blocks *A)
{
    return !A || all_finite(9 * A->start[A->n_rows], A->value);
}

// Name of the first array that holds a NaN or an infinity, or NULL.
static const char *find_not_finite(const tn_problem *p)
{
    const tn_rows *c = p->rows;
    int n_v = p->A ? 3 * p->A->n_rows : 0;
    if (!blocks_finite(p->A)) {
        return "the balance matrix A";
    }
    if (p->b && !all_finite(n_v, p->b)) {
        return "the right-hand side b";
    }
    if (!blocks_finite(p->W)) {
        return "the matrix W";
    }
    if (!all_finite(3 * c->n_triples, c->offset)) {
        return p->A ? "a contact's velocity offset" : "the vector q";
    }
    if (!all_finite(2 * c->n_triples, c->mu)) {
        return "a friction coefficient";
    }
    if (c->softness && !all_finite(9 * c->n_triples, c->softness)) {
        return "a contact's Omega";
    }
    if (p->A && c->n_triples > 0 && !all_finite(9 * c->start[c->n_triples], c->jacobian)) {
        return "a contact's Jacobian";
    }
    return NULL;
}

static bool is_finite(const tn_problem *p, const tn_solution *s)
{
    return all_finite(3 * p->rows->n_triples + p->rows->n_singles, s->lambda) &&
           (!p->A || all_finite(3 * p->A->n_rows, s->v));
}

// What small problems need costs no request.
enum { STACK_MEMORY = 1 << 15 };

static bool holds(double figure, double tolerance)
{
    return !(tolerance > 0.0) || isnan(figure) || figure <= tolerance;
}

// A set of the problem that the solver does not take; NULL: it takes all.
static const char *find_lack(const tn_solver *solver, const tn_problem *problem)
{
    static const char *const words[] = {
        [TN_SET_FREE] = "it does not know joints",
        [TN_SET_RAY] = "it does not know limits of joints",
        [TN_SET_BOX] = "it does not know limits, motors and friction of joints",
        [TN_SET_FRICTION] = "it does not know friction of joints that grows with a force",
        [TN_SET_CONE] = "it does not know contacts",
        [TN_SET_POLYHEDRON] = "it knows the round friction cone only (solver.facets: 0)",
        [TN_SET_MOMENT] = "it does not know rolling and torsional friction",
        [TN_SET_BALL] = "it does not know friction of spherical and planar joints",
        [TN_SET_ELLIPSE] = "it does not know friction that depends on the direction in joints",
    };
    unsigned lacks = tn_problem_sets(problem) & ~solver->sets;
    const char *word = NULL;
    for (int set = 0; set <= TN_SET_ELLIPSE; ++set) {
        word = lacks >> set & 1u ? words[set] : word;
    }
    return word;
}

// Friction that a contact presses follows from the strict law only.
static bool any_pressed(const tn_problem *problem)
{
    bool any = false;
    for (int k = 0; k < problem->rows->n_frictions; ++k) {
        any = any || problem->rows->pressed_by[k] >= 0;
    }
    return any;
}

const char *tn_solver_refusal(const tn_solver *solver, const tn_problem *problem)
{
    const char *lack = find_lack(solver, problem);
    if (lack) {
        return lack;
    }
    if (problem->law != TN_LAW_COULOMB && any_pressed(problem)) {
        return "friction of rolling and torsion needs the strict law 'coulomb'";
    }
    if (solver->global && !problem->A) {
        return "it needs the balance A, b of a global problem; pgs and apgd take the local form";
    }
    if (!solver->refuses) {
        return NULL;
    }
    _Alignas(64) char memory[STACK_MEMORY];
    tn_arena *arena = tn_arena_create_in(memory, sizeof memory);
    const tn_problem *known = tn_problem_with_parts(problem, arena);
    const char *reason = solver->refuses(known ? known : problem);
    tn_arena_destroy(arena);
    return reason;
}

// "; auto, pgs take it": whom the table lets have the problem; nothing where nobody is.
static void name_takers(const tn_problem *problem, size_t size, char *text)
{
    size_t used = 0;
    text[0] = 0;
    for (int i = 0; i < TABLE_SIZE; ++i) {
        if (!tn_solver_refusal(TABLE[i], problem) && used + 16 < size) {
            used += (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "; taken by: ", TABLE[i]->name);
        }
    }
}

tn_status tn_solver_check(const tn_solver *solver, const tn_problem *problem, tn_error *error)
{
    char takers[200] = "";
    const char *reason = tn_solver_refusal(solver, problem);
    if (!reason) {
        return TN_OK;
    }
    if (find_lack(solver, problem)) { // the others name them
        name_takers(problem, sizeof takers, takers);
    }
    return tn_error_set(error, TN_BAD_INPUT, "solver '%s' does not take this problem: %s%s", solver->name, reason,
                        takers);
}

tn_status tn_solver_call(const tn_solver *solver, const tn_problem *problem, const tn_solve_options *options,
                         tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    if (tn_joint_row_count(problem) > 0 && solver->by_multipliers) {
        return tn_multipliers_solve(solver, problem, options, arena, solution, report, error);
    }
    return solver->solve(problem, options, arena, solution, report, error);
}

static tn_status solve_preloaded(const tn_solver *solver, const tn_problem *problem, const tn_solve_options *options,
                                 const tn_aims *aims, tn_arena *arena, tn_solution *solution, tn_solve_report *report,
                                 tn_error *error)
{
    tn_preload without;
    if (tn_preload_remove(problem, arena, &without) != TN_OK) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the preload of %d contacts", problem->rows->n_triples);
    }
    tn_solve_options own = *options; // the balance counts relative to |b|, not to the pull
    own.tolerance.momentum *= without.grown;
    tn_preload_shift(&without, 1.0, solution->lambda);
    tn_status status = tn_solver_solve(solver, &without.problem, &own, aims, arena, solution, report, error);
    tn_preload_shift(&without, -1.0, solution->lambda);
    return status;
}

// Solved, and what is left made exact.
static tn_status solve_island(const tn_solver *solver, const tn_problem *problem, const tn_solve_options *options,
                              tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    tn_arena_mark mark = tn_arena_get_mark(arena);
    tn_status status = tn_solver_call(solver, problem, options, arena, solution, report, error);
    tn_arena_release(arena, mark);
    // dense ends as exactly as polishing does.
    bool polished = report->converged && report->solver == tn_solver_dense.name;
    if (status != TN_OK || solver->own_law || polished || !is_finite(problem, solution)) {
        return status;
    }
    return tn_polish(problem, solver->by_islands, options, arena, solution, report) == TN_OK
               ? TN_OK
               : tn_error_set(error, TN_NO_MEMORY, "no memory to polish the forces of %d contacts",
                              problem->rows->n_triples);
}

tn_status tn_solver_solve(const tn_solver *solver, const tn_problem *problem, const tn_solve_options *options,
                          const tn_aims *aims, tn_arena *arena, tn_solution *solution, tn_solve_report *report,
                          tn_error *error)
{
    return problem->rows->preload
               ? solve_preloaded(solver, problem, options, aims, arena, solution, report, error)
               : tn_islands_solve(solve_island, solver, problem, options, aims, arena, solution, report, error);
}

// Of a problem whose numbers are finite and whose parts are known.
static tn_status run_known(const tn_solver *solver, const tn_problem *problem, const tn_solve_options *options,
                           tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    if (tn_solver_check(solver, problem, error) != TN_OK) {
        return TN_BAD_INPUT;
    }
    if (!is_finite(problem, solution)) {
        return tn_error_set(error, TN_NUMERICS, "the warm start holds a number that is not finite");
    }
    *report = (tn_solve_report){.solver = solver->name, .theta = NAN};
    tn_arena_mark mark = tn_arena_get_mark(arena);
    tn_status status = tn_solver_solve(solver, problem, options, NULL, arena, solution, report, error);
    tn_arena_release(arena, mark);
    if (tn_problem_stopped(problem)) {
        return tn_error_set(error, TN_INTERRUPTED, "the solve was stopped");
    }
    if (status != TN_OK) {
        return status;
    }
    if (!is_finite(problem, solution)) {
        return tn_error_set(error, TN_NUMERICS, "solver '%s' diverged", report->solver);
    }

    // The certificate has the last word: a solver never grades itself.
    status = tn_certificate_compute(problem, solution, true, arena, &report->certificate);
    tn_arena_release(arena, mark);
    if (status != TN_OK) {
        return tn_error_set(error, status, "no memory for the certificate");
    }
    const tn_tolerance *t = &options->tolerance;
    const tn_certificate *c = &report->certificate;
    report->converged = report->converged && holds(c->momentum, t->momentum) && holds(c->natural, t->natural) &&
                        holds(c->fclib, t->fclib) && holds(c->joint, t->joint);
    return TN_OK;
}

// The parts are found once for all who ask.
static tn_status run(const tn_solver *solver, const tn_problem *problem, const tn_solve_options *options,
                     tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    tn_arena_mark mark = tn_arena_get_mark(arena);
    const tn_problem *known = tn_problem_with_parts(problem, arena);
    if (!known) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the parts of %d block rows", problem->A->n_rows);
    }
    tn_status status = run_known(solver, known, options, arena, solution, report, error);
    tn_arena_release(arena, mark);
    return status;
}

tn_status tn_solver_run(const tn_solver *solver, const tn_problem *problem, const tn_solve_options *options,
                        tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    TN_ASSERT(problem->rows && (problem->A != NULL) != (problem->W != NULL));
    const char *bad = find_not_finite(problem);
    if (bad) {
        return tn_error_set(error, TN_NUMERICS, "%s holds a number that is not finite", bad);
    }
    return run(solver, problem, options, arena, solution, report, error);
}

static bool has_room(const tn_problem *p, const tn_solution *s)
{
    return (s->lambda || tn_row_count(p->rows) == 0) && (s->v || !p->A || p->A->n_rows == 0);
}

tn_status tn_problem_solve(const tn_problem *problem, const char *solver, const tn_solve_options *options,
                           tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    if (!problem || !solver || !solution) {
        return tn_error_set(error, TN_BAD_INPUT, "solving needs a problem, the name of a solver and a solution");
    }
    const tn_solver *found = tn_solver_find(solver);
    if (!found) {
        return tn_error_set(error, TN_BAD_INPUT, "unknown solver '%s'; `tenon info` lists them", solver);
    }
    if (tn_problem_check(problem, error) != TN_OK) {
        return TN_BAD_INPUT; // indices and sizes are the caller's: nothing below looks at them again
    }
    if (!has_room(problem, solution)) {
        return tn_error_set(error, TN_BAD_INPUT, "solution: v or lambda is missing");
    }
    tn_solve_options plain = tn_solve_options_default();
    tn_solve_report unread;
    options = options ? options : &plain;
    report = report ? report : &unread;
    _Alignas(64) char memory[STACK_MEMORY]; // enough for small problems
    tn_arena *arena = tn_arena_create_in(memory, sizeof memory);
    tn_status status = run(found, problem, options, arena, solution, report, error);
    tn_arena_destroy(arena);
    return status;
}
