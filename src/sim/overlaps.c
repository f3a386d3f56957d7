// What overlaps in a state, and where joints are off.
#include "tenon/check.h"

#include "base/arena.h"
#include "collide/collide.h"
#include "discretize/joints.h"

#include <math.h>

static const double SLACK = 1e-6;  // what the default slack of joints allows [m, rad]
static const double DIGITS = 1e-2; // of the margin: what is less comes from numbers written with some digits

// Contacts of a pair follow one another.
static bool same_pair(const tn_contact *a, const tn_contact *b)
{
    return a->shape_a == b->shape_a && a->shape_b == b->shape_b;
}

static void find_overlaps(const tn_contact_list *list, double least, tn_overlaps *out)
{
    const tn_contact *last = NULL; // that overlaps
    out->n_contacts = list->n;
    for (int k = 0; k < list->n; k++) {
        const tn_contact *contact = &list->contacts[k];
        if (contact->surface->contact != TN_CONTACT_RIGID) {
            continue; // a spring that is compressed
        }
        if (contact->gap < -least) {
            out->n_pairs += !last || !same_pair(last, contact);
            last = contact;
        }
        if (-contact->gap > out->deepest) {
            out->deepest = -contact->gap;
            out->body_a = contact->body_a;
            out->body_b = contact->body_b;
        }
    }
}

static void find_joint(const tn_model *model, const tn_state *state, tn_overlaps *out)
{
    const tn_joint_sides sides = {state->pose, state->x};
    for (int j = 0; j < model->n_joints; j++) {
        double off = tn_joint_off(model, j, &sides, state->joint_coordinate);
        if (off > out->joint_off) {
            out->joint_off = off;
            out->joint = j;
        }
    }
}

tn_status tn_state_overlaps(const tn_state *state, tn_overlaps *out, tn_error *error)
{
    if (!state || !out) {
        return tn_error_set(error, TN_BAD_INPUT, "no state whose overlaps are wanted");
    }
    const tn_model *model = state->model;
    const tn_settings *settings = &model->settings;
    double least = DIGITS * model->margin;
    tn_arena *arena = tn_arena_create(0);
    tn_contact_list list = {0};
    tn_status status = arena ? tn_collide(model, state, 1, arena, arena, &list, error)
                             : tn_error_set(error, TN_NO_MEMORY, "no memory for contacts");
    *out = (tn_overlaps){.joint = -1, .speed = fmin(settings->push_out, model->margin / settings->step)};
    if (status == TN_OK) {
        find_overlaps(&list, least, out);
        find_joint(model, state, out);
        out->matters = out->deepest > least;
        out->joint_matters = out->joint_off > SLACK;
    }
    tn_arena_destroy(arena);
    return status;
}
