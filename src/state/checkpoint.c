// Checkpoints: the whole state in one binary file, so that a run continues to the last bit.
//
// Layout, in the machine's own byte order: magic "TENONCKP"; five 64-bit numbers: version (also tells the byte order),
// hash of what states depend on, bodies, nodes, blocks; time, dissipated, injected, joint_elastic, watch (10 doubles),
// step count, counts of memory, sleeping islands and their contacts; poses (n_bodies, 7); x (3 n_nodes); v and v_hat (3
// n_blocks each), with soft bodies v_hat_before (3 n_blocks); coordinates, bends and forces of joints; memory
// (key_shapes, key_feature as 64 bits, force, point); where bodies may sleep what is asleep (state/sleep.h); last an
// FNV-1a hash of all before.
#include "base/draft.h"
#include "base/hash.h"
#include "base/memory.h"
#include "model/compile.h"
#include "state/sleep.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char MAGIC[8] = {'T', 'E', 'N', 'O', 'N', 'C', 'K', 'P'};
enum { VERSION = 11, MODEL_BYTES = 8 + 5 * 8, COUNTS_AT = MODEL_BYTES + 11 * 8, HEADER_BYTES = COUNTS_AT + 3 * 8 };
enum { MEMORY_BYTES = 8 + 8 + 6 * 8 };

char *tn_state_move(bool pack, char *at, void *data, size_t size)
{
    if (size > 0) {
        memcpy(pack ? (void *)at : data, pack ? data : (void *)at, size);
    }
    return at + size;
}

char *tn_state_move_memory(bool pack, char *at, tn_contact_memory *memory)
{
    uint64_t feature = memory->key_feature;
    at = tn_state_move(pack, at, &memory->key_shapes, sizeof memory->key_shapes);
    at = tn_state_move(pack, at, &feature, sizeof feature);
    at = tn_state_move(pack, at, memory->force, sizeof memory->force);
    memory->key_feature = (uint32_t)feature;
    return tn_state_move(pack, at, memory->point, sizeof memory->point);
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
static size_t checkpoint_size(const tn_state *state, const counts *n)
{
    tn_state_array arrays[TN_STATE_ARRAYS];
    size_t numbers = 0;
    tn_state_arrays(state, arrays);
    for (int k = 0; k < TN_STATE_ARRAYS; k++) {
        numbers += arrays[k].n;
    }
    return HEADER_BYTES + numbers * 8 + n->memory * MEMORY_BYTES + sleep_size(state->model, n) + 8;
}

// What stands behind the numbers of the model; room is reserved.
static void move_all(bool pack, tn_state *state, counts *n, char *at)
{
    double *const numbers[4] = {&state->time, &state->dissipated, &state->injected, &state->joint_elastic};
    int64_t step_count = state->step_count;
    for (int k = 0; k < 4; k++) {
        at = tn_state_move(pack, at, numbers[k], 8);
    }
    at = tn_state_move(pack, at, &state->watch, sizeof state->watch);
    at = tn_state_move(pack, at, &step_count, sizeof step_count);
    at = tn_state_move(pack, at, n, sizeof *n);
    state->step_count = (long)step_count;
    state->n_memory = (int)n->memory;
    tn_state_array arrays[TN_STATE_ARRAYS];
    tn_state_arrays(state, arrays);
    for (int k = 0; k < TN_STATE_ARRAYS; k++) {
        at = tn_state_move(pack, at, arrays[k].at, arrays[k].n * 8);
    }
    for (int m = 0; m < state->n_memory; m++) {
        at = tn_state_move_memory(pack, at, &state->memory[m]);
    }
    if (state->sleep) {
        state->sleep->n_islands = (int)n->islands;
        state->sleep->n_contacts = (int)n->contacts;
        tn_sleep_move(pack, state->model, state->sleep, at);
    }
}

static void pack(const tn_state *state, char *buffer, size_t size)
{
    const tn_model *model = state->model;
    const uint64_t numbers[5] = {VERSION, tn_model_hash_states(model), (uint64_t)model->n_bodies,
                                 (uint64_t)model->n_nodes, (uint64_t)model->n_blocks};
    counts n = counts_of(state);
    memcpy(buffer, MAGIC, sizeof MAGIC);
    memcpy(buffer + sizeof MAGIC, numbers, sizeof numbers);
    move_all(true, (tn_state *)state, &n, buffer + MODEL_BYTES); // packing changes nothing
    uint64_t hash = tn_hash_bytes(TN_HASH_START, buffer, size - 8);
    memcpy(buffer + size - 8, &hash, 8);
}

// Header and hash already checked.
static tn_status unpack(tn_state *state, char *buffer, tn_error *error)
{
    counts n;
    memcpy(&n, buffer + COUNTS_AT, sizeof n);
    tn_status status = tn_state_reserve_memory(state, (int)n.memory, error);
    status = status == TN_OK && state->sleep ? tn_sleep_reserve(state->sleep, (int)n.contacts, error) : status;
    if (status == TN_OK) {
        move_all(false, state, &n, buffer + MODEL_BYTES);
    }
    return status;
}

// Why the buffer is no checkpoint of this state's model, or NULL.
static const char *refusal(const tn_state *state, const char *buffer, size_t size)
{
    const tn_model *model = state->model;
    uint64_t numbers[5], hash;
    if (size < HEADER_BYTES + 8 || memcmp(buffer, MAGIC, sizeof MAGIC) != 0) {
        return "is not a Tenon checkpoint";
    }
    memcpy(numbers, buffer + sizeof MAGIC, sizeof numbers);
    if (numbers[0] != VERSION) {
        return "has another checkpoint version or byte order: write it again with this version";
    }
    memcpy(&hash, buffer + size - 8, 8);
    if (hash != tn_hash_bytes(TN_HASH_START, buffer, size - 8)) {
        return "is damaged or cut short (its check sum does not match)";
    }
    if (numbers[1] != tn_model_hash_states(model) || numbers[2] != (uint64_t)model->n_bodies ||
        numbers[3] != (uint64_t)model->n_nodes || numbers[4] != (uint64_t)model->n_blocks) {
        return "belongs to another model: load it with the scene, step and sleep that it was saved with";
    }
    counts n;
    memcpy(&n, buffer + COUNTS_AT, sizeof n);
    bool small = n.memory <= size && n.contacts <= size && n.islands <= (uint64_t)model->n_bodies;
    if (!small || size != checkpoint_size(state, &n)) {
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
    size_t size = checkpoint_size(state, &n);
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
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) { // a pipe would wait for its writer
        tn_error_set(error, TN_BAD_INPUT, "cannot read the checkpoint %s: not a regular file", path);
        return NULL;
    }
    FILE *file = fopen(path, "rb");
    char *buffer = NULL;
    long length = -1;
    if (file && fseek(file, 0, SEEK_END) == 0) {
        length = ftell(file);
    }
    if (length < 0 || fseek(file, 0, SEEK_SET) != 0) {
        tn_error_set(error, TN_IO, "cannot read the checkpoint %s: %s", path, strerror(errno));
    } else if (!(buffer = tn_malloc((size_t)length))) {
        tn_error_set(error, TN_NO_MEMORY, "no memory for a checkpoint of %ld bytes", length);
    } else if (fread(buffer, 1, (size_t)length, file) != (size_t)length) {
        tn_error_set(error, TN_IO, "cannot read the checkpoint %s: it became shorter meanwhile", path);
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
    const char *why = refusal(state, buffer, size);
    tn_status status = why ? tn_error_set(error, TN_BAD_INPUT, "%s %s", path, why) : unpack(state, buffer, error);
    tn_free(buffer);
    return status;
}
