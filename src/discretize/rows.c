#include "discretize/rows.h"

#include "body/rigid.h"
#include "math/mat3.h"
#include "model/motion.h"

#include <string.h>

enum { MAX_ENTRIES = 4 }; // two bodies of at most two blocks

// The arrays behind tn_contacts while they are written.
typedef struct row_arrays {
    double *frame, *offset, *gap, *mu, *omega, *jacobian;
    int *start, *block;
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

// One side's Jacobian entries, or its prescribed surface velocity into surface.
static int add_side(const tn_model *model, const tn_state *state, int body_index, const tn_contact *contact,
                    double sign, double h, int *block, double entry[2][9], double surface[3])
{
    const tn_model_body *body = &model->bodies[body_index];
    const tn_pose *pose = &state->pose[body_index];
    if (body->kind == TN_BODY_KINEMATIC) {
        double linear[3], angular[3], arm[3], spin[3];
        tn_motion_mean_velocity(body, state->time, h, linear, angular);
        tn_vec3_sub(arm, contact->point, pose->position);
        tn_vec3_cross(spin, angular, arm);
        tn_vec3_add(linear, linear, spin);
        tn_vec3_scale(linear, sign, linear);
        tn_mat3_add_vec(surface, contact->frame, linear);
    }
    int n = tn_body_point_jacobian(body, pose, contact->frame, contact->point, sign, entry);
    for (int i = 0; i < n; i++) {
        block[i] = body->block + i;
    }
    return n;
}

// Entries and surface velocity of contact number m.
static void fill_jacobian(const tn_model *model, const tn_state *state, const tn_contact *contact, double h, int m,
                          row_arrays *rows, double surface[3])
{
    int at = rows->start[m];
    tn_vec3_set(surface, 0.0, 0.0, 0.0);
    at += add_side(model, state, contact->body_a, contact, -1.0, h, rows->block + at,
                   (double(*)[9])(rows->jacobian + 9 * at), surface);
    at += add_side(model, state, contact->body_b, contact, 1.0, h, rows->block + at,
                   (double(*)[9])(rows->jacobian + 9 * at), surface);
    rows->start[m + 1] = at;
}

// phi of a contact that does not bounce (rows.h).
static double gap_term(const tn_settings *settings, double gap, double touch)
{
    double h = settings->step;
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
    double phi = gap_term(settings, contact->gap, touch);
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

static bool allocate(int n, bool with_omega, tn_arena *arena, row_arrays *rows, tn_contact_rows *out)
{
    size_t count = (size_t)n;
    *rows = (row_arrays){.frame = TN_PUSH(arena, double, 9 * count),
                         .offset = TN_PUSH(arena, double, 3 * count),
                         .gap = TN_PUSH(arena, double, count),
                         .mu = TN_PUSH(arena, double, 2 * count),
                         .omega = with_omega ? TN_PUSH(arena, double, 9 * count) : NULL,
                         .jacobian = TN_PUSH(arena, double, 9 * MAX_ENTRIES * count),
                         .start = TN_PUSH(arena, int, count + 1),
                         .block = TN_PUSH(arena, int, MAX_ENTRIES *count)};
    out->source = TN_PUSH(arena, int, count);
    out->surface = TN_PUSH(arena, double, 3 * count);
    out->before = TN_PUSH(arena, double, count);
    out->pull = TN_PUSH(arena, double, count);
    out->restitution = TN_PUSH(arena, double, count);
    return rows->frame && rows->offset && rows->gap && rows->mu && (rows->omega || !with_omega) && rows->jacobian &&
           rows->start && rows->block && out->source && out->surface && out->before && out->pull && out->restitution;
}

tn_status tn_contact_rows_build(const tn_model *model, const tn_state *state, const tn_contact_list *list,
                                const tn_balance *balance, tn_arena *arena, tn_contact_rows *out, tn_error *error)
{
    row_arrays rows;
    double omega = model->settings.omega;
    *out = (tn_contact_rows){0};
    if (!allocate(list->n, omega > 0.0, arena, &rows, out)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the rows of %d contacts", list->n);
    }
    int m = 0;
    out->contacts = (tn_contacts){.start = rows.start, .block = rows.block, .jacobian = rows.jacobian};
    for (int c = 0; c < list->n; c++) {
        const tn_contact *contact = &list->contacts[c];
        double *surface = out->surface + 3 * m, before[3], predicted[3];
        fill_jacobian(model, state, contact, balance->h, m, &rows, surface);
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
    out->contacts.frame = rows.frame;
    out->contacts.offset = rows.offset;
    out->contacts.gap = rows.gap;
    out->contacts.mu = rows.mu;
    out->contacts.omega = rows.omega;
    return TN_OK;
}

void tn_contact_rows_warm(const tn_contact_rows *rows, const tn_contact_list *list, double *lambda)
{
    for (int m = 0; m < rows->contacts.n; m++) {
        tn_mat3_vec(lambda + 3 * m, rows->contacts.frame + 9 * m, list->contacts[rows->source[m]].warm);
    }
}
