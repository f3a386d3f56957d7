// Rows of the tables that a browser asks for: vertices, frames, joints, series, contacts.
#include "view/frames.h"

#include <math.h>
#include <string.h>

tn_view_info tn_view_table_info(const tn_view *view, tn_view_table table)
{
    const tn_recording *r = view->recording;
    long frames = view->n_frames;
    switch (table) {
    case TN_VIEW_VERTICES:
        return (tn_view_info){"vertices", TN_VIEW_FLOAT32, 3, view->geometries.n_vertices, false};
    case TN_VIEW_TRIANGLES:
        return (tn_view_info){"triangles", TN_VIEW_UINT32, 3, view->geometries.n_triangles, false};
    case TN_VIEW_FACES:
        return (tn_view_info){"faces", TN_VIEW_UINT32, 3, r->n_faces, false};
    case TN_VIEW_TIME:
        return (tn_view_info){"time", TN_VIEW_FLOAT64, 1, frames, true};
    case TN_VIEW_POSES:
        return (tn_view_info){"poses", TN_VIEW_FLOAT32, 7L * view->n_rigid, frames, true};
    case TN_VIEW_NODES:
        return (tn_view_info){"nodes", TN_VIEW_FLOAT32, 3L * r->n_nodes, frames, true};
    case TN_VIEW_STRESS:
        return (tn_view_info){"stress", TN_VIEW_FLOAT32, r->n_nodes, frames, true};
    case TN_VIEW_JOINT_FORCES:
        return (tn_view_info){"joint_forces", TN_VIEW_FLOAT32, 3L * view->n_placed, frames, true};
    case TN_VIEW_SERIES:
        return (tn_view_info){"series", TN_VIEW_FLOAT32, view->n_series, frames, true};
    case TN_VIEW_CONTACT_OFFSET:
        return (tn_view_info){"contact_offset", TN_VIEW_UINT32, 1, frames + 1, false};
    case TN_VIEW_PATCHES:
        return (tn_view_info){"patches", TN_VIEW_FLOAT32, r->has_patches ? TN_VIEW_PATCH_WIDTH : 0,
                              r->has_patches ? view->contact[frames] : 0, false};
    case TN_VIEW_AHEAD:
        return (tn_view_info){"ahead", TN_VIEW_FLOAT32, r->has_plan_poses ? 7L * TN_PLAN_POSES * view->n_rigid : 0,
                              frames, true};
    default:
        return (tn_view_info){"contacts", TN_VIEW_FLOAT32, TN_VIEW_CONTACT_WIDTH, view->contact[frames], false};
    }
}

static tn_status no_memory(tn_error *error)
{
    return tn_error_set(error, TN_NO_MEMORY, "no memory for the rows of the view");
}

static void to_float(size_t n, const double *from, float *to)
{
    for (size_t k = 0; k < n; k++) {
        to[k] = (float)from[k];
    }
}

// One row of a recording's column, its first `width` numbers (of `whole` in the file).
static tn_status frame_row(tn_view *view, const char *column, long k, size_t whole, size_t width, float *out,
                           tn_error *error)
{
    double *row = TN_PUSH_RAW(view->scratch, double, whole);
    if (!row) {
        return no_memory(error);
    }
    tn_status status = tn_recording_rows(view->recording, column, view->frame[k], 1, row, error);
    if (status == TN_OK) {
        to_float(width, row, out);
    }
    return status;
}

static tn_status stress_row(tn_view *view, long k, float *out, tn_error *error)
{
    double *x = TN_PUSH_RAW(view->scratch, double, 3 * (size_t)view->recording->n_nodes);
    if (!x) {
        return no_memory(error);
    }
    tn_status status = tn_recording_rows(view->recording, "soft/positions", view->frame[k], 1, x, error);
    return status == TN_OK ? tn_node_stress_at(view->stress, x, view->scratch, out, error) : status;
}

static tn_status joint_row(tn_view *view, long k, float *out, tn_error *error)
{
    double *force = TN_PUSH_RAW(view->scratch, double, 3 * (size_t)view->recording->n_joints);
    if (!force) {
        return no_memory(error);
    }
    tn_status status = tn_recording_rows(view->recording, "joints/force", view->frame[k], 1, force, error);
    for (int j = 0; status == TN_OK && j < view->n_placed; j++) {
        to_float(3, force + 3 * (size_t)view->placed[j].joint, out + 3 * (size_t)j);
    }
    return status;
}

// All rows of all series at once: a column is read in one piece.
static tn_status series_rows(tn_view *view, long first, long n, float *out, tn_error *error)
{
    long from = view->frame[first], count = view->frame[first + n - 1] - from + 1;
    double *column = TN_PUSH_RAW(view->scratch, double, count);
    if (!column) {
        return no_memory(error);
    }
    for (int s = 0; s < view->n_series; s++) {
        tn_status status = tn_recording_rows(view->recording, view->series[s]->path, from, count, column, error);
        if (status != TN_OK) {
            return status;
        }
        for (long k = 0; k < n; k++) {
            out[k * view->n_series + s] = (float)column[view->frame[first + k] - from];
        }
    }
    return TN_OK;
}

static tn_status contacts_of_frame(tn_view *view, long from, long n, float *out, tn_error *error)
{
    static const struct {
        const char *path;
        int width, at;
    } parts[] = {
        {"contacts/bodies", 2, 0}, {"contacts/point", 3, 2}, {"contacts/normal", 3, 5}, {"contacts/force", 3, 8}};
    double *rows = TN_PUSH_RAW(view->scratch, double, 3 * (size_t)n);
    if (!rows) {
        return no_memory(error);
    }
    for (size_t p = 0; p < sizeof parts / sizeof *parts; p++) {
        tn_status status = tn_recording_rows(view->recording, parts[p].path, from, n, rows, error);
        if (status != TN_OK) {
            return status;
        }
        for (long k = 0; k < n; k++) {
            to_float((size_t)parts[p].width, rows + parts[p].width * k, out + TN_VIEW_CONTACT_WIDTH * k + parts[p].at);
        }
    }
    tn_status status = tn_recording_rows(view->recording, "contacts/velocity", from, n, rows, error);
    for (long k = 0; status == TN_OK && k < n; k++) {
        double slip = rows[3 * k + 1] * rows[3 * k + 1] + rows[3 * k + 2] * rows[3 * k + 2];
        out[TN_VIEW_CONTACT_WIDTH * k + 11] = (float)sqrt(slip);
    }
    return status;
}

static tn_status patches_of_frame(tn_view *view, long from, long n, float *out, tn_error *error)
{
    size_t count = TN_VIEW_PATCH_WIDTH * (size_t)n;
    double *rows = TN_PUSH_RAW(view->scratch, double, count);
    if (!rows) {
        return no_memory(error);
    }
    tn_status status = tn_recording_rows(view->recording, "contacts/patch", from, n, rows, error);
    if (status == TN_OK) {
        to_float(count, rows, out);
    }
    return status;
}

// Rows first to first + n of the view's contacts or patches, frame by frame.
static tn_status contact_rows(tn_view *view, bool patches, long first, long n, float *out, tn_error *error)
{
    long low = 0, high = view->n_frames;
    while (high - low > 1) {
        long middle = (low + high) / 2;
        *((long)view->contact[middle] <= first ? &low : &high) = middle;
    }
    for (long frame = low; n > 0; frame++) {
        long skip = first - (long)view->contact[frame], count = (long)view->contact[frame + 1] - first;
        count = count < n ? count : n;
        if (count > 0) {
            long from = view->contact_first[frame] + skip;
            tn_status status = patches ? patches_of_frame(view, from, count, out, error)
                                       : contacts_of_frame(view, from, count, out, error);
            if (status != TN_OK) {
                return status;
            }
            first += count;
            n -= count;
            out += (patches ? TN_VIEW_PATCH_WIDTH : TN_VIEW_CONTACT_WIDTH) * count;
        }
    }
    return TN_OK;
}

static tn_status frame_rows(tn_view *view, tn_view_table table, long first, long n, float *out, tn_error *error)
{
    const tn_recording *r = view->recording;
    size_t width = (size_t)tn_view_table_info(view, table).width;
    tn_status status = TN_OK;
    for (long k = first; k < first + n && status == TN_OK && width > 0; k++, out += width) {
        tn_arena_reset(view->scratch);
        if (table == TN_VIEW_STRESS) {
            status = stress_row(view, k, out, error);
        } else if (table == TN_VIEW_JOINT_FORCES) {
            status = joint_row(view, k, out, error);
        } else {
            const char *column = table == TN_VIEW_POSES   ? "poses"
                                 : table == TN_VIEW_AHEAD ? "plan/poses"
                                                          : "soft/positions";
            size_t whole = table == TN_VIEW_POSES ? 7 * (size_t)r->n_bodies : width;
            status = frame_row(view, column, k, whole, width, out, error);
        }
    }
    return status;
}

tn_status tn_view_rows(tn_view *view, tn_view_table table, long first, long n, void *out, tn_error *error)
{
    tn_view_info info = tn_view_table_info(view, table);
    if (first < 0 || n < 0 || first > info.rows - n) {
        return tn_error_set(error, TN_BAD_INPUT, "rows %ld to %ld of table '%s' asked for: it has %ld", first,
                            first + n, info.name, info.rows);
    }
    tn_arena_reset(view->scratch);
    size_t from = (size_t)(first * info.width), count = (size_t)(n * info.width);
    if (count == 0) {
        return TN_OK;
    }
    switch (table) {
    case TN_VIEW_VERTICES:
        memcpy(out, view->geometries.vertices + from, count * sizeof(float));
        return TN_OK;
    case TN_VIEW_TRIANGLES:
        memcpy(out, view->geometries.triangles + from, count * sizeof(uint32_t));
        return TN_OK;
    case TN_VIEW_FACES:
        memcpy(out, view->recording->faces + from, count * sizeof(uint32_t)); // nodes are not negative
        return TN_OK;
    case TN_VIEW_TIME:
        memcpy(out, view->time + from, count * sizeof(double));
        return TN_OK;
    case TN_VIEW_CONTACT_OFFSET:
        memcpy(out, view->contact + from, count * sizeof(uint32_t));
        return TN_OK;
    case TN_VIEW_SERIES:
        return series_rows(view, first, n, out, error);
    case TN_VIEW_CONTACTS:
    case TN_VIEW_PATCHES:
        return contact_rows(view, table == TN_VIEW_PATCHES, first, n, out, error);
    default:
        return frame_rows(view, table, first, n, out, error);
    }
}
