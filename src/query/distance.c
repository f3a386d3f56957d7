// Distances of two pieces: by the nearest points of convex shapes (GJK, EPA), of which all others are made up.
#include "math/mat3.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "query/query.h"
#include "shape/convex_nearest.h"
#include "shape/facets.h"
#include "shape/flat.h"
#include "shape/manifold.h"
#include "shape/pose.h"

#include <string.h>

// convex, in space: has support points
static bool is_core_shape(const tn_shape *shape)
{
    return tn_class_of(shape)->core != NULL;
}

static bool is_of(const tn_piece *p, tn_shape_form form)
{
    return p->placed && tn_shape_is(p->placed->shape, form);
}

static bool is_surface(const tn_piece *p)
{
    return is_of(p, TN_FORM_SURFACE);
}

static bool is_plane(const tn_piece *p)
{
    return is_of(p, TN_FORM_HALF_SPACE);
}

static bool put(double distance, const double normal[3], const double point_a[3], tn_nearest *out)
{
    out->distance = distance;
    tn_vec3_copy(out->normal, normal);
    tn_vec3_copy(out->point_a, point_a);
    tn_vec3_madd(out->point_b, point_a, distance, normal);
    return true;
}

// out of b and a becomes that of a and b.
static void turn_over(tn_nearest *out)
{
    double kept[3];
    tn_vec3_copy(kept, out->point_a);
    tn_vec3_copy(out->point_a, out->point_b);
    tn_vec3_copy(out->point_b, kept);
    tn_vec3_scale(out->normal, -1.0, out->normal);
}

static bool convex_distance(const tn_convex *a, const tn_convex *b, tn_nearest *out)
{
    tn_convex_pair pair;
    if (!tn_convex_nearest(a, b, out->distance, &pair) || !(pair.near.distance - pair.radius < out->distance)) {
        return false;
    }
    double point[3];
    tn_vec3_add(point, a->centre, pair.pa);
    tn_vec3_madd(point, point, a->radius, pair.near.normal);
    return put(pair.near.distance - pair.radius, pair.near.normal, point, out);
}

// Half space a: by the farthest point of b towards it.
static bool plane_distance(const tn_placed *a, const tn_convex *b, tn_nearest *out)
{
    double normal[3], down[3], support[3], d[3], point[3];
    tn_placed_axis(normal, a, 2);
    tn_vec3_scale(down, -1.0, normal);
    tn_convex_support(b, down, support);
    tn_vec3_add(support, support, b->centre);
    tn_vec3_madd(support, support, -b->radius, normal);
    tn_vec3_sub(d, support, a->position);
    double distance = tn_vec3_dot(d, normal);
    if (!(distance < out->distance)) {
        return false;
    }
    tn_vec3_madd(point, support, -distance, normal);
    return put(distance, normal, point, out);
}

// ---- surfaces of triangles against a convex shape

typedef struct walk {
    const tn_facets *facets;
    const tn_placed *a;
    const tn_convex *b;
    tn_nearest *out;
    bool found;
} walk;

static bool try_face(void *user, int face)
{
    walk *w = user;
    tn_facet facet;
    double corner[9];
    w->facets->get(w->facets->surface, face, &facet);
    for (int k = 0; k < 3; k++) {
        tn_mat3_vec(corner + 3 * k, w->a->rotation, facet.corner[k]);
        tn_vec3_add(corner + 3 * k, corner + 3 * k, w->a->position);
    }
    tn_convex triangle = tn_convex_triangle(corner);
    w->found |= convex_distance(&triangle, w->b, w->out);
    return true;
}

// Deepest of the contact that the pair makes.
static bool contact_depth(const tn_piece *a, const tn_piece *b, tn_nearest *out)
{
    tn_contact_point points[TN_MANIFOLD_MAX];
    int n = b->placed ? tn_placed_contact(a->placed, b->placed, 0.0, NULL, points) : 0, deepest = 0;
    for (int i = 1; i < n; i++) {
        deepest = points[i].gap < points[deepest].gap ? i : deepest;
    }
    if (n == 0) {
        return false;
    }
    double point[3];
    tn_vec3_madd(point, points[deepest].point, -0.5 * points[deepest].gap, points[deepest].normal);
    return put(points[deepest].gap, points[deepest].normal, point, out);
}

static bool surface_distance(const tn_piece *a, const tn_piece *b, const tn_convex *core, tn_nearest *out)
{
    tn_facets facets = tn_facets_of(a->placed->shape);
    walk w = {&facets, a->placed, core, out, false};
    double d[3], middle[3], normal[3], low[3], high[3];
    double inside = tn_placed_distance(a->placed, core->centre, normal);
    // The surface is at most so far from the core's middle; so are the faces that may be nearer.
    double reach = fmin(out->distance, fmax(inside, 0.0)) + core->extent + core->radius;
    tn_vec3_sub(d, core->centre, a->placed->position);
    tn_mat3_tvec(middle, a->placed->rotation, d);
    for (int k = 0; k < 3; k++) {
        low[k] = middle[k] - reach * (1.0 + 1e-9);
        high[k] = middle[k] + reach * (1.0 + 1e-9);
    }
    facets.visit(facets.surface, low, high, try_face, &w);
    if (w.found && out->distance <= 0.0) {
        contact_depth(a, b, out); // that of the solid, where the contact knows it
    } else if (facets.closed && inside < 0.0 && inside < out->distance) {
        tn_vec3_madd(d, core->centre, -inside, normal);
        return put(inside, normal, d, out);
    }
    return w.found;
}

// ---- what a piece is made of

// Planar shapes in space, as near to others of their plane and to half spaces across it as they are: a disk as a
// sphere, an ellipse as an ellipsoid, a polygon by the triangles between its first corner and its edges.
static tn_convex round_flat(const tn_placed *placed)
{
    const double *size = placed->shape->size;
    bool disk = tn_class_of(placed->shape)->round;
    tn_shape shape = disk ? tn_shape_ball(size[0]) : tn_shape_ellipsoid(size[0], fmin(size[0], size[1]), size[1]);
    tn_placed as = *placed;
    as.shape = &shape;
    return tn_convex_of(&as);
}

// How many convex parts, and each.
static int part_count(const tn_piece *p)
{
    const tn_shape *shape = p->placed ? p->placed->shape : NULL;
    if (!shape || is_core_shape(shape)) {
        return 1;
    }
    return is_of(p, TN_FORM_BALLS) ? shape->n_points : shape->n_points > 2 ? shape->n_points - 2 : 1;
}

static void world_point(const tn_placed *placed, const double *x, double out[3])
{
    tn_mat3_vec(out, placed->rotation, x);
    tn_vec3_add(out, out, placed->position);
}

static tn_convex part_of(const tn_piece *p, int i)
{
    const tn_shape *shape = p->placed ? p->placed->shape : NULL;
    if (!shape) {
        return tn_convex_triangle(p->corner);
    }
    if (is_core_shape(shape)) {
        return tn_convex_of(p->placed);
    }
    if (is_of(p, TN_FORM_BALLS)) {
        tn_shape ball = tn_shape_ball(shape->size[0]);
        tn_placed as = *p->placed;
        as.shape = &ball;
        world_point(p->placed, shape->points + 3 * (size_t)i, as.position);
        return tn_convex_of(&as);
    }
    if (shape->n_points > 0) { // a polygon
        double corner[9];
        for (int k = 0; k < 3; k++) {
            int at = k == 0 || shape->n_points <= k + i ? 0 : k + i;
            world_point(p->placed, shape->points + 3 * (size_t)at, corner + 3 * k);
        }
        tn_convex triangle = tn_convex_triangle(corner);
        triangle.radius = shape->size[0];
        return triangle;
    }
    return round_flat(p->placed);
}

static bool is_flat(const tn_piece *p)
{
    return is_of(p, TN_FORM_PLANAR);
}

// Planar shapes meet others of their plane and half spaces across it.
static bool may_meet(const tn_piece *a, const tn_piece *b)
{
    bool solid_a = !is_plane(a) && !is_surface(a), solid_b = !is_plane(b) && !is_surface(b);
    if (!solid_a && !solid_b) {
        return false;
    }
    if (is_flat(a) || is_flat(b)) {
        double across[3], normal[3], between[3];
        const tn_piece *flat = is_flat(a) ? a : b, *other = is_flat(a) ? b : a;
        if (!other->placed || !(is_flat(other) || is_plane(other))) {
            return false;
        }
        tn_placed_axis(across, flat->placed, 1);
        tn_placed_axis(normal, other->placed, is_plane(other) ? 2 : 1);
        tn_vec3_sub(between, flat->placed->position, other->placed->position);
        double along = fabs(tn_vec3_dot(across, normal));
        double off = fabs(tn_vec3_dot(across, between)) - 1e-6 * tn_vec3_norm(between);
        return is_plane(other) ? along < TN_FLAT_TILT : along > 1.0 - TN_FLAT_TILT && off < 1e-6;
    }
    return true;
}

bool tn_piece_distance(const tn_piece *a, const tn_piece *b, tn_nearest *out)
{
    if (!may_meet(a, b)) {
        return false;
    }
    if (is_plane(b) || is_surface(b)) {
        bool found = tn_piece_distance(b, a, out);
        if (found) {
            turn_over(out);
        }
        return found;
    }
    bool found = false;
    for (int j = 0; j < part_count(b); j++) {
        tn_convex to = part_of(b, j);
        if (is_plane(a)) {
            found |= plane_distance(a->placed, &to, out);
        } else if (is_surface(a)) {
            found |= surface_distance(a, b, &to, out);
        }
        for (int i = 0; i < part_count(a) && !is_plane(a) && !is_surface(a); i++) {
            tn_convex from = part_of(a, i);
            found |= convex_distance(&from, &to, out);
        }
    }
    if (found && is_flat(a) && is_flat(b) && out->distance < 0.0) {
        contact_depth(a, b, out); // of the whole polygon
    }
    return found;
}

// ---- shapes at places of the caller

static bool place(const tn_model *model, int shape, const double *pose, tn_placed *out)
{
    static const double identity[7] = {0.0, 0.0, 0.0, 1.0};
    const tn_model_shape *s = &model->shapes[shape];
    const tn_pose *principal = &model->bodies[s->body].principal;
    tn_pose at;
    pose = pose ? pose : identity;
    tn_vec3_copy(at.position, pose);
    memcpy(at.quaternion, pose + 3, sizeof at.quaternion);
    double square = 0.0;
    for (int k = 0; k < 4; k++) {
        square += at.quaternion[k] * at.quaternion[k];
    }
    if (!(square > 0.0 && square < INFINITY)) {
        return false;
    }
    tn_quat_normalize(at.quaternion);
    tn_pose_join(&at, &at, principal);
    tn_pose_join(&at, &at, &s->pose);
    return tn_placed_set(out, &s->shape, &at);
}

tn_status tn_shape_distances(const tn_model *model, int shape_a, int shape_b, int n, const double *pose_a,
                             const double *pose_b, double reach, tn_nearest *out, tn_error *error)
{
    bool ok = model && shape_a >= 0 && shape_b >= 0 && shape_a < model->n_shapes && shape_b < model->n_shapes &&
              n >= 0 && (n == 0 || (pose_a && out)) && reach >= 0.0;
    if (!ok) {
        return tn_error_set(error, TN_BAD_INPUT, "distance of shapes %d and %d at %d places within %g m: %s", shape_a,
                            shape_b, n, reach, model ? "no such shapes, or no arrays" : "there is no model");
    }
    for (int i = 0; i < n; i++) {
        tn_placed placed[2];
        const double *to = pose_b ? pose_b + 7 * (size_t)i : NULL;
        if (!place(model, shape_a, pose_a + 7 * (size_t)i, &placed[0]) || !place(model, shape_b, to, &placed[1])) {
            return tn_error_set(error, TN_BAD_INPUT, "pose %d is not finite, or its quaternion is zero", i);
        }
        tn_piece a = {.placed = &placed[0]}, b = {.placed = &placed[1]};
        out[i] = (tn_nearest){.distance = reach, .shape_a = shape_a, .shape_b = shape_b};
        if (!tn_piece_distance(&a, &b, &out[i])) {
            out[i] = (tn_nearest){.distance = INFINITY, .shape_a = -1, .shape_b = -1};
        }
    }
    return TN_OK;
}

tn_status tn_shape_support(const tn_model *model, int shape, int n, const double *direction, double *out,
                           tn_error *error)
{
    bool ok = model && shape >= 0 && shape < model->n_shapes && is_core_shape(&model->shapes[shape].shape);
    tn_placed placed;
    if (!ok || n < 0 || (n > 0 && (!direction || !out)) || !place(model, shape, NULL, &placed)) {
        return tn_error_set(error, TN_BAD_INPUT, "farthest points of shape %d: it is no convex shape in space", shape);
    }
    tn_convex core = tn_convex_of(&placed);
    for (int i = 0; i < n; i++) {
        const double *d = direction + 3 * (size_t)i;
        double length = tn_vec3_norm(d), *x = out + 3 * (size_t)i;
        if (!(length > 0.0 && length < INFINITY)) {
            return tn_error_set(error, TN_BAD_INPUT, "direction %d is zero or not finite", i);
        }
        tn_convex_support(&core, d, x);
        tn_vec3_add(x, x, core.centre);
        tn_vec3_madd(x, x, core.radius / length, d);
    }
    return TN_OK;
}
