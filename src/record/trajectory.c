// A recording between two flushes is a closed, consistent file: frames wait in memory, and a flush opens the file,
// appends and closes it. HDF5's single-writer mode keeps even a flush that is killed halfway readable.
#include "base/memory.h"
#include "base/timer.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "record/recorder.h"
#include "record/soft_columns.h"
#include "state/state.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FLUSH_FRAMES = 100, CLOSE_ATTEMPTS = 20, CHUNK_MARGIN = 1 << 16 };
static const double flush_seconds = 1.0;
static const double flush_seconds_min = 0.1;
static const double patience_seconds = 60.0; // how long another program may keep the file locked
static const size_t flush_bytes = 64u << 20, first_bytes = 1u << 20;
static const size_t most_bytes = (size_t)1 << 30; // of frames that wait for a locked file

// Rows that wait for the next flush.
typedef struct pending {
    char *data;
    size_t n_rows, row_bytes, capacity; // capacity in rows; row_bytes 0: not in the file
} pending;

struct tn_recorder {
    char *path;
    const tn_model *model;
    pending columns[TN_COLUMN_COUNT];
    tn_arena *scratch;  // of one frame
    int64_t n_contacts; // recorded so far
    double flushed_at;  // wall clock [s]
    bool broken;        // a write failed: nothing more is written
};

static bool reserve(pending *column, size_t n_more)
{
    size_t wanted = column->n_rows + n_more;
    if (wanted <= column->capacity || column->row_bytes == 0) {
        return true;
    }
    size_t capacity = wanted > 2 * column->capacity ? wanted : 2 * column->capacity;
    size_t least = first_bytes / column->row_bytes < FLUSH_FRAMES ? first_bytes / column->row_bytes : FLUSH_FRAMES;
    capacity = capacity < least ? least : capacity;
    char *data = tn_realloc(column->data, capacity * column->row_bytes);
    if (!data) {
        return false;
    }
    column->data = data;
    column->capacity = capacity;
    return true;
}

// The next row, reserved before.
static void *next_row(tn_recorder *recorder, tn_column_id id)
{
    pending *column = &recorder->columns[id];
    return column->data + column->row_bytes * column->n_rows++;
}

static void *last_row(const tn_recorder *recorder, tn_column_id id)
{
    const pending *column = &recorder->columns[id];
    return column->data + column->row_bytes * (column->n_rows - 1);
}

static void put_double(tn_recorder *recorder, int id, double value)
{
    memcpy(next_row(recorder, (tn_column_id)id), &value, sizeof value);
}

static void put_int64(tn_recorder *recorder, tn_column_id id, int64_t value)
{
    memcpy(next_row(recorder, id), &value, sizeof value);
}

static void put_bodies(tn_recorder *recorder, const tn_state *state)
{
    double *poses = next_row(recorder, TN_COLUMN_POSES);
    double *velocities = next_row(recorder, TN_COLUMN_VELOCITIES);
    for (int body = 0; body < recorder->model->n_bodies; body++) {
        tn_state_body_pose(state, body, poses + 7 * body, poses + 7 * body + 3);
        tn_state_body_velocity(state, body, velocities + 6 * body, velocities + 6 * body + 3);
    }
}

// Nodes, and the rows of poses and velocities (put before) that stand for the bodies they make up.
static void put_softs(tn_recorder *recorder, const tn_state *state, const tn_soft_columns *columns)
{
    const tn_model *model = recorder->model;
    double *nodes = next_row(recorder, TN_COLUMN_NODE_POSITIONS);
    double *velocities = next_row(recorder, TN_COLUMN_NODE_VELOCITIES);
    memcpy(nodes, state->x, 3 * (size_t)model->n_nodes * sizeof *nodes);
    tn_soft_velocities_at(state, velocities);
    double *pose = (double *)last_row(recorder, TN_COLUMN_POSES) + 7 * model->n_bodies;
    double *velocity = (double *)last_row(recorder, TN_COLUMN_VELOCITIES) + 6 * model->n_bodies;
    for (int s = 0; s < model->n_softs; s++) {
        tn_soft_mean(model, s, nodes, pose + 7 * s);
        tn_quat_identity(pose + 7 * s + 3);
        tn_soft_mean(model, s, velocities, velocity + 6 * s);
        tn_vec3_set(velocity + 6 * s + 3, 0.0, 0.0, 0.0);
    }
    memcpy(next_row(recorder, TN_COLUMN_SOFT_ENERGY), columns->energy, (size_t)model->n_softs * sizeof(double));
    if (columns->stress) {
        float *stress = next_row(recorder, TN_COLUMN_STRESS);
        for (size_t k = 0; k < 6 * (size_t)model->n_tets; k++) {
            stress[k] = (float)columns->stress[k];
        }
    }
}

// The initial frame has no step: its figures and timings are NaN.
static void put_report(tn_recorder *recorder, const tn_step_report *report, const tn_energy *energy)
{
    int32_t iterations = report ? report->solve.iterations : 0;
    memcpy(next_row(recorder, TN_COLUMN_ITERATIONS), &iterations, sizeof iterations);
    *(uint8_t *)next_row(recorder, TN_COLUMN_TOLERANCES_HELD) = !report || report->tolerances_held;
    const tn_certificate *c = report ? &report->solve.certificate : NULL;
    const double figures[11] = {
        c ? c->momentum : NAN,       c ? c->signorini_primal : NAN,
        c ? c->signorini_dual : NAN, c ? c->complementarity : NAN,
        c ? c->cone : NAN,           c ? c->dissipation : NAN,
        c ? c->natural : NAN,        c ? c->fclib : NAN,
        c ? c->strict_natural : NAN, c ? c->strict_complementarity : NAN,
        c ? c->penetration : NAN,
    };
    const double timings[5] = {
        report ? report->collide_s : NAN, report ? report->discretize_s : NAN, report ? report->solve_s : NAN,
        report ? report->certify_s : NAN, report ? report->total_s : NAN,
    };
    const double joules[6] = {energy->kinetic,    energy->gravity,  energy->elastic,
                              energy->dissipated, energy->injected, energy->balance};
    for (int k = 0; k < 11; k++) {
        put_double(recorder, TN_COLUMN_CERTIFICATE + k, figures[k]);
    }
    for (int k = 0; k < 5; k++) {
        put_double(recorder, TN_COLUMN_TIMING + k, timings[k]);
    }
    for (int k = 0; k < 6; k++) {
        put_double(recorder, TN_COLUMN_ENERGY + k, joules[k]);
    }
    memcpy(next_row(recorder, TN_COLUMN_MOMENTUM), energy->momentum, sizeof energy->momentum);
    memcpy(next_row(recorder, TN_COLUMN_ANGULAR_MOMENTUM), energy->angular_momentum, sizeof energy->angular_momentum);
}

static void put_contact(tn_recorder *recorder, const tn_contact_info *contact)
{
    int32_t bodies[2] = {contact->body_a, contact->body_b};
    memcpy(next_row(recorder, TN_COLUMN_CONTACT_BODIES), bodies, sizeof bodies);
    memcpy(next_row(recorder, TN_COLUMN_CONTACT_POINT), contact->point, sizeof contact->point);
    memcpy(next_row(recorder, TN_COLUMN_CONTACT_NORMAL), contact->normal, sizeof contact->normal);
    put_double(recorder, TN_COLUMN_CONTACT_GAP, contact->gap);
    memcpy(next_row(recorder, TN_COLUMN_CONTACT_FORCE), contact->force, sizeof contact->force);
    memcpy(next_row(recorder, TN_COLUMN_CONTACT_VELOCITY), contact->velocity, sizeof contact->velocity);
}

static bool append_column(tn_recorder *recorder, hid_t file, int id)
{
    pending *column = &recorder->columns[id];
    return tn_h5_append_rows(file, tn_columns[id].path, tn_column_hdf5_type(tn_columns[id].type), column->n_rows,
                             column->data);
}

// Contacts' offsets and the time go last: a frame counts when its time is there.
static bool append_all(tn_recorder *recorder, hid_t file)
{
    bool ok = true;
    for (int id = 0; ok && id < TN_COLUMN_CONTACT_OFFSET; id++) {
        ok = append_column(recorder, file, id);
    }
    ok = ok && H5Fflush(file, H5F_SCOPE_LOCAL) >= 0 && append_column(recorder, file, TN_COLUMN_CONTACT_OFFSET);
    return ok && H5Fflush(file, H5F_SCOPE_LOCAL) >= 0 && append_column(recorder, file, TN_COLUMN_TIME);
}

typedef enum flush_result { FLUSH_DONE, FLUSH_LOCKED, FLUSH_NO_ROOM, FLUSH_FAILED } flush_result;

// A write that fails for want of room would leave a damaged file, so the room is taken beforehand: the waiting rows,
// the chunks that are written anew, and HDF5's own records. Closing cuts off what was not needed.
static bool take_room(const tn_recorder *recorder)
{
    off_t bytes = 1 << 20;
    for (int id = 0; id < TN_COLUMN_COUNT; id++) {
        const pending *column = &recorder->columns[id];
        bytes += (off_t)(column->n_rows * column->row_bytes) + CHUNK_MARGIN;
    }
    struct stat info;
    int file = open(recorder->path, O_RDWR | O_CLOEXEC);
    bool no_room = file >= 0 && fstat(file, &info) == 0 && fallocate(file, 0, info.st_size, bytes) != 0 &&
                   (errno == ENOSPC || errno == EFBIG || errno == EDQUOT);
    if (no_room && ftruncate(file, info.st_size) != 0) {
        no_room = true; // a longer file reads as well
    }
    if (file >= 0) {
        close(file);
    }
    return !no_room;
}

static flush_result flush_quietly(tn_recorder *recorder)
{
    if (!take_room(recorder)) {
        return FLUSH_NO_ROOM;
    }
    hid_t access = tn_recording_access();
    hid_t file = access < 0 ? -1 : H5Fopen(recorder->path, H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE, access);
    if (access >= 0) {
        H5Pclose(access);
    }
    if (file < 0) {
        return FLUSH_LOCKED; // somebody reads it just now
    }
    bool ok = append_all(recorder, file);
    ok = H5Fclose(file) >= 0 && ok;
    if (!ok) {
        return FLUSH_FAILED;
    }
    for (int id = 0; id < TN_COLUMN_COUNT; id++) {
        recorder->columns[id].n_rows = 0;
    }
    recorder->flushed_at = tn_timer_now();
    return FLUSH_DONE;
}

static tn_status fail(tn_recorder *recorder, const char *why, tn_error *error)
{
    recorder->broken = true;
    tn_error_set(error, TN_IO, "the recording cannot go on: %s", why);
    if (error) {
        snprintf(error->file, sizeof error->file, "%s", recorder->path);
    }
    return TN_IO;
}

static size_t waiting_bytes(const tn_recorder *recorder)
{
    size_t bytes = 0;
    for (int id = 0; id < TN_COLUMN_COUNT; id++) {
        bytes += recorder->columns[id].n_rows * recorder->columns[id].row_bytes;
    }
    return bytes;
}

// A file locked by a reader is tried again at the next flush, for as long as patience lasts.
static tn_status flush(tn_recorder *recorder, double patience, tn_error *error)
{
    tn_h5_quiet quiet = tn_h5_quiet_begin();
    flush_result result = flush_quietly(recorder);
    tn_h5_quiet_end(quiet);
    bool too_late = tn_timer_now() - recorder->flushed_at > patience || waiting_bytes(recorder) > most_bytes;
    if (result == FLUSH_NO_ROOM) {
        return fail(recorder, "the disk is full (or a limit is reached); it holds the frames up to the last flush",
                    error);
    }
    if (result == FLUSH_LOCKED && too_late) {
        return fail(recorder, "it was moved, or another program keeps it locked", error);
    }
    return result == FLUSH_FAILED ? fail(recorder, "a write failed; it may be damaged", error) : TN_OK;
}

static bool reserve_frame(tn_recorder *recorder, int n_contacts)
{
    bool ok = true;
    for (int id = 0; ok && id < TN_COLUMN_COUNT; id++) {
        bool contact = tn_columns[id].per == TN_PER_CONTACT;
        ok = reserve(&recorder->columns[id], contact ? (size_t)n_contacts : 1);
    }
    return ok;
}

// Steps of microseconds would flush all the time, and a flush takes milliseconds: ten times a second is enough.
static bool flush_is_due(const tn_recorder *recorder)
{
    size_t n_frames = recorder->columns[TN_COLUMN_TIME].n_rows;
    double waited = tn_timer_now() - recorder->flushed_at;
    return (n_frames >= FLUSH_FRAMES && waited >= flush_seconds_min) || waiting_bytes(recorder) > flush_bytes ||
           waited >= flush_seconds;
}

tn_status tn_recorder_append(tn_recorder *recorder, const tn_sim *sim, const tn_state *state,
                             const tn_step_report *report, tn_error *error)
{
    if (recorder->broken) {
        return tn_error_set(error, TN_IO, "%s: an earlier write failed", recorder->path);
    }
    int n_contacts = report && recorder->model->settings.record_contacts ? tn_sim_contact_count(sim) : 0;
    if (!reserve_frame(recorder, n_contacts)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory left for the recording");
    }
    tn_energy energy = {0};
    tn_soft_columns soft = {0};
    tn_status status = report ? TN_OK : tn_energy_of_state(state, &energy, error);
    if (status == TN_OK && recorder->model->n_softs > 0) {
        tn_arena_reset(recorder->scratch);
        bool stress = recorder->model->settings.record_stress;
        status = tn_soft_columns_at(sim, state, stress, recorder->scratch, &soft, error);
    }
    if (status != TN_OK) {
        return status;
    }
    put_double(recorder, TN_COLUMN_TIME, tn_state_time(state));
    put_int64(recorder, TN_COLUMN_STEP, state->step_count);
    put_bodies(recorder, state);
    if (recorder->model->n_softs > 0) {
        put_softs(recorder, state, &soft);
    }
    put_report(recorder, report, report ? &report->energy : &energy);
    for (int k = 0; k < n_contacts; k++) {
        tn_contact_info contact;
        tn_sim_contact(sim, k, &contact);
        put_contact(recorder, &contact);
    }
    recorder->n_contacts += n_contacts;
    put_int64(recorder, TN_COLUMN_CONTACT_OFFSET, recorder->n_contacts);
    return flush_is_due(recorder) ? flush(recorder, patience_seconds, error) : TN_OK;
}

static void destroy(tn_recorder *recorder)
{
    for (int id = 0; id < TN_COLUMN_COUNT; id++) {
        tn_free(recorder->columns[id].data);
    }
    tn_arena_destroy(recorder->scratch);
    tn_free(recorder->path);
    tn_free(recorder);
}

tn_recorder *tn_recorder_create_with(const char *path, const tn_model *model, int n_set, const char *const *set,
                                     tn_error *error)
{
    tn_h5_quiet quiet = tn_h5_quiet_begin();
    tn_status status = tn_recording_create_file(path, model, n_set, set, error);
    tn_h5_quiet_end(quiet);
    if (status != TN_OK) {
        return NULL;
    }
    tn_recorder *recorder = tn_calloc(1, sizeof *recorder);
    if (recorder) {
        recorder->path = tn_strdup(path);
        recorder->scratch = tn_arena_create("recording", 0);
    }
    if (!recorder || !recorder->path || !recorder->scratch) {
        if (recorder) {
            destroy(recorder);
        }
        tn_error_set(error, TN_NO_MEMORY, "no memory left for the recording");
        return NULL;
    }
    recorder->model = model;
    recorder->flushed_at = tn_timer_now();
    tn_column_items items = tn_column_items_of(model);
    for (int id = 0; id < TN_COLUMN_COUNT; id++) {
        recorder->columns[id].row_bytes = tn_column_row_bytes(&tn_columns[id], &items);
    }
    return recorder;
}

tn_recorder *tn_recorder_create(const char *path, const tn_model *model, tn_error *error)
{
    return tn_recorder_create_with(path, model, 0, NULL, error);
}

tn_status tn_recorder_close(tn_recorder *recorder, tn_error *error)
{
    if (!recorder) {
        return TN_OK;
    }
    tn_status status = TN_OK;
    pending *time = &recorder->columns[TN_COLUMN_TIME];
    for (int attempt = 1; status == TN_OK && !recorder->broken && time->n_rows > 0; attempt++) {
        status = flush(recorder, attempt < CLOSE_ATTEMPTS ? INFINITY : 0.0, error);
        if (time->n_rows > 0 && status == TN_OK) {
            nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
        }
    }
    destroy(recorder);
    return status;
}
