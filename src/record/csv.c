#include "base/memory.h"
#include "record/columns.h"
#include "record/export.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const pose_names[7] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
static const char *const velocity_names[6] = {"vx", "vy", "vz", "wx", "wy", "wz"};
static const char *const axis_names[3] = {"x", "y", "z"};

// Columns of one row a frame that come before the bodies, in the table's order with the time first.
static bool is_scalar(int id)
{
    const tn_column *column = &tn_columns[id];
    return column->per == TN_PER_FRAME && id != TN_COLUMN_TIME && id != TN_COLUMN_CONTACT_OFFSET;
}

// "certificate/natural" becomes certificate.natural.
static void put_name(FILE *out, const char *path)
{
    for (const char *c = path; *c; c++) {
        fputc(*c == '/' ? '.' : *c, out);
    }
}

static void put_header(FILE *out, const tn_recording *r)
{
    fprintf(out, "time,contacts");
    for (int id = 0; id < TN_COLUMN_COUNT; id++) {
        for (int k = 0; is_scalar(id) && k < 3 && k < tn_columns[id].width; k++) {
            fputc(',', out);
            put_name(out, tn_columns[id].path);
            if (tn_columns[id].width == 3) {
                fprintf(out, ".%s", axis_names[k]);
            }
        }
    }
    for (int body = 1; body < r->n_bodies; body++) {
        for (int k = 0; k < 13; k++) {
            fprintf(out, ",%s.%s", r->names[body], k < 7 ? pose_names[k] : velocity_names[k - 7]);
        }
    }
    for (int soft = 0; soft < r->n_softs; soft++) {
        fprintf(out, ",%s.strain_energy", r->names[r->softs[soft].body]);
    }
    fputs("\r\n", out);
}

// NaN is an empty field.
static void put_number(FILE *out, double value)
{
    if (isnan(value)) {
        fputc(',', out);
    } else {
        fprintf(out, ",%.17g", value);
    }
}

static tn_status put_scalars(FILE *out, const tn_recording *r, long frame, tn_error *error)
{
    double row[3] = {0.0}, offset[2];
    tn_status status = tn_recording_rows(r, "time", frame, 1, row, error);
    status = status == TN_OK ? tn_recording_rows(r, "contacts/offset", frame, 2, offset, error) : status;
    if (status != TN_OK) {
        return status;
    }
    fprintf(out, "%.17g,%.0f", row[0], offset[1] - offset[0]);
    for (int id = 0; status == TN_OK && id < TN_COLUMN_COUNT; id++) {
        if (is_scalar(id)) {
            status = tn_recording_rows(r, tn_columns[id].path, frame, 1, row, error);
            for (int k = 0; status == TN_OK && k < 3 && k < tn_columns[id].width; k++) {
                put_number(out, row[k]);
            }
        }
    }
    return status;
}

// Numbers of one frame's bodies.
typedef struct body_rows {
    double *poses, *velocities, *strain; // (n_bodies, 7), (n_bodies, 6), (n_softs)
} body_rows;

static tn_status put_frame(FILE *out, const tn_recording *r, long frame, const body_rows *rows, tn_error *error)
{
    tn_status status = put_scalars(out, r, frame, error);
    status = status == TN_OK ? tn_recording_rows(r, "poses", frame, 1, rows->poses, error) : status;
    status = status == TN_OK ? tn_recording_rows(r, "velocities", frame, 1, rows->velocities, error) : status;
    if (status == TN_OK && r->n_softs > 0) {
        status = tn_recording_rows(r, "soft/energy", frame, 1, rows->strain, error);
    }
    for (int body = 1; status == TN_OK && body < r->n_bodies; body++) {
        for (int k = 0; k < 13; k++) {
            put_number(out, k < 7 ? rows->poses[7 * body + k] : rows->velocities[6 * body + k - 7]);
        }
    }
    for (int soft = 0; status == TN_OK && soft < r->n_softs; soft++) {
        put_number(out, rows->strain[soft]);
    }
    fputs("\r\n", out);
    return status;
}

static tn_status put_frames(FILE *out, const tn_recording *r, long every, const body_rows *rows, tn_error *error)
{
    tn_status status = TN_OK;
    put_header(out, r);
    for (long frame = 0; status == TN_OK && frame < r->n_frames; frame += every) {
        status = put_frame(out, r, frame, rows, error);
    }
    return status;
}

static tn_status put_table(FILE *out, const tn_recording *r, long every, tn_error *error)
{
    body_rows rows = {.poses = tn_calloc(7 * (size_t)r->n_bodies, sizeof(double)),
                      .velocities = tn_calloc(6 * (size_t)r->n_bodies, sizeof(double)),
                      .strain = tn_calloc((size_t)r->n_softs, sizeof(double))};
    tn_status status = rows.poses && rows.velocities && rows.strain
                           ? put_frames(out, r, every, &rows, error)
                           : tn_error_set(error, TN_NO_MEMORY, "no memory left for the export");
    tn_free(rows.poses);
    tn_free(rows.velocities);
    tn_free(rows.strain);
    return status;
}

tn_status tn_export_csv(const tn_recording *recording, const char *path, long every, tn_error *error)
{
    errno = 0;
    FILE *out = fopen(path, "wb");
    if (!out) {
        return tn_error_set(error, TN_IO, "cannot write %s: %s", path, strerror(errno));
    }
    tn_status status = put_table(out, recording, every, error);
    bool ok = !ferror(out);
    ok = fclose(out) == 0 && ok;
    if (status == TN_OK && !ok) {
        status = tn_error_set(error, TN_IO, "cannot write %s: %s", path, errno ? strerror(errno) : "disk full?");
    }
    return status;
}
