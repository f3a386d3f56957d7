// Scheme `implicit`: elastic forces at the step's end, found by Newton's method.
//
// Each Newton step is a step's problem whose elements are linearised at x_k + h v of the last one (discretize/soft.h):
// its balance A v - b - J^T lambda is then the residual of the implicit equations themselves. The first is the linearly
// implicit step. Contacts keep their place and are solved anew with each.
#include "problem/rows.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

enum { MAX_HALVINGS = 5 };

// Newton's last iterate, for steps that go too far.
typedef struct newton_trace {
    double *v, *lambda;        // (3 n_blocks), (rows) before the last solve
    double residual, previous; // relative, of the present iterate and the one before
    int halvings;
} newton_trace;

static bool start_trace(const tn_step_setup *setup, const tn_step_equations *eq, newton_trace *trace)
{
    *trace = (newton_trace){.previous = INFINITY, .residual = INFINITY};
    trace->v = TN_PUSH(setup->arena, double, 3 * (size_t)setup->model->n_blocks);
    trace->lambda = TN_PUSH(setup->arena, double, tn_row_count(&eq->constraints));
    return trace->v && trace->lambda;
}

static void keep_iterate(const tn_step_setup *setup, const tn_step_equations *eq, const tn_step_answer *answer,
                         newton_trace *trace)
{
    memcpy(trace->v, answer->solution.v, 3 * (size_t)setup->model->n_blocks * sizeof *trace->v);
    memcpy(trace->lambda, answer->solution.lambda, tn_row_count(&eq->constraints) * sizeof *trace->lambda);
}

static void step_back(const tn_step_setup *setup, const tn_step_equations *eq, tn_step_answer *answer,
                      const newton_trace *trace)
{
    for (int i = 0; i < 3 * setup->model->n_blocks; i++) {
        answer->solution.v[i] = 0.5 * (answer->solution.v[i] + trace->v[i]);
    }
    for (size_t i = 0; i < tn_row_count(&eq->constraints); i++) {
        answer->solution.lambda[i] = 0.5 * (answer->solution.lambda[i] + trace->lambda[i]);
    }
}

// The problem linearised at the solution's end of the step, and its residual there.
static tn_status relinearize(const tn_step_setup *setup, tn_step_equations *eq, tn_step_answer *answer,
                             tn_step_next *next, const tn_state *state, double *residual, tn_error *error)
{
    const tn_model *model = setup->model;
    double *moved = TN_PUSH(setup->arena, double, 3 * (size_t)model->n_nodes);
    if (!moved) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for Newton's method on %d nodes", model->n_nodes);
    }
    tn_sim_advance(setup, state, answer->solution.v, next->pose, next->turn, next->x);
    for (size_t i = 0; i < 3 * (size_t)model->n_nodes; i++) {
        moved[i] = (next->x[i] - state->x[i]) / model->settings.step;
    }
    tn_status status = tn_sim_elastic(setup, next->x, true, error);
    status = status == TN_OK ? tn_balance_build(model, state, setup->memory->elements, moved, setup->input,
                                                setup->arena, &eq->balance, error)
                             : status;
    if (status != TN_OK) {
        return status;
    }
    status = tn_step_problem(model, state, &eq->balance, &eq->rows, &eq->joints.rows, setup->arena, &eq->constraints,
                             &eq->problem, error);
    status = status == TN_OK ? tn_sim_multiply(setup, eq, answer, error) : status;
    if (status != TN_OK) {
        return status;
    }
    *residual = tn_certificate_momentum(&eq->problem, answer->products.product, answer->products.push,
                                        tn_sim_joint_forces(eq, answer));
    return TN_OK;
}

tn_status tn_sim_newton(const tn_step_setup *setup, tn_step_solving *solving, tn_step_next *next, const tn_state *state,
                        tn_step_report *report, tn_error *error)
{
    tn_step_equations *eq = &solving->eq;
    tn_step_answer *answer = &solving->answer;
    const tn_settings *settings = &setup->model->settings;
    newton_trace trace;
    if (!start_trace(setup, eq, &trace)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for Newton's method");
    }
    for (int k = 1;; k++) {
        tn_arena_mark mark = tn_arena_get_mark(setup->arena);
        tn_status status = relinearize(setup, eq, answer, next, state, &trace.residual, error);
        report->newton_steps = k;
        report->newton_residual = trace.residual;
        if (status != TN_OK || trace.residual <= settings->newton_tolerance || k >= settings->max_newton ||
            !tn_again_may(&solving->control.again, TN_AGAIN_NEWTON)) {
            return status;
        }
        if (trace.residual > trace.previous && trace.halvings < MAX_HALVINGS) {
            trace.halvings++;
            step_back(setup, eq, answer, &trace);
            tn_arena_release(setup->arena, mark);
            continue;
        }
        trace.halvings = 0;
        trace.previous = trace.residual;
        keep_iterate(setup, eq, answer, &trace);
        int iterations = report->solve.iterations;
        const double *offset = eq->rows.contacts.offset, *softness = eq->rows.contacts.softness;
        status = tn_sim_solve(setup, solving, report, error);
        report->solve.iterations += iterations;
        // What the next linearisation makes anew goes, but where the solve has left its own behind the mark: what a
        // squeezed one gives way by, the reduced coordinates' problem.
        if (eq->rows.contacts.offset == offset && eq->rows.contacts.softness == softness && !answer->reduced) {
            tn_arena_release(setup->arena, mark);
        }
        if (status != TN_OK) {
            return status;
        }
    }
}
