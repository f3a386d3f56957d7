// Rows of contacts that pull (adhesion) and of those that give way (springs).
#include "discretize/row_work.h"
#include "math/vec3.h"
#include "model/motion.h"

#include <math.h>

// Contacts m and m + 1 are of the same two bodies.
static bool is_same_pair(const tn_row_work *work, int m)
{
    const tn_contact *list = work->list->contacts, *a = list + work->out->source[m],
                     *b = list + work->out->source[m + 1];
    return a->body_a == b->body_a && a->body_b == b->body_b;
}

// Shares the pull of each pair of bodies equally among its contacts that touch; they follow one another in the list. To
// 1e-2 of the margin: what turns as one opens gaps of that size, of higher order than bends.h knows.
void tn_rows_share_adhesion(const tn_row_work *work)
{
    const double touch = 1e-2 * work->model->margin;
    const tn_row_arrays *rows = &work->rows;
    int n = work->out->contacts.n_triples;
    for (int first = 0, last; first < n; first = last) {
        int touching = 0;
        for (last = first + 1; last < n && is_same_pair(work, last - 1); last++) {
        }
        for (int m = first; m < last; m++) {
            touching += rows->gap[m] <= touch;
        }
        for (int m = first; m < last; m++) {
            double all = work->list->contacts[work->out->source[m]].surface->adhesion;
            rows->preload[m] = rows->gap[m] <= touch ? all / touching : 0.0;
        }
    }
    work->out->contacts.preload = rows->preload;
}

void tn_contact_rows_spring(const tn_contact_rows *rows, const tn_settings *settings, int m, double depth,
                            double *offset)
{
    const tn_point_spring *spring = &rows->spring[m];
    double h = settings->step, gap = rows->contacts.gap[m], w = gap / h, R = 0.0;
    if (depth > 0.0 || tn_point_spring_is_straight(spring)) {
        tn_point_spring_row(spring, h, gap, depth, &w, &R);
    }
    offset[0] = rows->surface[m] + w;
    rows->softness[9 * (size_t)m] = settings->omega + R;
    rows->softness[9 * (size_t)m + 4] = settings->omega + spring->softness_t[0];
    rows->softness[9 * (size_t)m + 8] = settings->omega + spring->softness_t[1];
}

static void center_velocity(const tn_row_work *work, int body, double out[3])
{
    double spin[3];
    tn_vec3_set(out, 0.0, 0.0, 0.0);
    if (body < work->model->n_bodies && work->model->bodies[body].n_blocks > 0) {
        tn_state_center_velocity(work->state, body, work->state->v, out, spin);
    } else if (body < work->model->n_bodies) {
        tn_motion_velocity(&work->model->bodies[body], work->state->time, out, spin);
    }
}

// How fast the bodies roll past each other: their centers' velocity along the surface.
static double rolling_speed(const tn_row_work *work, const tn_contact *contact)
{
    double a[3], b[3];
    center_velocity(work, contact->body_a, a);
    center_velocity(work, contact->body_b, b);
    tn_vec3_sub(a, b, a);
    return hypot(tn_vec3_dot(contact->frame + 3, a), tn_vec3_dot(contact->frame + 6, a));
}

// Springs along the surface, from where the last step left them.
static void hold(const tn_row_work *work, const tn_contact *contact, tn_point_spring *spring, double *offset)
{
    if (!tn_point_spring_holds_along(spring)) {
        return;
    }
    double before[2];
    tn_point_spring_before(contact->frame, contact->warm, before);
    double rolling = isfinite(spring->relaxation) ? rolling_speed(work, contact) : 0.0;
    tn_point_spring_hold(spring, work->model->settings.step, before, rolling);
    offset[1] += spring->held[0];
    offset[2] += spring->held[1];
}

// The rows of contacts that give way; no moments yet.
void tn_rows_give_springs(const tn_row_work *work)
{
    tn_contact_rows *out = work->out;
    const tn_settings *settings = &work->model->settings;
    for (int m = 0; out->spring && m < out->contacts.n_triples; m++) {
        const tn_contact *contact = work->list->contacts + out->source[m];
        out->spring[m] = tn_point_spring_of(work->model, contact);
        if (out->spring[m].power > 0.0) {
            double bore = tn_vec3_dot(contact->frame, contact->warm), depth = fmax(0.0, -contact->gap);
            if (bore > 0.0 && !tn_point_spring_is_straight(&out->spring[m])) {
                depth = tn_point_spring_depth(&out->spring[m], settings->step, contact->gap, bore);
            }
            hold(work, contact, &out->spring[m], work->rows.offset + 3 * (size_t)m);
            tn_contact_rows_spring(out, settings, m, depth, work->rows.offset + 3 * (size_t)m);
        }
    }
}
