#include "base/timer.h"
#include "problem/certificate.h"
#include "sim/sim.h"

#include <math.h>

static bool holds(double figure, double tolerance)
{
    return tolerance <= 0.0 || figure <= tolerance || isnan(figure);
}

// x (3 n_blocks) is finite, or the error names the first body where it is not.
static tn_status check_bodies(const tn_model *model, const double *x, const char *what, tn_error *error)
{
    for (int b = 0; b < model->n_bodies; b++) {
        const tn_model_body *body = &model->bodies[b];
        for (int i = 0; i < 3 * body->n_blocks; i++) {
            if (!isfinite(x[3 * body->block + i])) {
                return tn_error_set(error, TN_NUMERICS, "the %s of body '%s' is not finite", what, body->name);
            }
        }
    }
    for (int i = 0; i < model->n_nodes; i++) {
        const double *node = x + 3 * (ptrdiff_t)model->nodes[i].block;
        if (model->nodes[i].block >= 0 && !(isfinite(node[0]) && isfinite(node[1]) && isfinite(node[2]))) {
            int soft = model->node_soft[i];
            return tn_error_set(error, TN_NUMERICS, "the %s of body '%s' is not finite at its node %d", what,
                                model->softs[soft].name, i - model->softs[soft].first_node);
        }
    }
    return TN_OK;
}

// x (contacts, 3) is finite, or the error names the bodies of the first contact where it is not.
static tn_status check_contacts(const tn_sim *sim, const int *number, int n, const double *x, const char *what,
                                tn_error *error)
{
    for (int i = 0; i < 3 * n; i++) {
        if (!isfinite(x[i])) {
            int m = number ? number[i / 3] : i / 3;
            const tn_contact *contact = &sim->list.contacts[sim->rows.source[m]];
            return tn_error_set(error, TN_NUMERICS, "the %s between bodies '%s' and '%s' is not finite", what,
                                tn_model_body_name(sim->model, contact->body_a),
                                tn_model_body_name(sim->model, contact->body_b));
        }
    }
    return TN_OK;
}

static tn_status check_solution(const tn_sim *sim, const int *number, const tn_problem *problem,
                                const tn_solution *solution, tn_error *error)
{
    tn_status status = check_bodies(sim->model, solution->v, "velocity", error);
    return status == TN_OK ? check_contacts(sim, number, problem->contacts->n, solution->lambda, "contact force", error)
                           : status;
}

// Solve, timed; scratch is given back.
static tn_status solve(tn_sim *sim, const tn_problem *problem, tn_solution *solution, tn_solve_report *report,
                       double *seconds, tn_error *error)
{
    double start = tn_timer_now();
    tn_arena *scratch = tn_sim_scratch(sim);
    tn_arena_mark mark = tn_arena_get_mark(scratch);
    tn_status status = sim->solver->solve(problem, &sim->model->settings.solve, scratch, solution, report, error);
    tn_arena_release(scratch, mark);
    *seconds += tn_timer_now() - start;
    return status;
}

static tn_status certify(tn_sim *sim, const tn_problem *problem, const tn_solution *solution, tn_solve_report *report,
                         double *seconds, tn_error *error)
{
    double start = tn_timer_now();
    tn_arena *scratch = tn_sim_scratch(sim);
    tn_arena_mark mark = tn_arena_get_mark(scratch);
    tn_status status = tn_certificate_compute(problem, solution, true, scratch, &report->certificate);
    tn_arena_release(scratch, mark);
    *seconds += tn_timer_now() - start;
    if (status != TN_OK) {
        return tn_error_set(error, status, "no memory for the certificate of %d contacts", problem->contacts->n);
    }
    const tn_certificate *c = &report->certificate;
    const tn_tolerance *t = &sim->model->settings.solve.tolerance;
    report->converged = report->converged && holds(c->momentum, t->momentum) && holds(c->natural, t->natural) &&
                        holds(c->fclib, t->fclib);
    return TN_OK;
}

// The same order as tn_solver_run, with the stages timed and failures named by body.
tn_status tn_sim_solve(tn_sim *sim, const tn_problem *problem, const int *number, tn_solution *solution,
                       tn_solve_report *report, tn_step_report *times, tn_error *error)
{
    *report = (tn_solve_report){.solver = sim->solver->name, .converged = true, .theta = NAN};
    if (problem->A->n_rows == 0) {
        return TN_OK;
    }
    const char *refusal = tn_solver_refusal(sim->solver, problem);
    if (refusal) {
        return tn_error_set(error, TN_BAD_INPUT, "solver '%s' does not take this problem: %s", sim->solver->name,
                            refusal);
    }
    tn_status status = check_bodies(sim->model, problem->b, "applied force or motion", error);
    status = status == TN_OK ? check_contacts(sim, number, problem->contacts->n, problem->contacts->offset,
                                              "surface motion of the contact", error)
                             : status;
    status = status == TN_OK ? solve(sim, problem, solution, report, &times->solve_s, error) : status;
    status = status == TN_OK ? check_solution(sim, number, problem, solution, error) : status;
    return status == TN_OK ? certify(sim, problem, solution, report, &times->certify_s, error) : status;
}
