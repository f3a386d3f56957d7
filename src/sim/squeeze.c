// Rigid bodies that have nowhere to go.
//
// Where bodies fill the room between walls to the last bit, an overlap as small as rounding has nowhere to go, and
// where bodies close in on one by prescribed motion neither has that: no velocity takes it away, and the forces against
// it grow from step to step until something is shot away. So a contact force is taken for such a squeeze when it is
// LEVER times what the step asks for, and the contacts that bear so much give way.
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

// What momentum, pushes, motors and springs of the step ask for in all [N]; motors' torques at arms as short as the
// smallest shape.
static double force_asked_for(const tn_step_setup *setup, const tn_step_equations *eq)
{
    const tn_problem *p = &eq->problem;
    const tn_rows joints = tn_rows_singles(p->rows);
    double all = 0.0, push = 0.0;
    for (int m = 0; m < p->rows->n_triples - p->rows->n_frictions; m++) {
        push = fmax(push, -p->rows->offset[3 * (size_t)m]);
    }
    for (int i = 0; i < 3 * p->A->n_rows; i++) {
        all += fabs(p->b[i]);
    }
    for (int i = 0; i < joints.n_singles; i++) {
        push = fmax(push, fabs(joints.offset[i]));
        all += strength_of(&joints, i) * fmax(1.0, 1.0 / setup->model->smallest);
    }
    return all + setup->model->total_mass * push / p->step;
}

bool tn_sim_is_squeezed(const tn_step_setup *setup, const tn_step_equations *eq, const tn_step_answer *answer)
{
    double most = 0.0;
    for (int m = 0; m < eq->problem.rows->n_triples - eq->problem.rows->n_frictions; m++) {
        bool rigid = !tn_sim_is_sprung(eq, m); // springs between walls are squeezed as they should
        most = rigid ? fmax(most, answer->solution.lambda[3 * (size_t)m]) : most;
    }
    return most > 0.0 && most > LEVER * force_asked_for(setup, eq);
}

// Contacts with more than the step asks for give way: by as much as they are to part where that would take LEVER times
// the force that moves their bodies so. False: the solver does not take that (polyhedral cones).
static bool soften(const tn_step_setup *setup, tn_step_equations *eq, const tn_step_answer *answer, double *softness,
                   bool *squeezed)
{
    const tn_rows *c = &eq->rows.contacts;
    const double asked = force_asked_for(setup, eq), *before = c->softness;
    if (before) {
        memcpy(softness, before, 9 * (size_t)c->n_triples * sizeof *softness);
    }
    for (int m = 0; m < c->n_triples - c->n_frictions; m++) {
        squeezed[m] = answer->solution.lambda[3 * (size_t)m] > asked && !tn_sim_is_sprung(eq, m);
        for (int k = 0; squeezed[m] && k < 3; k++) {
            softness[9 * (size_t)m + 4 * (size_t)k] += answer->products.scale[m] / LEVER;
        }
    }
    eq->constraints.softness = softness;
    bool taken = !tn_solver_refusal(setup->solver, &eq->problem);
    eq->rows.contacts.softness = eq->constraints.softness = taken ? softness : before;
    return taken;
}

// Asks of overlaps no more than that they do not grow. What gives way stays as it is.
static tn_status leave_overlaps(const tn_step_setup *setup, tn_step_equations *eq, tn_error *error)
{
    const tn_rows *c = &eq->rows.contacts;
    tn_status status = tn_sim_own_offset(setup, eq, error);
    for (int m = 0; status == TN_OK && m < c->n_triples - c->n_frictions; m++) {
        if (!tn_sim_is_sprung(eq, m)) {
            eq->own_offset[3 * (size_t)m] += tn_contact_rows_push(&eq->rows, &setup->model->settings, m);
        }
    }
    return status;
}

tn_status tn_sim_relieve(const tn_step_setup *setup, tn_step_equations *eq, tn_step_answer *answer, tn_error *error)
{
    const tn_rows *c = &eq->rows.contacts;
    double *softness = TN_PUSH(setup->arena, double, 9 * (size_t)c->n_triples);
    bool *squeezed = TN_PUSH(setup->arena, bool, c->n_triples);
    if (!softness || !squeezed) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the softness of %d contacts", c->n_triples);
    }
    bool gives_way = soften(setup, eq, answer, softness, squeezed);
    tn_status status = gives_way ? TN_OK : leave_overlaps(setup, eq, error);
    eq->squeezed = gives_way ? squeezed : NULL;
    memcpy(answer->solution.v, eq->guess, 3 * (size_t)setup->model->n_blocks * sizeof *eq->guess);
    memset(answer->solution.lambda, 0, 3 * (size_t)c->n_triples * sizeof *answer->solution.lambda);
    return status;
}
