#include "collide/soft_vertex.h"

#include "base/team.h"
#include "collide/broad.h"
#include "collide/graze.h"
#include "collide/soft_hit.h"
#include "math/vec3.h"
#include "shape/class.h"

typedef struct vertex_hit {
    int vertex; // within the body
    double gap, normal[3];
} vertex_hit;

// One shape and one soft body.
typedef struct vertex_work {
    const tn_collide_view *view;
    const tn_shape_pair *pair;
    const tn_model_soft *soft;
    tn_placed placed;
    int body;          // of the shape
    double reach;      // no gap above it counts [m]
    vertex_hit *hits;  // (n_vertices) each chunk's from its first vertex on
    int *count, n;     // (n) hits of each chunk
    bool *meets;       // (n) whether one of them may close as things move
    tn_bounds *bounds; // (n)
} vertex_work;

// True if what the node belongs to may touch the body's shapes: not attached to it, and one of them moves.
static bool is_node_wanted(const tn_model *model, int node, int body)
{
    const tn_model_node *n = model->nodes + node;
    return n->block >= 0 ||
           (n->body != body && (model->bodies[n->body].n_blocks > 0 || model->bodies[body].n_blocks > 0));
}

double tn_soft_way(const tn_collide_view *view, const double velocity[3], const double below[3], const double normal[3],
                   double *meet)
{
    double u[3], across[3];
    tn_vec3_sub(u, velocity, below);
    double along = tn_vec3_dot(normal, u);
    tn_vec3_madd(across, u, -along, normal);
    double speed = (along < 0.0 ? -along : 0.0) + 0.5 * tn_vec3_norm(across);
    double down = -tn_vec3_dot(normal, velocity), up = tn_vec3_dot(normal, below), stopped = down > up ? down : up;
    *meet = 2.0 * view->step * speed + view->fall;
    return 2.0 * view->step * (speed > stopped ? speed : stopped) + view->fall;
}

// False: the vertex at x is farther than reach, or too slow.
static bool hit_vertex(const vertex_work *work, int node, vertex_hit *hit, bool *meets)
{
    const tn_collide_view *view = work->view;
    const double *x = view->state->x + 3 * (size_t)node;
    double nearest[3], velocity[3], below[3], meet;
    hit->gap = tn_placed_distance(&work->placed, x, hit->normal);
    if (!(hit->gap <= work->reach) || !is_node_wanted(view->model, node, work->body)) {
        return false;
    }
    double margin = view->model->margin;
    if (hit->gap <= margin) { // whatever the speed
        *meets = true;
        return true;
    }
    tn_vec3_madd(nearest, x, -hit->gap, hit->normal);
    tn_node_motion(velocity, view->state, view->motion, node);
    tn_motion_velocity_at(below, view->motion + work->body, nearest);
    double way = tn_soft_way(view, velocity, below, hit->normal, &meet);
    *meets |= hit->gap <= margin + meet;
    return hit->gap <= margin + way;
}

// A chunk is out of reach of a plane if its box is; of other shapes, if their boxes miss.
static bool chunk_reached(const vertex_work *work, const tn_bounds *chunk)
{
    if (tn_shape_is(work->placed.shape, TN_FORM_HALF_SPACE)) {
        double nearest[3], normal[3];
        tn_placed_axis(normal, &work->placed, 2);
        for (int i = 0; i < 3; ++i) {
            nearest[i] = normal[i] > 0.0 ? chunk->low[i] : chunk->high[i];
        }
        return tn_placed_distance(&work->placed, nearest, normal) <= work->reach;
    }
    tn_bounds grown = *chunk;
    const tn_collide_view *view = work->view;
    double by = view->way[work->pair->b] + 0.5 * view->model->margin;
    for (int i = 0; i < 3; ++i) {
        grown.low[i] -= by;
        grown.high[i] += by;
    }
    return tn_bounds_overlap(&grown, view->bounds + work->pair->a);
}

static void hit_chunk(const vertex_work *work, int c)
{
    const int *vertices = work->view->model->vertices + work->soft->first_vertex;
    int first = c * TN_CHUNK, end = first + TN_CHUNK;
    end = end < work->soft->n_vertices ? end : work->soft->n_vertices;
    work->count[c] = 0;
    work->meets[c] = false;
    if (!chunk_reached(work, work->bounds + c)) {
        return;
    }
    for (int i = first; i < end; ++i) {
        vertex_hit *hit = work->hits + first + work->count[c];
        hit->vertex = i;
        work->count[c] += hit_vertex(work, vertices[i], hit, work->meets + c);
    }
}

static void hit_chunks(const void *context, int first, int end, int thread)
{
    const vertex_work *work = context;
    for (int c = first; c < end; ++c) {
        hit_chunk(work, c);
    }
}

static void fill_chunk(const vertex_work *work, int c, tn_contact_maker *maker, tn_soft_contact *out)
{
    const tn_model *model = work->view->model;
    for (int k = 0; k < work->count[c]; ++k) {
        const vertex_hit *hit = work->hits + (size_t)c * TN_CHUNK + (size_t)k;
        int node = model->vertices[work->soft->first_vertex + hit->vertex];
        double point[3];
        tn_vec3_madd(point, work->view->state->x + 3 * (size_t)node, -0.5 * hit->gap, hit->normal);
        tn_contact_make(maker, (uint32_t)hit->vertex, hit->normal, point, hit->gap, out + k);
        out[k].b = (tn_soft_point){.n = 1, .node = {node}, .weight = {1.0}};
    }
}

// Does the vertex run up against a side of the shape within the step, though it passes by another one? way: as seen
// from the shape.
static bool closes(const vertex_work *work, int node, const vertex_hit *hit, double way[3])
{
    const tn_collide_view *view = work->view;
    double tiny = TN_LEVEL * view->model->margin, nearest[3], below[3];
    tn_vec3_madd(nearest, view->state->x + 3 * (size_t)node, -hit->gap, hit->normal);
    tn_node_motion(way, view->state, view->motion, node);
    tn_motion_velocity_at(below, view->motion + work->body, nearest);
    tn_vec3_sub(way, way, below);
    tn_vec3_scale(way, view->step, way);
    return tn_gap_closes(hit->gap, tn_vec3_dot(way, hit->normal), tiny);
}

// Leaves out vertices that pass by a face of the shape (graze.h). False: no memory.
static bool drop_passing(const vertex_work *work, tn_collide_view *view)
{
    const double level = 0.1; // of the margin
    const int *vertices = view->model->vertices + work->soft->first_vertex;
    const tn_skin_view *skin = NULL;
    for (int c = 0; c < work->n; ++c) {
        vertex_hit *hits = work->hits + (size_t)c * TN_CHUNK;
        int kept = 0;
        for (int k = 0; k < work->count[c]; ++k) {
            double way[3], facing[3];
            int node = vertices[hits[k].vertex];
            bool passes = closes(work, node, hits + k, way);
            if (passes && !skin && !(skin = tn_collide_view_skin(view, (int)(work->soft - view->model->softs)))) {
                return false;
            }
            if (passes) {
                tn_skin_node_facing(skin, node - work->soft->first_node, facing);
                passes =
                    tn_vertex_grazes(work->placed.shape, view->pose + work->pair->a, view->state->x + 3 * (size_t)node,
                                     way, hits[k].normal, facing, level * view->model->margin);
            }
            if (!passes) {
                hits[kept++] = hits[k];
            }
        }
        work->count[c] = kept;
    }
    return true;
}

static bool set_work(vertex_work *work, tn_collide_view *view, const tn_shape_pair *pair)
{
    int soft = pair->b - view->model->n_shapes;
    *work = (vertex_work){.view = view,
                          .pair = pair,
                          .soft = view->model->softs + soft,
                          .body = view->model->shapes[pair->a].body,
                          .reach = view->model->margin + view->way[pair->a] + view->way[pair->b],
                          .n = view->first_chunk[soft + 1] - view->first_chunk[soft],
                          .bounds = view->chunk + view->first_chunk[soft]};
    work->hits = tn_collide_scratch(view, TN_SCRATCH_HITS, (size_t)work->soft->n_vertices, sizeof *work->hits);
    work->count = tn_collide_scratch(view, TN_SCRATCH_COUNTS, (size_t)work->n, sizeof *work->count);
    work->meets = tn_collide_scratch(view, TN_SCRATCH_FLAGS, (size_t)work->n, sizeof *work->meets);
    return work->hits && work->count && work->meets;
}

tn_status tn_collide_vertices(tn_collide_view *view, const tn_shape_pair *pair, tn_contact_buffer *buffer,
                              tn_error *error)
{
    vertex_work work;
    if (!set_work(&work, view, pair)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the contacts of %d vertices", work.soft->n_vertices);
    }
    const tn_model_shape *shape = view->model->shapes + pair->a;
    if (!tn_class_of(&shape->shape)->distance || !tn_placed_set(&work.placed, &shape->shape, view->pose + pair->a)) {
        return TN_OK;
    }
    int total = 0, n = work.n;
    bool meets = false;
    tn_team_share(view->n_threads, n, 8, hit_chunks, &work);
    if (tn_shape_is(work.placed.shape, TN_FORM_CONVEX) && !drop_passing(&work, view)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the skin of a soft body");
    }
    for (int c = 0; c < n; ++c) {
        total += work.count[c];
        meets |= work.meets[c];
    }
    if (total == 0 || !meets) {
        return TN_OK;
    }
    if (!tn_contact_buffer_reserve(buffer, total)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for more than %d contacts", buffer->n);
    }
    tn_contact_maker maker;
    tn_contact_maker_set(&maker, view, pair);
    for (int c = 0; c < n; ++c) {
        fill_chunk(&work, c, &maker, buffer->contacts + buffer->n);
        buffer->n += work.count[c];
    }
    return TN_OK;
}
