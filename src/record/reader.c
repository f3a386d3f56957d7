#include "record/reader.h"
#include "record/h5.h"
#include "record/recorder.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static tn_status broken(tn_error *error, const char *path, const char *what)
{
    tn_error_set(error, TN_BAD_INPUT, "broken recording: '%s' is missing, malformed or damaged", what);
    if (error) {
        snprintf(error->file, sizeof error->file, "%s", path);
    }
    return TN_BAD_INPUT;
}

static tn_status read_header(tn_recording *r, tn_error *error)
{
    bool ours = tn_recording_is_ours(r->file);
    if (!ours && H5Aexists(r->file, "format") < 0) {
        return tn_error_set(error, TN_BAD_INPUT, "%s is a damaged HDF5 file", r->path);
    }
    if (!ours) {
        return tn_error_set(error, TN_BAD_INPUT, "%s is an HDF5 file but no recording of `tenon run`", r->path);
    }
    int64_t format_version = 0;
    if (!tn_h5_get_attribute(r->file, "format_version", H5T_NATIVE_INT64, &format_version)) {
        return broken(error, r->path, "format_version");
    }
    if (format_version > TN_RECORDING_FORMAT_VERSION) {
        return tn_error_set(error, TN_BAD_INPUT, "%s was written by a newer Tenon (format %ld, this one reads %d)",
                            r->path, (long)format_version, TN_RECORDING_FORMAT_VERSION);
    }
    const struct {
        const char *name;
        char **text;
    } texts[] = {{"title", &r->title}, {"scene_path", &r->scene_path}, {"version", &r->version}, {"solver", &r->solver},
                 {"law", &r->law},     {"scheme", &r->scheme}};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        *texts[k].text = tn_h5_get_attribute_text(r->file, texts[k].name, r->arena);
        if (!*texts[k].text) {
            return broken(error, r->path, texts[k].name);
        }
    }
    r->scene = tn_h5_get_text(r->file, "scene", r->arena);
    r->overrides = tn_h5_get_texts(r->file, "overrides", r->arena, &r->n_overrides);
    bool ok = r->scene && r->overrides && tn_h5_get_attribute(r->file, "step", H5T_NATIVE_DOUBLE, &r->step) &&
              tn_h5_get_attribute(r->file, "seed", H5T_NATIVE_UINT64, &r->seed) &&
              tn_h5_get_attribute(r->file, "model_hash", H5T_NATIVE_UINT64, &r->model_hash) &&
              tn_h5_get_attribute(r->file, "record_every", H5T_NATIVE_INT64, &r->record_every);
    return ok ? TN_OK : broken(error, r->path, "scene");
}

static tn_status read_bodies(tn_recording *r, tn_error *error)
{
    r->names = tn_h5_get_texts(r->file, "bodies/name", r->arena, &r->n_bodies);
    if (!r->names || r->n_bodies < 1) {
        return broken(error, r->path, "bodies/name");
    }
    r->kinds = tn_h5_take_array(r->file, "bodies/kind", H5T_NATIVE_UINT8, (hsize_t)r->n_bodies, r->arena);
    return r->kinds ? TN_OK : broken(error, r->path, "bodies/kind");
}

// Rows of a column; false: it is malformed.
static bool count_rows(const tn_recording *r, const tn_column *column, const tn_column_items *items, hsize_t *rows)
{
    hsize_t dims[3];
    size_t expected[3];
    tn_column_dims(column, items, expected);
    bool ok = tn_h5_get_dims(r->file, column->path, dims) && dims[0] >= (hsize_t)column->n_written &&
              dims[1] == expected[1] && dims[2] == expected[2];
    *rows = ok ? dims[0] - (hsize_t)column->n_written : 0;
    return ok;
}

bool tn_recording_has_once(const tn_recording *recording, const tn_column *column)
{
    return column->per == TN_PER_FRAME || (column->per == TN_PER_JOINTED && recording->n_joints > 0) ||
           (column->per == TN_PER_SLEEPY && recording->has_asleep) ||
           (column->per == TN_PER_PLANNED && recording->has_plans);
}

// Frames that every column has: a flush that was killed may leave some columns longer than others.
static tn_status count_frames(tn_recording *r, tn_error *error)
{
    r->has_asleep = H5Lexists(r->file, tn_columns[TN_COLUMN_ASLEEP].path, H5P_DEFAULT) > 0;
    r->has_plans = H5Lexists(r->file, "plan", H5P_DEFAULT) > 0;
    r->has_plan_poses = r->has_plans && H5Lexists(r->file, tn_columns[TN_COLUMN_PLAN_POSES].path, H5P_DEFAULT) > 0;
    r->has_patches = H5Lexists(r->file, tn_columns[TN_COLUMN_CONTACT_PATCH].path, H5P_DEFAULT) > 0;
    const tn_column_items items = {{[TN_PER_FRAME] = 1,
                                    [TN_PER_CONTACT] = 1,
                                    [TN_PER_EDGE] = r->has_patches ? 2 : 0,
                                    [TN_PER_BODY] = r->n_bodies,
                                    [TN_PER_JOINTED] = r->n_joints > 0,
                                    [TN_PER_SLEEPY] = r->has_asleep,
                                    [TN_PER_PLANNED] = r->has_plans,
                                    [TN_PER_AHEAD] = r->has_plan_poses ? TN_PLAN_POSES * (r->n_bodies - r->n_softs) : 0,
                                    [TN_PER_JOINT] = r->n_joints,
                                    [TN_PER_COORDINATE] = r->n_coordinates,
                                    [TN_PER_READING] = r->n_readings,
                                    [TN_PER_SOFT] = r->n_softs,
                                    [TN_PER_NODE] = r->n_nodes,
                                    [TN_PER_TET] = r->has_stress ? r->n_tets : 0}};
    hsize_t n_frames = (hsize_t)-1, rows;
    for (int id = 0; id < TN_COLUMN_COUNT; id++) {
        const tn_column *column = &tn_columns[id];
        if (tn_column_row_bytes(column, &items) == 0) {
            continue;
        }
        if (!count_rows(r, column, &items, &rows)) {
            return broken(error, r->path, column->path);
        }
        n_frames = !tn_column_by_contact(column) && rows < n_frames ? rows : n_frames;
    }
    r->n_frames = (long)n_frames;
    return TN_OK;
}

// In single-writer mode, which reads what does not match its sum again in case it is just being written. HDF5 waits
// twice as long before every attempt, from 1 ns on; its default of 100 attempts would not end within the age of the
// universe at a damaged byte. These end after some milliseconds.
static hid_t open_while_written(const char *path)
{
    const unsigned attempts = 22;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    hid_t file = -1;
    if (access >= 0 && H5Pset_metadata_read_attempts(access, attempts) >= 0) {
        file = H5Fopen(path, H5F_ACC_RDONLY | H5F_ACC_SWMR_READ, access);
    }
    haddr_t end; // as the file itself says
    struct stat info;
    if (file >= 0 && (H5Fget_eoa(file, &end) < 0 || stat(path, &info) != 0 || (haddr_t)info.st_size < end)) {
        H5Fclose(file); // cut short, which HDF5 overlooks in this mode: it would read zeros
        file = -1;
    }
    tn_h5_release(access);
    return file;
}

// Plainly first; a file whose writer was killed in the middle of a flush opens in single-writer mode.
static tn_status open_file(tn_recording *r, tn_error *error)
{
    struct stat info;
    if (stat(r->path, &info) == 0 && !S_ISREG(info.st_mode)) { // a pipe would wait for its writer
        return tn_error_set(error, TN_BAD_INPUT, "cannot read %s: not a regular file", r->path);
    }
    FILE *probe = fopen(r->path, "rb");
    if (!probe) {
        return tn_error_set(error, TN_BAD_INPUT, "cannot read %s: %s", r->path, strerror(errno));
    }
    fclose(probe);
    if (H5Fis_hdf5(r->path) <= 0) {
        return tn_error_set(error, TN_BAD_INPUT, "%s is no HDF5 file, so no recording", r->path);
    }
    r->file = H5Fopen(r->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (r->file < 0) {
        r->file = open_while_written(r->path);
    }
    return r->file >= 0 ? TN_OK : tn_error_set(error, TN_BAD_INPUT, "%s is a damaged HDF5 file", r->path);
}

// Columns stay open: HDF5 keeps what it last inflated of an open one, and frames are often read one by one.
static hid_t open_column(const tn_recording *r, const char *path)
{
    for (int id = 0; id < TN_COLUMN_COUNT; id++) {
        if (strcmp(tn_columns[id].path, path) == 0) {
            if (r->open[id] == 0) {
                r->open[id] = H5Dopen2(r->file, path, H5P_DEFAULT);
            }
            return r->open[id];
        }
    }
    return -1;
}

static void close_columns(tn_recording *r)
{
    for (int id = 0; id < TN_COLUMN_COUNT; id++) {
        if (r->open[id] > 0) {
            tn_h5_release(r->open[id]);
        }
    }
}

void tn_recording_set_watch(tn_recording *recording, void (*watch)(void *user, long row, long rows), void *user)
{
    if (recording) {
        recording->watch = watch;
        recording->watcher = user;
    }
}

static bool read_rows(const tn_recording *recording, const char *path, hsize_t first, hsize_t n, double *out)
{
    hsize_t dims[3] = {0, 1, 1}, start[3] = {first, 0, 0};
    hid_t dataset = open_column(recording, path);
    hid_t space = dataset < 0 ? -1 : H5Dget_space(dataset);
    int n_dims = space < 0 ? -1 : H5Sget_simple_extent_ndims(space);
    bool ok = n_dims >= 1 && n_dims <= 3 && H5Sget_simple_extent_dims(space, dims, NULL) == n_dims &&
              first <= dims[0] && n <= dims[0] - first;
    if (ok && recording->watch) {
        recording->watch(recording->watcher, (long)first, (long)dims[0]);
    }
    if (ok && n > 0) {
        dims[0] = n;
        hid_t memory = H5Screate_simple(n_dims, dims, NULL);
        ok = H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, dims, NULL) >= 0 &&
             H5Dread(dataset, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, out) >= 0;
        tn_h5_release(memory);
    }
    tn_h5_release(space);
    return ok;
}

// A player, a plot and a film go by it: it never falls from frame to frame.
static tn_status check_time(const tn_recording *r, tn_error *error)
{
    double time[1024], last = -INFINITY;
    for (long frame = 0; frame < r->n_frames;) {
        long n = r->n_frames - frame < 1024 ? r->n_frames - frame : 1024;
        if (!read_rows(r, "time", (hsize_t)frame, (hsize_t)n, time)) {
            return broken(error, r->path, "time");
        }
        for (long k = 0; k < n; k++, frame++) {
            if (!(time[k] >= last && time[k] < INFINITY)) {
                return tn_error_set(error, TN_BAD_INPUT,
                                    "%s: broken recording: 'time' falls or is no number at frame %ld", r->path, frame);
            }
            last = time[k];
        }
    }
    return TN_OK;
}

// All of it in an arena, the struct too; NULL: no memory.
static tn_recording *create(const char *path)
{
    tn_arena *arena = tn_arena_create(0);
    tn_recording *r = arena ? TN_PUSH(arena, tn_recording, 1) : NULL;
    size_t size = strlen(path) + 1;
    char *own_path = r ? TN_PUSH(arena, char, size) : NULL;
    int64_t *open = r ? TN_PUSH(arena, int64_t, TN_COLUMN_COUNT) : NULL;
    if (!own_path || !open) {
        tn_arena_destroy(arena);
        return NULL;
    }
    *r = (tn_recording){.arena = arena, .path = memcpy(own_path, path, size), .file = -1, .open = open};
    return r;
}

static tn_status read_groups(tn_recording *r, tn_error *error)
{
    const struct {
        const char *name;
        bool (*read)(tn_recording *r);
    } groups[] = {{"shapes", tn_recording_read_shapes},
                  {"views", tn_recording_read_look},
                  {"soft", tn_recording_read_softs},
                  {"joints", tn_recording_read_joints},
                  {"sensors", tn_recording_read_sensors}};
    for (size_t k = 0; k < sizeof groups / sizeof *groups; k++) {
        if (!groups[k].read(r)) {
            return broken(error, r->path, groups[k].name);
        }
    }
    return TN_OK;
}

tn_recording *tn_recording_open(const char *path, tn_error *error)
{
    if (!path) {
        tn_error_set(error, TN_BAD_INPUT, "a recording needs a path");
        return NULL;
    }
    tn_recording *r = create(path);
    if (!r) {
        tn_error_set(error, TN_NO_MEMORY, "no memory left to read %s", path);
        return NULL;
    }
    tn_h5_quiet quiet = tn_h5_quiet_begin();
    tn_status status = open_file(r, error);
    status = status == TN_OK ? read_header(r, error) : status;
    status = status == TN_OK ? read_bodies(r, error) : status;
    status = status == TN_OK ? read_groups(r, error) : status;
    status = status == TN_OK ? count_frames(r, error) : status;
    status = status == TN_OK ? check_time(r, error) : status;
    if (status == TN_OK) {
        tn_recording_read_run(r);
    }
    tn_h5_quiet_end(quiet);
    if (status != TN_OK) {
        tn_recording_close(r);
        return NULL;
    }
    return r;
}

void tn_recording_close(tn_recording *r)
{
    if (!r) {
        return;
    }
    close_columns(r);
    if (r->file >= 0) {
        H5Fclose(r->file);
    }
    tn_arena_destroy(r->arena);
}

void tn_recording_skip_exit_cleanup(void)
{
    H5dont_atexit();
}

const char *tn_recording_title(const tn_recording *recording)
{
    return recording ? recording->title : "";
}

int tn_recording_body_count(const tn_recording *recording)
{
    return recording ? recording->n_bodies : 0;
}

const char *tn_recording_body_name(const tn_recording *recording, int body)
{
    return recording && body >= 0 && body < recording->n_bodies ? recording->names[body] : NULL;
}

int tn_recording_find_body(const tn_recording *recording, const char *name)
{
    for (int body = 0; recording && name && body < recording->n_bodies; body++) {
        if (strcmp(recording->names[body], name) == 0) {
            return body;
        }
    }
    return -1;
}

int tn_recording_find_joint(const tn_recording *recording, const char *name)
{
    for (int joint = 0; joint < recording->n_joints; joint++) {
        if (strcmp(recording->joint_names[joint], name) == 0) {
            return joint;
        }
    }
    return -1;
}

tn_status tn_recording_rows(const tn_recording *recording, const char *column, long first, long n, double *out,
                            tn_error *error)
{
    tn_h5_quiet quiet = tn_h5_quiet_begin();
    bool ok = first >= 0 && n >= 0 && read_rows(recording, column, (hsize_t)first, (hsize_t)n, out);
    tn_h5_quiet_end(quiet);
    return ok ? TN_OK : broken(error, recording->path, column);
}

tn_status tn_recording_row(const tn_recording *recording, long row, int n, const tn_column_room *rooms, tn_error *error)
{
    tn_status status = TN_OK;
    for (int k = 0; status == TN_OK && k < n; k++) {
        status = rooms[k].out ? tn_recording_rows(recording, rooms[k].column, row, 1, rooms[k].out, error) : TN_OK;
    }
    return status;
}
