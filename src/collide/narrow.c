// Two passes over the pairs. The first finds the contact points of each pair of shapes, which any thread may do; pairs
// with soft bodies follow one by one, with threads inside. Then the place of every pair's contacts in the list is
// known, and the second pass writes them there: the list depends neither on the number of threads nor on who was first.
#include "collide/narrow.h"

#include "base/fetch.h"
#include "base/team.h"
#include "collide/foundation.h"
#include "collide/frame.h"
#include "collide/graze.h"
#include "collide/inner.h"
#include "collide/passing.h"
#include "collide/soft_core.h"
#include "collide/soft_pair.h"
#include "collide/soft_seam.h"
#include "collide/soft_vertex.h"
#include "collide/stopped.h"
#include "math/vec3.h"
#include "shape/ball.h"
#include "shape/manifold.h"

#include <math.h>
#include <string.h>

enum {
    BLOCK_POINTS = 480, // contact points that a thread asks memory for at a time
    CHUNK = 64,         // pairs that a thread takes at a time
    ROOM_PART = 64,     // of the contacts: room for those that join them in the middle of a step
    MANY = 8192         // pairs from which what they need comes from memory and is asked for ahead of time
};

// What a pair contributes.
typedef struct touch {
    int n;
    int first_soft;                 // with a soft body: number of its first contact in the buffer
    const tn_contact_point *points; // (n) of two shapes
} touch;

// Where a thread leaves contact points.
typedef struct point_sink {
    _Alignas(64) tn_contact_point *points;
    int room;
    int n_points, n_blocks; // so far
    bool failed;            // no memory: points are missing
} point_sink;

typedef struct narrow {
    tn_collide_view *view;
    const tn_pair_list *pairs;
    touch *touches;           // (pairs->n)
    point_sink *sinks;        // one a thread
    tn_contact_buffer buffer; // contacts with soft bodies
    int *first;               // (chunks + 1) number of each chunk's first contact
    tn_soft_point *soft;      // (buffer.n, 2) where those act
} narrow;

static bool is_soft(const narrow *n, int pair)
{
    return n->pairs->pairs[pair].b >= n->view->model->n_shapes;
}

// Without the points where nothing can give way; returns how many are left.
static int drop_held(const tn_collide_view *view, const tn_shape_pair *pair, int n, tn_contact_point *points)
{
    const tn_model *model = view->model;
    if (!model->any_planar) {
        return n;
    }
    int body_a = model->shapes[pair->a].body, body_b = model->shapes[pair->b].body, kept = 0;
    if (!model->bodies[body_a].planar && !model->bodies[body_b].planar) {
        return n;
    }
    for (int i = 0; i < n; ++i) {
        if (!tn_contact_held(model, body_a, body_b, points[i].normal)) {
            points[kept++] = points[i];
        }
    }
    return kept;
}

static tn_sweep sweep_of(const tn_collide_view *view, const tn_shape_pair *pair)
{
    const int shapes[2] = {pair->a, pair->b};
    tn_sweep sweep = {.still = view->model->margin + 2.0 * view->fall, .time = 2.0 * view->step};
    for (int i = 0; i < 2; ++i) {
        const tn_body_motion *motion = view->motion + view->model->shapes[shapes[i]].body;
        tn_vec3_copy(sweep.body[i].position, motion->position);
        tn_vec3_copy(sweep.body[i].linear, motion->linear);
        tn_vec3_copy(sweep.body[i].angular, motion->angular);
    }
    return sweep;
}

// A pair counts if its nearest points may meet within the step, as the bodies move or when a third body stops one of
// them. Then it brings all points that would meet in the latter case: boxes that fall as one and land on an edge close
// the far edge in the same step.
static int find_points(const tn_collide_view *view, const tn_shape_pair *pair, tn_contact_point *points)
{
    const tn_placed *a = view->placed + pair->a, *b = view->placed + pair->b;
    double margin = view->model->margin, reach = margin + view->way[pair->a] + view->way[pair->b], meet = INFINITY;
    double way = -1.0; // not known
    bool half_space = tn_shape_is(a->shape, TN_FORM_HALF_SPACE) || tn_shape_is(b->shape, TN_FORM_HALF_SPACE);
    if (half_space) {
        // view's way does not count a plane's turning
        way = tn_pair_way(view->state, view->motion, view->pose, pair->a, pair->b);
        meet = margin + way;
        reach = fmax(meet, reach);
    }
    tn_sweep sweep;
    bool swept = half_space || tn_shape_is(a->shape, TN_FORM_SURFACE) || tn_shape_is(b->shape, TN_FORM_SURFACE);
    if (swept) {
        sweep = sweep_of(view, pair);
    }
    int n = tn_placed_contact(a, b, reach, swept ? &sweep : NULL, points);
    n = tn_inner_points(view, pair, reach, &way, n, points);
    double least = INFINITY;
    for (int i = 0; i < n; ++i) {
        least = points[i].gap < least ? points[i].gap : least;
    }
    if (n > 0 && least > margin && meet == INFINITY) {
        way = way < 0.0 ? tn_pair_way(view->state, view->motion, view->pose, pair->a, pair->b) : way;
        meet = margin + way;
    }
    bool meets =
        least <= meet ? !(least > margin && tn_pair_passes(view, pair, least)) : tn_pair_runs_up(view, pair, n, points);
    if (meets && !half_space) {
        n = tn_pair_graze(view, pair, n, points);
    }
    return meets ? drop_held(view, pair, n, points) : 0;
}

// Two balls and the way from one's centre to the other's.
typedef struct ball_pair {
    const tn_ball *a, *b;
    double between[3], distance, gap;
} ball_pair;

// Slack of what is told without find_points: far more than any rounding.
static const double SLACK = 1e-6;

// Two balls that find_points has no use for: they neither meet as they move (tn_pair_way: the slower of what either
// sees of the other) nor when one of them is stopped (tn_pair_runs_up).
static bool balls_apart(const tn_collide_view *view, const ball_pair *p)
{
    double u[3], spin = p->a->spin < p->b->spin ? p->a->spin : p->b->spin;
    tn_vec3_sub(u, p->b->velocity, p->a->velocity);
    double speed = 2.0 * (tn_vec3_norm(u) + spin * p->distance);
    double of_a = tn_vec3_dot(p->between, p->a->velocity) / p->distance;
    double of_b = -tn_vec3_dot(p->between, p->b->velocity) / p->distance;
    speed = of_a > speed ? of_a : speed;
    speed = of_b > speed ? of_b : speed;
    return p->gap > view->model->margin + view->fall + view->step * speed + SLACK * p->distance;
}

// What cannot join a list: balls that do not come to within the margin.
static bool balls_stay_apart(const tn_collide_view *view, const ball_pair *p)
{
    double u[3];
    tn_vec3_sub(u, p->b->velocity, p->a->velocity);
    double left = p->gap + view->step * tn_vec3_dot(p->between, u) / p->distance;
    return left > view->model->margin + SLACK * p->distance;
}

// find_points for two balls. Most need no more than their centres and velocities.
static int find_ball_points(const tn_collide_view *view, const tn_shape_pair *pair, tn_contact_point *points)
{
    ball_pair p = {.a = view->ball + pair->a, .b = view->ball + pair->b};
    tn_vec3_sub(p.between, p.b->centre, p.a->centre);
    p.distance = tn_vec3_norm(p.between);
    p.gap = p.distance - p.a->radius - p.b->radius;
    bool near = p.gap <= view->model->margin && p.a->is_sphere && p.b->is_sphere;
    if (near && view->joining) {
        return 0; // is in the list
    }
    if (near) {
        points->feature = 0;
        points->gap = tn_ball_distance(p.a->centre, p.a->radius, p.b->centre, points->normal) - p.b->radius;
        tn_ball_point(p.b->centre, p.b->radius, points->gap, points->normal, points->point);
        return drop_held(view, pair, 1, points);
    }
    bool apart = balls_apart(view, &p) || (view->joining && balls_stay_apart(view, &p));
    return apart ? 0 : find_points(view, pair, points);
}

static int find_elements(const tn_collide_view *view, const tn_shape_pair *pair, int elements, tn_contact_point *points)
{
    return drop_held(view, pair, tn_foundation_points(view, pair, elements, points), points);
}

static bool are_balls(const tn_collide_view *view, const tn_shape_pair *pair)
{
    return view->ball[pair->a].radius < INFINITY && view->ball[pair->b].radius < INFINITY;
}

static bool make_room(tn_arena *arena, int need, point_sink *sink)
{
    if (sink->room >= need) {
        return true;
    }
    int room = need > BLOCK_POINTS ? need : BLOCK_POINTS;
    tn_team_lock();
    sink->points = TN_PUSH_RAW(arena, tn_contact_point, room);
    tn_team_unlock();
    sink->room = sink->points ? room : 0;
    sink->n_blocks++;
    sink->failed = sink->failed || !sink->points;
    return sink->points != NULL;
}

static void touch_pair(const narrow *n, int k, point_sink *sink)
{
    tn_collide_view *view = n->view;
    touch *t = n->touches + k;
    *t = (touch){.n = 0};
    const tn_shape_pair *pair = n->pairs->pairs + k;
    if (is_soft(n, k)) {
        return;
    }
    const tn_surface *surface = tn_pair_surface(view->model, pair->a, pair->b);
    bool layer = surface->contact == TN_CONTACT_FOUNDATION;
    int elements = surface->spring.elements;
    if (make_room(view->arena, layer ? elements * elements : TN_MANIFOLD_MAX, sink)) {
        t->n = layer                   ? find_elements(view, pair, elements, sink->points)
               : are_balls(view, pair) ? find_ball_points(view, pair, sink->points)
                                       : find_points(view, pair, sink->points);
        t->points = sink->points;
        sink->points += t->n;
        sink->room -= t->n;
        sink->n_points += t->n;
    }
}

// What a pair needs of its second shape; the first ones come in order.
TN_FETCH_INLINE void fetch_pair(const narrow *n, int k)
{
    enum { FAR = 64, NEAR = 16 };
    const tn_collide_view *view = n->view;
    if (n->pairs->n < MANY || k + FAR >= n->pairs->n || is_soft(n, k + NEAR) || is_soft(n, k + FAR)) {
        return;
    }
    tn_fetch(view->ball + n->pairs->pairs[k + FAR].b, sizeof *view->ball);
    const tn_shape_pair *pair = n->pairs->pairs + k + NEAR;
    if (!are_balls(view, pair)) {
        tn_fetch(view->placed + pair->b, sizeof *view->placed);
        tn_fetch(view->model->shapes + pair->b, sizeof *view->model->shapes);
    }
}

static void touch_pairs(const void *context, int first, int end, int thread)
{
    const narrow *n = context;
    for (int k = first; k < end; ++k) {
        fetch_pair(n, k);
        touch_pair(n, k, n->sinks + thread);
    }
}

// The step takes as much memory whichever thread found what: as many blocks as the points could take at most. False: no
// memory, now or before.
static bool level_sinks(const narrow *n)
{
    int n_points = 0, n_blocks = 0;
    bool failed = false;
    for (int t = 0; t < n->view->n_threads; ++t) {
        n_points += n->sinks[t].n_points;
        n_blocks += n->sinks[t].n_blocks;
        failed = failed || n->sinks[t].failed;
    }
    int most = n->view->n_threads + n_points / (BLOCK_POINTS - TN_MANIFOLD_MAX);
    size_t spare = n->view->n_threads > 1 && most > n_blocks ? (size_t)(most - n_blocks) * BLOCK_POINTS : 0;
    return !failed && TN_PUSH_RAW(n->view->arena, tn_contact_point, spare);
}

static tn_status collide_soft(narrow *n, const tn_shape_pair *pair, tn_error *error)
{
    if (pair->a < n->view->model->n_shapes) {
        tn_status status = tn_collide_vertices(n->view, pair, &n->buffer, error);
        return status ? status : tn_collide_core(n->view, pair, &n->buffer, error);
    }
    return tn_collide_softs(n->view, pair, &n->buffer, error);
}

static tn_status touch_softs(narrow *n, tn_error *error)
{
    tn_status status = TN_OK;
    for (int k = 0; !status && n->view->model->n_softs > 0 && k < n->pairs->n; ++k) {
        if (is_soft(n, k)) {
            n->touches[k].first_soft = n->buffer.n;
            status = collide_soft(n, n->pairs->pairs + k, error);
            n->touches[k].n = n->buffer.n - n->touches[k].first_soft;
        }
    }
    return status;
}

static tn_status drop_seams(narrow *n, tn_error *error)
{
    if (n->buffer.n == 0) {
        return TN_OK;
    }
    const bool *is_seam = tn_soft_seams(n->view, &n->buffer);
    if (!is_seam) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for %d contacts of soft bodies", n->buffer.n);
    }
    n->buffer.n = 0;
    for (int k = 0; k < n->pairs->n; ++k) {
        touch *t = n->touches + k;
        int first = t->first_soft, end = is_soft(n, k) ? first + t->n : first;
        t->first_soft = n->buffer.n;
        for (int i = first; i < end; ++i) {
            n->buffer.contacts[n->buffer.n] = n->buffer.contacts[i];
            n->buffer.n += !is_seam[i];
        }
        t->n = is_soft(n, k) ? n->buffer.n - t->first_soft : t->n;
    }
    return TN_OK;
}

static int chunk_count(const narrow *n)
{
    return (n->pairs->n + CHUNK - 1) / CHUNK;
}

static int chunk_end(const narrow *n, int chunk)
{
    return chunk < n->pairs->n / CHUNK ? CHUNK * (chunk + 1) : n->pairs->n;
}

static void count_contacts(narrow *n)
{
    n->first[0] = 0;
    for (int c = 0; c < chunk_count(n); ++c) {
        n->first[c + 1] = n->first[c];
        for (int k = CHUNK * c; k < chunk_end(n, c); ++k) {
            n->first[c + 1] += n->touches[k].n;
        }
    }
}

static const double no_force[3];
static const tn_soft_point rigid_side;

// The contacts of a pair with a soft body to their places.
static void write_soft(const narrow *n, const touch *t, tn_contact *out, double *frames)
{
    for (int i = 0; i < t->n; ++i) {
        const tn_soft_contact *from = n->buffer.contacts + t->first_soft + i;
        tn_soft_point *soft = n->soft + 2 * (size_t)(t->first_soft + i);
        soft[0] = from->a;
        soft[1] = from->b;
        memcpy(frames + 9 * i, from->frame, sizeof from->frame);
        out[i] = from->contact;
        out[i].soft_a = soft;
        out[i].soft_b = soft + 1;
        out[i].frame = frames + 9 * i;
        out[i].warm = no_force;
    }
}

static bool same(const double a[3], const double b[3])
{
    return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static void write_contacts(const narrow *n, int pair, tn_contact *out, double *frames)
{
    const touch *t = n->touches + pair;
    if (is_soft(n, pair)) {
        write_soft(n, t, out, frames);
        return;
    }
    const tn_model *model = n->view->model;
    int shape_a = n->pairs->pairs[pair].a, shape_b = n->pairs->pairs[pair].b;
    int body_a = model->shapes[shape_a].body, body_b = model->shapes[shape_b].body;
    const tn_surface *surface = tn_pair_surface(model, shape_a, shape_b);
    for (int i = 0; i < t->n; ++i) {
        const tn_contact_point *p = t->points + i;
        tn_contact *c = out + i;
        double *frame = frames + 9 * i;
        *c = (tn_contact){.body_a = body_a,
                          .body_b = body_b,
                          .shape_a = shape_a,
                          .shape_b = shape_b,
                          .feature = p->feature,
                          .soft_a = &rigid_side,
                          .soft_b = &rigid_side,
                          .surface = surface,
                          .frame = frame,
                          .warm = no_force,
                          .point = {p->point[0], p->point[1], p->point[2]},
                          .gap = p->gap};
        if (i > 0 && same(p->normal, frame - 9)) {
            for (int k = 0; k < 9; ++k) {
                frame[k] = frame[k - 9];
            }
        } else {
            tn_contact_frame(frame, n->view->state, surface, body_a, body_b, p->normal);
        }
    }
}

static uint64_t shapes_of(const tn_contact *contact)
{
    return (uint64_t)(uint32_t)contact->shape_a << 32 | (uint32_t)contact->shape_b;
}

// First of the memory of these shapes or later ones.
static int find_memory(const tn_state *state, uint64_t shapes)
{
    int low = 0, high = state->n_memory;
    while (low < high) {
        int middle = low + (high - low) / 2;
        bool before = state->memory[middle].key_shapes < shapes;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low;
}

// Of a pair's contacts without a force the one nearest to where the force was; NULL: all have one.
static tn_contact *nearest_new(int n, tn_contact *contacts, const tn_contact_memory *memory)
{
    double least = INFINITY;
    tn_contact *nearest = NULL;
    for (int i = 0; i < n; ++i) {
        double way[3];
        tn_vec3_sub(way, contacts[i].point, memory->point);
        double square = tn_vec3_dot(way, way);
        if (contacts[i].warm == no_force && square < least) {
            least = square;
            nearest = contacts + i;
        }
    }
    return nearest;
}

// Contacts of one pair and what is remembered of it, both in the order of features. Where edges of two boxes lie on one
// another rounding decides which of them a contact is named after: forces that find no contact of their name go to the
// nearest one that has none (a still brick_wall: every second step began with the whole force of a contact missing).
// Names of soft bodies' contacts do not change so.
static void match_pair(int n, tn_contact *contacts, int n_memory, const tn_contact_memory *memory)
{
    bool rigid = contacts->soft_a == &rigid_side;
    for (int i = 0, m = 0; i < n && m < n_memory;) {
        if (contacts[i].feature == memory[m].key_feature) {
            contacts[i].warm = memory[m].force;
        }
        bool after = contacts[i].feature > memory[m].key_feature;
        i += !after;
        m += after;
    }
    for (int i = 0, m = 0; rigid && m < n_memory; ++m) {
        while (i < n && contacts[i].feature < memory[m].key_feature) {
            i++;
        }
        bool named = i < n && contacts[i].feature == memory[m].key_feature;
        tn_contact *heir = named ? NULL : nearest_new(n, contacts, memory + m);
        if (heir) {
            heir->warm = memory[m].force;
        }
    }
}

// Both lists are sorted by key: one walk, pair by pair.
static void match_memory(const tn_state *state, int n, tn_contact *contacts)
{
    int m = n > 0 ? find_memory(state, shapes_of(contacts)) : 0;
    for (int i = 0, end; i < n && m < state->n_memory; i = end) {
        uint64_t shapes = shapes_of(contacts + i);
        while (m < state->n_memory && state->memory[m].key_shapes < shapes) {
            m++;
        }
        int first = m;
        while (m < state->n_memory && state->memory[m].key_shapes == shapes) {
            m++;
        }
        for (end = i + 1; end < n && shapes_of(contacts + end) == shapes;) {
            end++;
        }
        match_pair(end - i, contacts + i, m - first, state->memory + first);
    }
}

// Where the contacts some places on go, and the shapes of pair k.
TN_FETCH_INLINE void fetch_ahead(const narrow *n, int k, const tn_contact *contacts, const double *frames)
{
    enum { AHEAD = 8 };
    if (n->pairs->n < MANY) {
        return;
    }
    tn_fetch(contacts + AHEAD, sizeof *contacts);
    tn_fetch(frames + 9 * AHEAD, 9 * sizeof *frames);
    if (k < n->pairs->n && n->touches[k].n > 0 && !is_soft(n, k)) {
        tn_fetch(n->view->model->shapes + n->pairs->pairs[k].a, 1);
        tn_fetch(n->view->model->shapes + n->pairs->pairs[k].b, 1);
    }
}

static void fill_chunk(const narrow *n, int c, tn_contact *contacts, double *frames)
{
    int at = n->first[c];
    for (int k = CHUNK * c; k < chunk_end(n, c); ++k) {
        if (n->touches[k].n > 0) {
            fetch_ahead(n, k + 16, contacts + at, frames + 9 * (size_t)at);
            write_contacts(n, k, contacts + at, frames + 9 * (size_t)at);
            at += n->touches[k].n;
        }
    }
    match_memory(n->view->state, n->first[c + 1] - n->first[c], contacts + n->first[c]);
}

typedef struct filling {
    const narrow *n;
    tn_contact *contacts;
    double *frames;
} filling;

static void fill_chunks(const void *context, int first, int end, int thread)
{
    const filling *f = context;
    for (int c = first; c < end; ++c) {
        fill_chunk(f->n, c, f->contacts, f->frames);
    }
}

static void fill_list(const narrow *n, tn_contact *contacts, double *frames)
{
    tn_team_share(n->view->n_threads, chunk_count(n), 1, fill_chunks, &(filling){n, contacts, frames});
}

static bool allocate(narrow *n)
{
    tn_arena *arena = n->view->arena;
    n->touches = TN_PUSH_RAW(arena, touch, n->pairs->n);
    n->first = TN_PUSH_RAW(arena, int, chunk_count(n) + 1);
    n->sinks = TN_PUSH(arena, point_sink, n->view->n_threads);
    return n->touches && n->first && n->sinks;
}

tn_status tn_narrow_phase(tn_collide_view *view, const tn_pair_list *pairs, tn_arena *arena, tn_contact_list *out,
                          tn_error *error)
{
    narrow n = {.view = view, .pairs = pairs, .buffer.arena = view->arena};
    *out = (tn_contact_list){0};
    if (!allocate(&n)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the contacts of %d pairs", pairs->n);
    }
    tn_team_share(view->n_threads, pairs->n, CHUNK, touch_pairs, &n);
    if (!level_sinks(&n)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the contact points of %d pairs", pairs->n);
    }
    tn_status status = touch_softs(&n, error);
    status = status ? status : drop_seams(&n, error);
    if (status) {
        return status;
    }
    count_contacts(&n);
    int count = n.first[chunk_count(&n)], room = count + count / ROOM_PART;
    tn_contact *contacts = TN_PUSH_RAW(arena, tn_contact, room);
    double *frames = TN_PUSH_RAW(arena, double, 9 * (size_t)room);
    n.soft = TN_PUSH_RAW(arena, tn_soft_point, 2 * (size_t)n.buffer.n);
    if (!contacts || !frames || !n.soft) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for %d contacts", count);
    }
    fill_list(&n, contacts, frames);
    *out = (tn_contact_list){.n = count, .contacts = contacts, .frames = frames, .room = room};
    return TN_OK;
}
