#include "view/report_series.h"
#include "base/memory.h"
#include "record/columns.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SOFT_BODIES = 16, COORDINATES = 24 }; // with curves of their own in a report

static bool is_of_steps(const char *path)
{
    return strncmp(path, "certificate/", 12) == 0 || strncmp(path, "timings/", 8) == 0 ||
           strcmp(path, "iterations") == 0 || strcmp(path, "tolerances_held") == 0 ||
           strcmp(path, "energy/balance") == 0;
}

// How many numbers a frame of this column has for a report; 0: none.
static int numbers_of(const tn_recording *r, int id)
{
    const tn_column *column = &tn_columns[id];
    if (id == TN_COLUMN_TIME || id == TN_COLUMN_STEP || id == TN_COLUMN_CONTACT_OFFSET) {
        return 0;
    }
    if (id == TN_COLUMN_SOFT_ENERGY) {
        return r->n_softs < SOFT_BODIES ? r->n_softs : SOFT_BODIES;
    }
    if (id == TN_COLUMN_JOINT_COORDINATE) {
        return r->n_coordinates < COORDINATES ? r->n_coordinates : COORDINATES;
    }
    return tn_recording_has_once(r, column) && column->width <= 3 ? column->width : 0;
}

// "joint/hinge turn"
static void name_coordinate(const tn_recording *r, int coordinate, char name[TN_REPORT_NAME_SIZE])
{
    int joint = 0;
    while (joint + 1 < r->n_joints && r->joint_first[joint + 1] <= coordinate) {
        joint++;
    }
    snprintf(name, TN_REPORT_NAME_SIZE, "joint/%.60s %.20s", r->joint_names[joint], r->coordinate_names[coordinate]);
}

static void from_column(const tn_recording *r, int id, int place, tn_report_series *out)
{
    const tn_column *column = &tn_columns[id];
    bool soft = id == TN_COLUMN_SOFT_ENERGY, coordinate = id == TN_COLUMN_JOINT_COORDINATE;
    *out = (tn_report_series){.unit = column->unit,
                              .about = column->about,
                              .column = column->path,
                              .width = soft         ? r->n_softs
                                       : coordinate ? r->n_coordinates
                                                    : column->width,
                              .place = place,
                              .of_steps = is_of_steps(column->path)};
    if (soft) {
        snprintf(out->name, sizeof out->name, "strain energy/%.70s", r->names[r->softs[place].body]);
    } else if (coordinate) {
        name_coordinate(r, place, out->name);
    } else if (column->width > 1) {
        snprintf(out->name, sizeof out->name, "%.80s/%c", column->path, "xyz"[place]);
    } else {
        snprintf(out->name, sizeof out->name, "%s", column->path);
    }
}

bool tn_report_series_at(const tn_recording *r, int k, tn_report_series *out)
{
    if (k == 0) {
        *out = (tn_report_series){.name = "energy/total",
                                  .unit = "J",
                                  .about = "kinetic, gravity and elastic together",
                                  .source = TN_REPORT_TOTAL};
        return true;
    }
    k--;
    if (r->run.has_contacts && k-- == 0) {
        *out = (tn_report_series){.name = "contacts",
                                  .unit = "1",
                                  .about = "number of contacts",
                                  .source = TN_REPORT_CONTACTS,
                                  .of_steps = true};
        return true;
    }
    for (int id = 0; id < TN_COLUMN_COUNT; id++) {
        int n = numbers_of(r, id);
        if (k < n) {
            from_column(r, id, k, out);
            return true;
        }
        k -= n;
    }
    return false;
}

static tn_status read_total(const tn_recording *r, double *out, tn_error *error)
{
    static const char *const parts[] = {"energy/kinetic", "energy/gravity", "energy/elastic"};
    double *energy = tn_calloc((size_t)r->n_frames, sizeof *energy);
    tn_status status = energy ? TN_OK : tn_error_set(error, TN_NO_MEMORY, "no memory left to read '%s'", parts[0]);
    for (int part = 0; status == TN_OK && part < 3; part++) {
        status = tn_recording_rows(r, parts[part], 0, r->n_frames, energy, error);
        for (long k = 0; status == TN_OK && k < r->n_frames; k++) {
            out[k] = part == 0 ? energy[k] : out[k] + energy[k];
        }
    }
    tn_free(energy);
    return status;
}

static tn_status read_contacts(const tn_recording *r, double *out, tn_error *error)
{
    double first = 0.0, end;
    tn_status status = tn_recording_rows(r, "contacts/offset", 1, r->n_frames, out, error);
    for (long k = 0; status == TN_OK && k < r->n_frames; k++, first = end) {
        end = out[k];
        out[k] = end - first;
        if (!(out[k] >= 0.0)) {
            return tn_error_set(error, TN_BAD_INPUT, "%s: broken recording: 'contacts/offset' falls", r->path);
        }
    }
    return status;
}

// Some thousand rows at a time.
static tn_status read_wide(const tn_recording *r, const tn_report_series *series, double *out, tn_error *error)
{
    enum { ROWS = 1024 };
    double *rows = tn_calloc((size_t)series->width * ROWS, sizeof *rows);
    if (!rows) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory to read '%s'", series->column);
    }
    tn_status status = TN_OK;
    for (long first = 0; status == TN_OK && first < r->n_frames; first += ROWS) {
        long n = r->n_frames - first < ROWS ? r->n_frames - first : ROWS;
        status = tn_recording_rows(r, series->column, first, n, rows, error);
        for (long k = 0; status == TN_OK && k < n; k++) {
            out[first + k] = rows[k * series->width + series->place];
        }
    }
    tn_free(rows);
    return status;
}

tn_status tn_report_series_read(const tn_recording *r, const tn_report_series *series, double *out, tn_error *error)
{
    tn_status status = series->source == TN_REPORT_TOTAL      ? read_total(r, out, error)
                       : series->source == TN_REPORT_CONTACTS ? read_contacts(r, out, error)
                       : series->width > 1                    ? read_wide(r, series, out, error)
                                           : tn_recording_rows(r, series->column, 0, r->n_frames, out, error);
    if (status == TN_OK && series->of_steps && r->n_frames > 0) {
        out[0] = NAN;
    }
    return status;
}
