// Springs of contacts: Newton's method on laws that are no straight line, and their books.
//
// Each solve has every law along a tangent (discretize/point_spring.h). Its forces say where on the laws the next
// tangents are taken: at the depth that the law itself has for that force. So where masses are stiffer than springs,
// and where springs are stiffer than masses, few solves are needed: a mass on Hertz's contact takes 3 to 5.
//
// How far a row is from its law is counted as the force that this much velocity takes of masses and spring together, as
// the natural map counts what a solve leaves open. The spring alone would be too strict: between stiff ones in a heap
// forces are all but undetermined, and sweeps move them for ever without moving anything.
#include "math/vec3.h"
#include "sim/sim.h"

#include <math.h>

static const double ENOUGH = 1e-11;      // of the force scale,
static const double OF_NATURAL = 0.3;    // or so much of what the solve itself has left
static const double FOLLOW = 2.0;        // times what one solve has left is what the next ones aim at
static const double NOISE = 100.0;       // times the natural figure: what it may leave at one contact
static const double LEAST_FORCE = 1e-12; // of it: tangents at less would be endlessly soft
static const double LEAST_SCALE = 1e-6;  // of all that moves the bodies: contacts that just part bear next to nothing

// Normal velocity of contact m at v without gap term.
static double normal_velocity(const tn_step_equations *eq, int m, const double *v)
{
    const tn_rows *rows = &eq->rows.contacts;
    double u = eq->rows.surface[m];
    for (int e = rows->start[m]; e < rows->start[m + 1]; e++) {
        u += tn_vec3_dot(rows->jacobian + 9 * (size_t)e, v + 3 * (size_t)rows->block[e]);
    }
    return u;
}

// fmax for numbers that are some; faster.
static double larger(double a, double b)
{
    return a > b ? a : b;
}

// Of the contacts' forces and of the springs' own, which dampers may cancel.
static double force_scale(const tn_step_equations *eq, const tn_step_answer *answer)
{
    double most = LEAST_SCALE * eq->problem.force_scale;
    for (int m = 0; m < tn_sim_awake_contacts(eq); m++) {
        most = larger(answer->solution.lambda[3 * (size_t)m], most);
        if (tn_sim_is_sprung(eq, m)) {
            most = larger(tn_point_spring_force(&eq->rows.spring[m], -eq->rows.contacts.gap[m]), most);
        }
    }
    return most;
}

// A sprung contact after a solve.
typedef struct yield_at {
    double depth;    // of its law at its force, or where the bodies are if they press without one; 0: open as it should
    double bent;     // how far its row is from its law there [N]
    double residual; // of its law, the natural map's [N]
} yield_at;

// The law's own softness at a depth.
static double law_softness(const tn_step_equations *eq, int m, double depth)
{
    double w, R;
    tn_point_spring_row(&eq->rows.spring[m], eq->balance.h, eq->rows.contacts.gap[m], depth, &w, &R);
    return R;
}

static yield_at look(const tn_step_setup *setup, const tn_step_equations *eq, const tn_step_answer *answer, int m,
                     double least)
{
    const tn_point_spring *spring = &eq->rows.spring[m];
    double h = eq->balance.h, gap = eq->rows.contacts.gap[m], R = eq->rows.softness[9 * (size_t)m];
    double f = answer->solution.lambda[3 * (size_t)m], row = answer->products.u[3 * (size_t)m];
    double stiffness = 1.0 / (answer->products.scale[m] + R);
    if (tn_point_spring_is_straight(spring)) { // its row is the law
        double y = stiffness * (f > 0.0 ? fabs(row) : larger(-row, 0.0));
        return (yield_at){0.0, 0.0, f > 0.0 && f < y ? f : y};
    }
    double own = eq->problem.rows->offset[3 * (size_t)m] - eq->rows.surface[m] + R * f; // of the row but for u
    double depth = tn_point_spring_depth(spring, h, gap, fmax(f, 0.0));
    double law = (gap + depth) / h + setup->model->settings.omega * f, y = row - own + law;
    if (f > 0.0) {
        double floor = f < least ? tn_point_spring_depth(spring, h, gap, least) : depth;
        // A row that was taken where next to nothing was borne is far too soft.
        double softness = fmin(R, law_softness(eq, m, floor));
        return (yield_at){floor, fabs(law - own) / (answer->products.scale[m] + softness),
                          fmin(f, stiffness * fabs(y))};
    }
    if (y >= 0.0) {
        return (yield_at){0.0, 0.0, 0.0};
    }
    double pressed = -(gap + h * (row - own)), softness = fmin(R, law_softness(eq, m, pressed));
    return (yield_at){pressed, -y / (answer->products.scale[m] + softness), -y * stiffness};
}

// What a solve has given up to reach the next one, which only bends rows a little, need not try for again: it aims at
// FOLLOW times that, but never coarser than what many contacts may end with after a while.
static double coarser(const tn_step_setup *setup, const tn_solve_report *solve)
{
    const tn_solve_options *o = &setup->model->settings.solve;
    double demanded = o->tolerance.natural, natural = fmin(FOLLOW * solve->certificate.natural, o->enough);
    return !solve->converged && demanded > 0.0 ? fmax(1.0, natural / demanded) : 1.0;
}

tn_status tn_sim_yield(const tn_step_setup *setup, tn_step_solving *solving, bool *done, tn_step_report *report,
                       tn_error *error)
{
    tn_step_equations *eq = &solving->eq;
    tn_step_control *control = &solving->control;
    double scale = force_scale(eq, &solving->answer), bent = 0.0, residual = 0.0;
    int n = tn_sim_awake_contacts(eq);
    tn_arena *scratch = tn_sim_scratch(setup);
    tn_arena_mark mark = tn_arena_get_mark(scratch);
    double *depth = TN_PUSH(scratch, double, n);
    if (!depth) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the springs of %d contacts", n);
    }
    for (int m = 0; m < n; m++) {
        if (tn_sim_is_sprung(eq, m)) {
            yield_at at = look(setup, eq, &solving->answer, m, LEAST_FORCE * scale);
            bent = larger(at.bent, bent);
            residual = larger(at.residual, residual);
            depth[m] = at.depth;
        }
    }
    report->spring_solves++;
    report->spring_residual = scale > 0.0 ? residual / scale : 0.0;
    double enough = fmax(ENOUGH, OF_NATURAL * report->solve.certificate.natural);
    // A solver that does not get there gives other forces each time: no use to ask for ever.
    bool may_be_noise = !report->solve.converged && bent <= NOISE * report->solve.certificate.natural * scale;
    bool stalls = report->spring_solves > 1 && may_be_noise && bent > 0.5 * control->bent;
    control->bent = bent;
    control->coarser = fmax(control->coarser, coarser(setup, &report->solve));
    *done = bent <= enough * scale || stalls || !tn_again_may(&control->again, TN_AGAIN_SPRINGS);
    tn_status status = *done ? TN_OK : tn_sim_own_offset(setup, eq, error);
    for (int m = 0; status == TN_OK && !*done && m < n; m++) {
        if (depth[m] > 0.0) { // else it keeps its row
            tn_contact_rows_spring(&eq->rows, &setup->model->settings, m, depth[m], eq->own_offset + 3 * (size_t)m);
        }
    }
    tn_arena_release(scratch, mark);
    return status;
}

double tn_sim_contact_energy(const tn_solved_step *step, int m)
{
    if (!tn_sim_is_sprung(step->eq, m)) {
        return 0.0;
    }
    double depth = -(step->eq->rows.contacts.gap[m] +
                     step->eq->balance.h * normal_velocity(step->eq, m, step->answer->solution.v));
    return tn_point_spring_energy(&step->eq->rows.spring[m], depth) +
           tn_point_spring_energy_along(&step->eq->rows.spring[m], step->next->force + 3 * (size_t)m + 1);
}

tn_spring_books tn_sim_spring_books(const tn_solved_step *step, const double *mean_v)
{
    tn_spring_books books = {0.0, 0.0, 0.0};
    double h = step->eq->balance.h;
    for (int m = 0; step->eq->rows.spring && m < tn_sim_awake_contacts(step->eq); m++) {
        if (!tn_sim_is_sprung(step->eq, m)) {
            continue;
        }
        const tn_point_spring *spring = &step->eq->rows.spring[m];
        double f = step->next->force[3 * (size_t)m], gap = step->eq->rows.contacts.gap[m],
               u = normal_velocity(step->eq, m, step->answer->solution.v);
        double depth = -(gap + h * u), rate = (larger(depth, 0.0) - larger(-gap, 0.0)) / h;
        double held = 0.0, holds = 0.0;
        if (tn_point_spring_holds_along(spring)) {
            double was[2];
            tn_point_spring_before(step->eq->rows.contacts.frame + 9 * (size_t)m,
                                   step->eq->list.contacts[step->eq->rows.source[m]].warm, was);
            held = tn_point_spring_energy_along(spring, was);
            holds = tn_point_spring_energy_along(spring, step->next->force + 3 * (size_t)m + 1);
        }
        books.before += tn_point_spring_energy(spring, -gap) + held;
        books.after += tn_point_spring_energy(spring, depth) + holds;
        books.kept += holds - held;
        // The work of f goes into the spring; what f is beyond the spring's own force is the damper's.
        double damper = f - tn_point_spring_force(spring, depth);
        books.kept -= h * (f * normal_velocity(step->eq, m, mean_v) + damper * rate);
    }
    return books;
}

tn_status tn_sim_spring_energy(const tn_state *state, double *energy, tn_error *error)
{
    const tn_model *model = state->model;
    *energy = 0.0;
    for (int k = 0; state->sleep && k < state->sleep->n_islands; k++) {
        *energy += state->sleep->islands[k].contacts;
    }
    if (!model->any_spring) {
        return TN_OK;
    }
    tn_contact_list list = {.n = 0};
    tn_arena *arena = tn_arena_create(0);
    tn_status status = arena ? tn_collide(model, state, 1, arena, arena, &list, error) : TN_NO_MEMORY;
    for (int c = 0; status == TN_OK && c < list.n; c++) {
        const tn_contact *contact = &list.contacts[c];
        tn_point_spring spring = tn_point_spring_of(model, contact);
        double along[2];
        tn_point_spring_before(contact->frame, contact->warm, along);
        bool asleep = tn_state_sleeps(state, contact->body_a) || tn_state_sleeps(state, contact->body_b);
        if (spring.power > 0.0 && !asleep) {
            *energy += tn_point_spring_energy(&spring, -contact->gap) + tn_point_spring_energy_along(&spring, along);
        }
    }
    tn_arena_destroy(arena);
    return status == TN_OK ? TN_OK : tn_error_set(error, status, "no memory for the energy of contacts");
}
