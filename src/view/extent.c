// How large the things of a recording are, so that a page can choose camera and arrows before it has all frames.
#include "base/order.h"
#include "scene/scene.h"
#include "view/frames.h"

#include <math.h>
#include <stdlib.h>

static tn_status no_memory(tn_error *error)
{
    return tn_error_set(error, TN_NO_MEMORY, "no memory to look through the recording");
}

static void reach(tn_view *view, const double *place, bool moves)
{
    double square = place[0] * place[0] + place[1] * place[1] + place[2] * place[2];
    if (!isfinite(square)) {
        return;
    }
    view->extent = square > view->extent * view->extent ? sqrt(square) : view->extent;
    for (int i = 0; moves && i < 3; i++) {
        view->low[i] = place[i] < view->low[i] ? place[i] : view->low[i];
        view->high[i] = place[i] > view->high[i] ? place[i] : view->high[i];
    }
}

tn_status tn_view_find_extent(tn_view *view, tn_error *error)
{
    const tn_recording *r = view->recording;
    double *poses = TN_PUSH(view->scratch, double, 7 * (size_t)r->n_bodies);
    double *nodes = TN_PUSH(view->scratch, double, 3 * (size_t)r->n_nodes);
    if (!poses || !nodes) {
        return no_memory(error);
    }
    view->extent = 0.1;
    for (int i = 0; i < 3; i++) {
        view->low[i] = INFINITY;
        view->high[i] = -INFINITY;
    }
    for (long frame = 0; frame < r->n_frames; frame += r->n_frames / 100 + 1) {
        tn_status status = tn_recording_rows(r, "poses", frame, 1, poses, error);
        if (status == TN_OK && r->n_nodes > 0) {
            status = tn_recording_rows(r, "soft/positions", frame, 1, nodes, error);
        }
        if (status != TN_OK) {
            return status;
        }
        for (int b = 0; b < r->n_bodies; b++) {
            reach(view, poses + 7 * (size_t)b, b > 0 && r->kinds[b] != TN_BODY_FIXED);
        }
        for (int i = 0; i < r->n_nodes; i++) {
            reach(view, nodes + 3 * (size_t)i, true);
        }
    }
    return TN_OK;
}

static double largest_of(long n, const double *force)
{
    double square = 0.0;
    for (long c = 0; c < n; c++) {
        const double *f = force + 3 * c;
        double s = f[0] * f[0] + f[1] * f[1] + f[2] * f[2];
        square = s > square ? s : square;
    }
    return sqrt(square);
}

// Of the frame's contacts and joints.
static tn_status largest_force(tn_view *view, long k, double *largest, tn_error *error)
{
    const tn_recording *r = view->recording;
    long n = (long)(view->contact[k + 1] - view->contact[k]), n_joints = view->n_placed > 0 ? r->n_joints : 0;
    double *force = TN_PUSH_RAW(view->scratch, double, 3 * (size_t)(n + n_joints));
    if (!force) {
        return no_memory(error);
    }
    tn_status status = tn_recording_rows(r, "contacts/force", view->contact_first[k], n, force, error);
    if (status == TN_OK && n_joints > 0) {
        status = tn_recording_rows(r, "joints/force", view->frame[k], 1, force + 3 * n, error);
    }
    *largest = status == TN_OK ? largest_of(n + n_joints, force) : 0.0;
    return status;
}

// From some frames over the whole time: a single impact sets no scale.
tn_status tn_view_find_force(tn_view *view, tn_error *error)
{
    enum { FRAMES = 16 };
    double largest[FRAMES] = {0};
    int n = 0;
    for (long i = 0; i < FRAMES; i++) {
        long k = (view->n_frames - 1) * (i + 1) / FRAMES;
        tn_arena_reset(view->scratch);
        tn_status status = largest_force(view, k, &largest[n], error);
        if (status != TN_OK) {
            return status;
        }
        n += largest[n] > 0.0 && isfinite(largest[n]);
    }
    qsort(largest, (size_t)n, sizeof *largest, tn_order_doubles);
    view->force = n > 0 ? largest[3 * n / 4] : 0.0;
    return TN_OK;
}
