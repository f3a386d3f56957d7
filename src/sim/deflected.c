// Pairs that the list left out because nobody could know of them at the step's start: bodies that the contacts of this
// very step throw against others. The list is made for the velocities of the start (collide/motion.h); where the
// solve's own are so different that a pair outside it may have closed, the bodies that they deflect are collided again
// with those, and if a pair has, it joins the list and the step is solved once more.
#include "base/team.h"
#include "base/timer.h"
#include "collide/broad.h"
#include "collide/motion.h"
#include "math/vec3.h"
#include "sim/sim.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

// Distance of d from the straight line between 0 and g: what of a change of velocity is not the fall.
static double apart_from_fall(const double d[3], const double g[3])
{
    double square = tn_vec3_dot(g, g), part = square > 0.0 ? tn_vec3_dot(d, g) / square : 0.0, rest[3];
    tn_vec3_madd(rest, d, -fmin(fmax(part, 0.0), 1.0), g);
    return tn_vec3_norm(rest);
}

// Most that a point of the shape's surface goes within the step beyond what the guessed velocities and the fall make
// of it [m].
static double deflection(const tn_step_setup *setup, const tn_step_equations *eq, const tn_step_answer *answer,
                         const tn_state *state, const tn_model_shape *shape)
{
    double before[3], after[3], spin_before[3], spin_after[3], fall[3];
    double h = setup->model->settings.step, radius = tn_vec3_norm(shape->pose.position);
    tn_state_center_velocity(state, shape->body, eq->guess, before, spin_before);
    tn_state_center_velocity(state, shape->body, answer->solution.v, after, spin_after);
    tn_vec3_sub(after, after, before);
    tn_vec3_sub(spin_after, spin_after, spin_before);
    tn_vec3_scale(fall, h, setup->model->settings.gravity);
    radius += tn_shape_spin_radius(&shape->shape);
    return h * (apart_from_fall(after, fall) + radius * tn_vec3_norm(spin_after));
}

// The same of a soft body's vertices; those of bodies that it is attached to move with these.
static double soft_deflection(const tn_step_setup *setup, const tn_step_equations *eq, const tn_step_answer *answer,
                              const tn_model_soft *soft)
{
    double h = setup->model->settings.step, fall[3], most = 0.0;
    tn_vec3_scale(fall, h, setup->model->settings.gravity);
    for (int i = soft->first_vertex; i < soft->first_vertex + soft->n_vertices; i++) {
        int block = setup->model->nodes[setup->model->vertices[i]].block;
        double change[3];
        if (block >= 0) {
            tn_vec3_sub(change, answer->solution.v + 3 * (size_t)block, eq->guess + 3 * (size_t)block);
            most = fmax(most, h * apart_from_fall(change, fall));
        }
    }
    return most;
}

typedef struct deflecting {
    const tn_step_setup *setup;
    const tn_step_equations *eq;
    const tn_step_answer *answer;
    const tn_state *state;
    bool *is; // (shapes)
    atomic_bool *any;
} deflecting;

static void find_range(const void *context, int first, int end, int thread)
{
    const deflecting *d = context;
    const tn_model *model = d->setup->model;
    bool any = false;
    for (int k = first; k < end; k++) {
        const tn_model_body *body = &model->bodies[model->mover[k]];
        for (int s = body->first_shape; body->n_blocks > 0 && s < body->first_shape + body->n_shapes; s++) {
            d->is[s] = deflection(d->setup, d->eq, d->answer, d->state, model->shapes + s) > 0.5 * model->margin;
            any = any || d->is[s];
        }
    }
    if (any) {
        *d->any = true;
    }
}

// A pair is left out only while its gap exceeds the margin, the fall and the way at the guessed velocities
// (tn_pair_way): two deflections have to make up for the margin. is (sides): the shapes that do more than half of that;
// false: there are none.
static bool find_deflected(const tn_step_setup *setup, const tn_step_equations *eq, const tn_step_answer *answer,
                           const tn_state *state, bool *is)
{
    atomic_bool any = false;
    const deflecting d = {.setup = setup, .eq = eq, .answer = answer, .state = state, .is = is, .any = &any};
    const tn_model *model = setup->model;
    tn_team_share(model->settings.solve.n_threads, model->n_movers, 512, find_range, &d);
    for (int s = 0; s < model->n_softs; s++) {
        any = any || soft_deflection(setup, eq, answer, model->softs + s) > 0.5 * model->margin;
    }
    for (int s = 0; s < model->n_softs; s++) {
        is[model->n_shapes + s] = any; // where shapes are level shows in all contacts of a soft body (soft_seam.h)
    }
    return any;
}

int tn_sim_compare_contacts(const tn_contact *a, const tn_contact *b)
{
    if (a->shape_a != b->shape_a) {
        return a->shape_a < b->shape_a ? -1 : 1;
    }
    if (a->shape_b != b->shape_b) {
        return a->shape_b < b->shape_b ? -1 : 1;
    }
    return a->feature < b->feature ? -1 : a->feature > b->feature;
}

// Of a contact's side, a body or nodes.
static void side_velocity(const tn_state *solved, const tn_body_motion motions[], const tn_contact *contact, int body,
                          const tn_soft_point *soft, double out[3])
{
    tn_vec3_set(out, 0.0, 0.0, 0.0);
    if (soft->n == 0) {
        tn_motion_velocity_at(out, motions + body, contact->point);
    }
    for (int i = 0; i < soft->n; i++) {
        double v[3];
        tn_node_motion(v, solved, motions, soft->node[i]);
        tn_vec3_madd(out, out, soft->weight[i], v);
    }
}

// Gap that the solve's velocities leave [m]. INFINITY: both sides are soft.
static double gap_left(const tn_step_setup *setup, const tn_state *solved, const tn_body_motion motions[],
                       const tn_contact *contact)
{
    double a[3], b[3];
    if (contact->soft_a->n > 0 && contact->soft_b->n > 0) {
        return INFINITY;
    }
    side_velocity(solved, motions, contact, contact->body_a, contact->soft_a, a);
    side_velocity(solved, motions, contact, contact->body_b, contact->soft_b, b);
    tn_vec3_sub(b, b, a);
    return contact->gap + setup->model->settings.step * tn_vec3_dot(contact->frame, b);
}

// Keep of `more` what the list lacks and what comes to within the margin, of pairs that overlap somewhere if the bodies
// go as solved. Returns how many contacts do.
static int keep_joining(const tn_step_setup *setup, const tn_step_equations *eq, const tn_state *solved,
                        const tn_body_motion motions[], tn_contact_list *more)
{
    const tn_contact_list *old = &eq->list;
    double touch = tn_contact_touch(setup->model);
    int closed = 0, n = 0, first = 0, closed_before = 0; // first: of the pair
    for (int i = 0, k = 0; k < more->n; k++) {
        const tn_contact *contact = more->contacts + k;
        if (k > 0 && (contact->shape_a != contact[-1].shape_a || contact->shape_b != contact[-1].shape_b)) {
            n = closed > closed_before ? n : first;
            first = n;
            closed_before = closed;
        }
        while (i < old->n && tn_sim_compare_contacts(old->contacts + i, contact) < 0) {
            i++;
        }
        bool listed = i < old->n && tn_sim_compare_contacts(old->contacts + i, contact) == 0;
        double left = listed ? INFINITY : gap_left(setup, solved, motions, contact);
        if (left < setup->model->margin) {
            more->contacts[n++] = *contact;
            closed += left < -touch;
        }
    }
    more->n = closed > closed_before ? n : first;
    return closed;
}

// Where each contact of the list goes once those of `more` join it; both are sorted, no contact is in both.
static void find_places(const tn_contact_list *old, const tn_contact_list *more, int *place)
{
    for (int i = 0, k = 0; i < old->n; i++) {
        while (k < more->n && tn_sim_compare_contacts(more->contacts + k, old->contacts + i) < 0) {
            k++;
        }
        place[i] = i + k;
    }
}

static void put(const tn_contact_list *list, int at, const tn_contact *contact)
{
    double *frame = list->frames + 9 * (size_t)at;
    memmove(frame, contact->frame, 9 * sizeof *frame);
    memmove(list->contacts + at, contact, sizeof *contact);
    list->contacts[at].frame = frame;
}

// Both lists into `to`, which may be the old one's arrays: from the end, so that nothing is lost.
static void merge(const tn_contact_list *old, const int *place, const tn_contact_list *more, const tn_contact_list *to)
{
    int i = old->n - 1, k = more->n - 1;
    for (int at = to->n - 1; at >= 0 && (k >= 0 || to->contacts != old->contacts); at--) {
        bool is_old = i >= 0 && place[i] == at;
        put(to, at, is_old ? old->contacts + i-- : more->contacts + k--);
    }
}

// The forces found so far, each by what it is of: contacts and their moments (n, 3) by contact of the longer list, in
// the contacts' frames, friction of joints (n_joints, 3), and of the joints' rows.
typedef struct kept_forces {
    double *contact, *moment, *ball, *joint;
} kept_forces;

// Where the force of triple m goes. place: of each contact in the longer list; NULL: it is the list.
static double *force_of(const kept_forces *f, const tn_contact_rows *rows, int m, const int *place)
{
    const int moments = rows->contacts.n_triples - rows->contacts.n_frictions;
    const size_t of = (size_t)rows->source[m];
    if (m >= rows->contacts.n_triples - rows->n_balls) {
        return f->ball + 3 * of;
    }
    return (m < moments ? f->contact : f->moment) + 3 * (place ? (size_t)place[of] : of);
}

// False: no memory.
static bool keep_forces(const tn_step_setup *setup, const tn_step_equations *eq, const tn_step_answer *answer,
                        const int *place, int n, tn_arena *room, kept_forces *out)
{
    const size_t n_joints = (size_t)eq->joints.rows.n_singles;
    *out = (kept_forces){.contact = TN_PUSH(room, double, 3 * (size_t)n),
                         .moment = TN_PUSH(room, double, 3 * (size_t)n),
                         .ball = TN_PUSH(room, double, 3 * (size_t)setup->model->n_joints),
                         .joint = TN_PUSH(room, double, n_joints)};
    if (!out->contact || !out->moment || !out->ball || !out->joint) {
        return false;
    }
    for (int m = 0; m < eq->rows.contacts.n_triples; m++) {
        tn_vec3_copy(force_of(out, &eq->rows, m, place), answer->solution.lambda + 3 * (size_t)m);
    }
    if (n_joints > 0) {
        memcpy(out->joint, tn_sim_joint_forces(eq, answer), n_joints * sizeof *out->joint);
    }
    return true;
}

// The longer list takes the place of the old one where there is room, else what hung on that.
static bool join(const tn_step_setup *setup, tn_step_equations *eq, const int *place, const tn_contact_list *more,
                 bool release)
{
    const tn_contact_list old = eq->list;
    tn_contact_list *list = &eq->list;
    list->n = old.n + more->n;
    if (release) {
        tn_arena_release(setup->arena, eq->contact_mark);
    }
    if (list->n > old.room) {
        list->room = list->n;
        list->contacts = TN_PUSH_RAW(setup->arena, tn_contact, list->n);
        list->frames = TN_PUSH_RAW(setup->arena, double, 9 * (size_t)list->n);
    }
    if (!list->contacts || !list->frames) {
        *list = (tn_contact_list){0};
        return false;
    }
    merge(&old, place, more, list);
    return true;
}

// What joins the list, and all that follows from it, up to the solver's start. It takes the place of what hung on the
// shorter one, unless that lies in the step's own arena, before what is needed here.
static tn_status rebuild(const tn_step_setup *setup, tn_step_solving *solving, const tn_state *state,
                         const tn_contact_list *more, tn_arena *room, tn_error *error)
{
    tn_step_equations *eq = &solving->eq;
    tn_step_answer *answer = &solving->answer;
    int n = eq->list.n + more->n, *place = TN_PUSH_RAW(room, int, eq->list.n);
    kept_forces forces;
    bool *is_new = TN_PUSH_RAW(room, bool, n), kept = false;
    if (place && is_new) {
        find_places(&eq->list, more, place);
        memset(is_new, true, (size_t)n * sizeof *is_new);
        for (int i = 0; i < eq->list.n; i++) {
            is_new[place[i]] = false;
        }
        kept = keep_forces(setup, eq, answer, place, n, room, &forces);
    }
    if (!kept || !join(setup, eq, place, more, room != setup->arena)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for %d contacts", n);
    }
    tn_status status = tn_sim_contacts_build(setup, eq, answer, state, error);
    bool *joined = status == TN_OK ? TN_PUSH(setup->arena, bool, eq->rows.contacts.n_triples) : NULL;
    if (status == TN_OK && !joined) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for %d contacts", n);
    }
    solving->control.joined = joined;
    for (int m = 0; status == TN_OK && m < eq->rows.contacts.n_triples; m++) {
        joined[m] = m < tn_sim_awake_contacts(eq) && is_new[eq->rows.source[m]];
        tn_vec3_copy(answer->solution.lambda + 3 * (size_t)m, force_of(&forces, &eq->rows, m, NULL));
    }
    if (status == TN_OK && eq->joints.rows.n_singles > 0) {
        memcpy(tn_sim_joint_forces(eq, answer), forces.joint, (size_t)eq->joints.rows.n_singles * sizeof *forces.joint);
    }
    return status;
}

// The contacts of deflected shapes at the step's start if bodies go with the solve's velocities, and these.
static tn_status collide_as_solved(const tn_step_setup *setup, const tn_state *solved, const bool *deflected,
                                   tn_arena *room, tn_contact_list *more, tn_body_motion **motions, tn_error *error)
{
    const tn_model *model = setup->model;
    *motions = TN_PUSH_RAW(room, tn_body_motion, model->n_bodies);
    if (!*motions) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the motion of %d bodies", model->n_bodies);
    }
    tn_body_motions_of(*motions, solved, model->settings.solve.n_threads);
    tn_status status = tn_collide_joining(model, solved, deflected, model->settings.solve.n_threads, room, more, error);
    if (status == TN_OK) {
        tn_sim_filter(setup, more);
    }
    return status;
}

tn_status tn_sim_collide_again(const tn_step_setup *setup, tn_step_solving *solving, const tn_state *state, bool *found,
                               tn_step_report *report, tn_error *error)
{
    double start = tn_timer_now();
    *found = false;
    // Contacts of soft bodies point into what collide leaves: theirs stay with the step's.
    tn_arena *room = setup->model->n_softs > 0 ? setup->arena : tn_sim_scratch(setup);
    tn_arena_mark mark = tn_arena_get_mark(room);
    bool *deflected = TN_PUSH(room, bool, tn_side_count(setup->model));
    if (!deflected) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for %d surfaces", tn_side_count(setup->model));
    }
    if (!find_deflected(setup, &solving->eq, &solving->answer, state, deflected)) {
        tn_arena_release(room, mark);
        return TN_OK;
    }
    tn_body_motion *motions = NULL;
    tn_contact_list more = {.n = 0};
    tn_state solved = *state; // reads only
    solved.v = solving->answer.solution.v;
    tn_status status = collide_as_solved(setup, &solved, deflected, room, &more, &motions, error);
    *found = status == TN_OK && keep_joining(setup, &solving->eq, &solved, motions, &more) > 0;
    if (*found) {
        status = rebuild(setup, solving, state, &more, room, error);
    }
    if (room != setup->arena || !*found) {
        tn_arena_release(room, mark);
    }
    report->collide_s += tn_timer_now() - start;
    return status;
}
