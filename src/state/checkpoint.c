// Checkpoints: the whole state in one binary file, so that a run continues to the last bit.
//
// Layout, in the machine's own byte order: magic "TENONCKP"; five 64-bit numbers: version (also tells the byte order),
// model hash, bodies, nodes, blocks; time, dissipated, injected, joint_elastic (doubles), step count, counts of memory,
// sleeping islands and their contacts; poses (n_bodies, 7); x (3 n_nodes); v and v_hat (3 n_blocks each), with soft
// bodies v_hat_before (3 n_blocks); coordinates and forces of joints; memory (key_shapes, key_feature as 64 bits,
// force, point); where bodies may sleep what is asleep (state/sleep.h); last an FNV-1a hash of all before.
#include "base/draft.h"
#include "base/hash.h"
#include "base/memory.h"
#include "state/sleep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char MAGIC[8] = {'T', 'E', 'N', 'O', 'N', 'C', 'K', 'P'};
enum { VERSION = 8, HEADER_BYTES = 8 + 5 * 8 + 4 * 8 + 4 * 8, POSE_DOUBLES = 7, MEMORY_BYTES = 8 + 8 + 6 * 8 };

// A buffer being filled or read in order.
typedef struct cursor {
    char *at;
} cursor;

static void put(cursor *c, const void *bytes, size_t size)
{
    if (size > 0) {
        memcpy(c->at, bytes, size);
    }
    c->at += size;
}

static void put_number(cursor *c, uint64_t number)
{
    put(c, &number, sizeof number);
}

static void take(cursor *c, void *bytes, size_t size)
{
    if (size > 0) {
        memcpy(bytes, c->at, size);
    }
    c->at += size;
}

static uint64_t take_number(cursor *c)
{
    uint64_t number;
    take(c, &number, sizeof number);
    return number;
}

// What a checkpoint has as many of as its header says.
typedef struct counts {
    uint64_t memory, islands, contacts; // islands and contacts that are asleep
} counts;

static counts counts_of(const tn_state *state)
{
    const tn_sleep *sleep = state->sleep;
    return (counts){(uint64_t)state->n_memory, sleep ? (uint64_t)sleep->n_islands : 0,
                    sleep ? (uint64_t)sleep->n_contacts : 0};
}

static size_t sleep_size(const tn_model *model, const counts *n)
{
    return model->settings.sleep_after > 0.0 ? tn_sleep_bytes(model, n->islands, n->contacts) : 0;
}

// Bytes of a checkpoint, hash included.
static size_t checkpoint_size(const tn_model *model, const counts *n)
{
    return HEADER_BYTES + (size_t)model->n_bodies * POSE_DOUBLES * 8 + 3 * (size_t)model->n_nodes * 8 +
           (2 * 3 * (size_t)model->n_blocks + tn_state_before_size(model)) * 8 +
           ((size_t)model->n_joint_coordinates + tn_model_joint_force_count(model)) * 8 + n->memory * MEMORY_BYTES +
           sleep_size(model, n) + 8;
}

static void pack(const tn_state *state, char *buffer, size_t size)
{
    const tn_model *model = state->model;
    cursor c = {buffer};
    put(&c, MAGIC, sizeof MAGIC);
    put_number(&c, VERSION);
    put_number(&c, model->hash);
    put_number(&c, (uint64_t)model->n_bodies);
    put_number(&c, (uint64_t)model->n_nodes);
    put_number(&c, (uint64_t)model->n_blocks);
    put(&c, &state->time, 8);
    put(&c, &state->dissipated, 8);
    put(&c, &state->injected, 8);
    put(&c, &state->joint_elastic, 8);
    put_number(&c, (uint64_t)state->step_count);
    counts n = counts_of(state);
    put(&c, &n, sizeof n);
    for (int b = 0; b < model->n_bodies; b++) {
        put(&c, state->pose[b].position, 3 * 8);
        put(&c, state->pose[b].quaternion, 4 * 8);
    }
    put(&c, state->x, 3 * (size_t)model->n_nodes * 8);
    put(&c, state->v, 3 * (size_t)model->n_blocks * 8);
    put(&c, state->v_hat, 3 * (size_t)model->n_blocks * 8);
    put(&c, state->v_hat_before, tn_state_before_size(model) * 8);
    put(&c, state->joint_coordinate, (size_t)model->n_joint_coordinates * 8);
    put(&c, state->joint_force, tn_model_joint_force_count(model) * 8);
    for (int m = 0; m < state->n_memory; m++) {
        put_number(&c, state->memory[m].key_shapes);
        put_number(&c, state->memory[m].key_feature);
        put(&c, state->memory[m].force, 3 * 8);
        put(&c, state->memory[m].point, 3 * 8);
    }
    if (state->sleep) {
        tn_sleep_pack(model, state->sleep, c.at);
        c.at += sleep_size(model, &n);
    }
    put_number(&c, tn_hash_bytes(TN_HASH_START, buffer, size - 8));
}

// Header and hash already checked.
static tn_status unpack(tn_state *state, char *buffer, tn_error *error)
{
    const tn_model *model = state->model;
    cursor c = {buffer + 8 + 5 * 8};
    double time, dissipated, injected, joint_elastic;
    take(&c, &time, 8);
    take(&c, &dissipated, 8);
    take(&c, &injected, 8);
    take(&c, &joint_elastic, 8);
    long step_count = (long)take_number(&c);
    counts n;
    take(&c, &n, sizeof n);
    int n_memory = (int)n.memory;
    tn_status status = tn_state_reserve_memory(state, n_memory, error);
    status = status == TN_OK && state->sleep ? tn_sleep_reserve(state->sleep, (int)n.contacts, error) : status;
    if (status != TN_OK) {
        return status;
    }
    state->time = time;
    state->dissipated = dissipated;
    state->injected = injected;
    state->joint_elastic = joint_elastic;
    state->step_count = step_count;
    state->n_memory = n_memory;
    for (int b = 0; b < model->n_bodies; b++) {
        take(&c, state->pose[b].position, 3 * 8);
        take(&c, state->pose[b].quaternion, 4 * 8);
    }
    take(&c, state->x, 3 * (size_t)model->n_nodes * 8);
    take(&c, state->v, 3 * (size_t)model->n_blocks * 8);
    take(&c, state->v_hat, 3 * (size_t)model->n_blocks * 8);
    take(&c, state->v_hat_before, tn_state_before_size(model) * 8);
    take(&c, state->joint_coordinate, (size_t)model->n_joint_coordinates * 8);
    take(&c, state->joint_force, tn_model_joint_force_count(model) * 8);
    for (int m = 0; m < n_memory; m++) {
        state->memory[m].key_shapes = take_number(&c);
        state->memory[m].key_feature = (uint32_t)take_number(&c);
        take(&c, state->memory[m].force, 3 * 8);
        take(&c, state->memory[m].point, 3 * 8);
    }
    if (state->sleep) {
        state->sleep->n_islands = (int)n.islands;
        state->sleep->n_contacts = (int)n.contacts;
        tn_sleep_unpack(model, state->sleep, c.at);
    }
    return TN_OK;
}

// Why the buffer is no checkpoint of this model, or NULL.
static const char *refusal(const tn_model *model, char *buffer, size_t size)
{
    if (size < HEADER_BYTES + 8 || memcmp(buffer, MAGIC, sizeof MAGIC) != 0) {
        return "is not a Tenon checkpoint";
    }
    cursor c = {buffer + sizeof MAGIC};
    if (take_number(&c) != VERSION) {
        return "has another checkpoint version or byte order: write it again with this version";
    }
    uint64_t hash;
    memcpy(&hash, buffer + size - 8, 8);
    if (hash != tn_hash_bytes(TN_HASH_START, buffer, size - 8)) {
        return "is damaged or cut short (its check sum does not match)";
    }
    if (take_number(&c) != model->hash || take_number(&c) != (uint64_t)model->n_bodies ||
        take_number(&c) != (uint64_t)model->n_nodes || take_number(&c) != (uint64_t)model->n_blocks) {
        return "belongs to another model: load it with the scene and settings that it was saved with";
    }
    c.at += 5 * 8;
    counts n;
    take(&c, &n, sizeof n);
    bool small = n.memory <= size && n.contacts <= size && n.islands <= (uint64_t)model->n_bodies;
    if (!small || size != checkpoint_size(model, &n)) {
        return "is damaged (its size does not fit its contents)";
    }
    return NULL;
}

// What is there must be a checkpoint, if anything is.
static tn_status write_file(const char *path, const char *buffer, size_t size, tn_error *error)
{
    tn_draft draft;
    tn_status status = tn_state_save_check(path, error);
    status = status == TN_OK ? tn_draft_open(&draft, path, error) : status;
    if (status == TN_OK) {
        fwrite(buffer, 1, size, draft.out);
        status = tn_draft_close(&draft, TN_OK, NULL, error);
    }
    return status;
}

tn_status tn_state_save_check(const char *path, tn_error *error)
{
    return !path ? tn_error_set(error, TN_BAD_INPUT, "a checkpoint needs a path")
                 : tn_draft_check(path, "checkpoint", "TENONCKP", error);
}

tn_status tn_state_save(const tn_state *state, const char *path, tn_error *error)
{
    if (!state || !path) {
        return tn_error_set(error, TN_BAD_INPUT, "a checkpoint needs a state and a path");
    }
    counts n = counts_of(state);
    size_t size = checkpoint_size(state->model, &n);
    char *buffer = tn_malloc(size);
    if (!buffer) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for a checkpoint of %zu bytes", size);
    }
    pack(state, buffer, size);
    tn_status status = write_file(path, buffer, size, error);
    tn_free(buffer);
    return status;
}

// The whole file in a new buffer; NULL: error is set.
static char *read_file(const char *path, size_t *size, tn_error *error)
{
    FILE *file = fopen(path, "rb");
    char *buffer = NULL;
    long length = -1;
    if (file && fseek(file, 0, SEEK_END) == 0) {
        length = ftell(file);
    }
    if (length < 0 || fseek(file, 0, SEEK_SET) != 0) {
        tn_error_set(error, TN_IO, "cannot read the checkpoint %s", path);
    } else if (!(buffer = tn_malloc((size_t)length))) {
        tn_error_set(error, TN_NO_MEMORY, "no memory for a checkpoint of %ld bytes", length);
    } else if (fread(buffer, 1, (size_t)length, file) != (size_t)length) {
        tn_error_set(error, TN_IO, "cannot read the checkpoint %s", path);
        tn_free(buffer);
        buffer = NULL;
    }
    if (file) {
        fclose(file);
    }
    *size = length > 0 ? (size_t)length : 0;
    return buffer;
}

tn_status tn_state_load(tn_state *state, const char *path, tn_error *error)
{
    if (!state || !path) {
        return tn_error_set(error, TN_BAD_INPUT, "a checkpoint needs a state and a path");
    }
    size_t size = 0;
    tn_error own = {0};
    char *buffer = read_file(path, &size, &own);
    if (!buffer) {
        if (error) {
            *error = own;
        }
        return own.status;
    }
    const char *why = refusal(state->model, buffer, size);
    tn_status status = why ? tn_error_set(error, TN_BAD_INPUT, "%s %s", path, why) : unpack(state, buffer, error);
    tn_free(buffer);
    return status;
}
