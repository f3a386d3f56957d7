// Scheme euler with restitution_law poisson: the second solve of a step in which something bounces.
#include "discretize/decompression.h"
#include "sim/sim.h"

// What holds trees in the second solve comes on top too.
static void add_holds(const tn_model *model, const tn_tree_problem *second, tn_tree_problem *out)
{
    for (int i = 0; i < 3 * model->n_blocks; i++) {
        out->held[i] += second->held[i];
    }
    for (int i = 0; i < model->n_joint_rows; i++) {
        out->hold[i] += second->hold[i];
    }
}

static tn_status run(const tn_step_setup *setup, tn_step_solving *solving, tn_decompression *second,
                     tn_step_report *report, tn_error *error)
{
    tn_solve_report solve;
    const tn_sim_products none = {NULL, NULL, NULL, NULL};
    tn_status status =
        tn_sim_run_solver(setup, solving, &second->problem, NULL, NULL, &second->solution, &solve, report, error);
    if (status == TN_OK) {
        status = tn_sim_certify(setup, solving, &second->problem, &second->solution, &none, &solve, report, error);
    }
    if (status == TN_OK) {
        tn_sim_merge_reports(&report->solve, &solve);
        tn_decompression_add(second, &solving->answer.solution);
        if (solving->answer.reduced) {
            add_holds(setup->model, solving->answer.reduced_again, solving->answer.reduced);
        }
        status = tn_sim_multiply(setup, &solving->eq, &solving->answer, error);
    }
    return status;
}

tn_status tn_sim_decompress(const tn_step_setup *setup, tn_step_solving *solving, tn_step_report *report,
                            tn_error *error)
{
    const tn_rows *contacts = &solving->eq.rows.contacts;
    tn_decompression second;
    double *rest = TN_PUSH(setup->arena, double, 3 * (size_t)contacts->n_triples);
    if (!rest) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the forces of %d contacts", contacts->n_triples);
    }
    tn_contact_rows_warm(&solving->eq.rows, &solving->eq.list, setup->model->settings.solve.n_threads, rest);
    tn_status status = tn_decompression_build(setup->model, &solving->eq.list, &solving->eq.rows, &solving->eq.problem,
                                              &solving->answer.solution, rest, setup->arena, &second, error);
    return status == TN_OK && second.n_bounces > 0 ? run(setup, solving, &second, report, error) : status;
}
