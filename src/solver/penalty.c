// penalty: springs and dampers instead of a contact law. A baseline to compare with, not a solver: one explicit
// evaluation, no iteration, and the certificate shows what it costs.
//
//     lambda_n = max(0, -k gap - d u_n) where gap <= 0,   lambda_t = -d u_t capped at mu lambda_n
//
// u is the contact velocity of the warm start, the last step's. The gap term of the problem plays no part.
#include "law/ellipse.h"
#include "math/mat3.h"
#include "problem/delassus.h"
#include "solver/check.h"
#include "solver/solvers.h"

#include <math.h>

typedef struct gains {
    double k; // stiffness [N/m]
    double d; // damping [N s/m]
} gains;

// Gains where the options leave them at 0: an explicit spring stays stable when k h^2 and d h are small beside the
// mass that it moves. rho [N s/m] is that mass over h (twice that with midpoint), shared by n_sharing contacts.
static gains default_gains(double rho, double step, int n_sharing)
{
    return (gains){.k = 0.25 * rho / (step * n_sharing), .d = 0.5 * rho / n_sharing};
}

// Contacts on the busiest block that contact m touches.
static int sharing(const tn_rows *contacts, int m, const int *uses)
{
    int most = 1;
    for (int e = contacts->start[m]; e < contacts->start[m + 1]; e++) {
        int count = uses[contacts->block[e]];
        most = count > most ? count : most;
    }
    return most;
}

// (n) inverse of each contact's own mobility [N s/m]: of its block of N, or where A couples more than a few blocks of
// the touched nodes alone. NULL: no memory.
static const double *find_rho(const tn_delassus *delassus, tn_arena *arena)
{
    int n = delassus->n;
    double *rho = TN_PUSH(arena, double, n);
    tn_check check;
    if (!delassus->diagonal) {
        const tn_tolerance none = {.natural = 0.0};
        return tn_check_create(&check, delassus->problem, delassus->q, &none, arena) ? check.rho : NULL;
    }
    for (int m = 0; rho && m < n; m++) {
        const double *own = delassus->diagonal + 9 * m;
        double mobility = fmax(own[0], fmax(own[4], own[8]));
        rho[m] = mobility > 0.0 ? 1.0 / mobility : 0.0;
    }
    return rho;
}

static gains contact_gains(const tn_problem *problem, const tn_solve_options *options, double rho, const int *uses,
                           int m)
{
    gains g = default_gains(rho, problem->step, sharing(problem->rows, m, uses));
    g.k = options->penalty_stiffness > 0.0 ? options->penalty_stiffness : g.k;
    g.d = options->penalty_damping > 0.0 ? options->penalty_damping : g.d;
    return g;
}

// lambda of contact m from its gap and its velocity in v.
static void spring_force(const tn_problem *problem, int m, gains g, const double *v, double lambda[3])
{
    const tn_rows *contacts = problem->rows;
    const double *w = contacts->offset + 3 * m, *mu = contacts->mu + 2 * m;
    double u[3] = {0.0, w[1], w[2]}; // w_n is the gap term
    tn_vec3_set(lambda, 0.0, 0.0, 0.0);
    if (contacts->gap[m] > 0.0) {
        return;
    }
    for (int e = contacts->start[m]; e < contacts->start[m + 1]; e++) {
        tn_mat3_add_vec(u, contacts->jacobian + 9 * e, v + 3 * contacts->block[e]);
    }
    lambda[0] = fmax(0.0, -g.k * contacts->gap[m] - g.d * u[0]);
    if (problem->law != TN_LAW_FRICTIONLESS) {
        const double cap[2] = {mu[0] * lambda[0], mu[1] * lambda[0]};
        lambda[1] = -g.d * u[1];
        lambda[2] = -g.d * u[2];
        tn_ellipse_project(cap, lambda + 1);
    }
}

static tn_status solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                       tn_solution *solution, tn_solve_report *report, tn_error *error)
{
    const tn_rows *contacts = problem->rows;
    int *uses = TN_PUSH(arena, int, problem->A->n_rows);
    if (!uses) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the penalty baseline");
    }
    for (int e = 0; contacts->n_triples > 0 && e < contacts->start[contacts->n_triples]; e++) {
        uses[contacts->block[e]]++;
    }
    tn_delassus delassus = {0};
    tn_status status = tn_delassus_create(problem, tn_delassus_choose(problem, arena), arena, &delassus, error);
    const double *rho = status == TN_OK ? find_rho(&delassus, arena) : NULL;
    if (status == TN_OK && !rho) {
        status = tn_error_set(error, TN_NO_MEMORY, "no memory for the penalty baseline");
    }
    if (rho) {
        for (int m = 0; m < contacts->n_triples; m++) {
            gains g = contact_gains(problem, options, rho[m], uses, m);
            spring_force(problem, m, g, solution->v, solution->lambda + 3 * m);
        }
        status = tn_delassus_recover(&delassus, solution->lambda, solution->v, arena, error);
    }
    tn_delassus_destroy(&delassus);
    report->converged = status == TN_OK; // it has no iteration that could fail to
    report->iterations = 1;
    report->theta = NAN;
    return status;
}

static const char *refuses(const tn_problem *problem)
{
    if (problem->rows->n_triples > 0 && !problem->rows->gap) {
        return "penalty needs the gap of each contact; any other solver does without";
    }
    return problem->law == TN_LAW_CONVEX ? "penalty knows no convex law; take coulomb, or pgs or apgd" : NULL;
}

const tn_solver tn_solver_penalty = {
    .name = "penalty",
    .summary = "spring-damper baseline: one explicit evaluation, no law, for comparison only",
    .sets = TN_TAKES_CONES,
    .global = true,
    .refuses = refuses,
    .own_law = true,
    .solve = solve,
};
