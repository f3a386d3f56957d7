#include "discretize/rows.h"

#include "body/rigid.h"
#include "collide/broad.h"
#include "math/mat3.h"
#include "model/motion.h"

#include <string.h>

// The arrays behind tn_contacts while they are written.
typedef struct row_arrays {
    double *frame, *offset, *gap, *mu, *omega, *jacobian;
    int *start, *block, *pressed_by;
} row_arrays;

double tn_contact_touch(const tn_model *model)
{
    return 1e-4 * model->margin;
}

void tn_contact_velocity(const tn_contacts *contacts, int m, const double *v, double u[3])
{
    tn_vec3_set(u, 0.0, 0.0, 0.0);
    for (int e = contacts->start[m]; e < contacts->start[m + 1]; e++) {
        tn_mat3_add_vec(u, contacts->jacobian + 9 * e, v + 3 * contacts->block[e]);
    }
}

// Where Jacobian entries and prescribed velocities of one contact go.
typedef struct row_sink {
    const tn_model *model;
    const tn_state *state;
    const tn_balance *balance;
    const double *frame;
    int n;           // entries so far
    int *block;      // (n)
    double *entry;   // (n, 9)
    double *surface; // (3) velocity in the frame
} row_sink;

// Adds entry to that of its block, or as a new one.
static void add_entry(row_sink *sink, int block, const double entry[9])
{
    int e = 0;
    while (e < sink->n && sink->block[e] != block) {
        e++;
    }
    if (e == sink->n) {
        sink->block[sink->n++] = block;
        memcpy(sink->entry + 9 * e, entry, 9 * sizeof *entry);
        return;
    }
    for (int k = 0; k < 9; k++) {
        sink->entry[9 * e + k] += entry[k];
    }
}

// A point of a rigid body, times factor.
static void add_rigid(row_sink *sink, int body_index, const double point[3], double factor)
{
    const tn_model_body *body = &sink->model->bodies[body_index];
    const tn_pose *pose = &sink->state->pose[body_index];
    if (body->kind == TN_BODY_KINEMATIC) {
        double linear[3], angular[3], arm[3], spin[3];
        tn_motion_mean_velocity(body, sink->state->time, sink->balance->h, linear, angular);
        tn_vec3_sub(arm, point, pose->position);
        tn_vec3_cross(spin, angular, arm);
        tn_vec3_add(linear, linear, spin);
        tn_vec3_scale(linear, factor, linear);
        tn_mat3_add_vec(sink->surface, sink->frame, linear);
    }
    double entry[2][9];
    int n = tn_body_point_jacobian(body, pose, sink->frame, point, factor, entry);
    for (int i = 0; i < n; i++) {
        add_entry(sink, body->block + i, entry[i]);
    }
}

// A node of a soft body, times factor.
static void add_node(row_sink *sink, int index, double factor)
{
    const tn_model_node *node = &sink->model->nodes[index];
    if (node->block >= 0) {
        double entry[9];
        for (int k = 0; k < 9; k++) {
            entry[k] = factor * sink->frame[k];
        }
        add_entry(sink, node->block, entry);
    } else if (sink->model->bodies[node->body].n_blocks > 0) {
        add_rigid(sink, node->body, sink->state->x + 3 * (size_t)index, factor);
    } else if (sink->balance->drive) {
        double moved[3];
        tn_vec3_scale(moved, factor, sink->balance->drive + 3 * (size_t)index);
        tn_mat3_add_vec(sink->surface, sink->frame, moved);
    }
}

static void add_side(row_sink *sink, const tn_contact *contact, int body, const tn_soft_point *soft, double sign)
{
    for (int i = 0; i < soft->n; i++) {
        add_node(sink, soft->node[i], sign * soft->weight[i]);
    }
    if (soft->n == 0) {
        add_rigid(sink, body, contact->point, sign);
    }
}

// Entries and surface velocity of contact number m.
static void fill_jacobian(const tn_model *model, const tn_state *state, const tn_balance *balance,
                          const tn_contact *contact, int m, row_arrays *rows, double surface[3])
{
    int at = rows->start[m];
    tn_vec3_set(surface, 0.0, 0.0, 0.0);
    row_sink sink = {.model = model,
                     .state = state,
                     .balance = balance,
                     .frame = contact->frame,
                     .block = rows->block + at,
                     .entry = rows->jacobian + 9 * (size_t)at,
                     .surface = surface};
    add_side(&sink, contact, contact->body_a, &contact->soft_a, -1.0);
    add_side(&sink, contact, contact->body_b, &contact->soft_b, 1.0);
    rows->start[m + 1] = at + sink.n;
}

// Relative angular velocity of a contact's bodies: entries and prescribed part of row block m.
static void fill_spin(const tn_model *model, const tn_state *state, double h, const tn_contact *contact, int m,
                      row_arrays *rows, double surface[3])
{
    int at = rows->start[m];
    row_sink sink = {.block = rows->block + at, .entry = rows->jacobian + 9 * (size_t)at};
    tn_vec3_set(surface, 0.0, 0.0, 0.0);
    for (int side = 0; side < 2; side++) {
        double sign = side == 0 ? -1.0 : 1.0, entry[2][9];
        int index = side == 0 ? contact->body_a : contact->body_b;
        const tn_model_body *body = &model->bodies[index];
        if (body->kind == TN_BODY_KINEMATIC) {
            double linear[3], angular[3];
            tn_motion_mean_velocity(body, state->time, h, linear, angular);
            tn_vec3_scale(angular, sign, angular);
            tn_mat3_add_vec(surface, contact->frame, angular);
        }
        int n = tn_body_spin_jacobian(body, &state->pose[index], contact->frame, sign, entry);
        for (int i = n == 2; i < n; i++) { // a free body's angular velocity is its second block
            add_entry(&sink, body->block + i, entry[i]);
        }
    }
    rows->start[m + 1] = at + sink.n;
}

// phi of a contact that does not bounce (rows.h).
static double gap_term(const tn_settings *settings, double margin, double gap, double touch)
{
    double h = settings->step;
    gap = fmax(gap, -margin); // deeper overlaps come out step by step: no body is shot away
    switch (settings->gap_term) {
    case TN_GAP_NONE:
        return gap <= touch ? 0.0 : gap / h;
    case TN_GAP_BAUMGARTE:
        return gap < 0.0 ? settings->baumgarte * gap / h : gap / h;
    default:
        return gap / h;
    }
}

double tn_rebound(double restitution, double speed, double pull, double from, double to)
{
    double touch = speed * speed + 2.0 * pull * fmax(from, 0.0);
    double square = restitution * restitution * touch - 2.0 * pull * fmax(to, 0.0);
    return square > 0.0 ? sqrt(square) : 0.0;
}

// phi of a contact that bounces (rows.h).
static double bounce_term(const tn_settings *settings, double eps, double before, double pull, double gap, double term)
{
    if (settings->scheme == TN_SCHEME_MIDPOINT) {
        return fmin(term, -0.5 * (1.0 - eps) * before);
    }
    double half = 0.5 * settings->step * pull;
    return fmin(term, half - tn_rebound(eps, half - before, pull, gap, gap));
}

// Decide on contact m and fill its offset; false: it takes no part in this step.
static bool fill_offset(const tn_model *model, const tn_balance *balance, const tn_contact *contact,
                        const double *surface, const double u_before[3], const double u_predicted[3], int m,
                        row_arrays *rows, tn_contact_rows *out)
{
    const tn_settings *settings = &model->settings;
    double touch = tn_contact_touch(model), eps = contact->restitution;
    double before = u_before[0] + surface[0], predicted = u_predicted[0] + surface[0];
    bool closes = contact->gap <= touch || contact->gap + balance->h * predicted < 0.0;
    bool fast = eps > 0.0 && before < -model->restitution_threshold;
    double phi = gap_term(settings, model->margin, contact->gap, touch);
    double pull = fmax(0.0, (before - predicted) / (balance->theta * balance->h));
    if (closes && fast) {
        phi = bounce_term(settings, eps, before, pull, contact->gap, phi);
    } else if (settings->gap_term == TN_GAP_NONE && contact->gap > touch) {
        return false;
    }
    tn_vec3_copy(rows->offset + 3 * m, surface);
    rows->offset[3 * m] += phi;
    out->before[m] = before;
    out->pull[m] = pull;
    out->restitution[m] = fast ? eps : 0.0;
    return true;
}

static void fill_parameters(const tn_contact *contact, double omega, int m, row_arrays *rows)
{
    memcpy(rows->frame + 9 * m, contact->frame, sizeof contact->frame);
    rows->gap[m] = contact->gap;
    rows->mu[2 * m] = contact->mu1;
    rows->mu[2 * m + 1] = contact->mu2;
    for (int i = 0; rows->omega && i < 3; i++) {
        rows->omega[9 * m + 4 * i] = omega;
    }
}

// Surface of a contact that bears moments; NULL: it does not. Soft bodies do not turn at a point.
static const tn_surface *rolling_surface(const tn_model *model, const tn_contact *contact)
{
    if (contact->soft_a.n > 0 || contact->soft_b.n > 0) {
        return NULL;
    }
    const tn_surface *surface = tn_pair_surface(model, contact->shape_a, contact->shape_b);
    return surface->rolling > 0.0 || surface->torsion > 0.0 ? surface : NULL;
}

// At most so many Jacobian entries in all, and so many moments.
static size_t count_entries(const tn_model *model, const tn_contact_list *list, int *n_moments)
{
    size_t n = 0;
    *n_moments = 0;
    for (int c = 0; c < list->n; c++) {
        const tn_contact *contact = &list->contacts[c];
        if (rolling_surface(model, contact)) {
            ++*n_moments;
            n += 2;
        }
        n += contact->soft_a.n == 0 ? 2 : 2 * (size_t)contact->soft_a.n;
        n += contact->soft_b.n == 0 ? 2 : 2 * (size_t)contact->soft_b.n;
    }
    return n;
}

static bool allocate(int n_contacts, int n_moments, size_t entries, bool with_omega, tn_arena *arena, row_arrays *rows,
                     tn_contact_rows *out)
{
    size_t count = (size_t)n_contacts + (size_t)n_moments;
    *rows = (row_arrays){.frame = TN_PUSH(arena, double, 9 * count),
                         .offset = TN_PUSH(arena, double, 3 * count),
                         .gap = TN_PUSH(arena, double, count),
                         .mu = TN_PUSH(arena, double, 2 * count),
                         .omega = with_omega ? TN_PUSH(arena, double, 9 * count) : NULL,
                         .jacobian = TN_PUSH(arena, double, 9 * entries),
                         .start = TN_PUSH(arena, int, count + 1),
                         .block = TN_PUSH(arena, int, entries),
                         .pressed_by = TN_PUSH(arena, int, n_moments)};
    out->source = TN_PUSH(arena, int, count);
    out->surface = TN_PUSH(arena, double, 3 * count);
    out->before = TN_PUSH(arena, double, count);
    out->pull = TN_PUSH(arena, double, count);
    out->restitution = TN_PUSH(arena, double, count);
    return rows->frame && rows->offset && rows->gap && rows->mu && (rows->omega || !with_omega) && rows->jacobian &&
           rows->start && rows->block && rows->pressed_by && out->source && out->surface && out->before && out->pull &&
           out->restitution;
}

// Moments of the contacts that take part, behind them. They are no contacts: no gap, no bounce.
static void add_moments(const tn_model *model, const tn_state *state, double h, const tn_contact_list *list,
                        row_arrays *rows, tn_contact_rows *out)
{
    int n = out->contacts.n, m = n;
    for (int i = 0; i < n; i++) {
        const tn_contact *contact = &list->contacts[out->source[i]];
        const tn_surface *surface = rolling_surface(model, contact);
        if (!surface) {
            continue;
        }
        fill_spin(model, state, h, contact, m, rows, out->surface + 3 * (size_t)m);
        tn_vec3_copy(rows->offset + 3 * (size_t)m, out->surface + 3 * (size_t)m);
        memcpy(rows->frame + 9 * (size_t)m, contact->frame, sizeof contact->frame);
        rows->gap[m] = INFINITY;
        rows->mu[2 * m] = surface->torsion;
        rows->mu[2 * m + 1] = surface->rolling;
        rows->pressed_by[m - n] = i;
        out->source[m++] = out->source[i];
    }
    out->contacts.n = m;
    out->contacts.n_moments = m - n;
    out->contacts.pressed_by = rows->pressed_by;
}

tn_status tn_contact_rows_build(const tn_model *model, const tn_state *state, const tn_contact_list *list,
                                const tn_balance *balance, tn_arena *arena, tn_contact_rows *out, tn_error *error)
{
    row_arrays rows;
    double omega = model->settings.omega;
    *out = (tn_contact_rows){0};
    int n_moments;
    size_t entries = count_entries(model, list, &n_moments);
    if (!allocate(list->n, n_moments, entries, omega > 0.0, arena, &rows, out)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the rows of %d contacts", list->n);
    }
    int m = 0;
    out->contacts = (tn_contacts){.start = rows.start, .block = rows.block, .jacobian = rows.jacobian};
    for (int c = 0; c < list->n; c++) {
        const tn_contact *contact = &list->contacts[c];
        double *surface = out->surface + 3 * m, before[3], predicted[3];
        fill_jacobian(model, state, balance, contact, m, &rows, surface);
        tn_contact_velocity(&out->contacts, m, state->v, before);
        tn_contact_velocity(&out->contacts, m, balance->predicted, predicted);
        if (rows.start[m + 1] == rows.start[m] ||
            !fill_offset(model, balance, contact, surface, before, predicted, m, &rows, out)) {
            continue; // the next contact overwrites number m
        }
        fill_parameters(contact, omega, m, &rows);
        out->source[m++] = c;
    }
    out->contacts.n = m;
    if (n_moments > 0) {
        add_moments(model, state, balance->h, list, &rows, out);
    }
    out->contacts.frame = rows.frame;
    out->contacts.offset = rows.offset;
    out->contacts.gap = rows.gap;
    out->contacts.mu = rows.mu;
    out->contacts.omega = rows.omega;
    return TN_OK;
}

void tn_contact_rows_warm(const tn_contact_rows *rows, const tn_contact_list *list, double *lambda)
{
    for (int m = 0; m < rows->contacts.n - rows->contacts.n_moments; m++) {
        tn_mat3_vec(lambda + 3 * m, rows->contacts.frame + 9 * m, list->contacts[rows->source[m]].warm);
    }
}
