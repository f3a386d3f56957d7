// auto on elastic bodies in contact:
//
//     nodal, up to 200 steps
//     rods                  nodal up to 8 steps, then newton
//     few contacts (200)    nodal gives up where its figures do not fall to a third in 60 steps; pgs, then ipm in local
//                           form, W = J A^-1 J^T, then newton
//     more                  newton; nodal without end where A is too large to factorise
//     newton stops short    newton again, from rest without forces, then from where the step began; the best iterate
//                           of all counts
//
// Stiff sheets and rods that land flat or fast (10 to 100 MPa, Poisson's ratio 0.45 and 0.49, steps of 10 and 20 ms):
// nodal's iterates are worth nothing then, and newton ends nowhere from them, but gets there from rest in 5 to 50
// steps. Of 3900 steps of 64 such runs a hundred stayed open without this, up to a momentum residual of 24, with it 3.
//
// Stiff fingers that press a free ball (10 MPa, 62 contacts, 4664 nodes): nodal takes 30 to 130 steps since it makes
// several passes over the contacts (12 to 50 ms), but its figures may stand still for 30. Both others factorise A once
// in any case; pgs is done then (90 ms in all for any tolerance), newton factorises in each step. At 1 GPa pgs leaves
// 2e-5 after 2000 sweeps and newton 9e-7 after 72 steps (13 s); ipm takes 19 (0.01 s), at 10 GPa 48 (0.05 s).
#include "solver/auto/elastic.h"

#include "problem/delassus.h"
#include "problem/hints.h"
#include "solver/auto/best.h"
#include "solver/auto/go_on.h"
#include "solver/auto/kinds.h"
#include "solver/check.h"
#include "solver/nodal/nodal.h"
#include "solver/solvers.h"

#include <math.h>
#include <string.h>

// Block rows above which a factorisation takes longer than any number of nodal's steps (and gigabytes).
enum { FACTOR_ROWS = 50000 };
// And up to which a hundred of them are affordable.
enum { AFRESH_ROWS = 10000, AFRESH_STEPS = 60 };

// Steps of each: nodal's cost a thousandth of a factorisation each, pgs' sweeps less, newton takes 5 to 16 where it
// gets there.
enum { NODAL_STEPS = 200, NODAL_PATIENCE = 60, PGS_SWEEPS = 200, LOCAL_STEPS = 1000, NEWTON_STEPS = 30 };
// Of nodal where A is that of rods, of which newton's steps are cheap (rods/rope_over_pulley: with 200 steps three
// times as long).
enum { THIN_STEPS = 8, OUTER_ROWS = 64 }; // of fewer rows those of tetrahedra may be outer nodes', as thin

static const double LOCAL_ACCURACY = 0.01;

static tn_status sweep_nodes(const tn_problem *problem, const tn_solve_options *options, int n_steps, int patience,
                             tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    tn_solve_options part = *options;
    tn_nodal_options nodal = tn_nodal_options_default();
    part.max_iterations = n_steps < options->max_iterations ? n_steps : options->max_iterations;
    nodal.patience = patience;
    report->solver = tn_solver_nodal.name;
    return tn_nodal_solve(problem, &part, &nodal, arena, solution, report, error);
}

// Something is demanded still, and may be tried for.
static bool is_open(tn_status status, const tn_solve_options *options, const tn_solve_report *report)
{
    return status == TN_OK && !report->converged && report->iterations < options->max_iterations;
}

// The problem in local form, W = J A^-1 J^T, judged as the problem itself is.
typedef struct local_form {
    tn_problem problem;
    tn_rows rows;
    tn_hints hints;
    tn_delassus delassus;
} local_form;

static tn_status make_local(const tn_problem *problem, tn_arena *arena, local_form *out, tn_error *error)
{
    int n = problem->rows->n_triples;
    double *rho = TN_PUSH(arena, double, n);
    if (!rho) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for solver 'auto'");
    }
    for (int m = 0; m < n; ++m) {
        rho[m] = tn_check_rho(problem, m);
    }
    tn_status status = tn_delassus_create(problem, TN_DELASSUS_EXPLICIT, arena, &out->delassus, error);
    out->rows = *problem->rows;
    out->rows.start = out->rows.block = NULL;
    out->rows.jacobian = out->rows.frame = out->rows.gap = NULL;
    out->rows.offset = out->delassus.q;
    out->hints = (tn_hints){.rho = rho};
    out->problem = *problem;
    out->problem.A = NULL;
    out->problem.b = out->problem.start_v = out->problem.start_force = NULL;
    out->problem.W = out->delassus.N;
    out->problem.rows = &out->rows;
    out->problem.hints = &out->hints;
    return status;
}

// By W, with sweeps and then interior point steps, which are nothing beside the factorisation of A. So they try for two
// digits more: a stiff finger's slow modes hide from the figures (true error of v, ball held at rest by fingers of 10
// MPa: 1e-2 with 1e-6 of the forces).
static tn_status solve_local(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                             tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    local_form local = {0};
    tn_solve_options tight = *options;
    tight.tolerance.natural *= LOCAL_ACCURACY;
    tight.tolerance.fclib *= LOCAL_ACCURACY;
    tn_solution forces = {.lambda = solution->lambda};
    tn_status status = make_local(problem, arena, &local, error);
    if (status == TN_OK) {
        status = tn_auto_go_on(&tn_solver_pgs, &local.problem, &tight, PGS_SWEEPS, arena, &forces, report, error);
    }
    if (is_open(status, options, report) && !tn_solver_refusal(&tn_solver_ipm, &local.problem)) {
        status = tn_auto_go_on(&tn_solver_ipm, &local.problem, &tight, LOCAL_STEPS, arena, &forces, report, error);
    }
    if (status == TN_OK) {
        status = tn_delassus_recover(&local.delassus, solution->lambda, solution->v, arena, error);
    }
    if (status == TN_OK && !report->converged) {
        double score;
        status = tn_auto_score(problem, &options->tolerance, solution, arena, &score, error);
        report->converged = status == TN_OK && score <= 1.0;
    }
    tn_delassus_destroy(&local.delassus);
    return status;
}

// newton from rest without forces, then from `start`; the best of all in the end.
static tn_status begin_again(const tn_problem *problem, const tn_solve_options *options, const tn_solution *start,
                             tn_auto_best *best, tn_arena *arena, tn_solution *solution, tn_solve_report *report,
                             tn_error *error)
{
    tn_status status = TN_OK;
    for (int attempt = 0; attempt < 2 && is_open(status, options, report); ++attempt) {
        if (attempt == 0) {
            memset(solution->v, 0, 3 * (size_t)problem->A->n_rows * sizeof *solution->v);
            memset(solution->lambda, 0, 3 * (size_t)problem->rows->n_triples * sizeof *solution->lambda);
        } else {
            tn_auto_copy(problem, start, solution);
        }
        status = tn_auto_go_on(&tn_solver_newton, problem, options, AFRESH_STEPS, arena, solution, report, error);
        status =
            status == TN_OK ? tn_auto_best_keep(best, problem, &options->tolerance, solution, arena, error) : status;
    }
    if (status == TN_OK && !report->converged) {
        tn_auto_copy(problem, &best->solution, solution);
    }
    return status;
}

// newton from where the others ended, then from elsewhere.
static tn_status finish(const tn_problem *problem, const tn_solve_options *options, const tn_solution *start,
                        tn_arena *arena, tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    tn_auto_best best = {.score = HUGE_VAL};
    tn_status status = tn_auto_best_keep(&best, problem, &options->tolerance, solution, arena, error);
    status = status == TN_OK
                 ? tn_auto_go_on(&tn_solver_newton, problem, options, NEWTON_STEPS, arena, solution, report, error)
                 : status;
    if (status == TN_OK && !report->converged) {
        status = tn_auto_best_keep(&best, problem, &options->tolerance, solution, arena, error);
    }
    if (is_open(status, options, report)) {
        status = begin_again(problem, options, start, &best, arena, solution, report, error);
    }
    return status;
}

tn_status tn_auto_elastic_solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                                tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    bool factors = problem->A->n_rows <= FACTOR_ROWS, thin = problem->A->n_rows > OUTER_ROWS && tn_is_thin(problem->A);
    bool few = factors && !thin && problem->rows->n_triples <= TN_AUTO_FEW_CONTACTS;
    bool again = problem->A->n_rows <= AFRESH_ROWS;
    tn_solution start;
    tn_status status = tn_auto_keep(problem, solution, arena, &start, error);
    if (status != TN_OK) {
        return status;
    }
    int steps = thin ? THIN_STEPS : factors ? NODAL_STEPS : options->max_iterations;
    status = sweep_nodes(problem, options, steps, few ? NODAL_PATIENCE : 0, arena, solution, report, error);
    if (few && is_open(status, options, report)) {
        status = solve_local(problem, options, arena, solution, report, error);
    }
    if (is_open(status, options, report) && again) {
        status = finish(problem, options, &start, arena, solution, report, error);
    } else if (is_open(status, options, report)) {
        status = tn_auto_go_on(&tn_solver_newton, problem, options, NEWTON_STEPS, arena, solution, report, error);
    }
    return status;
}
