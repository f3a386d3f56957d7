#include "collide/view.h"

#include "base/team.h"
#include "collide/frame.h"
#include "math/vec3.h"

#include <string.h>

enum { PIECE = 128 }; // shapes that a thread takes at a time

static bool allocate(tn_collide_view *view, tn_arena *arena)
{
    const tn_model *model = view->model;
    int n_sides = tn_side_count(model);
    view->listed = TN_PUSH_RAW(arena, int, n_sides);
    view->motion = TN_PUSH_RAW(arena, tn_body_motion, model->n_bodies);
    view->pose = TN_PUSH_RAW(arena, tn_pose, model->n_shapes);
    view->placed = TN_PUSH_RAW(arena, tn_placed, model->n_shapes);
    view->way = TN_PUSH_RAW(arena, double, n_sides);
    view->bounds = TN_PUSH_RAW(arena, tn_bounds, n_sides);
    view->ball = TN_PUSH_RAW(arena, tn_ball, model->n_shapes);
    view->n_half_spaces = model->n_planes;
    view->half_spaces = TN_PUSH(arena, tn_half_space, view->n_half_spaces);
    view->soft = TN_PUSH(arena, tn_soft_motion, model->n_softs);
    view->first_chunk = TN_PUSH(arena, int, model->n_softs + 1);
    if (!view->listed || !view->motion || !view->pose || !view->ball || !view->placed || !view->way || !view->bounds ||
        !view->half_spaces || !view->soft || !view->first_chunk) {
        return false;
    }
    for (int s = 0; s < model->n_softs; ++s) {
        view->first_chunk[s + 1] = view->first_chunk[s] + (model->softs[s].n_vertices + TN_CHUNK - 1) / TN_CHUNK;
    }
    view->chunk = TN_PUSH(arena, tn_bounds, view->first_chunk[model->n_softs]);
    return view->chunk != NULL;
}

static void grow(tn_bounds *bounds, double by)
{
    for (int i = 0; i < 3; ++i) {
        bounds->low[i] -= by;
        bounds->high[i] += by;
    }
}

static tn_ball ball_of(const tn_collide_view *view, int s)
{
    const tn_model_shape *shape = view->model->shapes + s;
    const tn_body_motion *motion = view->motion + shape->body;
    bool round = tn_class_of(&shape->shape)->round;
    tn_ball ball = {.radius = round ? shape->shape.size[0] : INFINITY,
                    .spin = (float)((1.0 + 1e-6) * tn_vec3_norm(motion->angular)),
                    .is_sphere = tn_shape_is_sphere(&shape->shape)};
    tn_vec3_copy(ball.centre, view->pose[s].position);
    tn_motion_velocity_at(ball.velocity, motion, ball.centre);
    return ball;
}

static void view_shape(tn_collide_view *view, int s)
{
    const tn_model_shape *shape = view->model->shapes + s;
    tn_bounds *bounds = view->bounds + s;
    tn_shape_world_pose(view->pose + s, view->state, s);
    view->way[s] = tn_shape_way(view->state, view->motion, s);
    view->ball[s] = ball_of(view, s);
    if (tn_placed_set(view->placed + s, &shape->shape, view->pose + s)) {
        tn_class_of(&shape->shape)->bounds(view->placed + s, bounds->low, bounds->high);
        grow(bounds, tn_bounds_growth(view, s) + 0.5 * view->model->margin);
    } else {
        tn_vec3_set(bounds->low, NAN, NAN, NAN);
        tn_vec3_set(bounds->high, NAN, NAN, NAN);
    }
}

void tn_shape_rest_box(const tn_state *state, int shape, double out[6])
{
    const tn_model_shape *s = state->model->shapes + shape;
    tn_pose pose;
    tn_placed placed;
    tn_bounds bounds = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    tn_shape_world_pose(&pose, state, shape);
    if (tn_placed_set(&placed, &s->shape, &pose)) {
        tn_class_of(&s->shape)->bounds(&placed, bounds.low, bounds.high);
        grow(&bounds, tn_way_of(state, 0.0) + 0.5 * state->model->margin);
    }
    tn_vec3_copy(out, bounds.low);
    tn_vec3_copy(out + 3, bounds.high);
}

static void bounds_join(tn_bounds *bounds, const tn_bounds *with)
{
    for (int i = 0; i < 3; ++i) {
        bounds->low[i] = with->low[i] < bounds->low[i] ? with->low[i] : bounds->low[i];
        bounds->high[i] = with->high[i] > bounds->high[i] ? with->high[i] : bounds->high[i];
    }
}

static bool is_asleep(const tn_collide_view *view, int s)
{
    return view->model->bodies[view->model->shapes[s].body].asleep;
}

// A shape of a sleeping island that nothing awake is near (bounds: of all that is awake) bounds nothing. A plane's
// place is always asked for.
static void view_sleeper(tn_collide_view *view, int s, const tn_bounds *awake)
{
    const tn_model *model = view->model;
    tn_bounds island;
    const double *box = model->sleep_box[model->bodies[model->shapes[s].body].island];
    tn_vec3_copy(island.low, box);
    tn_vec3_copy(island.high, box + 3);
    if (tn_bounds_overlap(&island, awake) || tn_shape_is(&model->shapes[s].shape, TN_FORM_HALF_SPACE)) {
        view_shape(view, s);
    } else {
        tn_vec3_set(view->bounds[s].low, NAN, NAN, NAN);
        tn_vec3_set(view->bounds[s].high, NAN, NAN, NAN);
    }
}

typedef struct sleepers {
    tn_collide_view *view;
    const tn_bounds *awake;
} sleepers;

static void view_asleep(const void *context, int first, int end, int thread)
{
    const sleepers *a = context;
    for (int k = first; k < end; ++k) {
        if (is_asleep(a->view, a->view->listed[k])) {
            view_sleeper(a->view, a->view->listed[k], a->awake);
        }
    }
}

// Of all that is awake and moves, shapes and soft bodies; everything, where nothing much would be left out.
static tn_bounds awake_bounds(const tn_collide_view *view)
{
    const tn_model *model = view->model;
    tn_bounds awake = {.low = {INFINITY, INFINITY, INFINITY}, .high = {-INFINITY, -INFINITY, -INFINITY}};
    if (!model->any_asleep && model->n_fixed < view->n_listed) {
        return (tn_bounds){.low = {-INFINITY, -INFINITY, -INFINITY}, .high = {INFINITY, INFINITY, INFINITY}};
    }
    for (int k = 0; k < view->n_listed; ++k) {
        if (tn_side_motion(model, view->listed[k]) & (TN_SIDE_MOVES | TN_SIDE_DRIVEN)) {
            bounds_join(&awake, view->bounds + view->listed[k]);
        }
    }
    for (int s = 0; s < model->n_softs; ++s) {
        bounds_join(&awake, view->bounds + model->n_shapes + s);
    }
    return awake;
}

typedef struct near_shapes {
    tn_collide_view *view;
    const int *shape;
} near_shapes;

static void view_near(const void *context, int first, int end, int thread)
{
    (void)thread;
    const near_shapes *near = context;
    for (int k = first; k < end; ++k) {
        view_shape(near->view, near->shape[k]);
    }
}

// Merges ascending shapes into those that are listed; room is there.
static void list(tn_collide_view *view, int n, const int *shapes)
{
    int i = view->n_listed - 1, k = view->n_listed + n - 1;
    for (int j = n - 1; j >= 0; --k) {
        view->listed[k] = i >= 0 && view->listed[i] > shapes[j] ? view->listed[i--] : shapes[j--];
    }
    view->n_listed += n;
}

// Shapes of fixed bodies that something may reach, and planes, whose place is always asked for.
static bool view_fixed(tn_collide_view *view, tn_bounds awake)
{
    const tn_model *model = view->model;
    int n = 0, *shape = TN_PUSH_RAW(view->arena, int, model->n_fixed);
    if (!shape) {
        return false;
    }
    grow(&awake, view->fall + model->margin);
    for (int i = 0; i < model->n_fixed; ++i) {
        const tn_fixed_shape *fixed = model->fixed + i;
        const double *low = fixed->box, *high = fixed->box + 3;
        bool near = low[0] <= awake.high[0] && awake.low[0] <= high[0] && low[1] <= awake.high[1] &&
                    awake.low[1] <= high[1] && low[2] <= awake.high[2] && awake.low[2] <= high[2];
        if (near || tn_shape_is(&model->shapes[fixed->shape].shape, TN_FORM_HALF_SPACE)) {
            shape[n++] = fixed->shape;
            tn_body_motion_of(view->motion + model->shapes[fixed->shape].body, view->state,
                              model->shapes[fixed->shape].body);
        }
    }
    tn_team_share(view->n_threads, n, PIECE, view_near, &(near_shapes){view, shape});
    list(view, n, shape);
    return true;
}

// How far the points of a plane go that turns depends on how far away they are.
static void view_planes(tn_collide_view *view)
{
    int k = 0;
    for (int s = 0; k < view->n_half_spaces; ++s) {
        const tn_model_shape *shape = view->model->shapes + s;
        if (!tn_shape_is(&shape->shape, TN_FORM_HALF_SPACE)) {
            continue;
        }
        const double *turning = view->motion[shape->body].angular;
        tn_half_space *space = view->half_spaces + k++;
        bool turns = tn_vec3_dot(turning, turning) != 0.0;
        space->surface = s;
        tn_placed_axis(space->normal, view->placed + s, 2);
        space->level =
            turns ? INFINITY
                  : tn_vec3_dot(space->normal, view->pose[s].position) + view->way[s] + 0.5 * view->model->margin;
    }
}

static void bounds_of_nodes(tn_bounds *out, const double *x, int n, const int *nodes)
{
    for (int i = 0; i < 3; ++i) {
        double low = INFINITY, high = -INFINITY;
        for (int k = 0; k < n; ++k) {
            double here = x[3 * (size_t)nodes[k] + (size_t)i];
            low = here < low ? here : low;
            high = here > high ? here : high;
        }
        out->low[i] = low;
        out->high[i] = high;
    }
}

static double larger(double a, double b)
{
    return b > a ? b : a;
}

// Velocity of a node; own: room for one that moves with a body.
static const double *node_velocity(const tn_collide_view *view, int node, double own[3])
{
    int block = view->model->nodes[node].block;
    if (block >= 0) {
        return view->state->v + 3 * (size_t)block;
    }
    tn_node_motion(own, view->state, view->motion, node);
    return own;
}

static tn_soft_motion motion_of(const tn_collide_view *view, const tn_model_soft *soft)
{
    const int *vertices = view->model->vertices + soft->first_vertex;
    double mean[3] = {0.0}, own[3], square = 0.0, apart = 0.0, part = 1.0 / soft->n_vertices;
    for (int i = 0; i < soft->n_vertices; ++i) {
        const double *v = node_velocity(view, vertices[i], own);
        tn_vec3_madd(mean, mean, part, v);
        square = larger(square, tn_vec3_dot(v, v));
    }
    for (int i = 0; i < soft->n_vertices; ++i) {
        double d[3];
        tn_vec3_sub(d, node_velocity(view, vertices[i], own), mean);
        apart = larger(apart, tn_vec3_dot(d, d));
    }
    tn_soft_motion m = {.speed = sqrt(square), .deviation = sqrt(apart)};
    tn_vec3_copy(m.mean, mean);
    return m;
}

static void view_soft(tn_collide_view *view, int s)
{
    const tn_model *model = view->model;
    const tn_model_soft *soft = model->softs + s;
    const int *vertices = model->vertices + soft->first_vertex;
    int side = model->n_shapes + s;
    tn_bounds *bounds = view->bounds + side;
    tn_vec3_set(bounds->low, INFINITY, INFINITY, INFINITY);
    tn_vec3_set(bounds->high, -INFINITY, -INFINITY, -INFINITY);
    for (int c = view->first_chunk[s], i = 0; c < view->first_chunk[s + 1]; ++c, i += TN_CHUNK) {
        int n = soft->n_vertices - i < TN_CHUNK ? soft->n_vertices - i : TN_CHUNK;
        bounds_of_nodes(view->chunk + c, view->state->x, n, vertices + i);
        bounds_join(bounds, view->chunk + c);
    }
    view->soft[s] = motion_of(view, soft);
    view->way[side] = tn_way_of(view->state, view->soft[s].speed);
    grow(bounds, view->way[side] + 0.5 * model->margin);
}

static void view_awake(const void *context, int first, int end, int thread)
{
    tn_collide_view *const *view = context;
    for (int k = first; k < end; ++k) {
        if (!is_asleep(*view, (*view)->listed[k])) {
            view_shape(*view, (*view)->listed[k]);
        }
    }
}

static void find_motions(const void *context, int first, int end, int thread)
{
    (void)thread;
    tn_collide_view *const *view = context;
    for (int k = first; k < end; ++k) {
        int body = (*view)->model->mover[k];
        tn_body_motion_of((*view)->motion + body, (*view)->state, body);
    }
}

// All bodies but fixed ones, with their shapes. Soft bodies may hang from any.
static void view_movers(tn_collide_view *view)
{
    const tn_model *model = view->model;
    if (model->n_softs > 0) {
        tn_body_motions_of(view->motion, view->state, view->n_threads);
    } else {
        tn_team_share(view->n_threads, model->n_movers, PIECE, find_motions, &view);
    }
    for (int k = 0; k < model->n_movers; ++k) {
        const tn_model_body *body = &model->bodies[model->mover[k]];
        for (int s = body->first_shape; s < body->first_shape + body->n_shapes; ++s) {
            view->listed[view->n_listed++] = s;
        }
    }
    tn_team_share(view->n_threads, view->n_listed, PIECE, view_awake, &view);
    for (int s = 0; s < model->n_softs; ++s) {
        view_soft(view, s);
    }
}

static tn_status no_memory(const tn_model *model, tn_error *error)
{
    return tn_error_set(error, TN_NO_MEMORY, "no memory for the poses of %d shapes and the bounds of %d vertices",
                        model->n_shapes, model->n_vertices);
}

tn_status tn_collide_view_set(tn_collide_view *view, tn_error *error)
{
    const tn_model *model = view->model;
    view->skins = model->skins;
    view->step = model->settings.step;
    view->fall = tn_way_of(view->state, 0.0);
    view->n_listed = 0;
    if (!allocate(view, view->arena)) {
        return no_memory(model, error);
    }
    view_movers(view);
    tn_bounds awake = awake_bounds(view);
    if (model->any_asleep) {
        tn_team_share(view->n_threads, view->n_listed, PIECE, view_asleep, &(sleepers){view, &awake});
    }
    if (!view_fixed(view, awake)) {
        return no_memory(model, error);
    }
    view_planes(view);
    for (int s = 0; s < model->n_softs; ++s) {
        view->listed[view->n_listed++] = model->n_shapes + s;
    }
    return TN_OK;
}

void *tn_collide_scratch(tn_collide_view *view, tn_scratch_use use, size_t count, size_t size)
{
    size_t bytes = count * size;
    if (!view->scratch[use] || bytes > view->scratch_bytes[use]) {
        bytes = bytes > 2 * view->scratch_bytes[use] ? bytes : 2 * view->scratch_bytes[use];
        view->scratch[use] = tn_arena_push(view->arena, 1, bytes);
        view->scratch_bytes[use] = view->scratch[use] ? bytes : 0;
    }
    return view->scratch[use];
}

bool tn_contact_buffer_reserve(tn_contact_buffer *buffer, int n)
{
    if (n <= buffer->capacity - buffer->n) {
        return true;
    }
    int capacity = 2 * buffer->capacity + 64 > buffer->n + n ? 2 * buffer->capacity + 64 : buffer->n + n;
    tn_soft_contact *contacts = TN_PUSH(buffer->arena, tn_soft_contact, capacity);
    if (!contacts) {
        return false;
    }
    if (buffer->n > 0) {
        memcpy(contacts, buffer->contacts, (size_t)buffer->n * sizeof *contacts);
    }
    buffer->contacts = contacts;
    buffer->capacity = capacity;
    return true;
}

void tn_contact_maker_set(tn_contact_maker *maker, const tn_collide_view *view, const tn_shape_pair *pair)
{
    *maker = (tn_contact_maker){.view = view};
    maker->last.contact = (tn_contact){.body_a = tn_side_body(view->model, pair->a),
                                       .body_b = tn_side_body(view->model, pair->b),
                                       .shape_a = pair->a,
                                       .shape_b = pair->b,
                                       .surface = tn_pair_surface(view->model, pair->a, pair->b)};
}

void tn_contact_make(tn_contact_maker *maker, uint32_t feature, const double normal[3], const double point[3],
                     double gap, tn_soft_contact *out)
{
    tn_contact *last = &maker->last.contact;
    last->feature = feature;
    last->gap = gap;
    tn_vec3_copy(last->point, point);
    double *n = maker->last.frame;
    if (n[0] != normal[0] || n[1] != normal[1] || n[2] != normal[2]) {
        tn_contact_frame(n, maker->view->state, last->surface, last->body_a, last->body_b, normal);
    }
    *out = maker->last;
}
