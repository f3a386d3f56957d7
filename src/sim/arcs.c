// Soft bodies whose turning the step itself changes (scheme euler): solved again with its arcs (discretize/arc.h).
//
// What falls on an edge may spin by a third of a radian a step after one. Told that it does not turn, its elements
// leave it swollen by theta^2/2 at the step's end, which in stiff bodies is many times the energy that they had.
#include "discretize/arc.h"
#include "discretize/soft.h"
#include "sim/sim.h"

// The arcs at the solution in place of those that the problem holds, where it matters: *changed.
static tn_status take_arcs(const tn_step_setup *setup, tn_step_solving *solving, const tn_state *state, bool *changed,
                           tn_error *error)
{
    tn_step_equations *eq = &solving->eq;
    const tn_model *model = setup->model;
    tn_arc *arcs = TN_PUSH_RAW(setup->arena, tn_arc, model->n_softs);
    if (!arcs) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the motion of %d soft bodies", model->n_softs);
    }
    tn_arcs_find(model, state, solving->answer.solution.v, eq->balance.h, arcs);
    *changed = tn_arcs_strain(model, state, solving->answer.solution.v, eq->balance.arcs, arcs) &&
               tn_again_may(&solving->control.again, TN_AGAIN_ARCS);
    if (!*changed) {
        return TN_OK;
    }
    tn_status status = tn_sim_elastic_again(setup, error);
    eq->balance.elastic = setup->memory->elements;
    status = status == TN_OK ? tn_balance_turn_arcs(model, state, arcs, setup->arena, &eq->balance, error) : status;
    return status == TN_OK ? tn_step_problem(model, state, &eq->balance, &eq->rows, &eq->joints.rows, setup->arena,
                                             &eq->constraints, &eq->problem, error)
                           : status;
}

tn_status tn_sim_arcs_solve(const tn_step_setup *setup, tn_step_solving *solving, const tn_state *state,
                            tn_step_report *report, tn_error *error)
{
    for (int iterations = 0;;) {
        bool changed = false;
        tn_status status = tn_sim_joints_solve(setup, solving, state, report, error);
        report->solve.iterations = iterations += report->solve.iterations;
        if (status == TN_OK && solving->eq.balance.arcs &&
            !solving->control.tape) { // on tape a step has the arcs of its start
            status = take_arcs(setup, solving, state, &changed, error);
        }
        if (status != TN_OK || !changed) {
            return status;
        }
    }
}
