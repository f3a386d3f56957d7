#include "cli/overlap.h"

#include "base/arena.h"
#include "collide/collide.h"

#include <math.h>

// What is less comes from numbers written with some digits [m].
static double least_overlap(const tn_model *model)
{
    return 1e-2 * model->margin;
}

// Contacts of a pair follow one another; the deepest of each counts.
static bool same_pair(const tn_contact *a, const tn_contact *b)
{
    return a->shape_a == b->shape_a && a->shape_b == b->shape_b;
}

static void find_joint(const tn_model *model, cli_overlap *out)
{
    for (int j = 0; j < model->n_joints; j++) {
        const tn_model_joint *joint = &model->joints[j];
        for (int i = 0; i < joint->n_holds; i++) {
            if (fabs(joint->off[i]) > out->joint_off) {
                out->joint_off = fabs(joint->off[i]);
                out->joint = j;
            }
        }
    }
}

tn_status cli_overlap_find(const tn_model *model, const tn_state *state, cli_overlap *out, tn_error *error)
{
    tn_arena *arena = tn_arena_create("overlap", 0);
    tn_contact_list list = {0};
    tn_status status = arena ? tn_collide(model, state, 1, arena, arena, &list, error)
                             : tn_error_set(error, TN_NO_MEMORY, "no memory left");
    double least = least_overlap(model);
    *out = (cli_overlap){.n_contacts = status == TN_OK ? list.n : 0};
    const tn_contact *last = NULL; // that overlaps
    for (int k = 0; k < out->n_contacts; k++) {
        const tn_contact *contact = &list.contacts[k];
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
    tn_arena_destroy(arena);
    find_joint(model, out);
    return status;
}

bool cli_overlap_matters(const tn_model *model, const cli_overlap *overlap)
{
    return overlap->deepest > least_overlap(model);
}

double cli_overlap_speed(const tn_model *model)
{
    return fmin(model->settings.push_out, model->margin / model->settings.step);
}

bool cli_overlap_joint_matters(const cli_overlap *overlap)
{
    return overlap->joint_off > 1e-6; // what the default slack allows
}
