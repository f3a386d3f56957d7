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
    tn_step_answer *answer = &solving->answer;
    tn_solve_report solve;
    const tn_sim_posed posed = {&second->problem, &second->solution, NULL, NULL, NULL};
    const tn_sim_products none = {NULL, NULL, NULL, NULL};
    tn_status status = tn_sim_run_solver(setup, solving, &posed, &solve, report, error);
    if (status == TN_OK) {
        status = tn_sim_certify(setup, solving, &posed, &none, &solve, report, error);
    }
    if (status == TN_OK) {
        tn_sim_merge_reports(&report->solve, &solve);
        tn_decompression_add(second, &answer->solution);
        if (answer->reduced) {
            add_holds(setup->model, answer->reduced_again, answer->reduced);
        }
        status = tn_sim_multiply(setup, &solving->eq, answer, error);
    }
    return status;
}

tn_status tn_sim_decompress(const tn_step_setup *setup, tn_step_solving *solving, tn_step_report *report,
                            tn_error *error)
{
    const tn_step_equations *eq = &solving->eq;
    const tn_rows *contacts = &eq->rows.contacts;
    tn_decompression second;
    double *rest = TN_PUSH(setup->arena, double, 3 * (size_t)contacts->n_triples);
    if (!rest) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the forces of %d contacts", contacts->n_triples);
    }
    tn_contact_rows_warm(&eq->rows, &eq->list, setup->model->settings.solve.n_threads, rest);
    tn_status status = tn_decompression_build(setup->model, &eq->list, &eq->rows, &eq->problem,
                                              &solving->answer.solution, rest, setup->arena, &second, error);
    return status == TN_OK && second.n_bounces > 0 ? run(setup, solving, &second, report, error) : status;
}
