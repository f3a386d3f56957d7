// Bounces that would bring energy from nowhere: less of them, in a step solved again (schemes euler, implicit).
//
// Newton's law, u+ = -eps u-, asks for a velocity whatever force that takes. Of free bodies without friction it never
// gains energy. Against a force that goes on pressing (of springs, rods and elements), and with friction, it can: a
// ball that a stiff spring holds on the floor is lifted against the spring for nothing. With v the solution and v_k the
// start,
//
//     energy gained = h sum lambda . u - 1/2 |v - v_k|_M^2 - h/2 v . (A - M/h) v
//
// counts what elastic forces store and the scheme dissipates. Where an island with bounces gains, it is solved without
// them, which loses E0, and then with the part E0/(E0 - E1) of them, E1 being the gain of all: the energy is a convex
// function of that part, so nothing is gained there but for friction, where it is looked at once more.
#include "kernels/block_product.h"
#include "math/vec3.h"
#include "problem/islands.h"
#include "problem/rows.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

static const double SEEN = 1e-3; // of what the island loses: less is left to the solver's accuracy

typedef struct bounces {
    tn_islands islands;
    const double *offset; // (rows of the problem) as Newton's law has them
    const double *asked;  // (n_triples) speed that contacts are to leave with [m/s]; 0: no bounce
    double *Av;           // (3 n_blocks)
    double *gain;         // (islands.n) E1 [J]; 0: its bounces are as the law has them
    bool *joined;         // (n_triples) in the islands that change
} bounces;

// Work of contact m's forces in the step, as far as it may be from nowhere [J]. What gravity does while the body is
// above its touching point by half a step's motion is none.
static double work_of(const tn_step_equations *eq, const tn_solution *solution, double asked, int m)
{
    const double *f = solution->lambda + 3 * (size_t)m, h = eq->balance.h;
    double u[3], w[3];
    if (m < tn_sim_awake_contacts(eq) && tn_sim_is_sprung(eq, m)) {
        return 0.0;
    }
    tn_contact_velocity(&eq->rows.contacts, m, solution->v, u);
    if (m >= tn_sim_awake_contacts(eq)) {
        return fmin(0.0, h * tn_vec3_dot(f, u));
    }
    tn_contact_rows_surface(&eq->rows, m, w);
    tn_vec3_add(u, u, w);
    double lag = asked > 0.0 ? 0.5 * h * eq->rows.pull[m] : 0.0;
    return h * (f[0] * (fmin(u[0], asked) - lag) + f[1] * u[1] + f[2] * u[2]);
}

// What inertia of joints' coordinates takes, whose rows have it as a damper of I/h.
static double lost_by_armature(const tn_step_setup *setup, const tn_step_equations *eq, const tn_step_answer *answer,
                               int i)
{
    double f = tn_sim_joint_forces(eq, answer)[i];
    bool inertia = setup->model->joint_rows[eq->joints.source[i]].role == TN_ROLE_ARMATURE;
    return inertia ? 0.5 * eq->balance.h * eq->joints.rows.compliance[i] * f * f : 0.0;
}

// What island k gains [J]; *lost: what all but its contacts take.
static double gain_of(const tn_step_setup *setup, const tn_step_equations *eq, const tn_step_answer *answer,
                      const tn_state *state, const bounces *b, int k, double *lost)
{
    const tn_islands *islands = &b->islands;
    const double *v = answer->solution.v, *mass = eq->balance.mass, h = eq->balance.h;
    double work = 0.0;
    *lost = 0.0;
    for (int j = islands->block_start[k]; j < islands->block_start[k + 1]; j++) {
        for (size_t i = 3 * (size_t)islands->block[j], end = i + 3; i < end; i++) {
            double change = v[i] - state->v[i];
            *lost += 0.5 * (mass[i] * (change * change - v[i] * v[i]) + h * v[i] * b->Av[i]);
        }
    }
    for (int j = islands->single_start[k]; j < islands->single_start[k + 1]; j++) {
        *lost += lost_by_armature(setup, eq, answer, islands->single[j]);
    }
    for (int j = islands->triple_start[k]; j < islands->triple_start[k + 1]; j++) {
        work += work_of(eq, &answer->solution, b->asked[islands->triple[j]], islands->triple[j]);
    }
    return work - *lost;
}

// Speeds asked for by bounces; false: there are none.
static bool find_asked(const tn_settings *settings, const tn_step_equations *eq, double *asked)
{
    bool any = false;
    for (int m = 0; m < tn_sim_awake_contacts(eq); m++) {
        double phi = eq->rows.contacts.offset[3 * (size_t)m] - eq->rows.surface[m];
        bool parted = tn_contact_rows_push(&eq->rows, settings, m) > 0.0;
        asked[m] = eq->rows.restitution[m] > 0.0 && !parted ? fmax(-phi, 0.0) : 0.0;
        any = any || asked[m] > 0.0;
    }
    return any;
}

// 0, 1, ... n - 1; NULL: no memory.
static int *numbers_to(int n, tn_arena *arena)
{
    int *all = TN_PUSH_RAW(arena, int, n);
    for (int i = 0; all && i < n; i++) {
        all[i] = i;
    }
    return all;
}

// In reduced coordinates the rows do not say what a tree ties together: all is one island.
static bool find_islands(const tn_step_setup *setup, const tn_problem *p, tn_islands *out)
{
    if (!setup->model->trees) {
        return tn_islands_find(p, setup->arena, out) == TN_OK;
    }
    int *start = TN_PUSH(setup->arena, int, 6);
    int *block = numbers_to(p->A->n_rows, setup->arena), *triple = numbers_to(p->rows->n_triples, setup->arena);
    int *single = numbers_to(p->rows->n_singles, setup->arena);
    if (!start || !block || !triple || !single) {
        return false;
    }
    start[1] = p->A->n_rows;
    start[3] = p->rows->n_triples;
    start[5] = p->rows->n_singles;
    *out = (tn_islands){.n = 1,
                        .block_start = start,
                        .block = block,
                        .triple_start = start + 2,
                        .triple = triple,
                        .single_start = start + 4,
                        .single = single};
    return true;
}

static bool allocate(const tn_step_setup *setup, const tn_problem *p, bounces *b)
{
    if (!find_islands(setup, p, &b->islands)) {
        return false;
    }
    b->Av = TN_PUSH_RAW(setup->arena, double, 3 * (size_t)p->A->n_rows);
    b->gain = TN_PUSH(setup->arena, double, b->islands.n);
    b->joined = TN_PUSH_RAW(setup->arena, bool, p->rows->n_triples);
    return b->Av && b->gain && b->joined;
}

// Island k bounces with so large a part of what Newton's law asks for, from now on.
static void take_part(const tn_step_equations *eq, const bounces *b, int k, double part)
{
    for (int j = b->islands.triple_start[k]; j < b->islands.triple_start[k + 1]; j++) {
        int m = b->islands.triple[j];
        b->joined[m] = true;
        if (b->asked[m] > 0.0) { // all else stays as it is
            eq->own_offset[3 * (size_t)m] = b->offset[3 * (size_t)m] + (1.0 - part) * b->asked[m];
        }
    }
}

// Which islands gain: their bounces become less in eq->own_offset. round: of solves with less so far. False: none does.
static bool lessen(const tn_step_setup *setup, const tn_step_equations *eq, const tn_step_answer *answer,
                   const tn_state *state, int round, const bounces *b)
{
    bool any = false;
    tn_block_product(eq->balance.A, answer->solution.v, b->Av, setup->model->settings.solve.n_threads);
    memset(b->joined, 0, (size_t)eq->problem.rows->n_triples * sizeof *b->joined);
    for (int k = 0; k < b->islands.n; k++) {
        double lost, gain = gain_of(setup, eq, answer, state, b, k, &lost);
        if (round == 1 && b->gain[k] > 0.0) {
            take_part(eq, b, k, gain < 0.0 ? gain / (gain - b->gain[k]) : 0.0);
        } else if (gain > SEEN * lost && (round == 0 || b->gain[k] > 0.0)) {
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
    double *asked = TN_PUSH(setup->arena, double, eq->problem.rows->n_triples);
    *any = asked && find_asked(&setup->model->settings, eq, asked);
    if (asked && !*any) {
        return TN_OK;
    }
    b->asked = asked;
    b->offset = eq->problem.rows->offset;
    eq->own_offset = NULL; // squeezed contacts and springs may have changed it: that stays as it is
    bool ok = asked && tn_sim_own_offset(setup, eq, error) == TN_OK && allocate(setup, &eq->problem, b);
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
