// The part of a state that says who is asleep: made, copied, hashed, packed for checkpoints, and undone by waking.
#include "state/sleep.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/order.h"
#include "model/joint_geometry.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CONTACTS = 64 };

tn_sleep *tn_sleep_create(const tn_model *model, tn_arena *arena)
{
    tn_sleep *sleep = TN_PUSH(arena, tn_sleep, 1);
    if (sleep) {
        *sleep = (tn_sleep){.still = TN_PUSH(arena, int, model->n_bodies),
                            .island = TN_PUSH(arena, int, model->n_bodies),
                            .islands = TN_PUSH(arena, tn_sleep_island, model->n_bodies),
                            .joints = TN_PUSH(arena, tn_joint_info, model->n_joints)};
    }
    if (!sleep || !sleep->still || !sleep->island || !sleep->islands || !sleep->joints) {
        return NULL;
    }
    tn_sleep_set_key(model, sleep);
    return sleep;
}

tn_status tn_sleep_reserve(tn_sleep *sleep, int n, tn_error *error)
{
    if (n <= sleep->capacity) {
        return TN_OK;
    }
    int capacity = n > FIRST_CONTACTS ? n + n / 8 : FIRST_CONTACTS;
    tn_sleep_contact *grown = tn_realloc(sleep->contacts, (size_t)capacity * sizeof *grown);
    if (!grown) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for %d contacts of sleeping bodies", n);
    }
    sleep->contacts = grown;
    sleep->capacity = capacity;
    return TN_OK;
}

tn_status tn_sleep_copy(const tn_model *model, tn_sleep *to, const tn_sleep *from, tn_error *error)
{
    size_t n = (size_t)model->n_bodies;
    if (!from) {
        return TN_OK;
    }
    tn_status status = tn_sleep_reserve(to, from->n_contacts, error);
    if (status != TN_OK) {
        return status;
    }
    memcpy(to->still, from->still, n * sizeof *to->still);
    memcpy(to->island, from->island, n * sizeof *to->island);
    memcpy(to->islands, from->islands, (size_t)from->n_islands * sizeof *to->islands);
    memcpy(to->joints, from->joints, (size_t)model->n_joints * sizeof *to->joints);
    if (from->n_contacts > 0) {
        memcpy(to->contacts, from->contacts, (size_t)from->n_contacts * sizeof *to->contacts);
    }
    to->n_islands = from->n_islands;
    to->n_contacts = from->n_contacts;
    to->key = from->key;
    return TN_OK;
}

bool tn_state_asleep(const tn_state *state, int body)
{
    return state && body >= 0 && tn_state_sleeps(state, body);
}

// A gear sleeps with the joints that it couples, which are one island.
bool tn_sleep_has_joint(const tn_state *state, int joint)
{
    int k;
    const tn_model *model = state->model;
    const tn_model_joint *one = &model->joints[joint];
    one = one->kind == TN_JOINT_GEAR ? tn_joint_of_coordinate(model, one->gear[0], &k) : one;
    return tn_state_sleeps(state, one->body_a) || tn_state_sleeps(state, one->body_b);
}

int tn_sleep_count(const tn_state *state)
{
    int n = 0;
    for (int b = 0; state->sleep && state->sleep->n_islands > 0 && b < state->model->n_bodies; b++) {
        n += state->sleep->island[b] > 0;
    }
    return n;
}

// ---- the key

static uint64_t hash_contact(uint64_t hash, const tn_sleep_contact *c)
{
    hash = tn_hash_long(hash, c->island);
    hash = tn_hash_long(tn_hash_long(hash, (long long)c->memory.key_shapes), c->memory.key_feature);
    hash = tn_hash_doubles(tn_hash_doubles(hash, c->memory.force, 3), c->memory.point, 3);
    return tn_hash_doubles(tn_hash_doubles(hash, c->info.point, 3), c->info.force, 3);
}

void tn_sleep_set_key(const tn_model *model, tn_sleep *sleep)
{
    uint64_t hash = TN_HASH_START;
    for (int b = 0; b < model->n_bodies; b++) {
        hash = tn_hash_long(hash, sleep->island[b]);
    }
    for (int k = 0; k < sleep->n_islands; k++) {
        const tn_sleep_island *island = &sleep->islands[k];
        const double energies[3] = {island->gravity, island->contacts, island->joints};
        hash = tn_hash_doubles(tn_hash_long(hash, island->name), energies, 3);
        hash = tn_hash_bytes(hash, &island->certificate, sizeof island->certificate);
    }
    for (int c = 0; c < sleep->n_contacts; c++) {
        hash = hash_contact(hash, &sleep->contacts[c]);
    }
    sleep->key = hash;
}

uint64_t tn_sleep_hash(const tn_model *model, const tn_sleep *sleep, uint64_t hash)
{
    if (!sleep) {
        return hash;
    }
    hash = tn_hash_bytes(hash, sleep->still, (size_t)model->n_bodies * sizeof *sleep->still);
    return tn_hash_long(hash, (long long)sleep->key);
}

// ---- waking: islands are marked by the sign at the body that names them, then all that are wake at once

static bool is_marked(const tn_sleep *sleep, int island)
{
    return sleep->island[island] < 0;
}

void tn_sleep_mark(tn_state *state, int body)
{
    int island = tn_state_sleeps(state, body) ? state->sleep->island[body] : 0;
    if (island > 0 && !is_marked(state->sleep, island)) {
        state->sleep->island[island] = -island;
    }
}

static int compare_memory(const void *a, const void *b)
{
    const tn_contact_memory *x = a, *y = b;
    int shapes = TN_ORDER(x->key_shapes, y->key_shapes);
    return shapes != 0 ? shapes : TN_ORDER(x->key_feature, y->key_feature);
}

// Contacts that bear a force, among those that the state knows, which are sorted. Room is reserved.
static void remember_contacts(tn_state *state)
{
    const tn_sleep *sleep = state->sleep;
    for (int c = 0; c < sleep->n_contacts; c++) {
        const tn_sleep_contact *contact = &sleep->contacts[c];
        const double *f = contact->memory.force;
        if (is_marked(sleep, contact->island) && (f[0] != 0.0 || f[1] != 0.0 || f[2] != 0.0)) {
            state->memory[state->n_memory++] = contact->memory;
        }
    }
    if (state->n_memory > 0) {
        qsort(state->memory, (size_t)state->n_memory, sizeof *state->memory, compare_memory);
    }
}

static void drop_marked(tn_state *state)
{
    tn_sleep *sleep = state->sleep;
    int contacts = 0, islands = 0;
    for (int c = 0; c < sleep->n_contacts; c++) {
        if (!is_marked(sleep, sleep->contacts[c].island)) {
            sleep->contacts[contacts++] = sleep->contacts[c];
        }
    }
    for (int k = 0; k < sleep->n_islands; k++) {
        if (is_marked(sleep, sleep->islands[k].name)) {
            state->joint_elastic += sleep->islands[k].joints;
        } else {
            sleep->islands[islands++] = sleep->islands[k];
        }
    }
    sleep->n_contacts = contacts;
    sleep->n_islands = islands;
    for (int b = state->model->n_bodies - 1; b > 0; b--) { // the body that names an island is its first
        if (sleep->island[b] != 0 && is_marked(sleep, abs(sleep->island[b]))) {
            sleep->island[b] = sleep->still[b] = 0;
        }
    }
}

tn_status tn_sleep_wake_marked(tn_state *state, tn_error *error)
{
    tn_sleep *sleep = state->sleep;
    bool any = false;
    for (int k = 0; sleep && k < sleep->n_islands; k++) {
        any = any || is_marked(sleep, sleep->islands[k].name);
    }
    if (!any) {
        return TN_OK;
    }
    tn_status status = tn_state_reserve_memory(state, state->n_memory + sleep->n_contacts, error);
    if (status == TN_OK) {
        remember_contacts(state);
        drop_marked(state);
        tn_sleep_set_key(state->model, sleep);
    }
    for (int k = 0; k < sleep->n_islands; k++) { // those that sleep on
        sleep->island[sleep->islands[k].name] = sleep->islands[k].name;
    }
    return status;
}

tn_status tn_state_wake(tn_state *state, int body, tn_error *error)
{
    if (!state || body < -1 || body >= state->model->n_bodies + state->model->n_softs) {
        return tn_error_set(error, TN_BAD_INPUT, "there is no body %d to wake", body);
    }
    for (int k = 0; body < 0 && state->sleep && k < state->sleep->n_islands; k++) {
        tn_sleep_mark(state, state->sleep->islands[k].name);
    }
    if (body >= 0) {
        tn_sleep_mark(state, body);
    }
    return tn_sleep_wake_marked(state, error);
}

// ---- checkpoints

enum {
    INFO_BYTES = sizeof(tn_contact_info), // four int, then doubles: no padding
    CONTACT_BYTES = 3 * 8 + 6 * 8 + INFO_BYTES,
    ISLAND_BYTES = 8 + 3 * 8 + sizeof(tn_certificate), // doubles
    JOINT_BYTES = offsetof(tn_joint_info, condition) + sizeof((tn_joint_info){0}.condition)
};

size_t tn_sleep_bytes(const tn_model *model, size_t n_islands, size_t n_contacts)
{
    return (size_t)model->n_bodies * 2 * sizeof(int) + n_islands * ISLAND_BYTES + n_contacts * CONTACT_BYTES +
           (size_t)model->n_joints * JOINT_BYTES;
}

static char *move_island(bool pack, char *at, tn_sleep_island *island)
{
    int64_t name = island->name;
    at = tn_state_move(pack, at, &name, sizeof name);
    at = tn_state_move(pack, at, &island->gravity, sizeof(double));
    at = tn_state_move(pack, at, &island->contacts, sizeof(double));
    at = tn_state_move(pack, at, &island->joints, sizeof(double));
    island->name = (int)name;
    return tn_state_move(pack, at, &island->certificate, sizeof island->certificate);
}

static char *move_contact(bool pack, char *at, tn_sleep_contact *contact)
{
    int64_t island = contact->island;
    at = tn_state_move(pack, at, &island, sizeof island);
    at = tn_state_move_memory(pack, at, &contact->memory);
    contact->island = (int)island;
    return tn_state_move(pack, at, &contact->info, INFO_BYTES);
}

void tn_sleep_move(bool pack, const tn_model *model, tn_sleep *sleep, char *at)
{
    size_t bytes = (size_t)model->n_bodies * sizeof(int);
    at = tn_state_move(pack, at, sleep->still, bytes);
    at = tn_state_move(pack, at, sleep->island, bytes);
    for (int k = 0; k < sleep->n_islands; k++) {
        at = move_island(pack, at, &sleep->islands[k]);
    }
    for (int c = 0; c < sleep->n_contacts; c++) {
        at = move_contact(pack, at, &sleep->contacts[c]);
    }
    for (int j = 0; j < model->n_joints; j++) {
        at = tn_state_move(pack, at, &sleep->joints[j], JOINT_BYTES);
    }
    if (!pack) {
        tn_sleep_set_key(model, sleep);
    }
}
