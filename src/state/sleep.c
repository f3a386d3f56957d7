// The part of a state that says who is asleep: made, copied, hashed, packed for checkpoints, and undone by waking.
#include "state/sleep.h"

#include "base/hash.h"
#include "base/memory.h"
#include "model/joint_geometry.h"

#include <stddef.h>
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

// ---- waking

static bool is_after(const tn_contact_memory *a, const tn_contact_memory *b)
{
    return a->key_shapes != b->key_shapes ? a->key_shapes > b->key_shapes : a->key_feature > b->key_feature;
}

// Whether the contact is the island's and bears a force.
static bool is_known(const tn_sleep_contact *contact, int island)
{
    const double *f = contact->memory.force;
    return contact->island == island && (f[0] != 0.0 || f[1] != 0.0 || f[2] != 0.0);
}

// The island's contacts among those that the state knows; both are sorted. From the end, in place: room is reserved.
static void remember_contacts(tn_state *state, int island)
{
    const tn_sleep *sleep = state->sleep;
    int i = state->n_memory - 1, n = 0;
    for (int c = 0; c < sleep->n_contacts; c++) {
        n += is_known(&sleep->contacts[c], island);
    }
    state->n_memory += n;
    for (int c = sleep->n_contacts - 1, at = state->n_memory - 1; c >= 0; c--) {
        if (!is_known(&sleep->contacts[c], island)) {
            continue;
        }
        while (i >= 0 && is_after(&state->memory[i], &sleep->contacts[c].memory)) {
            state->memory[at--] = state->memory[i--];
        }
        state->memory[at--] = sleep->contacts[c].memory;
    }
}

static void drop_island(tn_sleep *sleep, int island)
{
    int kept = 0;
    for (int c = 0; c < sleep->n_contacts; c++) {
        if (sleep->contacts[c].island != island) {
            sleep->contacts[kept++] = sleep->contacts[c];
        }
    }
    sleep->n_contacts = kept;
    kept = 0;
    for (int k = 0; k < sleep->n_islands; k++) {
        if (sleep->islands[k].name != island) {
            sleep->islands[kept++] = sleep->islands[k];
        }
    }
    sleep->n_islands = kept;
}

// The island's bodies are awake, their contacts known for the warm start.
static tn_status wake_island(tn_state *state, int island, tn_error *error)
{
    tn_sleep *sleep = state->sleep;
    tn_status status = tn_state_reserve_memory(state, state->n_memory + sleep->n_contacts, error);
    if (status != TN_OK) {
        return status;
    }
    remember_contacts(state, island);
    for (int k = 0; k < sleep->n_islands; k++) {
        state->joint_elastic += sleep->islands[k].name == island ? sleep->islands[k].joints : 0.0;
    }
    drop_island(sleep, island);
    for (int b = 0; b < state->model->n_bodies; b++) {
        if (sleep->island[b] == island) {
            sleep->island[b] = sleep->still[b] = 0;
        }
    }
    tn_sleep_set_key(state->model, sleep);
    return TN_OK;
}

tn_status tn_state_wake(tn_state *state, int body, tn_error *error)
{
    if (!state || body < -1 || body >= state->model->n_bodies + state->model->n_softs) {
        return tn_error_set(error, TN_BAD_INPUT, "there is no body %d to wake", body);
    }
    if (body >= 0) {
        return tn_state_sleeps(state, body) ? wake_island(state, state->sleep->island[body], error) : TN_OK;
    }
    tn_status status = TN_OK;
    while (status == TN_OK && state->sleep && state->sleep->n_islands > 0) {
        status = wake_island(state, state->sleep->islands[0].name, error);
    }
    return status;
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
