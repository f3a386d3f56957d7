// Pairs that the list left out because nobody could know of them at the step's start: bodies that the contacts of this
// very step throw against others. The list is made for the velocities of the start (collide/motion.h); where the
// solve's own are so different that a pair outside it may have closed, the bodies are collided again with those, and
// if a pair has, it joins the list and the step is solved once more.
#include "base/timer.h"
#include "collide/motion.h"
#include "math/vec3.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

// Distance of d from the straight line between 0 and g: what of a change of velocity is not the fall.
static double apart_from_fall(const double d[3], const double g[3])
{
    double square = tn_vec3_dot(g, g), part = square > 0.0 ? tn_vec3_dot(d, g) / square : 0.0, rest[3];
    tn_vec3_madd(rest, d, -fmin(fmax(part, 0.0), 1.0), g);
    return tn_vec3_norm(rest);
}

// Most that a point of the shape's surface goes within the step beyond what the velocities `guess` and the fall make
// of it [m].
static double deflection(const tn_sim *sim, const tn_state *state, const double *guess, const tn_model_shape *shape)
{
    double before[3], after[3], spin_before[3], spin_after[3], fall[3];
    double h = sim->model->settings.step, radius = tn_vec3_norm(shape->pose.position);
    tn_state_center_velocity(state, shape->body, guess, before, spin_before);
    tn_state_center_velocity(state, shape->body, sim->solution.v, after, spin_after);
    tn_vec3_sub(after, after, before);
    tn_vec3_sub(spin_after, spin_after, spin_before);
    tn_vec3_scale(fall, h, sim->model->settings.gravity);
    radius += tn_shape_spin_radius(&shape->shape);
    return h * (apart_from_fall(after, fall) + radius * tn_vec3_norm(spin_after));
}

// A pair is left out only while its gap exceeds the margin, the fall and the way at the guessed velocities
// (tn_pair_way): two deflections have to make up for the margin.
static bool may_have_closed(const tn_sim *sim, const tn_state *state, const double *guess)
{
    const tn_model *model = sim->model;
    bool any = false;
    for (int s = 0; s < model->n_shapes && !any; s++) {
        const tn_model_shape *shape = model->shapes + s;
        any = model->bodies[shape->body].n_blocks > 0 && deflection(sim, state, guess, shape) > 0.5 * model->margin;
    }
    return any;
}

static int compare_key(const tn_contact *a, const tn_contact *b)
{
    if (a->shape_a != b->shape_a) {
        return a->shape_a < b->shape_a ? -1 : 1;
    }
    if (a->shape_b != b->shape_b) {
        return a->shape_b < b->shape_b ? -1 : 1;
    }
    return a->feature < b->feature ? -1 : a->feature > b->feature;
}

// Gap that the solve's velocities leave between two rigid shapes [m]. INFINITY: a side is soft.
static double gap_left(const tn_sim *sim, const tn_body_motion motions[], const tn_contact *contact)
{
    double a[3], b[3];
    if (contact->soft_a->n > 0 || contact->soft_b->n > 0) {
        return INFINITY;
    }
    tn_motion_velocity_at(a, motions + contact->body_a, contact->point);
    tn_motion_velocity_at(b, motions + contact->body_b, contact->point);
    tn_vec3_sub(b, b, a);
    return contact->gap + sim->model->settings.step * tn_vec3_dot(contact->frame, b);
}

// The list and what joins it.
typedef struct longer_list {
    tn_contact_list list;
    int *place; // (sim->list.n) of the old contacts in it
    int closed; // so many of the new ones overlap if the bodies go as solved
} longer_list;

// Both lists in one, sorted: all of the old and what `more` has besides that comes to within the margin.
static bool merge(const tn_sim *sim, const tn_body_motion motions[], const tn_contact_list *more, longer_list *out)
{
    const tn_contact_list *old = &sim->list;
    double touch = tn_contact_touch(sim->model);
    int i = 0, k = 0;
    size_t room = (size_t)old->n + (size_t)more->n;
    *out = (longer_list){.list = {.contacts = TN_PUSH_RAW(sim->arena, tn_contact, room),
                                  .frames = TN_PUSH_RAW(sim->arena, double, 9 * room)},
                         .place = TN_PUSH_RAW(sim->arena, int, old->n)};
    if (!out->list.contacts || !out->list.frames || !out->place) {
        return false;
    }
    while (i < old->n || k < more->n) {
        int order = i == old->n ? 1 : k == more->n ? -1 : compare_key(old->contacts + i, more->contacts + k);
        const tn_contact *from = order <= 0 ? old->contacts + i : more->contacts + k;
        double left = order <= 0 ? 0.0 : gap_left(sim, motions, from);
        k += order >= 0;
        if (order <= 0) {
            out->place[i++] = out->list.n;
        }
        if (left < sim->model->margin) {
            double *frame = out->list.frames + 9 * (size_t)out->list.n;
            memcpy(frame, from->frame, 9 * sizeof *frame);
            out->list.contacts[out->list.n] = *from;
            out->list.contacts[out->list.n++].frame = frame;
            out->closed += left < -touch;
        }
    }
    return true;
}

// The forces found so far, (list.n, 3) by contact of the longer list, in the contacts' frames. NULL: no memory.
static double *forces_by_contact(const tn_sim *sim, const longer_list *longer)
{
    double *solved = TN_PUSH(sim->arena, double, 3 * (size_t)longer->list.n);
    for (int m = 0; solved && m < tn_sim_contact_count(sim); m++) {
        tn_vec3_copy(solved + 3 * (size_t)longer->place[sim->rows.source[m]], sim->solution.lambda + 3 * (size_t)m);
    }
    return solved;
}

// All that follows from the longer list, up to the solver's start.
static tn_status rebuild(tn_sim *sim, const tn_state *state, const longer_list *longer, tn_error *error)
{
    const double *solved = forces_by_contact(sim, longer);
    sim->list = longer->list;
    tn_status status =
        tn_contact_rows_build(sim->model, state, &sim->list, &sim->balance, sim->arena, &sim->rows, error);
    if (status != TN_OK) {
        return status;
    }
    sim->solution.lambda = TN_PUSH(sim->arena, double, 3 * (size_t)sim->rows.contacts.n);
    if (!solved || !sim->solution.lambda) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the forces of %d contacts", sim->rows.contacts.n);
    }
    for (int m = 0; m < tn_sim_contact_count(sim); m++) {
        tn_vec3_copy(sim->solution.lambda + 3 * (size_t)m, solved + 3 * (size_t)sim->rows.source[m]);
    }
    tn_step_problem(sim->model, state, &sim->balance, &sim->rows, &sim->joints.rows, &sim->problem);
    return TN_OK;
}

// The contacts at the step's start of bodies that go with the solve's velocities.
static tn_status collide_as_solved(tn_sim *sim, const tn_state *state, tn_contact_list *more, tn_body_motion **motions,
                                   tn_error *error)
{
    const tn_model *model = sim->model;
    tn_state solved = *state; // reads only
    solved.v = sim->solution.v;
    *motions = TN_PUSH_RAW(sim->arena, tn_body_motion, model->n_bodies);
    if (!*motions) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the motion of %d bodies", model->n_bodies);
    }
    for (int b = 0; b < model->n_bodies; b++) {
        tn_body_motion_of(*motions + b, &solved, b);
    }
    tn_arena *scratch = model->n_softs > 0 ? sim->arena : tn_sim_scratch(sim);
    return tn_collide(model, &solved, model->settings.solve.n_threads, sim->arena, scratch, more, error);
}

tn_status tn_sim_collide_again(tn_sim *sim, const tn_state *state, const double *guess, bool *found,
                               tn_step_report *report, tn_error *error)
{
    double start = tn_timer_now();
    tn_body_motion *motions = NULL;
    tn_contact_list more = {.n = 0};
    longer_list longer = {.closed = 0};
    *found = false;
    if (!may_have_closed(sim, state, guess)) {
        return TN_OK;
    }
    tn_status status = collide_as_solved(sim, state, &more, &motions, error);
    if (status == TN_OK && !merge(sim, motions, &more, &longer)) {
        status = tn_error_set(error, TN_NO_MEMORY, "no memory for %d more contacts", more.n);
    }
    if (status == TN_OK && longer.closed > 0) {
        *found = true;
        status = rebuild(sim, state, &longer, error);
    }
    report->collide_s += tn_timer_now() - start;
    return status;
}
