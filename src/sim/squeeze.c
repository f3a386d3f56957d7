// Rigid bodies that have nowhere to go.
//
// Where bodies fill the room between walls to the last bit, an overlap as small as rounding has nowhere to go, and
// where bodies close in on one by prescribed motion neither has that: no velocity takes it away, and the forces against
// it grow from step to step until something is shot away. So a contact force is taken for such a squeeze when it is
// LEVER times what the step asks for, and the contacts that bear so much give way; then those that bear it instead.
#include "problem/rows.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

static const double LEVER = 1e2;

// What row i may bear of itself [N]: its bound, or what its spring has; 0: a rigid one, which bears what is asked of
// it.
static double strength_of(const tn_rows *joints, int i)
{
    double bound = fmax(-joints->lower[i], joints->upper[i]);
    double spring = joints->compliance[i] > 0.0 ? fabs(joints->offset[i]) / joints->compliance[i] : INFINITY;
    double most = fmin(bound, spring);
    return most < INFINITY ? most : 0.0;
}

// What the bodies' momentum asks for [N].
static double force_of_momentum(const tn_problem *p)
{
    double all = 0.0;
    for (int i = 0; i < 3 * p->A->n_rows; i++) {
        all += fabs(p->b[i]);
    }
    return all;
}

// What momentum, pushes, motors and springs of the step ask for in all [N]; motors' torques at arms as short as the
// smallest shape.
static double force_asked_for(const tn_step_setup *setup, const tn_problem *p)
{
    const tn_rows joints = tn_rows_singles(p->rows);
    double all = force_of_momentum(p), push = 0.0;
    for (int m = 0; m < p->rows->n_triples - p->rows->n_frictions; m++) {
        push = fmax(push, -p->rows->offset[3 * (size_t)m]);
    }
    for (int i = 0; i < joints.n_singles; i++) {
        push = fmax(push, fabs(joints.offset[i]));
        all += strength_of(&joints, i) * fmax(1.0, 1.0 / setup->model->smallest);
    }
    return all + setup->model->total_mass * push / p->step;
}

static bool is_squeezed(const tn_step_setup *setup, const tn_step_equations *eq, const tn_problem *p,
                        const double *lambda)
{
    double most = 0.0;
    for (int m = 0; m < p->rows->n_triples - p->rows->n_frictions; m++) {
        // springs between walls are squeezed as they should
        most = lambda[3 * (size_t)m] > most && !tn_sim_is_sprung(eq, m) ? lambda[3 * (size_t)m] : most;
    }
    return most > LEVER * force_of_momentum(p) && most > LEVER * force_asked_for(setup, p);
}

bool tn_sim_is_squeezed(const tn_step_setup *setup, const tn_step_equations *eq, const tn_step_answer *answer)
{
    return is_squeezed(setup, eq, &eq->problem, answer->solution.lambda);
}

// Room for the softness of contacts, with what they have.
static double *own_softness(const tn_step_setup *setup, const tn_rows *c)
{
    double *softness = TN_PUSH(setup->arena, double, 9 * (size_t)c->n_triples);
    if (softness && c->softness) {
        memcpy(softness, c->softness, 9 * (size_t)c->n_triples * sizeof *softness);
    }
    return softness;
}

// Whether contacts m and k are of the same two shapes.
static bool same_pair(const tn_step_equations *eq, int m, int k)
{
    const tn_contact *a = &eq->list.contacts[eq->rows.source[m]], *b = &eq->list.contacts[eq->rows.source[k]];
    return a->shape_a == b->shape_a && a->shape_b == b->shape_b;
}

// The contacts of a solve.
typedef struct solved_contacts {
    int n;
    const int *source;            // (n) their numbers in eq->rows; NULL: 0, 1, ...
    const bool *before;           // (n) those that give way already; NULL: none
    const double *lambda, *scale; // (3 n), (n) as in products
} solved_contacts;

// Which contacts bear more than the step asks for, or are beside one that does: which of a face's points bear it is up
// to the solver. Softness of those that did not give way before: by as much as they are to part where that would take
// LEVER times the force that moves their bodies so.
static void give_way(const tn_step_equations *eq, const solved_contacts *c, double asked, bool *squeezed,
                     double *softness)
{
    int n = c->n;
    const int *source = c->source;
    for (int m = 0; m < n; m++) {
        squeezed[m] = c->lambda[3 * (size_t)m] > asked;
    }
    for (int m = 1; m < 2 * n; m++) { // there and back
        int to = m < n ? m : 2 * n - 1 - m, from = m < n ? m - 1 : to + 1;
        bool beside = from < n && squeezed[from];
        squeezed[to] =
            squeezed[to] || (beside && same_pair(eq, source ? source[from] : from, source ? source[to] : to));
    }
    for (int m = 0; m < n; m++) {
        bool already = c->before && c->before[m];
        bool now = !already && squeezed[m] && !tn_sim_is_sprung(eq, source ? source[m] : m);
        for (int k = 0; now && k < 3; k++) {
            softness[9 * (size_t)m + 4 * (size_t)k] += c->scale[m] / LEVER;
        }
        squeezed[m] = now || already;
    }
}

tn_status tn_sim_leave_overlaps(const tn_step_setup *setup, tn_step_equations *eq, const tn_tree_problem *reduced,
                                tn_error *error)
{
    const tn_rows *c = &eq->rows.contacts;
    tn_status status = TN_OK;
    for (int m = 0, k = 0; status == TN_OK && m < c->n_triples - c->n_frictions; m++) {
        bool moves = reduced && k < reduced->rows.n_triples && reduced->triple[k] == m;
        double push = moves ? 0.0 : tn_contact_rows_push(&eq->rows, &setup->model->settings, m);
        k += moves;
        if (push > 0.0 && !tn_sim_is_sprung(eq, m)) {
            status = tn_sim_own_offset(setup, eq, error);
            if (status == TN_OK) {
                eq->own_offset[3 * (size_t)m] += push;
            }
        }
    }
    return status;
}

tn_status tn_sim_relieve(const tn_step_setup *setup, tn_step_equations *eq, tn_step_answer *answer, tn_error *error)
{
    tn_rows *c = &eq->rows.contacts;
    const double *before = c->softness;
    double *softness = own_softness(setup, c);
    bool *squeezed = TN_PUSH(setup->arena, bool, c->n_triples);
    if (!softness || !squeezed) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the softness of %d contacts", c->n_triples);
    }
    const solved_contacts solved = {.n = c->n_triples - c->n_frictions,
                                    .before = eq->squeezed,
                                    .lambda = answer->solution.lambda,
                                    .scale = answer->products.scale};
    give_way(eq, &solved, force_asked_for(setup, &eq->problem), squeezed, softness);
    c->softness = eq->constraints.softness = softness;
    bool taken = !tn_solver_refusal(setup->solver, &eq->problem);
    c->softness = eq->constraints.softness = taken ? softness : before;
    eq->squeezed = taken ? squeezed : NULL;
    memcpy(answer->solution.v, eq->guess, 3 * (size_t)setup->model->n_blocks * sizeof *eq->guess);
    memset(answer->solution.lambda, 0, 3 * (size_t)c->n_triples * sizeof *answer->solution.lambda);
    return taken ? TN_OK : tn_sim_leave_overlaps(setup, eq, NULL, error);
}

// ---- midpoint's second solve

tn_status tn_sim_hold_squeezed(const tn_step_setup *setup, const tn_step_equations *eq, const tn_step_answer *answer,
                               tn_contact_rows *rows, tn_error *error)
{
    const tn_rows *c = &eq->rows.contacts;
    *rows = eq->rows;
    if (!eq->squeezed) {
        return TN_OK;
    }
    double *bears = TN_PUSH(setup->arena, double, c->n_triples);
    for (int m = 0; bears && m < c->n_triples; m++) {
        bears[m] = c->preload ? c->preload[m] : 0.0;
        bears[m] += eq->squeezed[m] ? answer->solution.lambda[3 * (size_t)m] : 0.0;
    }
    rows->contacts.preload = bears;
    return bears ? TN_OK : tn_error_set(error, TN_NO_MEMORY, "no memory for the forces of %d contacts", c->n_triples);
}

bool tn_sim_impact_is_squeezed(const tn_step_setup *setup, const tn_step_equations *eq, const tn_impact *impact)
{
    return is_squeezed(setup, eq, &impact->problem, impact->solution.lambda);
}

tn_status tn_sim_relieve_impact(const tn_step_setup *setup, const tn_step_equations *eq, const double *scale,
                                tn_impact *impact, tn_error *error)
{
    const tn_rows *c = &impact->rows;
    const double *before = c->softness;
    double *softness = own_softness(setup, c);
    bool *squeezed = TN_PUSH_RAW(setup->arena, bool, c->n_triples);
    if (!softness || !squeezed) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the softness of %d contacts", c->n_triples);
    }
    const solved_contacts solved = {.n = impact->coupled_rows.n_triples,
                                    .source = impact->source,
                                    .lambda = impact->solution.lambda,
                                    .scale = scale};
    give_way(eq, &solved, force_asked_for(setup, &impact->problem), squeezed, softness);
    impact->rows.softness = impact->coupled_rows.softness = softness;
    if (tn_solver_refusal(setup->solver, &impact->coupled)) {
        impact->rows.softness = impact->coupled_rows.softness = before;
    }
    const tn_problem *p = &impact->coupled;
    memcpy(impact->coupled_solution.v, p->start_v, 3 * (size_t)p->A->n_rows * sizeof *p->start_v);
    memset(impact->coupled_solution.lambda, 0, tn_row_count(p->rows) * sizeof(double));
    return TN_OK;
}
