// A vertex that lies on one shape near its end sees the next one from the side, though that goes on level with the
// first: the nearest point of a floor's tile is on its upper edge, and the way there leads along the floor. Such a
// contact is left out where the vertex touches another shape, whose tangent plane the first one does not rise above,
// neither there nor a margin before it: the vertex passes over it. Walls, steps and ramps rise above the plane.
#include "collide/soft_seam.h"

#include "collide/graze.h"
#include "math/vec3.h"

typedef enum fate { OPEN, NEEDED, LEFT_OUT } fate; // NEEDED: others are left out because of it

typedef struct seam_work {
    const tn_collide_view *view;
    const tn_contact_buffer *buffer;
    int *first, *next; // (n_nodes), (buffer->n) contacts of the vertex with shapes, one after the other; -1: none
    fate *fates;       // (buffer->n)
} seam_work;

static bool is_of_shape(const tn_soft_contact *c)
{
    return c->a.n == 0;
}

// The place on the shape.
static void on_shape(const tn_soft_contact *c, double out[3])
{
    tn_vec3_madd(out, c->contact.point, -0.5 * c->contact.gap, c->frame);
}

// How fast the one shape rises where the contact is, as seen from the other one [m/s].
static double rising(const seam_work *work, const tn_soft_contact *c, const tn_soft_contact *floor, const double at[3])
{
    double a[3], b[3];
    tn_motion_velocity_at(a, work->view->motion + c->contact.body_a, at);
    tn_motion_velocity_at(b, work->view->motion + floor->contact.body_a, at);
    tn_vec3_sub(a, a, b);
    return tn_vec3_dot(a, floor->frame);
}

static bool faces_alike(const double a[3], const double b[3])
{
    return tn_vec3_dot(a, b) > 1.0 - 1e-6;
}

// Does a shape that is as high as the plane push the node up if it is below?
static bool is_borne(const seam_work *work, int node, const double on_floor[3], const double up[3], double tiny)
{
    bool borne = false;
    for (int j = work->first[node]; j >= 0 && !borne; j = work->next[j]) {
        const tn_soft_contact *c = work->buffer->contacts + j;
        double at[3], d[3];
        on_shape(c, at);
        tn_vec3_sub(d, at, on_floor);
        borne = work->fates[j] != LEFT_OUT && faces_alike(c->frame, up) && tn_vec3_dot(d, up) >= -tiny;
    }
    return borne;
}

// Of an edge or face between vertices nothing comes below the plane; a vertex is what the floor bears.
static bool stays_above(const seam_work *work, const tn_soft_contact *c, const tn_soft_contact *floor,
                        const double on_floor[3], double tiny)
{
    const tn_collide_view *view = work->view;
    const double *up = floor->frame;
    bool above = true;
    for (int k = 0; c->b.n > 1 && above && k < c->b.n; ++k) {
        const double *x = view->state->x + 3 * (size_t)c->b.node[k];
        double d[3], v[3], below[3];
        tn_vec3_sub(d, x, on_floor);
        tn_node_motion(v, view->state, view->motion, c->b.node[k]);
        tn_motion_velocity_at(below, view->motion + floor->contact.body_a, x);
        tn_vec3_sub(v, v, below);
        double now = tn_vec3_dot(d, up), then = now + view->step * tn_vec3_dot(v, up) - view->fall;
        above = (now < then ? now : then) >= -tiny || is_borne(work, c->b.node[k], on_floor, up, tiny);
    }
    return above;
}

static bool is_level(const seam_work *work, const tn_soft_contact *c, const tn_soft_contact *floor)
{
    const double *up = floor->frame, margin = work->view->model->margin, tiny = TN_LEVEL * margin;
    double at[3], on_floor[3], d[3], before[3], normal[3];
    if (faces_alike(c->frame, up)) {
        return false;
    }
    on_shape(c, at);
    on_shape(floor, on_floor);
    tn_vec3_sub(d, at, on_floor);
    double height = tn_vec3_dot(d, up), rise = work->view->step * rising(work, c, floor, at);
    if (height + (rise > 0.0 ? rise : 0.0) > tiny || !stays_above(work, c, floor, on_floor, tiny)) {
        return false;
    }
    tn_vec3_madd(before, at, margin - height, up);
    return tn_placed_distance(work->view->placed + c->contact.shape_a, before, normal) >= margin - tiny;
}

static bool find_room(tn_collide_view *view, seam_work *work)
{
    size_t n_nodes = (size_t)view->model->n_nodes, n = (size_t)work->buffer->n;
    work->first = TN_PUSH_RAW(view->arena, int, n_nodes);
    work->next = TN_PUSH_RAW(view->arena, int, n);
    work->fates = TN_PUSH(view->arena, fate, n);
    for (size_t i = 0; work->first && i < n_nodes; ++i) {
        work->first[i] = -1;
    }
    return work->first && work->next && work->fates;
}

static void list_vertices(const seam_work *work)
{
    for (int i = work->buffer->n - 1; i >= 0; --i) {
        const tn_soft_contact *c = work->buffer->contacts + i;
        if (is_of_shape(c) && c->b.n == 1) {
            work->next[i] = work->first[c->b.node[0]];
            work->first[c->b.node[0]] = i;
        }
    }
}

static void judge(const seam_work *work, int i)
{
    const tn_soft_contact *c = work->buffer->contacts + i;
    for (int k = 0; k < c->b.n && work->fates[i] == OPEN; ++k) {
        for (int j = work->first[c->b.node[k]]; j >= 0 && work->fates[i] == OPEN; j = work->next[j]) {
            if (work->fates[j] != LEFT_OUT && is_level(work, c, work->buffer->contacts + j)) {
                work->fates[i] = LEFT_OUT;
                work->fates[j] = NEEDED;
            }
        }
    }
}

const bool *tn_soft_seams(tn_collide_view *view, const tn_contact_buffer *buffer)
{
    seam_work work = {.view = view, .buffer = buffer};
    bool *out = TN_PUSH_RAW(view->arena, bool, buffer->n);
    if (!out || !find_room(view, &work)) {
        return NULL;
    }
    list_vertices(&work);
    for (int i = 0; i < buffer->n; ++i) {
        if (is_of_shape(buffer->contacts + i)) {
            judge(&work, i);
        }
        out[i] = work.fates[i] == LEFT_OUT;
    }
    return out;
}
