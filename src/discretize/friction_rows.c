// Rows behind the contacts': rolling and torsional friction, and dry friction of joints.
#include "base/order.h"
#include "discretize/joint_ball.h"
#include "discretize/row_entries.h"
#include "discretize/row_work.h"
#include "math/vec3.h"
#include "tenon/set.h"

#include <math.h>
#include <string.h>

// Surface of a contact that bears moments; NULL: it does not. Soft bodies do not turn at a point.
static const tn_surface *rolling_surface(const tn_contact *contact)
{
    if (contact->soft_a->n > 0 || contact->soft_b->n > 0) {
        return NULL;
    }
    const tn_surface *surface = contact->surface;
    return surface->rolling > 0.0 || surface->torsion > 0.0 ? surface : NULL;
}

int tn_rows_count_moments(const tn_model *model, const tn_contact_list *list)
{
    int n = 0;
    for (int c = 0; model->any_rolling && c < list->n; c++) {
        n += rolling_surface(&list->contacts[c]) != NULL;
    }
    return n;
}

// One more friction behind the triples so far, whose entries are there: no contact, so no gap and no bounce. source: of
// rows.h; pressed_by: a contact.
static void add_friction(const tn_row_work *work, tn_set set, const double mu[2], int n_entries, int source,
                         int pressed_by)
{
    const tn_row_arrays *rows = &work->rows;
    tn_contact_rows *out = work->out;
    int m = out->contacts.n_triples++, k = out->contacts.n_frictions++;
    rows->start[m + 1] = rows->start[m] + n_entries;
    out->surface[m] = rows->offset[3 * (size_t)m];
    rows->gap[m] = INFINITY;
    memcpy(rows->mu + 2 * (size_t)m, mu, 2 * sizeof *mu);
    if (out->restitution) {
        out->before[m] = out->pull[m] = out->restitution[m] = 0.0;
    }
    rows->friction_set[k] = (unsigned char)set;
    rows->pressed_by[k] = pressed_by;
    out->source[m] = source;
}

// Moments of the contacts that take part, behind them.
void tn_rows_add_moments(const tn_row_work *work)
{
    const tn_row_arrays *rows = &work->rows;
    tn_contact_rows *out = work->out;
    int n = out->contacts.n_triples;
    for (int i = 0; i < n; i++) {
        const tn_contact *contact = work->list->contacts + out->source[i];
        const tn_surface *surface = rolling_surface(contact);
        if (!surface) {
            continue;
        }
        int m = out->contacts.n_triples, first = rows->start[m];
        tn_row_sink sink = {.model = work->model,
                            .state = work->state,
                            .balance = work->balance,
                            .frame = contact->frame,
                            .block = rows->block + first,
                            .entry = rows->jacobian + 9 * (size_t)first,
                            .surface = rows->offset + 3 * (size_t)m};
        tn_row_fill_spin(&sink, contact);
        memcpy(rows->frame + 9 * (size_t)m, contact->frame, 9 * sizeof *rows->frame);
        add_friction(work, TN_SET_MOMENT, (const double[2]){surface->torsion, surface->rolling}, sink.n, out->source[i],
                     i);
    }
}

// Friction of joints that acts in all directions alike, where a body answers.
bool tn_rows_add_balls(const tn_row_work *work, tn_arena *arena)
{
    const tn_row_arrays *rows = &work->rows;
    tn_contact_rows *out = work->out;
    for (int j = 0; j < work->model->n_joints; j++) {
        if (work->model->joints[j].ball < 0) {
            continue;
        }
        tn_arena_mark mark = tn_arena_get_mark(arena);
        int m = out->contacts.n_triples, first = rows->start[m];
        size_t room = (size_t)tn_joint_entry_count(work->model, &work->model->joints[j]);
        tn_joint_ball ball = {.block = rows->block + first,
                              .entry = rows->jacobian + 9 * (size_t)first,
                              .row = (double(*)[3])TN_PUSH_RAW(arena, double, 3 * room)};
        if (!ball.row) {
            return false;
        }
        if (tn_joint_ball_fill(work->model, work->state, work->joints, work->balance->h, j, &ball)) {
            tn_vec3_copy(rows->offset + 3 * (size_t)m, ball.driven);
            memcpy(rows->frame + 9 * (size_t)m, ball.frame, sizeof ball.frame);
            add_friction(work, ball.set, ball.bound, ball.n, j, -1);
            out->n_balls++;
        }
        tn_arena_release(arena, mark);
    }
    return true;
}

int tn_contact_rows_ball(const tn_contact_rows *rows, int joint)
{
    int n = rows->contacts.n_triples, at = tn_order_first(rows->source, n - rows->n_balls, n, joint);
    return at < n && rows->source[at] == joint ? at : -1;
}
