// Who falls asleep and who wakes.
//
// Free bodies that contacts, joints or springs tie together are an island; fixed bodies, and kinematic ones at rest,
// tie nothing. An island falls asleep at the end of a step when all its bodies have been slow for as long as the scene
// says and nothing drives any of them: a kinematic body that moves, a belt, a hand, a force or motor that depends on
// time. Its velocities become zero, which counts as dissipated. It then is as fixed for the steps (awake.h) until
// something awake comes so near that a contact is made, or what it stands on or hangs from moves, or a hand takes hold
// of it.
#include "math/mat3.h"
#include "math/sets.h"
#include "math/vec3.h"
#include "model/rigid.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

// ---- waking

// The two bodies of a joint or spring: where one is driven the other wakes.
static void wake_tied(tn_state *state, int a, int b)
{
    if (a >= 0 && tn_state_sleeps(state, b) && tn_body_is_driven(state, a)) {
        tn_sleep_mark(state, b);
    }
    if (a >= 0 && tn_state_sleeps(state, a) && tn_body_is_driven(state, b)) {
        tn_sleep_mark(state, a);
    }
}

// Whether the step's input acts on a body: by a wrench, or by a gravity of its own.
static bool input_pushes(const tn_model *model, const tn_input *input, int body)
{
    bool any = input && input->gravity && memcmp(input->gravity, model->settings.gravity, 3 * sizeof(double)) != 0;
    for (int i = 0; input && input->wrench && i < 6; i++) {
        any = any || input->wrench[6 * (size_t)body + (size_t)i] != 0.0;
    }
    return any;
}

// Whether it says something of a joint: an effort, or where its motor goes.
static bool input_drives(const tn_input *input, const tn_model_joint *joint)
{
    bool any = false;
    for (int c = joint->first_coordinate; input && c < joint->first_coordinate + joint->n_coordinates; c++) {
        any = any || (input->effort && input->effort[c] != 0.0) || (input->target && !isnan(input->target[c])) ||
              (input->target_rate && !isnan(input->target_rate[c]));
    }
    return any;
}

static void wake_joint(const tn_input *input, tn_state *state, const tn_model_joint *joint)
{
    wake_tied(state, joint->body_a, joint->body_b);
    if (input_drives(input, joint)) {
        tn_joint_share share[TN_GEAR_MOST];
        int n = tn_joint_shares(state->model, joint, 0, share);
        for (int i = 0; i < n; i++) {
            tn_sleep_mark(state, share[i].joint->body_a);
            tn_sleep_mark(state, share[i].joint->body_b);
        }
    }
}

tn_status tn_sim_rouse(const tn_input *input, tn_state *state, tn_error *error)
{
    const tn_model *model = state->model;
    if (!state->sleep || state->sleep->n_islands == 0) {
        return TN_OK;
    }
    for (int b = 1; input && b < model->n_bodies; b++) {
        if (input_pushes(model, input, b)) {
            tn_sleep_mark(state, b);
        }
    }
    for (int j = 0; j < model->n_joints; j++) {
        wake_joint(input, state, &model->joints[j]);
    }
    for (int s = 0; s < model->scene->n_springs; s++) {
        const tn_scene_spring *spring = &model->scene->springs[s];
        wake_tied(state, spring->body_a + 1, spring->body_b + 1);
    }
    return tn_sleep_wake_marked(state, error);
}

static bool sleeps(const tn_model *model, int body)
{
    return body < model->n_bodies && model->bodies[body].asleep;
}

bool tn_sim_meets_sleepers(const tn_model *model, const tn_contact_list *list)
{
    bool any = false;
    for (int c = 0; model->any_asleep && c < list->n && !any; c++) {
        any = sleeps(model, list->contacts[c].body_a) || sleeps(model, list->contacts[c].body_b);
    }
    return any;
}

tn_status tn_sim_wake_met(const tn_contact_list *list, tn_state *state, tn_error *error)
{
    for (int c = 0; c < list->n; c++) {
        tn_sleep_mark(state, list->contacts[c].body_a);
        tn_sleep_mark(state, list->contacts[c].body_b);
    }
    return tn_sleep_wake_marked(state, error);
}

// ---- who is at rest

static bool is_slow(const tn_settings *settings, const tn_model_body *body, const double *v)
{
    double speed = body->planar ? sqrt(v[0] * v[0] + v[1] * v[1]) : tn_vec3_norm(v);
    double spin = body->planar ? fabs(v[2]) : tn_vec3_norm(v + 3);
    return speed <= settings->sleep_speed && spin <= settings->sleep_spin; // false for what is no number
}

// Steps that make the time that the scene asks for.
static int steps_to_sleep(const tn_settings *settings)
{
    return (int)fmin(fmax(ceil(settings->sleep_after / settings->step * (1.0 - 1e-12)), 1.0), 1e9);
}

// Counts the steps of all awake bodies; whether any of them has rested long enough.
static bool count_still(const tn_state *state, int enough)
{
    const tn_model *model = state->model;
    bool any = false;
    for (int b = 0; b < model->n_bodies; b++) {
        const tn_model_body *body = &model->bodies[b];
        int *still = &state->sleep->still[b];
        if (body->n_blocks > 0 && !tn_state_sleeps(state, b)) {
            bool slow = is_slow(&model->settings, body, state->v + 3 * (size_t)body->block);
            *still = !slow ? 0 : *still < enough ? *still + 1 : enough;
            any = any || *still == enough;
        }
    }
    return any;
}

static bool varies(const tn_value value[3])
{
    return value[0].program || value[1].program || value[2].program;
}

static bool is_pushed_in_time(const tn_model_body *body)
{
    const tn_scene_push *push = body->pushed ? body->description->push : NULL;
    return push && (varies(push->force) || varies(push->force_body) || varies(push->torque));
}

static bool is_driven_in_time(const tn_model_joint *joint)
{
    bool any = false;
    for (int k = 0; k < joint->n_coordinates; k++) {
        const tn_scene_drive *drive = &joint->description->drive[joint->axis[k]];
        any = any || (drive->motor != TN_MOTOR_NONE && drive->target.program);
    }
    return any;
}

// ---- islands

typedef struct islands {
    const tn_model *model; // the whole one
    tn_state *state;
    int *parent; // (n_bodies) of awake free bodies: lower or itself
} islands;

// Joined, where both are free; `drives`: one makes the other start to count anew.
static void tie(const islands *s, int a, int b, bool drives)
{
    int *still = s->state->sleep->still;
    bool free_a = s->model->bodies[a].n_blocks > 0, free_b = s->model->bodies[b].n_blocks > 0;
    if (free_a && free_b) {
        tn_sets_join(s->parent, a, b);
    }
    drives = drives || tn_body_is_driven(s->state, a) || tn_body_is_driven(s->state, b);
    still[a] = drives ? 0 : still[a];
    still[b] = drives ? 0 : still[b];
}

static void tie_gear(const tn_model_joint *gear, bool drives, const islands *s)
{
    int k;
    for (int i = 0; i < gear->n_gear; i++) {
        const tn_model_joint *one = tn_joint_of_coordinate(s->model, gear->gear[i], &k);
        for (int j = 0; j < i; j++) {
            const tn_model_joint *other = tn_joint_of_coordinate(s->model, gear->gear[j], &k);
            tie(s, one->body_a, other->body_a, drives);
            tie(s, one->body_a, other->body_b, drives);
            tie(s, one->body_b, other->body_a, drives);
            tie(s, one->body_b, other->body_b, drives);
        }
    }
}

static void tie_all(const tn_contact_list *list, const tn_input *input, const islands *s)
{
    const tn_model *model = s->model;
    for (int c = 0; c < list->n; c++) {
        const tn_contact *contact = &list->contacts[c];
        bool belt = model->shapes[contact->shape_a].belt || model->shapes[contact->shape_b].belt;
        tie(s, contact->body_a, contact->body_b, belt);
    }
    for (int j = 0; j < model->n_joints; j++) {
        const tn_model_joint *joint = &model->joints[j];
        bool drives = is_driven_in_time(joint) || input_drives(input, joint);
        if (joint->kind == TN_JOINT_GEAR) {
            tie_gear(joint, drives, s);
        } else {
            tie(s, joint->body_a, joint->body_b, drives);
        }
    }
    for (int i = 0; i < model->scene->n_springs; i++) {
        const tn_scene_spring *spring = &model->scene->springs[i];
        tie(s, spring->body_a + 1, spring->body_b + 1, false);
    }
    for (int b = 0; b < model->n_bodies; b++) {
        if (is_pushed_in_time(&model->bodies[b]) || input_pushes(model, input, b)) {
            s->state->sleep->still[b] = 0;
        }
    }
}

// Of each body the island that falls asleep, which bears its lowest number, into parent; -1: it does not.
static bool find_rested(const islands *s, int enough)
{
    int *island = s->parent;
    bool any = false;
    for (int b = 0; b < s->model->n_bodies; b++) {
        bool counts = s->model->bodies[b].n_blocks > 0 && !tn_state_sleeps(s->state, b);
        island[b] = counts ? tn_set_of(s->parent, b) : -1;
    }
    for (int b = 0; b < s->model->n_bodies; b++) {
        if (island[b] >= 0 && s->state->sleep->still[b] < enough) {
            island[island[b]] = -1;
        }
    }
    for (int b = 0; b < s->model->n_bodies; b++) {
        island[b] = island[b] >= 0 && island[island[b]] >= 0 ? island[b] : -1;
        any = any || island[b] >= 0;
    }
    return any;
}

// ---- falling asleep

// One of the islands that fall asleep in this step, which are the last ones, from `first` on, their names in order.
static tn_sleep_island *island_of(tn_sleep *sleep, int first, int name)
{
    int low = first, high = sleep->n_islands - 1;
    while (low < high) {
        int middle = low + (high - low) / 2;
        bool above = sleep->islands[middle].name < name;
        low = above ? middle + 1 : low;
        high = above ? high : middle;
    }
    return &sleep->islands[low];
}

// Contacts with their forces, which the state no longer has as the last step's. Room is reserved.
static void keep_contacts(const tn_sim *sim, tn_state *state, const int *root, int first)
{
    const tn_solved_step solved = tn_sim_solved(sim);
    tn_sleep *sleep = state->sleep;
    for (int m = 0; m < tn_sim_awake_contacts(&sim->solving.eq); m++) {
        const tn_contact *contact = &sim->solving.eq.list.contacts[sim->solving.eq.rows.source[m]];
        int island = root[contact->body_a] >= 0 ? root[contact->body_a] : root[contact->body_b];
        if (island < 0) {
            continue;
        }
        tn_sleep_contact *kept = &sleep->contacts[sleep->n_contacts++];
        memset(kept, 0, sizeof *kept);
        kept->island = island;
        kept->memory.key_shapes = (uint64_t)contact->shape_a << 32 | (uint32_t)contact->shape_b;
        kept->memory.key_feature = contact->feature;
        tn_mat3_tvec(kept->memory.force, contact->frame, sim->solving.answer.solution.lambda + 3 * (size_t)m);
        tn_vec3_copy(kept->memory.point, contact->point);
        tn_sim_contact(sim, m, &kept->info);
        island_of(sleep, first, island)->contacts += tn_sim_contact_energy(&solved, m);
    }
    int n = 0;
    for (int k = 0; k < state->n_memory; k++) {
        uint64_t key = state->memory[k].key_shapes;
        int a = sim->whole->shapes[key >> 32].body, b = sim->whole->shapes[key & UINT32_MAX].body;
        if (root[a] < 0 && root[b] < 0) {
            state->memory[n++] = state->memory[k];
        }
    }
    state->n_memory = n;
}

static void keep_joints(const tn_sim *sim, tn_state *state, const int *root, int first)
{
    const tn_solved_step solved = tn_sim_solved(sim);
    const tn_model *model = sim->whole;
    for (int j = 0; j < model->n_joints; j++) {
        int k;
        const tn_model_joint *joint = &model->joints[j];
        const tn_model_joint *one =
            joint->kind == TN_JOINT_GEAR ? tn_joint_of_coordinate(model, joint->gear[0], &k) : joint;
        int island = root[one->body_a] >= 0 ? root[one->body_a] : root[one->body_b];
        if (island >= 0) {
            int own = sim->setup.model == model ? j : tn_awake_joint(&sim->awake, j);
            double energy = tn_sim_joints_energy(&solved, own);
            tn_sim_joint(sim, state, j, &state->sleep->joints[j]);
            island_of(state->sleep, first, island)->joints += energy;
            state->joint_elastic -= energy;
        }
    }
}

// Its velocities, with their energy, which is returned, and what it has of gravity's.
static double stop_body(const tn_model *model, tn_state *state, int b, tn_sleep_island *island)
{
    const tn_model_body *body = &model->bodies[b];
    size_t at = 3 * (size_t)body->block, n = 3 * (size_t)body->n_blocks;
    double mass[6], kinetic = 0.0;
    tn_body_mass(body, mass);
    for (size_t i = 0; i < n; i++) {
        kinetic += 0.5 * mass[i] * state->v[at + i] * state->v[at + i];
    }
    memset(state->v + at, 0, n * sizeof *state->v);
    memset(state->v_hat + at, 0, n * sizeof *state->v_hat);
    island->gravity -= body->mass * tn_vec3_dot(model->settings.gravity, state->pose[b].position);
    return kinetic;
}

static void fall_asleep(const tn_sim *sim, tn_state *state, const int *root, tn_step_report *report)
{
    const tn_model *model = sim->whole;
    tn_sleep *sleep = state->sleep;
    int first = sleep->n_islands;
    double lost = 0.0;
    for (int b = 1; b < model->n_bodies; b++) {
        if (root[b] == b) {
            tn_sleep_island *island = &sleep->islands[sleep->n_islands++];
            *island = (tn_sleep_island){.name = b, .certificate = report->solve.certificate};
        }
    }
    keep_joints(sim, state, root, first); // while the velocities are there
    keep_contacts(sim, state, root, first);
    for (int b = 1; b < model->n_bodies; b++) {
        if (root[b] >= 0) {
            sleep->island[b] = root[b];
            lost += stop_body(model, state, b, island_of(sleep, first, root[b]));
        }
    }
    state->dissipated += lost;
    report->energy.dissipated += lost;
    report->energy.kinetic -= lost;
    tn_energy_add_momentum(model, state->pose, state->x, state->v, &report->energy);
    tn_sleep_set_key(model, sleep);
}

// What slept through the step, in its report.
static void add_sleepers(const tn_sleep *sleep, tn_step_report *report)
{
    for (int k = 0; k < sleep->n_islands; k++) {
        const tn_sleep_island *island = &sleep->islands[k];
        report->energy.gravity += island->gravity;
        report->energy.elastic += island->contacts + island->joints;
        tn_sim_merge_certificates(&report->solve.certificate, &island->certificate);
    }
}

void tn_sim_rest(const tn_sim *sim, tn_state *state, tn_step_report *report)
{
    const tn_model *model = sim->whole;
    if (!state->sleep) {
        return;
    }
    add_sleepers(state->sleep, report);
    int enough = steps_to_sleep(&model->settings);
    if (count_still(state, enough)) {
        int n = state->sleep->n_contacts + tn_sim_awake_contacts(&sim->solving.eq);
        islands s = {.model = model, .state = state, .parent = TN_PUSH_RAW(sim->setup.arena, int, model->n_bodies)};
        for (int b = 0; s.parent && b < model->n_bodies; b++) {
            s.parent[b] = b;
        }
        if (s.parent) {
            tie_all(&sim->solving.eq.list, sim->setup.input, &s);
        }
        if (s.parent && find_rested(&s, enough) && tn_sleep_reserve(state->sleep, n, NULL) == TN_OK) {
            fall_asleep(sim, state, s.parent, report);
        }
    }
    report->n_asleep = tn_sleep_count(state);
}
