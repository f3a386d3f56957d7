#include "discretize/row_work.h"

#include "base/fetch.h"
#include "base/team.h"
#include "collide/frame.h"
#include "discretize/align.h"
#include "discretize/bends.h"
#include "discretize/row_entries.h"
#include "math/mat3.h"

#include <limits.h>
#include <math.h>
#include <string.h>

// From so many contacts on they come from memory; so far ahead they are asked for.
enum { MANY = 8192, AHEAD = 8 };

double tn_contact_touch(const tn_model *model)
{
    return 1e-4 * model->margin;
}

void tn_contact_rows_surface(const tn_contact_rows *rows, int m, double w[3])
{
    const double *offset = rows->contacts.offset + 3 * (size_t)m;
    tn_vec3_set(w, rows->surface[m], offset[1], offset[2]);
    if (rows->spring && m < rows->contacts.n_triples - rows->contacts.n_frictions) {
        w[1] -= rows->spring[m].held[0];
        w[2] -= rows->spring[m].held[1];
    }
    if (rows->bend && m < rows->contacts.n_triples - rows->contacts.n_frictions) {
        w[1] -= rows->bend[2 * m];
        w[2] -= rows->bend[2 * m + 1];
    }
}

// phi of a contact that does not bounce (rows.h).
static double gap_term(const tn_settings *settings, double margin, double gap, double touch)
{
    double h = settings->step;
    double out = settings->push_out * h, deepest = -(margin < out ? margin : out);
    gap = gap > deepest ? gap : deepest; // deeper overlaps come out step by step: no body is shot
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
    if (settings->restitution_law == TN_RESTITUTION_POISSON) {
        return fmin(term, half); // the compression ends at rest; decompression.h does the rest
    }
    return fmin(term, half - tn_rebound(eps, half - before, pull, gap, gap));
}

double tn_contact_rows_push(const tn_contact_rows *rows, const tn_settings *settings, int m)
{
    double gap = rows->contacts.gap[m], phi = rows->contacts.offset[3 * (size_t)m] - rows->surface[m];
    if (!(gap < 0.0)) {
        return 0.0;
    }
    bool bounces = rows->restitution && rows->restitution[m] > 0.0;
    double least =
        bounces ? bounce_term(settings, rows->restitution[m], rows->before[m], rows->pull[m], gap, 0.0) : 0.0;
    return least - phi;
}

// Normal component of J_m v.
static double normal_velocity(const tn_row_arrays *rows, int first, int n, const double *v)
{
    double u = 0.0;
    for (int e = first; e < first + n; e++) {
        u += tn_vec3_dot(rows->jacobian + 9 * (size_t)e, v + 3 * (size_t)rows->block[e]);
    }
    return u;
}

// Fill the offset of contact m with n entries and surface velocity w; false: it takes no part in this step.
static bool fill_offset(const tn_row_work *work, const tn_contact *contact, const double w[3], int m, int n)
{
    const tn_settings *settings = &work->model->settings;
    const tn_balance *balance = work->balance;
    tn_contact_rows *out = work->out;
    double eps = contact->surface->restitution, *offset = work->rows.offset + 3 * m;
    double phi = gap_term(settings, work->model->margin, contact->gap, work->touch);
    bool has_spring = contact->surface->contact != TN_CONTACT_RIGID;
    bool takes_part = n > 0 && (has_spring || !(settings->gap_term == TN_GAP_NONE && contact->gap > work->touch));
    if (out->restitution) {
        out->before[m] = out->pull[m] = out->restitution[m] = 0.0;
    }
    if (out->restitution && eps > 0.0 && n > 0) {
        int first = work->rows.start[m];
        double before = normal_velocity(&work->rows, first, n, work->state->v) + w[0];
        double predicted = normal_velocity(&work->rows, first, n, balance->predicted) + w[0];
        bool closes = contact->gap <= work->touch || contact->gap + balance->h * predicted < 0.0;
        bool fast = before < -work->model->restitution_threshold;
        out->before[m] = before;
        out->pull[m] = fmax(0.0, (before - predicted) / (balance->theta * balance->h));
        out->restitution[m] = fast ? eps : 0.0;
        if (closes && fast) {
            phi = bounce_term(settings, eps, before, out->pull[m], contact->gap, phi);
            takes_part = true;
        }
    }
    tn_vec3_copy(offset, w);
    offset[0] += phi;
    out->surface[m] = w[0];
    return takes_part;
}

// Slips that are slower count as none [m/s].
static const double LEAST_SLIP = 1e-9;

// Turns contact c's tangents, in the list's frames too, along the slip that is predicted.
static void align(const tn_row_work *work, int c, int n, double w[3])
{
    const tn_contact *contact = work->list->contacts + c;
    const tn_row_arrays *rows = &work->rows;
    double *entry = rows->jacobian + 9 * (size_t)rows->start[c], slip[3] = {w[0], w[1], w[2]};
    for (int e = 0; e < n; e++) {
        tn_mat3_add_vec(slip, entry + 9 * (size_t)e,
                        work->balance->predicted + 3 * (size_t)rows->block[rows->start[c] + e]);
    }
    if (!tn_surface_is_directed(contact->surface)) {
        tn_contact_align(slip + 1, LEAST_SLIP, n, entry, w, work->list->frames + 9 * (size_t)c);
    }
}

// Contact c into place c. source[c] becomes the number of its entries, -1: it takes no part.
static void fill_contact(const tn_row_work *work, tn_row_tools *tools, int c)
{
    const tn_contact *contact = work->list->contacts + c;
    const tn_row_arrays *rows = &work->rows;
    double w[3];
    tn_row_sink sink = {.model = work->model,
                        .state = work->state,
                        .balance = work->balance,
                        .tools = tools,
                        .frame = contact->frame,
                        .block = rows->block + rows->start[c],
                        .entry = rows->jacobian + 9 * (size_t)rows->start[c],
                        .surface = w};
    tn_row_fill_point(&sink, contact);
    if (work->model->settings.align == TN_FACETS_SLIP) {
        align(work, c, sink.n, w);
    }
    double bend[3];
    tn_bends_motion(work->state, work->bends, contact, bend);
    for (int k = 0; k < 2; k++) {
        work->out->bend[2 * c + k] = bend[k + 1];
        w[k + 1] += bend[k + 1];
    }
    work->out->source[c] = fill_offset(work, contact, w, c, sink.n) ? sink.n : -1;
    rows->offset[3 * c] += contact->surface->adhesion > 0.0 ? bend[0] : 0.0;
    rows->gap[c] = contact->gap;
    rows->mu[2 * c] = contact->surface->mu1;
    rows->mu[2 * c + 1] = contact->surface->mu2;
}

// The bodies of the contact some places on, and the contact behind that.
TN_FETCH_INLINE void fetch_bodies(const tn_model *model, const tn_contact_list *list, int c)
{
    if (list->n >= MANY && c + 2 * AHEAD < list->n) {
        const tn_contact *contact = list->contacts + c + AHEAD;
        tn_fetch(list->contacts + c + 2 * AHEAD, sizeof *list->contacts);
        tn_fetch(model->bodies + contact->body_a, contact->body_a < model->n_bodies);
        tn_fetch(model->bodies + contact->body_b, contact->body_b < model->n_bodies);
    }
}

// What the contact some places on will need and leave.
TN_FETCH_INLINE void fetch_ahead(const tn_row_work *work, int c)
{
    fetch_bodies(work->model, work->list, c);
    if (work->list->n >= MANY && c + AHEAD < work->list->n) {
        int a = work->list->contacts[c + AHEAD].body_a, b = work->list->contacts[c + AHEAD].body_b;
        int first = work->rows.start[c + AHEAD];
        int n = work->rows.start[c + AHEAD + 1] - first;
        tn_fetch(work->list->frames + 9 * (size_t)(c + AHEAD), 9 * sizeof *work->list->frames);
        tn_fetch(work->rows.jacobian + 9 * (size_t)first, 9 * (size_t)n * sizeof *work->rows.jacobian);
        tn_fetch(work->state->pose + a, a < work->model->n_bodies ? sizeof *work->state->pose : 0);
        tn_fetch(work->state->pose + b, b < work->model->n_bodies ? sizeof *work->state->pose : 0);
    }
}

static void fill_range(const void *context, int first, int end, int thread)
{
    const tn_row_work *work = context;
    tn_row_tools tools = tn_row_tools_of(work->model);
    for (int c = first; c < end; c++) {
        fetch_ahead(work, c);
        fill_contact(work, &tools, c);
    }
}

static void fill_contacts(const tn_row_work *work, int n_threads)
{
    tn_team_share(n_threads, work->list->n, 256, fill_range, work);
}

// Contact c becomes number m <= c with its entries from number `first` on.
static void move_contact(const tn_row_work *work, int c, int m, int first, int n)
{
    const tn_row_arrays *rows = &work->rows;
    tn_contact_rows *out = work->out;
    int from = rows->start[c];
    memmove(rows->block + first, rows->block + from, (size_t)n * sizeof *rows->block);
    memmove(rows->jacobian + 9 * (size_t)first, rows->jacobian + 9 * (size_t)from, 9 * (size_t)n * sizeof(double));
    tn_vec3_copy(rows->offset + 3 * m, rows->offset + 3 * c);
    out->surface[m] = out->surface[c];
    out->bend[2 * m] = out->bend[2 * c];
    out->bend[2 * m + 1] = out->bend[2 * c + 1];
    rows->gap[m] = rows->gap[c];
    rows->mu[2 * m] = rows->mu[2 * c];
    rows->mu[2 * m + 1] = rows->mu[2 * c + 1];
    if (out->restitution) {
        out->before[m] = out->before[c];
        out->pull[m] = out->pull[c];
        out->restitution[m] = out->restitution[c];
    }
}

// Close the ranks where contacts take no part or have fewer entries than there is room for; source becomes what it is.
static void close_ranks(const tn_row_work *work)
{
    int m = 0, first = 0, *source = work->out->source;
    for (int c = 0; c < work->list->n; c++) {
        int n = source[c];
        if (n < 0) {
            continue;
        }
        if (m < c || first < work->rows.start[c]) {
            move_contact(work, c, m, first, n);
        }
        source[m] = c;
        work->rows.start[m++] = first;
        first += n;
    }
    work->rows.start[m] = first;
    work->out->contacts.n_triples = m;
}

typedef struct entry_counts {
    const tn_model *model;
    const tn_contact_list *list;
    int *n; // of each contact
} entry_counts;

static void count_entries(const void *context, int first, int end, int thread)
{
    const entry_counts *counts = context;
    for (int c = first; c < end; c++) {
        fetch_bodies(counts->model, counts->list, c);
        counts->n[c] = tn_row_entry_count(counts->model, counts->list->contacts + c);
    }
}

// Where each contact's entries go if all take part: start (list->n + 1).
static bool place_entries(const tn_model *model, const tn_contact_list *list, int *start)
{
    size_t sum = 0;
    tn_team_share(model->settings.solve.n_threads, list->n, 512, count_entries, &(entry_counts){model, list, start});
    for (int c = 0; c < list->n && sum <= INT_MAX; c++) {
        int n = start[c];
        start[c] = (int)sum;
        sum += (size_t)n;
    }
    start[list->n] = (int)sum;
    return sum <= INT_MAX;
}

static bool any_springs(const tn_model *model, const tn_contact_list *list)
{
    bool any = false;
    for (int c = 0; model->any_spring && !any && c < list->n; c++) {
        any = list->contacts[c].surface->contact != TN_CONTACT_RIGID;
    }
    return any;
}

// A side that moves and is no node of its own.
static bool has_virtual_node(const tn_model *model, int body, const tn_soft_point *soft)
{
    if (soft->n == 0) {
        return model->bodies[body].n_blocks > 0;
    }
    const tn_model_node *node = model->nodes + soft->node[0];
    return soft->n > 1 || (node->block < 0 && model->bodies[node->body].n_blocks > 0);
}

// Omega, and what the dampers k_v of both sides give way.
static double softness_of(const tn_model *model, const tn_contact *contact)
{
    int n = has_virtual_node(model, contact->body_a, contact->soft_a) +
            has_virtual_node(model, contact->body_b, contact->soft_b);
    return model->settings.omega + n / model->settings.k_v;
}

static bool any_bounces(const tn_model *model, const tn_contact_list *list)
{
    bool any = false;
    for (int c = 0; model->any_bounce && !any && c < list->n; c++) {
        any = list->contacts[c].surface->restitution > 0.0;
    }
    return any;
}

static bool any_adhesion(const tn_model *model, const tn_contact_list *list)
{
    bool any = false;
    for (int c = 0; model->any_pull && !any && c < list->n; c++) {
        any = list->contacts[c].surface->adhesion > 0.0;
    }
    return any;
}

static bool allocate(tn_row_work *work, int n_moments, bool with_softness, tn_arena *arena)
{
    int n_balls = work->joints ? work->model->n_joint_balls : 0;
    size_t n_frictions = (size_t)n_moments + (size_t)n_balls, count = (size_t)work->list->n + n_frictions;
    tn_contact_rows *out = work->out;
    int *start = TN_PUSH_RAW(arena, int, count + 1);
    if (!start || !place_entries(work->model, work->list, start)) {
        return false;
    }
    size_t entries = (size_t)start[work->list->n] + 2 * (size_t)n_moments;
    entries += n_balls > 0 ? (size_t)work->model->n_ball_entries : 0;
    work->rows = (tn_row_arrays){.offset = TN_PUSH_RAW(arena, double, 3 * count),
                                 .gap = TN_PUSH_RAW(arena, double, count),
                                 .mu = TN_PUSH_RAW(arena, double, 2 * count),
                                 .softness = with_softness ? TN_PUSH(arena, double, 9 * count) : NULL,
                                 .jacobian = TN_PUSH_RAW(arena, double, 9 * entries),
                                 .start = start,
                                 .block = TN_PUSH_RAW(arena, int, entries),
                                 .frame = n_frictions > 0 ? TN_PUSH_RAW(arena, double, 9 * count) : NULL,
                                 .pressed_by = TN_PUSH_RAW(arena, int, n_frictions),
                                 .friction_set = TN_PUSH_RAW(arena, unsigned char, n_frictions)};
    out->source = TN_PUSH_RAW(arena, int, count);
    out->surface = TN_PUSH_RAW(arena, double, count);
    out->bend = TN_PUSH_RAW(arena, double, 2 * count);
    out->softness = work->rows.softness;
    bool springs = with_softness && any_springs(work->model, work->list);
    out->spring = springs ? TN_PUSH(arena, tn_point_spring, count) : NULL;
    bool bounces = any_bounces(work->model, work->list), pulls = any_adhesion(work->model, work->list);
    if (pulls) {
        work->rows.preload = TN_PUSH(arena, double, count);
    }
    if (bounces) {
        out->before = TN_PUSH_RAW(arena, double, count);
        out->pull = TN_PUSH_RAW(arena, double, count);
        out->restitution = TN_PUSH_RAW(arena, double, count);
    }
    const tn_row_arrays *rows = &work->rows;
    return rows->offset && rows->gap && rows->mu && (rows->preload || !pulls) && (rows->softness || !with_softness) &&
           rows->jacobian && rows->block && (rows->frame || n_frictions == 0) && rows->pressed_by &&
           rows->friction_set && out->source && out->surface && out->bend && (out->spring || !springs) &&
           (!bounces || (out->before && out->pull && out->restitution));
}

// The list's own frames where all of its contacts take part, without frictions, which have theirs in `own`. NULL: no
// memory.
static const double *frames_of(const tn_contact_list *list, const tn_contact_rows *rows, double *own, tn_arena *arena)
{
    int n = rows->contacts.n_triples - rows->contacts.n_frictions;
    if (n == list->n && !own) {
        return list->frames;
    }
    double *frames = own ? own : TN_PUSH_RAW(arena, double, 9 * (size_t)n);
    for (int m = 0; frames && m < n; m++) {
        memcpy(frames + 9 * (size_t)m, list->contacts[rows->source[m]].frame, 9 * sizeof *frames);
    }
    return frames;
}

tn_status tn_contact_rows_build(const tn_model *model, const tn_state *state, const tn_contact_list *list,
                                const tn_balance *balance, const tn_joint_step *joints, tn_arena *arena,
                                tn_contact_rows *out, tn_error *error)
{
    tn_row_work work = {.model = model,
                        .state = state,
                        .list = list,
                        .balance = balance,
                        .joints = joints,
                        .touch = tn_contact_touch(model),
                        .out = out};
    bool soft = model->settings.omega > 0.0 || isfinite(model->settings.k_v) || any_springs(model, list);
    int n_moments = tn_rows_count_moments(model, list);
    *out = (tn_contact_rows){0};
    work.bends = list->n > 0 ? tn_bends_find(model, state, list, arena) : NULL;
    if ((list->n > 0 && !work.bends) || !allocate(&work, n_moments, soft, arena)) {
        *out = (tn_contact_rows){0};
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the rows of %d contacts", list->n);
    }
    const tn_row_arrays *rows = &work.rows;
    out->contacts = (tn_rows){.offset = rows->offset,
                              .gap = rows->gap,
                              .mu = rows->mu,
                              .softness = rows->softness,
                              .start = rows->start,
                              .block = rows->block,
                              .jacobian = rows->jacobian,
                              .friction_set = rows->friction_set,
                              .pressed_by = rows->pressed_by};
    fill_contacts(&work, model->settings.solve.n_threads);
    close_ranks(&work);
    for (int i = 0; soft && i < 3 * out->contacts.n_triples; i++) {
        rows->softness[9 * (i / 3) + 4 * (i % 3)] = softness_of(model, list->contacts + out->source[i / 3]);
    }
    if (rows->preload) {
        tn_rows_share_adhesion(&work);
    }
    tn_rows_give_springs(&work);
    if (n_moments > 0) {
        tn_rows_add_moments(&work);
    }
    bool ok = !joints || model->n_joint_balls == 0 || tn_rows_add_balls(&work, arena);
    out->contacts.frame = ok ? frames_of(list, out, rows->frame, arena) : NULL;
    return out->contacts.frame ? TN_OK
                               : tn_error_set(error, TN_NO_MEMORY, "no memory for the frames of %d contacts", list->n);
}

typedef struct warming {
    const tn_contact_rows *rows;
    const tn_contact_list *list;
    double *lambda;
} warming;

static void warm_range(const void *context, int first, int end, int thread)
{
    const warming *w = context;
    for (int m = first; m < end; m++) {
        tn_mat3_vec(w->lambda + 3 * m, w->rows->contacts.frame + 9 * m, w->list->contacts[w->rows->source[m]].warm);
    }
}

void tn_contact_rows_warm(const tn_contact_rows *rows, const tn_contact_list *list, int n_threads, double *lambda)
{
    tn_team_share(n_threads, rows->contacts.n_triples - rows->contacts.n_frictions, 512, warm_range,
                  &(warming){rows, list, lambda});
}
