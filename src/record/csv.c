// Recordings as tables of comma-separated values: a line a frame, columns of scalars and of joints.
#include "base/draft.h"
#include "record/columns.h"
#include "record/export.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char HEADER[] = "time,contacts"; // how a table begins
static const char *const pose_names[7] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
static const char *const velocity_names[6] = {"vx", "vy", "vz", "wx", "wy", "wz"};
static const char *const axis_names[3] = {"x", "y", "z"};

// Columns of one row a frame that come before the bodies, in the table's order with the time first.
static bool is_scalar(const tn_recording *r, int id)
{
    const tn_column *column = &tn_columns[id];
    return tn_recording_has_once(r, column) && id != TN_COLUMN_TIME && id != TN_COLUMN_CONTACT_OFFSET;
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
    fputs(HEADER, out);
    for (int id = 0; id < TN_COLUMN_COUNT; id++) {
        for (int k = 0; is_scalar(r, id) && k < 3 && k < tn_columns[id].width; k++) {
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
    for (int joint = 0; joint < r->n_joints; joint++) {
        for (int k = 0; k < 6; k++) {
            fprintf(out, ",%s.%c%s", r->joint_names[joint], k < 3 ? 'f' : 't', axis_names[k % 3]);
        }
        for (int c = r->joint_first[joint]; c < r->joint_first[joint + 1]; c++) {
            const char *joint_name = r->joint_names[joint], *name = r->coordinate_names[c];
            fprintf(out, ",%s.%s,%s.%s.rate,%s.%s.effort", joint_name, name, joint_name, name, joint_name, name);
        }
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
        if (is_scalar(r, id)) {
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
    double *force, *torque;              // (n_joints, 3)
    double *coordinate, *rate, *effort;  // (n_coordinates)
} body_rows;

static void put_joint(FILE *out, const tn_recording *r, int joint, const body_rows *rows)
{
    for (int k = 0; k < 6; k++) {
        put_number(out, k < 3 ? rows->force[3 * joint + k] : rows->torque[3 * joint + k - 3]);
    }
    for (int c = r->joint_first[joint]; c < r->joint_first[joint + 1]; c++) {
        put_number(out, rows->coordinate[c]);
        put_number(out, rows->rate[c]);
        put_number(out, rows->effort[c]);
    }
}

static tn_status put_frame(FILE *out, const tn_recording *r, long frame, const body_rows *rows, tn_error *error)
{
    const bool joints = r->n_joints > 0, coordinates = r->n_coordinates > 0;
    const tn_column_room rooms[] = {{"poses", rows->poses},
                                    {"velocities", rows->velocities},
                                    {"soft/energy", r->n_softs > 0 ? rows->strain : NULL},
                                    {"joints/force", joints ? rows->force : NULL},
                                    {"joints/torque", joints ? rows->torque : NULL},
                                    {"joints/coordinate", coordinates ? rows->coordinate : NULL},
                                    {"joints/rate", coordinates ? rows->rate : NULL},
                                    {"joints/effort", coordinates ? rows->effort : NULL}};
    tn_status status = put_scalars(out, r, frame, error);
    status = status == TN_OK ? tn_recording_row(r, frame, 8, rooms, error) : status;
    for (int body = 1; status == TN_OK && body < r->n_bodies; body++) {
        for (int k = 0; k < 13; k++) {
            put_number(out, k < 7 ? rows->poses[7 * body + k] : rows->velocities[6 * body + k - 7]);
        }
    }
    for (int soft = 0; status == TN_OK && soft < r->n_softs; soft++) {
        put_number(out, rows->strain[soft]);
    }
    for (int joint = 0; status == TN_OK && joint < r->n_joints; joint++) {
        put_joint(out, r, joint, rows);
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

static tn_status no_memory(tn_error *error)
{
    return tn_error_set(error, TN_NO_MEMORY, "no memory left for the export");
}

static tn_status put_table(FILE *out, const tn_recording *r, long every, tn_error *error)
{
    tn_arena *arena = tn_arena_create(0);
    if (!arena) {
        return no_memory(error);
    }
    const body_rows rows = {.poses = TN_PUSH(arena, double, 7 * (size_t)r->n_bodies),
                            .velocities = TN_PUSH(arena, double, 6 * (size_t)r->n_bodies),
                            .strain = TN_PUSH(arena, double, r->n_softs),
                            .force = TN_PUSH(arena, double, 3 * (size_t)r->n_joints),
                            .torque = TN_PUSH(arena, double, 3 * (size_t)r->n_joints),
                            .coordinate = TN_PUSH(arena, double, r->n_coordinates),
                            .rate = TN_PUSH(arena, double, r->n_coordinates),
                            .effort = TN_PUSH(arena, double, r->n_coordinates)};
    bool enough = rows.poses && rows.velocities && rows.strain && rows.force && rows.torque && rows.coordinate &&
                  rows.rate && rows.effort;
    tn_status status = enough ? put_frames(out, r, every, &rows, error) : no_memory(error);
    tn_arena_destroy(arena);
    return status;
}

tn_status tn_export_csv(const tn_recording *recording, const char *path, long every, tn_error *error)
{
    tn_draft draft;
    tn_status status = tn_draft_check(path, "table of a recording", HEADER, error);
    status = status == TN_OK ? tn_draft_open(&draft, path, error) : status;
    return status == TN_OK ? tn_draft_close(&draft, put_table(draft.out, recording, every, error), NULL, error)
                           : status;
}
