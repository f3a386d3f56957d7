// Scheme euler with restitution_law poisson: the second solve of a step in which something bounces.
//
// Of free bodies it never gains energy. Against a force that goes on pressing (of springs, rods and elements) it can,
// as bounces of Newton's law can: then an island gives back the part E0/(E0 - E1) of its impulses, E0 being the gain of
// the compression alone and E1 that with all of them, and none where that is not enough (bounce.c).
#include "discretize/decompression.h"
#include "problem/rows.h"
#include "sim/bounce_energy.h"

#include <math.h>
#include <string.h>

typedef struct decompress {
    const tn_step_setup *setup;
    tn_step_solving *solving;
    const tn_state *state;
    double *rest; // (n_triples, 3) forces that the contacts bore before [N]
    double *part; // (n_triples) of the impulses that they give back; NULL: all
    tn_decompression second;
    tn_step_answer both;     // solution: of both solves
    tn_bounce_energy energy; // how it is bounded
    double *first;           // (islands.n) E0 [J]
    double *given;           // (islands.n) part of each island's impulses
} decompress;

// The second problem, with as much of the impulses as is given back.
static tn_status build(decompress *d, tn_error *error)
{
    const tn_step_equations *eq = &d->solving->eq;
    return tn_decompression_build(d->setup->model, &eq->list, &eq->rows, &eq->problem, &d->solving->answer.solution,
                                  d->rest, d->part, d->setup->arena, &d->second, error);
}

// What the compression gains, and what counts as gained after it: contacts that bounce may leave as fast as they like,
// but for what overlaps make of that. False: no memory.
static bool prepare(decompress *d)
{
    const tn_step_equations *eq = &d->solving->eq;
    int n = eq->problem.rows->n_triples;
    if (!tn_bounce_energy_create(d->setup, n, &d->energy) ||
        !tn_bounce_energy_divide(d->setup, &eq->problem, &d->energy)) {
        return false;
    }
    for (int m = 0; m < tn_sim_awake_contacts(eq); m++) {
        double push = tn_contact_rows_push(&eq->rows, &d->setup->model->settings, m);
        bool bounces = d->second.returned[m] > 0.0;
        d->energy.asked[m] = bounces ? INFINITY : 0.0;
        d->energy.excused[m] = bounces ? fmax(push, 0.5 * eq->balance.h * eq->rows.pull[m]) : 0.0;
    }
    int n_islands = d->energy.islands.n;
    d->part = TN_PUSH_RAW(d->setup->arena, double, n);
    if (!d->part || !TN_PUSH_EACH(d->setup->arena, n_islands, &d->first, &d->given)) {
        return false;
    }
    tn_bounce_energy_look(d->setup, eq, &d->solving->answer, &d->energy);
    for (int k = 0; k < n_islands; k++) {
        double lost;
        d->given[k] = 1.0;
        d->first[k] = tn_bounce_energy_gain(d->setup, eq, &d->solving->answer, d->state, &d->energy, k, &lost);
    }
    for (int m = 0; m < n; m++) {
        d->part[m] = 1.0;
    }
    return true;
}

// Islands that gain give back less from now on. False: none does.
static bool lessen(decompress *d)
{
    const tn_islands *islands = &d->energy.islands;
    bool any = false;
    tn_bounce_energy_look(d->setup, &d->solving->eq, &d->both, &d->energy);
    for (int k = 0; k < islands->n; k++) {
        double lost, first = d->first[k];
        double gain = tn_bounce_energy_gain(d->setup, &d->solving->eq, &d->both, d->state, &d->energy, k, &lost);
        if (!(gain > TN_BOUNCE_SEEN * lost) || d->given[k] == 0.0) {
            continue;
        }
        any = true;
        d->given[k] = d->given[k] == 1.0 && first < 0.0 ? first / (first - gain) : 0.0;
        for (int j = islands->triple_start[k]; j < islands->triple_start[k + 1]; j++) {
            d->part[islands->triple[j]] = d->given[k];
        }
    }
    return any;
}

// d->both becomes the sum of both solves.
static tn_status solve(decompress *d, tn_solve_report *solve, tn_step_report *report, tn_error *error)
{
    const tn_solution *first = &d->solving->answer.solution;
    const tn_problem *p = &d->solving->eq.problem;
    const tn_sim_posed posed = {&d->second.problem, &d->second.solution, NULL, NULL, NULL};
    tn_status status = tn_sim_run_solver(d->setup, d->solving, &posed, solve, report, error);
    if (status == TN_OK) {
        memcpy(d->both.solution.v, first->v, 3 * (size_t)p->A->n_rows * sizeof *first->v);
        memcpy(d->both.solution.lambda, first->lambda, tn_row_count(p->rows) * sizeof *first->lambda);
        tn_decompression_add(&d->second, &d->both.solution);
    }
    return status;
}

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

// The certificate of the second solve; both together are the step's answer.
static tn_status finish(decompress *d, tn_solve_report *second, tn_step_report *report, tn_error *error)
{
    tn_step_answer *answer = &d->solving->answer;
    const tn_sim_posed posed = {&d->second.problem, &d->second.solution, NULL, NULL, NULL};
    const tn_sim_products none = {NULL, NULL, NULL, NULL};
    tn_status status = tn_sim_certify(d->setup, d->solving, &posed, &none, second, report, error);
    if (status != TN_OK) {
        return status;
    }
    tn_sim_merge_reports(&report->solve, second);
    tn_decompression_add(&d->second, &answer->solution);
    if (answer->reduced) {
        add_holds(d->setup->model, answer->reduced_again, answer->reduced);
    }
    return tn_sim_multiply(d->setup, &d->solving->eq, answer, error);
}

// As often as islands gain; on tape a step gives back what the law says.
static tn_status decompress_all(decompress *d, tn_step_report *report, tn_error *error)
{
    tn_step_control *control = &d->solving->control;
    tn_solve_report second;
    for (int iterations = 0;;) {
        tn_status status = solve(d, &second, report, error);
        second.iterations = iterations += second.iterations;
        if (status != TN_OK) {
            return status;
        }
        if (control->tape || !tn_again_may(&control->again, TN_AGAIN_BOUNCES) || !lessen(d)) {
            return finish(d, &second, report, error);
        }
        status = build(d, error);
        if (status != TN_OK || d->second.n_bounces == 0) {
            return status;
        }
    }
}

tn_status tn_sim_decompress(const tn_step_setup *setup, tn_step_solving *solving, const tn_state *state,
                            tn_step_report *report, tn_error *error)
{
    const tn_step_equations *eq = &solving->eq;
    const tn_rows *contacts = &eq->rows.contacts;
    decompress d = {.setup = setup, .solving = solving, .state = state, .both = solving->answer};
    d.rest = TN_PUSH(setup->arena, double, 3 * (size_t)contacts->n_triples);
    d.both.solution.v = TN_PUSH_RAW(setup->arena, double, 3 * (size_t)eq->problem.A->n_rows);
    d.both.solution.lambda = TN_PUSH_RAW(setup->arena, double, tn_row_count(eq->problem.rows));
    if (!d.rest || !d.both.solution.v || !d.both.solution.lambda) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the forces of %d contacts", contacts->n_triples);
    }
    tn_contact_rows_warm(&eq->rows, &eq->list, setup->model->settings.solve.n_threads, d.rest);
    tn_status status = build(&d, error);
    if (status != TN_OK || d.second.n_bounces == 0) {
        return status;
    }
    if (!prepare(&d)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the bounces of %d contacts", contacts->n_triples);
    }
    return decompress_all(&d, report, error);
}
