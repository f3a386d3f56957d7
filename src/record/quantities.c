// The quantities of a recording: its columns by name and number, for whoever does not know them.
#include "record/recording.h"

#include "record/h5.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// The column's shape in the file; false: this recording has none.
static bool describe(const tn_recording *r, const tn_column *column, tn_quantity *out)
{
    hsize_t dims[3];
    tn_h5_quiet quiet = tn_h5_quiet_begin();
    bool is = H5Lexists(r->file, column->path, H5P_DEFAULT) > 0 && tn_h5_get_dims(r->file, column->path, dims);
    tn_h5_quiet_end(quiet);
    if (is) {
        bool by_frame = !tn_column_by_contact(column);
        *out = (tn_quantity){.name = column->path,
                             .unit = column->unit,
                             .about = column->about,
                             .rows = by_frame ? r->n_frames + column->n_written : (long)dims[0],
                             .width = (int)(dims[1] * dims[2])};
    }
    return is;
}

// A group that is not there (joints of a scene without) makes HDF5 refuse the path: so the group is asked for first.
static bool has(const tn_recording *r, const tn_column *column)
{
    char group[64];
    const char *slash = strchr(column->path, '/');
    snprintf(group, sizeof group, "%.*s", slash ? (int)(slash - column->path) : 0, column->path);
    return !slash || H5Lexists(r->file, group, H5P_DEFAULT) > 0;
}

static bool find(const tn_recording *r, int i, const char *name, tn_quantity *out)
{
    for (int id = 0; id < TN_COLUMN_COUNT; id++) {
        const tn_column *column = &tn_columns[id];
        bool wanted = !name || strcmp(name, column->path) == 0;
        if (wanted && has(r, column) && describe(r, column, out) && (name || i-- == 0)) {
            return true;
        }
    }
    return false;
}

int tn_recording_quantity_count(const tn_recording *recording)
{
    tn_quantity q;
    int n = 0;
    while (recording && find(recording, n, NULL, &q)) {
        n++;
    }
    return n;
}

tn_status tn_recording_quantity(const tn_recording *recording, int i, tn_quantity *out, tn_error *error)
{
    return recording && out && i >= 0 && find(recording, i, NULL, out)
               ? TN_OK
               : tn_error_set(error, TN_BAD_INPUT, "the recording has no quantity number %d", i);
}

tn_status tn_recording_find(const tn_recording *recording, const char *name, tn_quantity *out, tn_error *error)
{
    return recording && name && out && find(recording, 0, name, out)
               ? TN_OK
               : tn_error_set(error, TN_BAD_INPUT, "the recording has no quantity '%s'", name ? name : "");
}

tn_status tn_recording_read(const tn_recording *recording, const char *name, long first, long n, double *out,
                            tn_error *error)
{
    tn_quantity q;
    if (tn_recording_find(recording, name, &q, error) != TN_OK) {
        return TN_BAD_INPUT;
    }
    if (first < 0 || n < 0 || first > q.rows || n > q.rows - first || (n > 0 && !out)) {
        return tn_error_set(error, TN_BAD_INPUT, "'%s' has %ld rows, not %ld from %ld on", name, q.rows, n, first);
    }
    return tn_recording_rows(recording, name, first, n, out, error);
}

long tn_recording_frame_count(const tn_recording *recording)
{
    return recording ? recording->n_frames : 0;
}

long tn_recording_frame_at(const tn_recording *recording, double time)
{
    long low = -1, high = recording && !isnan(time) ? recording->n_frames : 0; // time of low <= time < time of high
    while (high - low > 1) {
        long middle = low + (high - low) / 2;
        double at;
        if (tn_recording_rows(recording, "time", middle, 1, &at, NULL) != TN_OK) {
            return -1;
        }
        low = at <= time ? middle : low;
        high = at <= time ? high : middle;
    }
    return low;
}

void tn_recording_base_name(const tn_recording *recording, size_t size, char *name)
{
    const char *slash = strrchr(recording->path, '/');
    const char *file = slash ? slash + 1 : recording->path;
    const char *dot = strrchr(file, '.');
    snprintf(name, size, "%.*s", dot && dot > file ? (int)(dot - file) : (int)strlen(file), file);
    for (char *c = name; *c; c++) {
        *c = strchr("<>&\"'", *c) ? '_' : *c;
    }
}
