// Bounces that would bring energy from nowhere: less of them, in a step solved again (schemes euler, implicit).
//
// Newton's law, u+ = -eps u-, asks for a velocity whatever force that takes. Of free bodies without friction it never
// gains energy. Against a force that goes on pressing (of springs, rods and elements), and with friction, it can: a
// ball that a stiff spring holds on the floor is lifted against the spring for nothing. Where an island with bounces
// gains, it is solved without them, which loses E0, and then with the part E0/(E0 - E1) of them, E1 being the gain of
// all: the energy is a convex function of that part, so nothing is gained there but for friction, where it is looked at
// once more.
#include "problem/rows.h"
#include "sim/bounce_energy.h"

#include <math.h>
#include <string.h>

typedef struct bounces {
    tn_bounce_energy energy;
    const double *offset; // (rows of the problem) as Newton's law has them
    double *gain;         // (islands.n) E1 [J]; 0: its bounces are as the law has them
    bool *joined;         // (n_triples) in the islands that change
} bounces;

// Speeds asked for by bounces; false: there are none. What gravity does while the body is above its touching point by
// half a step's motion is none.
static bool find_asked(const tn_settings *settings, const tn_step_equations *eq, const tn_bounce_energy *energy)
{
    double *asked = energy->asked;
    bool any = false;
    for (int m = 0; m < tn_sim_awake_contacts(eq); m++) {
        double phi = eq->rows.contacts.offset[3 * (size_t)m] - eq->rows.surface[m];
        bool parted = tn_contact_rows_push(&eq->rows, settings, m) > 0.0;
        asked[m] = eq->rows.restitution[m] > 0.0 && !parted ? fmax(-phi, 0.0) : 0.0;
        energy->excused[m] = asked[m] > 0.0 ? 0.5 * eq->balance.h * eq->rows.pull[m] : 0.0;
        any = any || asked[m] > 0.0;
    }
    return any;
}

static bool allocate(const tn_step_setup *setup, const tn_problem *p, bounces *b)
{
    if (!tn_bounce_energy_divide(setup, p, &b->energy)) {
        return false;
    }
    b->gain = TN_PUSH(setup->arena, double, b->energy.islands.n);
    b->joined = TN_PUSH_RAW(setup->arena, bool, p->rows->n_triples);
    return b->gain && b->joined;
}

// Island k bounces with so large a part of what Newton's law asks for, from now on.
static void take_part(const tn_step_equations *eq, const bounces *b, int k, double part)
{
    const tn_islands *islands = &b->energy.islands;
    for (int j = islands->triple_start[k]; j < islands->triple_start[k + 1]; j++) {
        int m = islands->triple[j];
        double asked = b->energy.asked[m];
        b->joined[m] = true;
        if (asked > 0.0) { // all else stays as it is
            eq->own_offset[3 * (size_t)m] = b->offset[3 * (size_t)m] + (1.0 - part) * asked;
        }
    }
}

// Which islands gain: their bounces become less in eq->own_offset. round: of solves with less so far. False: none does.
static bool lessen(const tn_step_setup *setup, const tn_step_equations *eq, const tn_step_answer *answer,
                   const tn_state *state, int round, bounces *b)
{
    bool any = false;
    tn_bounce_energy_look(setup, eq, answer, &b->energy);
    memset(b->joined, 0, (size_t)eq->problem.rows->n_triples * sizeof *b->joined);
    for (int k = 0; k < b->energy.islands.n; k++) {
        double lost, gain = tn_bounce_energy_gain(setup, eq, answer, state, &b->energy, k, &lost);
        if (round == 1 && b->gain[k] > 0.0) {
            take_part(eq, b, k, gain < 0.0 ? gain / (gain - b->gain[k]) : 0.0);
        } else if (gain > TN_BOUNCE_SEEN * lost && (round == 0 || b->gain[k] > 0.0)) {
            b->gain[k] = gain;
            take_part(eq, b, k, 0.0);
        } else {
            continue;
        }
        any = true;
    }
    return any;
}

// On tape a step has the bounces of Newton's law.
static bool may_gain(const tn_step_setup *setup, const tn_step_solving *solving)
{
    const tn_settings *settings = &setup->model->settings;
    return solving->eq.rows.restitution && !solving->control.tape && settings->scheme != TN_SCHEME_MIDPOINT &&
           settings->restitution_law != TN_RESTITUTION_POISSON;
}

// What a solved step bounces by; *any: whether it bounces at all.
static tn_status find_bounces(const tn_step_setup *setup, tn_step_equations *eq, bounces *b, bool *any, tn_error *error)
{
    bool ok = tn_bounce_energy_create(setup, eq->problem.rows->n_triples, &b->energy);
    *any = ok && find_asked(&setup->model->settings, eq, &b->energy);
    if (ok && !*any) {
        return TN_OK;
    }
    b->offset = eq->problem.rows->offset;
    eq->own_offset = NULL; // squeezed contacts and springs may have changed it: that stays as it is
    ok = ok && tn_sim_own_offset(setup, eq, error) == TN_OK && allocate(setup, &eq->problem, b);
    return ok ? TN_OK
              : tn_error_set(error, TN_NO_MEMORY, "no memory for the bounces of %d contacts",
                             eq->problem.rows->n_triples);
}

tn_status tn_sim_bounces_solve(const tn_step_setup *setup, tn_step_solving *solving, const tn_state *state,
                               tn_step_report *report, tn_error *error)
{
    tn_step_equations *eq = &solving->eq;
    bounces b = {.offset = NULL};
    int iterations = 0;
    for (int round = 0;; round++) {
        bool any = round > 0;
        tn_status status = tn_sim_arcs_solve(setup, solving, state, report, error);
        report->solve.iterations = iterations += report->solve.iterations;
        if (status != TN_OK || !may_gain(setup, solving)) {
            return status;
        }
        status = round == 0 ? find_bounces(setup, eq, &b, &any, error) : TN_OK;
        if (status != TN_OK || !any || !tn_again_may(&solving->control.again, TN_AGAIN_BOUNCES) ||
            !lessen(setup, eq, &solving->answer, state, round, &b)) {
            return status;
        }
        solving->control.joined = b.joined;
    }
}
