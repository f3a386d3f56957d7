// Queries: places of all pieces of a state, and what walks over the tree of their boxes.
#include "query/query.h"

#include "base/memory.h"
#include "math/vec3.h"
#include "shape/pose.h"

#include <string.h>

tn_query *tn_query_create(const tn_model *model, tn_error *error)
{
    if (!model) {
        tn_error_set(error, TN_BAD_INPUT, "a query needs a model");
        return NULL;
    }
    tn_query *query = tn_calloc(1, sizeof *query);
    if (query) {
        query->model = model;
        query->n_pieces = model->n_shapes + model->n_faces;
        query->arena = tn_arena_create(0);
    }
    if (!query || !query->arena) {
        tn_error_set(error, TN_NO_MEMORY, "no memory for a query");
        tn_query_destroy(query);
        return NULL;
    }
    return query;
}

void tn_query_destroy(tn_query *query)
{
    if (query) {
        tn_arena_destroy(query->arena);
        tn_free(query);
    }
}

void tn_query_pieces(const tn_model *model, int body, int *first, int *end)
{
    int s = body - model->n_bodies;
    *first = s < 0 ? model->bodies[body].first_shape : model->n_shapes + model->softs[s].first_face;
    *end = *first + (s < 0 ? model->bodies[body].n_shapes : model->softs[s].n_faces);
}

tn_piece tn_query_piece(const tn_query *query, int piece)
{
    const tn_model *model = query->model;
    tn_piece out = {.placed = piece < model->n_shapes ? &query->placed[piece] : NULL};
    for (int k = 0; k < 3 && !out.placed; k++) {
        int node = model->faces[3 * (size_t)(piece - model->n_shapes) + (size_t)k];
        tn_vec3_copy(out.corner + 3 * k, query->x + 3 * (size_t)node);
    }
    return out;
}

static void place_shape(tn_query *query, const tn_state *state, int s)
{
    const tn_model_shape *shape = &query->model->shapes[s];
    tn_pose pose;
    tn_pose_join(&pose, &state->pose[shape->body], &shape->pose);
    tn_placed_set(&query->placed[s], &shape->shape, &pose);
    tn_shape_bounds(&shape->shape, &pose, 0.0, query->box[s].low, query->box[s].high);
    if (tn_shape_is(&shape->shape, TN_FORM_HALF_SPACE)) {
        query->unbounded[query->n_unbounded++] = s;
    }
}

static void box_face(tn_query *query, int piece)
{
    tn_piece face = tn_query_piece(query, piece);
    tn_box *box = &query->box[piece];
    for (int k = 0; k < 3; k++) {
        const double *c = face.corner + k;
        box->low[k] = fmin(c[0], fmin(c[3], c[6]));
        box->high[k] = fmax(c[0], fmax(c[3], c[6]));
    }
}

tn_status tn_query_update(tn_query *query, const tn_state *state, tn_error *error)
{
    if (!query || !state || state->model != query->model) {
        return tn_error_set(error, TN_BAD_INPUT, "a query is updated to a state of its own model");
    }
    const tn_model *model = query->model;
    size_t n_x = 3 * (size_t)model->n_nodes;
    query->updated = false;
    tn_arena_reset(query->arena);
    query->placed = TN_PUSH_RAW(query->arena, tn_placed, model->n_shapes);
    query->box = TN_PUSH_RAW(query->arena, tn_box, query->n_pieces);
    query->unbounded = TN_PUSH_RAW(query->arena, int, model->n_planes);
    double *x = TN_PUSH_RAW(query->arena, double, n_x);
    query->n_unbounded = 0;
    if (!query->placed || !query->box || !query->unbounded || !x) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the places of %d shapes", query->n_pieces);
    }
    memcpy(x, state->x, n_x * sizeof *x);
    query->x = x;
    for (int s = 0; s < model->n_shapes; s++) {
        place_shape(query, state, s);
    }
    for (int piece = model->n_shapes; piece < query->n_pieces; piece++) {
        box_face(query, piece);
    }
    query->updated = tn_query_build(query);
    return query->updated ? TN_OK
                          : tn_error_set(error, TN_NO_MEMORY, "no memory for a tree of %d boxes", query->n_pieces);
}

static tn_status check(const tn_query *query, tn_error *error)
{
    return query && query->updated ? TN_OK
                                   : tn_error_set(error, TN_BAD_INPUT, "the query has not been updated to a state");
}

// ---- distances

static const tn_nearest APART = {.distance = INFINITY, .shape_a = -1, .shape_b = -1};

// The pieces a and b where they are nearer than *out.
static void try_pieces(const tn_query *query, int a, int b, tn_nearest *out)
{
    tn_piece one = tn_query_piece(query, a), two = tn_query_piece(query, b);
    if (tn_piece_distance(&one, &two, out)) {
        out->shape_a = a < query->model->n_shapes ? a : -1;
        out->shape_b = b < query->model->n_shapes ? b : -1;
    }
}

static bool is_plane(const tn_query *query, int piece)
{
    return piece < query->model->n_shapes && tn_shape_is(&query->model->shapes[piece].shape, TN_FORM_HALF_SPACE);
}

// Piece a against the pieces below a node, nearer boxes first.
static void try_tree(const tn_query *query, int a, int node, tn_nearest *out)
{
    const tn_query_node *n = &query->node[node];
    if (n->first < 0) {
        try_pieces(query, a, ~n->first, out);
        return;
    }
    double gap[2];
    for (int k = 0; k < 2; k++) {
        gap[k] = is_plane(query, a) ? 0.0 : tn_box_gap(&query->box[a], &query->node[n->first + k].box);
    }
    int near = gap[1] < gap[0];
    for (int k = 0; k < 2; k++) {
        int child = k ^ near;
        if (gap[child] < out->distance || gap[child] == 0.0) {
            try_tree(query, a, n->first + child, out);
        }
    }
}

// The distance of two bodies where it is less than out->distance.
static void try_bodies(const tn_query *query, int body_a, int body_b, tn_nearest *out)
{
    int first[2], end[2];
    tn_query_pieces(query->model, body_a, &first[0], &end[0]);
    tn_query_pieces(query->model, body_b, &first[1], &end[1]);
    for (int a = first[0]; a < end[0]; a++) {
        if (query->root[body_b] >= 0) {
            try_tree(query, a, query->root[body_b], out);
        }
        for (int i = 0; i < query->n_unbounded; i++) {
            int b = query->unbounded[i];
            if (b >= first[1] && b < end[1]) {
                try_pieces(query, a, b, out);
            }
        }
    }
}

tn_status tn_query_distance(const tn_query *query, int body_a, int body_b, double reach, tn_nearest *out,
                            tn_error *error)
{
    tn_status status = check(query, error);
    if (status != TN_OK) {
        return status;
    }
    int n = query->model->n_bodies + query->model->n_softs;
    if (body_a < 0 || body_a >= n || body_b < 0 || body_b >= n || !(reach >= 0.0) || !out) {
        return tn_error_set(error, TN_BAD_INPUT, "distance of bodies %d and %d within %g m: there are bodies 0 to %d",
                            body_a, body_b, reach, n - 1);
    }
    *out = APART;
    out->distance = reach;
    try_bodies(query, body_a, body_b, out);
    if (out->shape_a < 0 && out->shape_b < 0 && tn_vec3_dot(out->normal, out->normal) == 0.0) {
        *out = APART;
    }
    return TN_OK;
}

// ---- pairs

typedef struct pairs {
    const tn_query *query;
    double within;
    int body; // whose partners are looked for
    int most, n;
    int *out;
    char *seen; // (bodies) partners of this body
} pairs;

static void meet(pairs *p, int other)
{
    const tn_model *model = p->query->model;
    if (other <= p->body || p->seen[other] ||
        !(tn_model_body_moves(model, p->body) || tn_model_body_moves(model, other))) {
        return;
    }
    tn_nearest nearest = APART;
    nearest.distance = p->within;
    try_bodies(p->query, p->body, other, &nearest);
    p->seen[other] = tn_vec3_dot(nearest.normal, nearest.normal) > 0.0;
}

// Bodies whose boxes are near the box.
static void meet_below(pairs *p, const tn_box *box, int node)
{
    const tn_query_node *n = &p->query->node[node];
    if (tn_box_gap(box, &n->box) > p->within) {
        return;
    }
    if (n->first < 0) {
        meet(p, tn_query_body_of(p->query, ~n->first));
        return;
    }
    meet_below(p, box, n->first);
    meet_below(p, box, n->first + 1);
}

static void find_pairs(pairs *p)
{
    const tn_query *query = p->query;
    int n = query->model->n_bodies + query->model->n_softs;
    static const tn_box everywhere = {{-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}};
    for (p->body = 0; p->body < n; p->body++) {
        int first, end;
        tn_query_pieces(query->model, p->body, &first, &end);
        memset(p->seen, 0, (size_t)n);
        bool plane = false;
        for (int a = first; a < end; a++) {
            plane = plane || is_plane(query, a);
        }
        if (query->n_nodes > 0 && plane) {
            meet_below(p, &everywhere, 0);
        } else if (query->n_nodes > 0 && query->root[p->body] >= 0) {
            meet_below(p, &query->node[query->root[p->body]].box, 0);
        }
        for (int i = 0; i < query->n_unbounded; i++) {
            meet(p, tn_query_body_of(query, query->unbounded[i]));
        }
        for (int b = p->body + 1; b < n; b++) {
            if (p->seen[b] && p->n++ < p->most) {
                p->out[2 * p->n - 2] = p->body;
                p->out[2 * p->n - 1] = b;
            }
        }
    }
}

tn_status tn_query_pairs(const tn_query *query, double within, int most, int *out, int *n, tn_error *error)
{
    tn_status status = check(query, error);
    if (status != TN_OK) {
        return status;
    }
    if (!(within >= 0.0) || most < 0 || (most > 0 && !out) || !n) {
        return tn_error_set(error, TN_BAD_INPUT, "pairs within %g m, room for %d of them: neither may be below 0",
                            within, most);
    }
    pairs p = {.query = query, .within = within, .most = most, .out = out};
    p.seen = tn_malloc((size_t)query->model->n_bodies + (size_t)query->model->n_softs);
    if (!p.seen) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for pairs of bodies");
    }
    find_pairs(&p);
    tn_free(p.seen);
    *n = p.n;
    return TN_OK;
}
