// One body over time, for its plots in a page.
#include "view/frames.h"

#include <math.h>

// Numbers of the frame's contacts that touch the body, into row[4] on.
static tn_status add_contacts(tn_view *view, int body, long k, double *row, tn_error *error)
{
    long n = (long)(view->contact[k + 1] - view->contact[k]), first = view->contact_first[k];
    double *bodies = TN_PUSH_RAW(view->scratch, double, 2 * (size_t)n);
    double *normal = TN_PUSH_RAW(view->scratch, double, 3 * (size_t)n);
    double *force = TN_PUSH_RAW(view->scratch, double, 3 * (size_t)n);
    if (!bodies || !normal || !force) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the contacts of a frame");
    }
    const tn_recording *r = view->recording;
    tn_status status = tn_recording_rows(r, "contacts/bodies", first, n, bodies, error);
    status = status == TN_OK ? tn_recording_rows(r, "contacts/normal", first, n, normal, error) : status;
    status = status == TN_OK ? tn_recording_rows(r, "contacts/force", first, n, force, error) : status;
    double sum[3] = {0.0, 0.0, 0.0};
    for (long c = 0; status == TN_OK && c < n; c++) {
        bool is_a = bodies[2 * c] == body, is_b = bodies[2 * c + 1] == body;
        if (!is_a && !is_b) {
            continue;
        }
        const double *f = force + 3 * c, *m = normal + 3 * c;
        double pressed = f[0] * m[0] + f[1] * m[1] + f[2] * m[2], across = 0.0;
        for (int i = 0; i < 3; i++) {
            double tangential = f[i] - pressed * m[i];
            across += tangential * tangential;
            sum[i] += is_b && !is_a ? f[i] : is_a && !is_b ? -f[i] : 0.0; // in itself: nothing from outside
        }
        row[5] += pressed;
        row[6] += sqrt(across);
        row[7] += 1.0;
    }
    row[4] = sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
    return status;
}

long tn_view_body_rows(const tn_view *view)
{
    long every = (view->n_frames + TN_VIEW_BODY_ROWS_MAX - 1) / TN_VIEW_BODY_ROWS_MAX;
    return every > 0 ? (view->n_frames + every - 1) / every : 0;
}

tn_status tn_view_body(tn_view *view, int body, double *out, tn_error *error)
{
    const tn_recording *r = view->recording;
    if (body < 0 || body >= r->n_bodies) {
        return tn_error_set(error, TN_BAD_INPUT, "there is no body %d: there are %d", body, r->n_bodies);
    }
    long every = (view->n_frames + TN_VIEW_BODY_ROWS_MAX - 1) / TN_VIEW_BODY_ROWS_MAX;
    tn_status status = TN_OK;
    for (long k = 0; status == TN_OK && k < view->n_frames; k += every, out += TN_VIEW_BODY_WIDTH) {
        tn_arena_reset(view->scratch);
        double *poses = TN_PUSH_RAW(view->scratch, double, 7 * (size_t)r->n_bodies);
        if (!poses) {
            return tn_error_set(error, TN_NO_MEMORY, "no memory for the poses of a frame");
        }
        status = tn_recording_rows(r, "poses", view->frame[k], 1, poses, error);
        if (status == TN_OK) {
            const double *p = poses + 7 * (size_t)body;
            const double row[TN_VIEW_BODY_WIDTH] = {view->time[k], p[0], p[1], p[2]};
            for (int i = 0; i < TN_VIEW_BODY_WIDTH; i++) {
                out[i] = row[i];
            }
            status = add_contacts(view, body, k, out, error);
        }
    }
    return status;
}
