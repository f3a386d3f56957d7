// Scheme `implicit`: elastic forces at the step's end, found by Newton's method.
//
// Each Newton step is a step's problem whose elements are linearised at x_k + h v of the last one (discretize/soft.h):
// its balance A v - b - J^T lambda is then the residual of the implicit equations themselves. The first is the linearly
// implicit step. Contacts keep their place and are solved anew with each.
#include "math/vec3.h"
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

static bool start_trace(const tn_sim *sim, newton_trace *trace)
{
    *trace = (newton_trace){.previous = INFINITY, .residual = INFINITY};
    trace->v = TN_PUSH(sim->arena, double, 3 * (size_t)sim->model->n_blocks);
    trace->lambda = TN_PUSH(sim->arena, double, tn_row_count(&sim->constraints));
    return trace->v && trace->lambda;
}

static void keep_iterate(const tn_sim *sim, newton_trace *trace)
{
    memcpy(trace->v, sim->solution.v, 3 * (size_t)sim->model->n_blocks * sizeof *trace->v);
    memcpy(trace->lambda, sim->solution.lambda, tn_row_count(&sim->constraints) * sizeof *trace->lambda);
}

static void step_back(const tn_sim *sim, const newton_trace *trace)
{
    for (int i = 0; i < 3 * sim->model->n_blocks; i++) {
        sim->solution.v[i] = 0.5 * (sim->solution.v[i] + trace->v[i]);
    }
    for (size_t i = 0; i < tn_row_count(&sim->constraints); i++) {
        sim->solution.lambda[i] = 0.5 * (sim->solution.lambda[i] + trace->lambda[i]);
    }
}

// The problem linearised at the solution's end of the step, and its residual there.
static tn_status relinearize(tn_sim *sim, const tn_state *state, double *residual, tn_error *error)
{
    const tn_model *model = sim->model;
    double *moved = TN_PUSH(sim->arena, double, 3 * (size_t)model->n_nodes);
    if (!moved) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for Newton's method on %d nodes", model->n_nodes);
    }
    tn_sim_advance(sim, state, sim->next_pose, sim->turn, sim->next_x);
    for (size_t i = 0; i < 3 * (size_t)model->n_nodes; i++) {
        moved[i] = (sim->next_x[i] - state->x[i]) / model->settings.step;
    }
    tn_status status = tn_sim_elastic(sim, sim->next_x, true, error);
    status = status == TN_OK
                 ? tn_balance_build(model, state, sim->elastic, moved, sim->input, sim->arena, &sim->balance, error)
                 : status;
    if (status != TN_OK) {
        return status;
    }
    status = tn_step_problem(model, state, &sim->balance, &sim->rows, &sim->joints.rows, sim->arena, &sim->constraints,
                             &sim->problem, error);
    status = status == TN_OK ? tn_sim_multiply(sim, error) : status;
    if (status != TN_OK) {
        return status;
    }
    *residual =
        tn_certificate_momentum(&sim->problem, sim->products.product, sim->products.push, tn_sim_joint_forces(sim));
    return TN_OK;
}

tn_status tn_sim_newton(tn_sim *sim, const tn_state *state, tn_step_report *report, tn_error *error)
{
    const tn_settings *settings = &sim->model->settings;
    newton_trace trace;
    if (!start_trace(sim, &trace)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for Newton's method");
    }
    for (int k = 1;; k++) {
        tn_arena_mark mark = tn_arena_get_mark(sim->arena);
        tn_status status = relinearize(sim, state, &trace.residual, error);
        report->newton_steps = k;
        report->newton_residual = trace.residual;
        if (status != TN_OK || trace.residual <= settings->newton_tolerance || k >= settings->max_newton ||
            !tn_again_may(&sim->again, TN_AGAIN_NEWTON)) {
            return status;
        }
        if (trace.residual > trace.previous && trace.halvings < MAX_HALVINGS) {
            trace.halvings++;
            step_back(sim, &trace);
            tn_arena_release(sim->arena, mark);
            continue;
        }
        trace.halvings = 0;
        trace.previous = trace.residual;
        keep_iterate(sim, &trace);
        int iterations = report->solve.iterations;
        const double *offset = sim->rows.contacts.offset;
        status = tn_sim_solve(sim, report, error);
        report->solve.iterations += iterations;
        // What the next linearisation makes anew goes, but where the solve has left its own behind the mark: offsets of
        // a squeezed one, the reduced coordinates' problem.
        if (sim->rows.contacts.offset == offset && !sim->reduced) {
            tn_arena_release(sim->arena, mark);
        }
        if (status != TN_OK) {
            return status;
        }
    }
}
