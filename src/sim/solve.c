#include "base/timer.h"
#include "problem/certificate.h"
#include "sim/sim.h"

#include <math.h>

static bool holds(double figure, double tolerance)
{
    return tolerance <= 0.0 || figure <= tolerance || isnan(figure);
}

// A failure names the first body or contact whose numbers are not finite.
static tn_status check_finite(const tn_sim *sim, const tn_problem *problem, const tn_solution *solution,
                              tn_error *error)
{
    const tn_model *model = sim->model;
    for (int b = 0; b < model->n_bodies; b++) {
        const tn_model_body *body = &model->bodies[b];
        for (int i = 0; i < 3 * body->n_blocks; i++) {
            if (!isfinite(solution->v[3 * body->block + i])) {
                return tn_error_set(error, TN_NUMERICS,
                                    "the velocity of body '%s' is not finite: try a smaller step or another solver",
                                    body->name);
            }
        }
    }
    for (int i = 0; i < 3 * problem->contacts->n; i++) {
        if (!isfinite(solution->lambda[i])) {
            return tn_error_set(error, TN_NUMERICS,
                                "the force of contact %d is not finite: try a smaller step or another solver", i / 3);
        }
    }
    return TN_OK;
}

tn_status tn_sim_solve(const tn_sim *sim, const tn_problem *problem, tn_solution *solution, tn_solve_report *report,
                       tn_step_report *times, tn_error *error)
{
    const tn_solve_options *options = &sim->model->settings.solve;
    *report = (tn_solve_report){.solver = sim->solver->name, .converged = true, .theta = NAN};
    if (problem->A->n_rows == 0) {
        return TN_OK;
    }
    const char *refusal = sim->solver->refuses(problem);
    if (refusal) {
        return tn_error_set(error, TN_BAD_INPUT, "solver %s: %s", sim->solver->name, refusal);
    }
    double start = tn_timer_now();
    tn_status status = sim->solver->solve(problem, options, sim->arena, solution, report, error);
    times->solve_s += tn_timer_now() - start;
    if (status == TN_OK) {
        status = check_finite(sim, problem, solution, error);
    }
    if (status != TN_OK) {
        return status;
    }
    start = tn_timer_now();
    status = tn_certificate_compute(problem, solution, true, sim->arena, &report->certificate);
    times->certify_s += tn_timer_now() - start;
    if (status != TN_OK) {
        return tn_error_set(error, status, "no memory for the certificate of %d contacts", problem->contacts->n);
    }
    const tn_certificate *c = &report->certificate;
    const tn_tolerance *t = &options->tolerance;
    report->converged = report->converged && holds(c->momentum, t->momentum) && holds(c->natural, t->natural) &&
                        holds(c->fclib, t->fclib);
    return TN_OK;
}
