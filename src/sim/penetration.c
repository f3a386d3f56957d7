// Penetration after the step, from the shapes at their new poses.
#include "base/fetch.h"
#include "base/team.h"
#include "math/vec3.h"
#include "shape/class.h"
#include "shape/manifold.h"
#include "shape/pose.h"
#include "sim/sim.h"

#include <stdbool.h>

// Gap that the step's own linear prediction leaves at contact m [m].
static double predicted_gap(const tn_step_equations *eq, const tn_step_answer *answer, int m)
{
    const tn_rows *c = &eq->rows.contacts;
    double u = eq->rows.surface[m];
    if (!c->softness && answer->products.u) {
        return c->gap[m] + eq->balance.h * (answer->products.u[3 * m] - c->offset[3 * m] + u);
    }
    for (int e = c->start[m]; e < c->start[m + 1]; e++) {
        u += tn_vec3_dot(c->jacobian + 9 * (size_t)e, answer->solution.v + 3 * (size_t)c->block[e]);
    }
    return c->gap[m] + eq->balance.h * u;
}

// The rigid shapes at next->pose.
typedef struct placements {
    tn_placed *placed; // (n_shapes)
    bool *finite;      // (n_shapes) its pose is
} placements;

static void place(const tn_step_setup *setup, const tn_step_next *next, const placements *at, int s)
{
    const tn_model_shape *shape = &setup->model->shapes[s];
    tn_pose pose;
    tn_pose_join(&pose, &next->pose[shape->body], &shape->pose);
    at->finite[s] = tn_placed_set(&at->placed[s], &shape->shape, &pose);
}

typedef struct placing {
    const tn_step_setup *setup;
    const tn_step_next *next;
    const placements *at;
} placing;

static void place_movers(const void *context, int first, int end, int thread)
{
    const placing *p = context;
    const tn_model *model = p->setup->model;
    for (int k = first; k < end; k++) {
        const tn_model_body *body = &model->bodies[model->mover[k]];
        for (int s = body->first_shape; s < body->first_shape + body->n_shapes; s++) {
            place(p->setup, p->next, p->at, s);
        }
    }
}

static bool is_fixed(const tn_model *model, int body)
{
    return body < model->n_bodies && model->bodies[body].kind == TN_BODY_FIXED;
}

// Shapes of fixed bodies: all or, where there are more of them than contacts, those of contacts.
static void place_fixed(const tn_solved_step *step, const placements *at)
{
    const tn_model *model = step->setup->model;
    const tn_contact_list *list = &step->eq->list;
    for (int i = 0; model->n_fixed <= list->n && i < model->n_fixed; i++) {
        place(step->setup, step->next, at, model->fixed[i].shape);
    }
    for (int m = 0; model->n_fixed > list->n && m < list->n; m++) {
        const tn_contact *contact = &list->contacts[m];
        if (is_fixed(model, contact->body_a)) {
            place(step->setup, step->next, at, contact->shape_a);
        }
        if (is_fixed(model, contact->body_b)) {
            place(step->setup, step->next, at, contact->shape_b);
        }
    }
}

// All shapes of contacts at the step's end; false: no memory.
static bool place_all(const tn_solved_step *step, tn_arena *arena, placements *at)
{
    const tn_model *model = step->setup->model;
    at->placed = TN_PUSH_RAW(arena, tn_placed, model->n_shapes);
    at->finite = TN_PUSH_RAW(arena, bool, model->n_shapes);
    if (!at->placed || !at->finite) {
        return false;
    }
    tn_team_share(model->settings.solve.n_threads, model->n_movers, 256, place_movers,
                  &(placing){step->setup, step->next, at});
    place_fixed(step, at);
    return true;
}

// Gaps that are worth measuring.
static double near_touch(const tn_solved_step *step)
{
    return 0.1 * step->setup->model->margin;
}

static double pair_penetration(const placements *at, int a, int b, double beyond)
{
    return at->finite[a] && at->finite[b] ? tn_placed_depth(&at->placed[a], &at->placed[b], beyond) : 0.0;
}

static const tn_contact *contact_of(const tn_step_equations *eq, int m)
{
    return &eq->list.contacts[eq->rows.source[m]];
}

static bool same_pair(const tn_contact *a, const tn_contact *b)
{
    return a->shape_a == b->shape_a && a->shape_b == b->shape_b;
}

// What the contact some places on will need.
TN_FETCH_INLINE void fetch_ahead(const tn_step_setup *setup, const tn_step_equations *eq, const placements *at, int m,
                                 int n)
{
    enum { MANY = 8192, AHEAD = 8 };
    if (n >= MANY && m + 2 * AHEAD < n) {
        const tn_contact *contact = contact_of(eq, m + AHEAD);
        tn_fetch(contact_of(eq, m + 2 * AHEAD), sizeof *contact);
        if (contact->shape_b < setup->model->n_shapes) {
            tn_fetch(&at->placed[contact->shape_b], sizeof *at->placed);
            tn_fetch(&setup->model->shapes[contact->shape_b], sizeof *setup->model->shapes);
        }
    }
}

// Of the contacts from m on that have their pair in common with it; 0 where m is not the first of them. Shapes are
// measured once a pair, only if the prediction leaves them near touch, and no further than that they overlap by at most
// deepest.
static double run_penetration(const tn_solved_step *step, const placements *at, int m, int end, double near,
                              double deepest)
{
    const tn_contact *contact = contact_of(step->eq, m);
    if (tn_sim_is_sprung(step->eq, m)) {
        return 0.0; // gives way as far as its spring does
    }
    if (contact->soft_a->n > 0 || contact->soft_b->n > 0) {
        return predicted_gap(step->eq, step->answer, m) <= near
                   ? -tn_contact_gap(step->setup->model, step->next->pose, step->next->x, contact)
                   : 0.0;
    }
    if (m > 0 && same_pair(contact_of(step->eq, m - 1), contact)) {
        return 0.0;
    }
    for (int k = m; k < end && same_pair(contact_of(step->eq, k), contact); k++) {
        if (!(predicted_gap(step->eq, step->answer, k) > near)) {
            return pair_penetration(at, contact->shape_a, contact->shape_b, deepest);
        }
    }
    return 0.0;
}

// Of some contacts; the larger of it and what was found goes to *deepest.
typedef struct sought {
    const tn_solved_step *step;
    const placements *at;
    int n;
    double first; // the least there is to find
    double *deepest;
} sought;

static void find_deepest(const void *context, int first, int end, int thread)
{
    const sought *s = context;
    double deepest = s->first, near = near_touch(s->step);
    for (int m = first; m < end; m++) {
        fetch_ahead(s->step->setup, s->step->eq, s->at, m, s->n);
        double here = run_penetration(s->step, s->at, m, s->n, near, deepest);
        deepest = here > deepest ? here : deepest;
    }
    tn_team_lock();
    *s->deepest = deepest > *s->deepest ? deepest : *s->deepest;
    tn_team_unlock();
}

// Of the pair that the prediction leaves deepest.
static double first_penetration(const tn_solved_step *step, const placements *at, int n)
{
    int m = 0;
    double least = INFINITY;
    for (int k = 0; k < n; k++) {
        double gap = predicted_gap(step->eq, step->answer, k);
        m = gap < least && !tn_sim_is_sprung(step->eq, k) ? k : m;
        least = m == k ? gap : least;
    }
    while (m > 0 && same_pair(contact_of(step->eq, m - 1), contact_of(step->eq, m))) {
        m--;
    }
    return run_penetration(step, at, m, n, near_touch(step), 0.0);
}

// Of all n contacts. What is likely to be deepest is measured first: most others need only be shown not to be deeper.
static double deepest_of(const tn_solved_step *step, const placements *at, int n)
{
    double deepest = first_penetration(step, at, n);
    tn_team_share(step->setup->model->settings.solve.n_threads, n, 256, find_deepest,
                  &(sought){step, at, n, deepest, &deepest});
    return deepest;
}

double tn_sim_penetration(const tn_solved_step *step)
{
    int n = tn_sim_awake_contacts(step->eq);
    if (n == 0) {
        return 0.0;
    }
    tn_arena *scratch = step->setup->memory->scratch; // the solver has made room there
    tn_arena_mark mark = tn_arena_get_mark(scratch);
    placements at;
    if (!place_all(step, scratch, &at)) {
        return (double)NAN;
    }
    double deepest = deepest_of(step, &at, n);
    tn_arena_release(scratch, mark);
    return deepest > 0.0 ? deepest : 0.0; // 0 and -0 compare equal: which one comes out is up to the threads
}

void tn_sim_deepest(const tn_solved_step *step, double depth, int bodies[2])
{
    int n = tn_sim_awake_contacts(step->eq);
    tn_arena *scratch = step->setup->memory->scratch;
    tn_arena_mark mark = tn_arena_get_mark(scratch);
    placements at;
    if (place_all(step, scratch, &at)) {
        for (int m = 0; m < n; m++) {
            double enough = (1.0 - 1e-9) * depth;
            if (run_penetration(step, &at, m, n, near_touch(step), (1.0 - 1e-6) * enough) >= enough) {
                bodies[0] = contact_of(step->eq, m)->body_a;
                bodies[1] = contact_of(step->eq, m)->body_b;
                break;
            }
        }
    }
    tn_arena_release(scratch, mark);
}
