// A recording opened to be shown: which frames, series and joints, and where their numbers are.
#include "base/memory.h"
#include "record/recorder.h"
#include "view/colors.h"
#include "view/frames.h"

#include <string.h>

static tn_status no_memory(tn_error *error)
{
    return tn_error_set(error, TN_NO_MEMORY, "no memory to view the recording");
}

static tn_status choose_frames(tn_view *view, tn_error *error)
{
    long n = view->recording->n_frames, every = view->every;
    view->n_frames = n > 0 ? (n - 1 + every - 1) / every + 1 : 0;
    view->frame = TN_PUSH(view->arena, long, view->n_frames);
    view->time = TN_PUSH(view->arena, double, view->n_frames);
    double *time = TN_PUSH(view->scratch, double, n);
    if (!view->frame || !view->time || !time) {
        return no_memory(error);
    }
    tn_status status = tn_recording_rows(view->recording, "time", 0, n, time, error);
    for (long k = 0; status == TN_OK && k < view->n_frames; k++) {
        view->frame[k] = k * every < n ? k * every : n - 1;
        view->time[k] = time[view->frame[k]];
    }
    return status;
}

static tn_status count_contacts(tn_view *view, tn_error *error)
{
    long n = view->recording->n_frames;
    double *offset = TN_PUSH(view->scratch, double, n + 1);
    view->contact_first = TN_PUSH(view->arena, long, view->n_frames);
    view->contact = TN_PUSH(view->arena, uint32_t, view->n_frames + 1);
    if (!offset || !view->contact_first || !view->contact) {
        return no_memory(error);
    }
    tn_status status = tn_recording_rows(view->recording, "contacts/offset", 0, n + 1, offset, error);
    double total = 0.0;
    for (long k = 0; status == TN_OK && k < view->n_frames; k++) {
        double first = offset[view->frame[k]], count = offset[view->frame[k] + 1] - first;
        total += count;
        if (!(first >= 0.0 && count >= 0.0 && total < UINT32_MAX)) {
            return tn_error_set(error, TN_BAD_INPUT, "%s: broken recording: contacts/offset", view->recording->path);
        }
        view->contact_first[k] = (long)first;
        view->contact[k + 1] = (uint32_t)total;
    }
    return status;
}

static void choose_series(tn_view *view)
{
    for (int k = 0; k < TN_COLUMN_COUNT; k++) {
        const tn_column *column = &tn_columns[k];
        bool other = k == TN_COLUMN_TIME || k == TN_COLUMN_STEP || k == TN_COLUMN_CONTACT_OFFSET;
        if (tn_recording_has_once(view->recording, column) && column->width == 1 && !other) {
            view->series[view->n_series++] = column;
        }
    }
}

// A side of a joint that can be drawn; nodes have no pose here.
static bool has_pose(const tn_recording *r, int joint, int side)
{
    int body = r->joint_bodies[2 * joint + side];
    return r->joint_frames[side] && body >= 0 && r->kinds[body] != TN_RECORDED_SOFT;
}

// Where a joint is drawn, -1: nowhere. What rolls, body b, leaves its place on the other body.
static int side_of(const tn_recording *r, int joint)
{
    int first = strcmp(r->joint_types[joint], "rolling") == 0;
    return has_pose(r, joint, first) ? first : has_pose(r, joint, !first) ? !first : -1;
}

static tn_status choose_joints(tn_view *view, tn_error *error)
{
    const tn_recording *r = view->recording;
    view->placed = TN_PUSH(view->arena, tn_view_joint, r->n_joints);
    if (!view->placed) {
        return no_memory(error);
    }
    for (int j = 0; j < r->n_joints && r->joint_bodies; j++) {
        int side = side_of(r, j);
        if (side >= 0) {
            view->placed[view->n_placed++] = (tn_view_joint){j, side};
        }
    }
    return TN_OK;
}

static tn_status choose_colors(tn_view *view, tn_error *error)
{
    view->rgb = TN_PUSH(view->arena, float, 3 * (size_t)view->recording->n_bodies);
    return view->rgb ? tn_view_color_bodies(view->recording, view->rgb, error) : no_memory(error);
}

static tn_status fill(tn_view *view, tn_error *error)
{
    view->arena = tn_arena_create(0);
    view->scratch = tn_arena_create(0);
    if (!view->arena || !view->scratch) {
        return no_memory(error);
    }
    if (view->recording->n_frames < 1) {
        return tn_error_set(error, TN_BAD_INPUT, "%s has no complete frame yet", view->recording->path);
    }
    view->n_rigid = view->recording->n_bodies - view->recording->n_softs;
    choose_series(view);
    tn_status status = choose_frames(view, error);
    status = status == TN_OK ? count_contacts(view, error) : status;
    status = status == TN_OK ? choose_joints(view, error) : status;
    status = status == TN_OK ? choose_colors(view, error) : status;
    status = status == TN_OK ? tn_view_find_extent(view, error) : status;
    status = status == TN_OK ? tn_view_find_force(view, error) : status;
    if (status == TN_OK && view->recording->n_softs > 0) {
        status = tn_node_stress_create(view->recording, view->arena, view->scratch, &view->stress, error);
    }
    return status == TN_OK
               ? tn_view_geometries_create(view->recording, view->extent, view->arena, &view->geometries, error)
               : status;
}

tn_view *tn_view_open(const tn_recording *recording, long every, tn_error *error)
{
    tn_view *view = tn_calloc(1, sizeof *view);
    if (!view) {
        no_memory(error);
        return NULL;
    }
    view->recording = recording;
    view->every = every > 0 ? every : 1;
    if (fill(view, error) != TN_OK) {
        tn_view_close(view);
        return NULL;
    }
    return view;
}

void tn_view_close(tn_view *view)
{
    if (view) {
        tn_arena_destroy(view->arena);
        tn_arena_destroy(view->scratch);
        tn_free(view);
    }
}
