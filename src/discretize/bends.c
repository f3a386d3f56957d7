// What contacts get of bodies that go round, and of what hangs from them (bends.h).
#include "discretize/bends.h"

#include "math/mat3.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "model/motion.h"
#include "model/tree.h"

// How the velocity of the body's material at arm changes.
static void rate_at(const tn_bend *b, const double arm[3], double rate[3])
{
    double around[3], in[3];
    tn_vec3_cross(around, b->motion.angular, arm);
    tn_vec3_cross(in, b->motion.angular, around);
    tn_vec3_cross(around, b->turned, arm);
    tn_vec3_add(rate, b->bent, in);
    tn_vec3_add(rate, rate, around);
}

static void velocity_at(const tn_bend *b, const double arm[3], double velocity[3])
{
    tn_vec3_cross(velocity, b->motion.angular, arm);
    tn_vec3_add(velocity, velocity, b->motion.linear);
}

// What hangs from a joint goes with the body there and moves at its rates in that body's axes: Coriolis.
static void hang(const tn_model *model, const tn_state *state, const tn_tree_link *link, tn_bend *bends)
{
    const tn_model_joint *joint = &model->joints[link->joint];
    const tn_bend *from = &bends[link->from];
    tn_bend *to = &bends[link->body];
    double anchor[3], arm[2][3], u[2][3], rate[2][3], more[3];
    tn_quat_rotate(arm[1], state->pose[link->body].quaternion,
                   (link->is_a ? &joint->frame_a : &joint->frame_b)->position);
    tn_vec3_add(anchor, to->motion.position, arm[1]);
    tn_vec3_sub(arm[0], anchor, from->motion.position);
    tn_vec3_sub(more, to->motion.angular, from->motion.angular);
    tn_vec3_cross(more, from->motion.angular, more);
    tn_vec3_add(to->turned, from->turned, more);
    velocity_at(from, arm[0], u[0]);
    velocity_at(to, arm[1], u[1]);
    rate_at(from, arm[0], rate[0]);
    rate_at(to, arm[1], rate[1]); // as long as it does not bend
    tn_vec3_sub(more, u[1], u[0]);
    tn_vec3_cross(more, from->motion.angular, more);
    tn_vec3_sub(to->bent, rate[0], rate[1]);
    tn_vec3_madd(to->bent, to->bent, 2.0, more);
}

static void begin(const tn_state *state, int body, tn_bend *bends)
{
    bends[body] = (tn_bend){.bent = {0.0}};
    tn_body_motion_of(&bends[body].motion, state, body);
}

static bool is_fixed(const tn_model *model, int body)
{
    return model->bodies[body].kind == TN_BODY_FIXED && !model->bodies[body].asleep;
}

// Fixed bodies: all or, where there are more of them than contacts, those of contacts.
static void begin_fixed(const tn_model *model, const tn_state *state, const tn_contact_list *list, tn_bend *bends)
{
    bool all = model->n_softs > 0 || model->n_bodies - model->n_movers <= list->n;
    for (int b = 0; all && b < model->n_bodies; b++) {
        if (is_fixed(model, b)) {
            begin(state, b, bends);
        }
    }
    for (int m = 0; !all && m < list->n; m++) {
        const tn_contact *contact = &list->contacts[m];
        if (is_fixed(model, contact->body_a)) {
            begin(state, contact->body_a, bends);
        }
        if (is_fixed(model, contact->body_b)) {
            begin(state, contact->body_b, bends);
        }
    }
}

const tn_bend *tn_bends_find(const tn_model *model, const tn_state *state, const tn_contact_list *list, tn_arena *arena)
{
    tn_bend *bends = TN_PUSH_RAW(arena, tn_bend, model->n_bodies);
    if (!bends) {
        return NULL;
    }
    begin_fixed(model, state, list, bends);
    for (int k = 0; k < model->n_movers; k++) {
        begin(state, model->mover[k], bends);
    }
    for (int l = 0; model->carriers && l < model->carriers->n_links; l++) {
        const tn_tree_link *link = &model->carriers->link[l];
        if (link->joint >= 0) {
            if (is_fixed(model, link->from)) {
                begin(state, link->from, bends);
            }
            hang(model, state, link, bends);
        }
    }
    return bends;
}

// s of the header.
static double part_of(const tn_bend *bends, const tn_contact *contact)
{
    const double *a = bends[contact->body_a].motion.angular, *b = bends[contact->body_b].motion.angular;
    double apart[3];
    tn_vec3_sub(apart, b, a);
    double rolls = tn_vec3_dot(apart, apart), common = tn_vec3_dot(a, b);
    return rolls == 0.0 ? 1.0 : rolls < common ? 1.0 - rolls / common : 0.0;
}

// Nodes keep their velocities, but for those that are attached.
static void add_soft(const tn_state *state, const tn_bend *bends, const tn_soft_point *soft, double sign,
                     double rate[3])
{
    double arm[3], own[3];
    for (int i = 0; i < soft->n; i++) {
        const tn_model_node *node = &state->model->nodes[soft->node[i]];
        if (node->block < 0) {
            const tn_bend *bend = &bends[node->body];
            tn_vec3_sub(arm, state->x + 3 * (size_t)soft->node[i], bend->motion.position);
            rate_at(bend, arm, own);
            tn_vec3_madd(rate, rate, sign * soft->weight[i], own);
        }
    }
}

// Two rigid bodies both go round by the mean of theirs: so a_b - a_a is a motion of a rigid body, and several contacts
// between them can stick at once. What is the same of both at the point is left out.
static void rate_between(const tn_bend *a, const tn_bend *b, const double point[3], double rate[3])
{
    double mean[3], apart[3], arm[3], turn[3];
    tn_vec3_add(mean, a->motion.angular, b->motion.angular);
    tn_vec3_scale(mean, 0.5, mean);
    tn_vec3_sub(apart, a->motion.position, b->motion.position);
    tn_vec3_cross(rate, mean, apart);
    tn_vec3_cross(rate, mean, rate);
    tn_vec3_sub(arm, b->bent, a->bent);
    tn_vec3_add(rate, rate, arm);
    tn_vec3_sub(arm, point, b->motion.position);
    tn_vec3_cross(turn, b->turned, arm);
    tn_vec3_add(rate, rate, turn);
    tn_vec3_sub(arm, point, a->motion.position);
    tn_vec3_cross(turn, a->turned, arm);
    tn_vec3_sub(rate, rate, turn);
}

static void add_side(const tn_state *state, const tn_bend *bends, const double point[3], int body,
                     const tn_soft_point *soft, double sign, double rate[3])
{
    double arm[3], own[3];
    if (soft->n > 0) {
        add_soft(state, bends, soft, sign, rate);
        return;
    }
    tn_vec3_sub(arm, point, bends[body].motion.position);
    rate_at(&bends[body], arm, own);
    tn_vec3_madd(rate, rate, sign, own);
}

void tn_bends_motion(const tn_state *state, const tn_bend *bends, const tn_contact *contact, double out[3])
{
    const int a = contact->body_a, b = contact->body_b;
    double rate[3] = {0.0}, part = 1.0;
    if (contact->soft_a->n == 0 && contact->soft_b->n == 0) {
        part = part_of(bends, contact);
        if (part > 0.0) {
            rate_between(&bends[a], &bends[b], contact->point, rate);
        }
    } else {
        add_side(state, bends, contact->point, a, contact->soft_a, -1.0, rate);
        add_side(state, bends, contact->point, b, contact->soft_b, 1.0, rate);
    }
    tn_mat3_vec(out, contact->frame, rate);
    tn_vec3_scale(out, 0.5 * state->model->settings.step * part, out);
}
