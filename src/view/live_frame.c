// The newest frame as a message: the server's thread.
#include "base/memory.h"
#include "view/live_parts.h"

#include <math.h>
#include <string.h>

static const void *column(const tn_frame_rows *rows, tn_column_id id)
{
    return rows->columns[id].data;
}

static float *put_doubles(float *out, size_t n, const double *from)
{
    for (size_t k = 0; k < n; k++) {
        out[k] = (float)from[k];
    }
    return out + n;
}

static float number_of(const tn_frame_rows *rows, const tn_column *c)
{
    const void *at = column(rows, (tn_column_id)(c - tn_columns));
    double f64;
    int64_t i64;
    int32_t i32;
    float f32;
    switch (c->type) {
    case TN_COLUMN_F64:
        memcpy(&f64, at, sizeof f64);
        return (float)f64;
    case TN_COLUMN_I64:
        memcpy(&i64, at, sizeof i64);
        return (float)i64;
    case TN_COLUMN_I32:
        memcpy(&i32, at, sizeof i32);
        return (float)i32;
    case TN_COLUMN_F32:
        memcpy(&f32, at, sizeof f32);
        return f32;
    default:
        return (float)*(const uint8_t *)at;
    }
}

static float *put_contacts(float *out, const tn_frame_rows *rows, size_t n)
{
    const int32_t *bodies = column(rows, TN_COLUMN_CONTACT_BODIES);
    const double *point = column(rows, TN_COLUMN_CONTACT_POINT), *normal = column(rows, TN_COLUMN_CONTACT_NORMAL);
    const double *force = column(rows, TN_COLUMN_CONTACT_FORCE), *velocity = column(rows, TN_COLUMN_CONTACT_VELOCITY);
    for (size_t k = 0; k < n; k++, out += TN_VIEW_CONTACT_WIDTH) {
        out[0] = (float)bodies[2 * k];
        out[1] = (float)bodies[2 * k + 1];
        put_doubles(out + 2, 3, point + 3 * k);
        put_doubles(out + 5, 3, normal + 3 * k);
        put_doubles(out + 8, 3, force + 3 * k);
        out[11] = (float)sqrt(velocity[3 * k + 1] * velocity[3 * k + 1] + velocity[3 * k + 2] * velocity[3 * k + 2]);
    }
    return out;
}

static bool reserve(tn_live *live, size_t size)
{
    if (size <= live->message_room) {
        return true;
    }
    unsigned char *room = tn_realloc(live->message, size + size / 4);
    if (room) {
        live->message = room;
        live->message_room = size + size / 4;
    }
    return room != NULL;
}

static bool write_frame(tn_live *live, size_t padding)
{
    const tn_frame_rows *rows = live->front;
    const tn_view *view = live->view;
    size_t poses = 7 * (size_t)view->n_rigid, nodes = (size_t)view->recording->n_nodes;
    size_t n_contacts = rows->columns[TN_COLUMN_CONTACT_BODIES].n_rows;
    size_t joints = 3 * (size_t)view->n_placed;
    size_t patches = (size_t)tn_view_table_info(view, TN_VIEW_PATCHES).width * n_contacts;
    size_t ahead = (size_t)tn_view_table_info(view, TN_VIEW_AHEAD).width;
    size_t numbers =
        poses + 4 * nodes + joints + (size_t)view->n_series + TN_VIEW_CONTACT_WIDTH * n_contacts + patches + ahead;
    live->message_size = TN_LIVE_HEADER + sizeof(float) * numbers;
    float *start = tn_calloc(numbers, sizeof *start), *out = start;
    if (!start || !reserve(live, padding + live->message_size)) {
        tn_free(start);
        return false;
    }
    int64_t step;
    memcpy(&step, column(rows, TN_COLUMN_STEP), sizeof step);
    double steps = (double)step;
    uint32_t count[2] = {(uint32_t)n_contacts, 0};
    unsigned char *header = live->message + padding;
    memcpy(header, column(rows, TN_COLUMN_TIME), 8);
    memcpy(header + 8, &steps, 8);
    memcpy(header + 16, count, 8);
    out = put_doubles(out, poses, column(rows, TN_COLUMN_POSES));
    bool ok = true;
    if (nodes > 0) {
        const double *x = column(rows, TN_COLUMN_NODE_POSITIONS);
        out = put_doubles(out, 3 * nodes, x);
        ok = tn_node_stress_at(view->stress, x, view->scratch, out, NULL) == TN_OK;
        out += nodes;
    }
    const double *force = column(rows, TN_COLUMN_JOINT_FORCE);
    for (int j = 0; j < view->n_placed; j++) {
        out = put_doubles(out, 3, force + 3 * (size_t)view->placed[j].joint);
    }
    for (int s = 0; s < view->n_series; s++) {
        *out++ = number_of(rows, view->series[s]);
    }
    out = put_contacts(out, rows, n_contacts);
    out = put_doubles(out, patches, column(rows, TN_COLUMN_CONTACT_PATCH));
    if (ahead > 0) {
        memcpy(out, column(rows, TN_COLUMN_PLAN_POSES), ahead * sizeof *out);
    }
    memcpy(header + TN_LIVE_HEADER, start, sizeof(float) * numbers);
    tn_free(start);
    return ok;
}

bool tn_live_take_frame(tn_live *live, size_t padding)
{
    pthread_mutex_lock(&live->lock);
    bool fresh = live->shown != live->front_shown;
    if (fresh) {
        tn_frame_rows *front = live->front;
        live->front = live->middle;
        live->middle = front;
        live->front_shown = live->shown;
    }
    pthread_mutex_unlock(&live->lock);
    if (fresh && write_frame(live, padding)) {
        live->frame_number = live->front_shown;
    }
    return live->frame_number > 0;
}
