// A recording between two flushes is a closed, consistent file: frames wait in memory, and a flush opens the file,
// appends and closes it. HDF5's single-writer mode keeps even a flush that is killed halfway readable.
#include "base/memory.h"
#include "base/timer.h"
#include "record/frame_rows.h"
#include "record/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { FLUSH_FRAMES = 100, CLOSE_ATTEMPTS = 20, CHUNK_MARGIN = 1 << 17 };
static const double flush_seconds = 1.0;
static const double flush_seconds_min = 0.1;
static const double patience_seconds = 60.0; // how long another program may keep the file locked
static const size_t flush_bytes = 64u << 20;
static const size_t most_bytes = (size_t)1 << 30; // of frames that wait for a locked file

struct tn_recorder {
    char *path;
    tn_frame_rows rows; // that wait for the next flush
    size_t n_flushed;   // frames in the file
    double flushed_at;  // wall clock [s]
    double tried_at;    // likewise: the last flush, whether done or kept off by a lock
    bool broken;        // a write failed: nothing more is written
};

static bool append_column(const tn_recorder *recorder, hid_t file, int id)
{
    const tn_waiting *column = &recorder->rows.columns[id];
    return tn_h5_append_rows(file, tn_columns[id].path, tn_column_hdf5_type(tn_columns[id].type), column->n_rows,
                             column->data);
}

// Contacts' offsets and the time go last: a frame counts when its time is there.
static bool append_all(const tn_recorder *recorder, hid_t file)
{
    bool ok = true;
    for (int id = 0; ok && id < TN_COLUMN_CONTACT_OFFSET; id++) {
        ok = append_column(recorder, file, id);
    }
    ok = ok && H5Fflush(file, H5F_SCOPE_LOCAL) >= 0 && append_column(recorder, file, TN_COLUMN_CONTACT_OFFSET);
    return ok && H5Fflush(file, H5F_SCOPE_LOCAL) >= 0 && append_column(recorder, file, TN_COLUMN_TIME);
}

// Another run with the same file has begun it anew or added to it.
static bool taken_over(const tn_recorder *recorder, hid_t file)
{
    hsize_t dims[3] = {0, 0, 0};
    return !tn_h5_get_dims(file, tn_columns[TN_COLUMN_TIME].path, dims) || dims[0] != recorder->n_flushed;
}

typedef enum flush_result { FLUSH_DONE, FLUSH_LOCKED, FLUSH_TAKEN, FLUSH_NO_ROOM, FLUSH_FAILED } flush_result;

// A write that fails for want of room would leave a damaged file, so the room is taken beforehand: the waiting rows,
// the chunks that are written anew, and HDF5's own records. Closing cuts off what was not needed; so nothing is taken
// while a reader's lock keeps the file from being opened. With room *lock keeps others from writing, and from cutting
// the file off, until it is closed: HDF5's own lock of a writer in single-writer mode ends when the file is open.
static flush_result take_room(const tn_recorder *recorder, int *lock)
{
    off_t bytes = (1 << 20) + TN_COLUMN_COUNT * CHUNK_MARGIN + (off_t)tn_frame_rows_bytes(&recorder->rows);
    struct stat info;
    int file = tn_recording_lock(recorder->path, false, 0.0);
    if (file < 0) {
        return FLUSH_LOCKED;
    }
    *lock = file;
    bool no_room = fstat(file, &info) == 0 && fallocate(file, 0, info.st_size, bytes) != 0 &&
                   (errno == ENOSPC || errno == EFBIG || errno == EDQUOT);
    if (no_room && ftruncate(file, info.st_size) != 0) {
        no_room = true; // a longer file reads as well
    }
    if (no_room) {
        close(file);
    }
    return no_room ? FLUSH_NO_ROOM : FLUSH_DONE;
}

static flush_result flush_quietly(tn_recorder *recorder)
{
    int lock;
    const flush_result room = take_room(recorder, &lock);
    if (room != FLUSH_DONE) {
        return room;
    }
    hid_t access = tn_recording_access();
    hid_t file = access < 0 ? -1 : H5Fopen(recorder->path, H5F_ACC_RDWR | H5F_ACC_SWMR_WRITE, access);
    tn_h5_release(access);
    if (file < 0) {
        close(lock);
        return FLUSH_LOCKED; // somebody reads it just now
    }
    flock(lock, LOCK_SH); // readers may come
    bool taken = taken_over(recorder, file);
    bool ok = taken || append_all(recorder, file);
    ok = H5Fclose(file) >= 0 && ok;
    close(lock);
    if (!ok || taken) {
        return taken ? FLUSH_TAKEN : FLUSH_FAILED;
    }
    recorder->n_flushed += recorder->rows.columns[TN_COLUMN_TIME].n_rows;
    tn_frame_rows_clear(&recorder->rows);
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

// A file locked by a reader is tried again at the next flush, for as long as patience lasts.
static tn_status flush(tn_recorder *recorder, double patience, tn_error *error)
{
    recorder->tried_at = tn_timer_now();
    tn_h5_quiet quiet = tn_h5_quiet_begin();
    flush_result result = flush_quietly(recorder);
    tn_h5_quiet_end(quiet);
    bool too_late =
        tn_timer_now() - recorder->flushed_at > patience || tn_frame_rows_bytes(&recorder->rows) > most_bytes;
    if (result == FLUSH_NO_ROOM) {
        return fail(recorder, "the disk is full (or a limit is reached); it holds the frames up to the last flush",
                    error);
    }
    if (result == FLUSH_LOCKED && too_late) {
        return fail(recorder, "it was moved, or another program keeps it locked", error);
    }
    if (result == FLUSH_TAKEN) {
        return fail(recorder, "another run writes to the same file: give each its own with --out", error);
    }
    return result == FLUSH_FAILED ? fail(recorder, "a write failed; it may be damaged", error) : TN_OK;
}

// Steps of microseconds would flush all the time, and a flush takes milliseconds: ten times a second is enough, also
// where the file is locked.
static bool flush_is_due(const tn_recorder *recorder)
{
    const double now = tn_timer_now();
    return now - recorder->tried_at >= flush_seconds_min &&
           (recorder->rows.columns[TN_COLUMN_TIME].n_rows >= FLUSH_FRAMES ||
            tn_frame_rows_bytes(&recorder->rows) > flush_bytes || now - recorder->flushed_at >= flush_seconds);
}

tn_status tn_recorder_append(tn_recorder *recorder, const tn_sim *sim, const tn_state *state,
                             const tn_step_report *report, tn_error *error)
{
    if (!recorder || !state || (report && !sim)) {
        return tn_error_set(error, TN_BAD_INPUT, "a frame needs a recorder and a state, and of a step the simulation");
    }
    if (recorder->broken) {
        return tn_error_set(error, TN_IO, "%s: an earlier write failed", recorder->path);
    }
    tn_status status = tn_frame_rows_add(&recorder->rows, sim, state, report, error);
    return status == TN_OK && flush_is_due(recorder) ? flush(recorder, patience_seconds, error) : status;
}

tn_status tn_recorder_plan(tn_recorder *recorder, const tn_plan *plan, const tn_lcs_row *rows, tn_error *error)
{
    if (!recorder || !plan || (plan->n_c > 0 && plan->horizon > 0 && (!plan->mode || !rows))) {
        return tn_error_set(error, TN_BAD_INPUT, "no recorder, or no plan to note and no rows of it");
    }
    tn_frame_rows_plan(&recorder->rows, plan, rows);
    return TN_OK;
}

tn_status tn_recorder_plan_poses(tn_recorder *recorder, const double *poses, tn_error *error)
{
    if (!recorder) {
        return tn_error_set(error, TN_BAD_INPUT, "no recorder");
    }
    tn_frame_rows_ahead(&recorder->rows, poses);
    return TN_OK;
}

tn_status tn_recorder_flush(tn_recorder *recorder, tn_error *error)
{
    bool idle = !recorder || recorder->broken || recorder->rows.columns[TN_COLUMN_TIME].n_rows == 0;
    return idle ? TN_OK : flush(recorder, patience_seconds, error);
}

static void destroy(tn_recorder *recorder)
{
    tn_frame_rows_free(&recorder->rows);
    tn_free(recorder->path);
    tn_free(recorder);
}

tn_recorder *tn_recorder_create(const char *path, const tn_model *model, tn_error *error)
{
    if (!path || !model) {
        tn_error_set(error, TN_BAD_INPUT, "a recording needs a path and a model");
        return NULL;
    }
    tn_h5_quiet quiet = tn_h5_quiet_begin();
    tn_status status = tn_recording_create_file(path, model, error);
    tn_h5_quiet_end(quiet);
    if (status != TN_OK) {
        return NULL;
    }
    tn_recorder *recorder = tn_calloc(1, sizeof *recorder);
    if (recorder) {
        recorder->path = tn_strdup(path);
        recorder->flushed_at = recorder->tried_at = tn_timer_now();
    }
    if (!recorder || !recorder->path || !tn_frame_rows_create(model, &recorder->rows)) {
        if (recorder) {
            destroy(recorder);
        }
        tn_error_set(error, TN_NO_MEMORY, "no memory left for the recording");
        return NULL;
    }
    recorder->rows.rounded = !model->settings.record_double;
    return recorder;
}

tn_status tn_recorder_close(tn_recorder *recorder, tn_error *error)
{
    if (!recorder) {
        return TN_OK;
    }
    tn_status status = TN_OK;
    const tn_waiting *time = &recorder->rows.columns[TN_COLUMN_TIME];
    for (int attempt = 1; status == TN_OK && !recorder->broken && time->n_rows > 0; attempt++) {
        status = flush(recorder, attempt < CLOSE_ATTEMPTS ? INFINITY : 0.0, error);
        if (time->n_rows > 0 && status == TN_OK) {
            nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
        }
    }
    destroy(recorder);
    return status;
}
