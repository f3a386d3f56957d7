// Rays: down the tree, nearer boxes first, then against the pieces. Of a convex shape the signed distance along a ray
// is a convex function of the way, whose slope its normal tells: Newton's method comes to the first zero from the near
// side and never passes it. So any convex shape that knows its distance has rays; spheres and boxes have closed forms.
#include "base/team.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "query/query.h"
#include "shape/facets.h"
#include "shape/flat.h"

#include <string.h>

enum { NEWTON_STEPS = 64, MARCHES = 32 };

static bool newton(const tn_placed *placed, const tn_ray *ray, double *distance, double normal[3])
{
    double way = 0.0, x[3], n[3], last = INFINITY;
    for (int step = 0; step < NEWTON_STEPS; step++) {
        tn_vec3_madd(x, ray->origin, way, ray->direction);
        double off = tn_placed_distance(placed, x, n), slope = tn_vec3_dot(n, ray->direction);
        bool there = off <= 0.0 || !(off < last) || way - off / slope == way;
        if (off > 0.0 && (!(slope < 0.0) || way >= *distance)) {
            return false;
        }
        if (there && way < *distance) {
            *distance = way;
            tn_vec3_copy(normal, n);
            return true;
        }
        last = off;
        way -= off / slope;
    }
    return false; // it only touches
}

static bool ray_sphere(const tn_placed *placed, const tn_ray *ray, double *distance, double normal[3])
{
    double d[3], x[3], r = placed->shape->size[0];
    tn_vec3_sub(d, ray->origin, placed->position);
    double b = tn_vec3_dot(d, ray->direction), square;
    tn_vec3_madd(x, d, -b, ray->direction); // where it passes the centre
    square = r * r - tn_vec3_dot(x, x);
    bool inside = tn_vec3_dot(d, d) <= r * r;
    if (!(square >= 0.0) || (b > 0.0 && !inside)) {
        return false;
    }
    double way = inside ? 0.0 : fmax(-b - sqrt(square), 0.0);
    if (!(way < *distance)) {
        return false;
    }
    *distance = way;
    tn_vec3_madd(x, d, way, ray->direction);
    double length = tn_vec3_norm(x);
    tn_vec3_set(normal, 0.0, 0.0, 1.0);
    if (length > 0.0) {
        tn_vec3_scale(normal, 1.0 / length, x);
    }
    return true;
}

static bool ray_box(const tn_placed *placed, const tn_ray *ray, double *distance, double normal[3])
{
    const double *h = placed->shape->size;
    double d[3], o[3], v[3], n[3] = {0.0, 0.0, 0.0}, from = -INFINITY, to = INFINITY;
    int axis = 0;
    tn_vec3_sub(d, ray->origin, placed->position);
    tn_mat3_tvec(o, placed->rotation, d);
    tn_mat3_tvec(v, placed->rotation, ray->direction);
    for (int k = 0; k < 3; k++) {
        if (v[k] == 0.0) {
            if (fabs(o[k]) > h[k]) {
                return false;
            }
            continue;
        }
        double near = (-copysign(h[k], v[k]) - o[k]) / v[k], far = (copysign(h[k], v[k]) - o[k]) / v[k];
        axis = near > from ? k : axis;
        from = near > from ? near : from;
        to = far < to ? far : to;
    }
    if (!(from <= to && to >= 0.0 && from < *distance)) {
        return false;
    }
    if (from < 0.0) { // inside: as the distance has it
        tn_placed_distance(placed, ray->origin, normal);
        *distance = 0.0;
        return true;
    }
    *distance = from;
    n[axis] = v[axis] > 0.0 ? -1.0 : 1.0;
    tn_mat3_vec(normal, placed->rotation, n);
    return true;
}

// Moeller and Trumbore (1997), both sides; a border counts as inside.
static bool ray_triangle(const double *const corner[3], const double origin[3], const double direction[3],
                         double *distance, double normal[3])
{
    double e[3], f[3], p[3], q[3], s[3];
    tn_vec3_sub(e, corner[1], corner[0]);
    tn_vec3_sub(f, corner[2], corner[0]);
    tn_vec3_cross(p, direction, f);
    double det = tn_vec3_dot(e, p);
    if (det == 0.0) {
        return false;
    }
    tn_vec3_sub(s, origin, corner[0]);
    tn_vec3_cross(q, s, e);
    const double slack = 1e-12; // so that no ray slips through between two triangles
    double u = tn_vec3_dot(s, p) / det, v = tn_vec3_dot(direction, q) / det, way = tn_vec3_dot(f, q) / det;
    if (!(u >= -slack && v >= -slack && u + v <= 1.0 + slack && way >= 0.0 && way < *distance)) {
        return false;
    }
    *distance = way;
    tn_vec3_cross(normal, e, f);
    tn_vec3_scale(normal, 1.0 / tn_vec3_norm(normal), normal);
    return true;
}

typedef struct march {
    const tn_facets *facets;
    double origin[3], direction[3]; // in the surface's frame
    double distance, normal[3];
    bool found;
} march;

static bool try_face(void *user, int face)
{
    march *m = user;
    tn_facet facet;
    m->facets->get(m->facets->surface, face, &facet);
    const double *const corner[3] = {facet.corner[0], facet.corner[1], facet.corner[2]};
    m->found |= ray_triangle(corner, m->origin, m->direction, &m->distance, m->normal);
    return true;
}

// Along the ray piece by piece, so that the faces that are looked at are those beside it.
static bool ray_surface(const tn_placed *placed, const tn_ray *ray, double *distance, double normal[3])
{
    tn_facets facets = tn_facets_of(placed->shape);
    const tn_pose at_home = {.quaternion = {1.0}};
    march m = {.facets = &facets, .distance = *distance};
    double d[3], most = 0.0;
    tn_box box;
    tn_vec3_sub(d, ray->origin, placed->position);
    tn_mat3_tvec(m.origin, placed->rotation, d);
    tn_mat3_tvec(m.direction, placed->rotation, ray->direction);
    tn_shape_bounds(placed->shape, &at_home, 0.0, box.low, box.high);
    tn_ray local;
    tn_ray_set(&local, m.origin, m.direction);
    double from = tn_ray_box(&local, &box, *distance);
    for (int k = 0; k < 3; k++) {
        most = fmax(most, fmax(fabs(box.low[k] - m.origin[k]), fabs(box.high[k] - m.origin[k])));
    }
    double end = fmin(*distance, 2.0 * most), step = (end - from) / MARCHES;
    for (int i = 0; i < MARCHES && from < end && !(m.found && m.distance <= from); i++) {
        double a[3], b[3], low[3], high[3], slack = 1e-9 * most;
        tn_vec3_madd(a, m.origin, from, m.direction);
        tn_vec3_madd(b, m.origin, from + step, m.direction);
        for (int k = 0; k < 3; k++) {
            low[k] = fmin(a[k], b[k]) - slack;
            high[k] = fmax(a[k], b[k]) + slack;
        }
        facets.visit(facets.surface, low, high, try_face, &m);
        from += step;
    }
    if (m.found) {
        *distance = m.distance;
        tn_mat3_vec(normal, placed->rotation, m.normal);
    }
    return m.found;
}

// Contact points: the balls they are.
static bool ray_points(const tn_placed *placed, const tn_ray *ray, double *distance, double normal[3])
{
    const tn_shape ball = tn_shape_ball(placed->shape->size[0]);
    bool found = false;
    for (int i = 0; i < placed->shape->n_points; i++) {
        tn_placed at = *placed;
        at.shape = &ball;
        tn_mat3_vec(at.position, placed->rotation, placed->shape->points + 3 * (size_t)i);
        tn_vec3_add(at.position, at.position, placed->position);
        found |= ray_sphere(&at, ray, distance, normal);
    }
    return found;
}

static void face_origin(const tn_ray *ray, double normal[3])
{
    if (tn_vec3_dot(normal, ray->direction) > 0.0) {
        tn_vec3_scale(normal, -1.0, normal);
    }
}

bool tn_piece_ray(const tn_piece *piece, const tn_ray *ray, double *distance, double normal[3])
{
    if (!piece->placed) {
        const double *const corner[3] = {piece->corner, piece->corner + 3, piece->corner + 6};
        bool found = ray_triangle(corner, ray->origin, ray->direction, distance, normal);
        if (found) {
            face_origin(ray, normal);
        }
        return found;
    }
    const tn_shape *shape = piece->placed->shape;
    if (shape->kind == TN_SHAPE_SPHERE || shape->kind == TN_SHAPE_BOX) {
        return (shape->kind == TN_SHAPE_BOX ? ray_box : ray_sphere)(piece->placed, ray, distance, normal);
    }
    if (tn_shape_is(shape, TN_FORM_BALLS)) {
        return ray_points(piece->placed, ray, distance, normal);
    }
    if (!tn_shape_is(shape, TN_FORM_SURFACE)) {
        return newton(piece->placed, ray, distance, normal);
    }
    bool found = ray_surface(piece->placed, ray, distance, normal);
    if (found && !tn_facets_of(shape).closed) {
        face_origin(ray, normal);
    }
    return found;
}

void tn_ray_set(tn_ray *ray, const double origin[3], const double direction[3])
{
    double length = tn_vec3_norm(direction);
    tn_vec3_copy(ray->origin, origin);
    for (int k = 0; k < 3; k++) {
        ray->direction[k] = direction[k] / length;
        double inverse = 1.0 / ray->direction[k];
        ray->inverse[k] = fabs(inverse) < 1e300 ? inverse : copysign(1e300, inverse);
    }
}

// ---- many rays

typedef struct hit {
    int piece; // -1: nothing
    double distance, normal[3];
} hit;

static void try_piece(const tn_query *query, const tn_ray *ray, int piece, int leave_out, hit *out)
{
    if (tn_query_body_of(query, piece) == leave_out) {
        return;
    }
    tn_piece p = tn_query_piece(query, piece);
    if (tn_piece_ray(&p, ray, &out->distance, out->normal)) {
        out->piece = piece;
    }
}

static void cast(const tn_query *query, const tn_ray *ray, int leave_out, hit *out)
{
    int stack[TN_QUERY_DEPTH], n = 0;
    double enter[TN_QUERY_DEPTH];
    for (int i = 0; i < query->n_unbounded; i++) {
        try_piece(query, ray, query->unbounded[i], leave_out, out);
    }
    if (query->n_nodes > 0) {
        enter[0] = tn_ray_box(ray, &query->node[0].box, out->distance);
        stack[n++] = 0;
    }
    while (n > 0) {
        const tn_query_node *node = &query->node[stack[--n]];
        if (!(enter[n] < out->distance)) {
            continue;
        }
        if (node->first < 0) {
            try_piece(query, ray, ~node->first, leave_out, out);
            continue;
        }
        double at[2];
        for (int k = 0; k < 2; k++) {
            at[k] = tn_ray_box(ray, &query->node[node->first + k].box, out->distance);
        }
        int near = at[1] < at[0];
        for (int k = 1; k >= 0; k--) { // the nearer one goes on top
            int child = k ^ near;
            if (at[child] < out->distance) {
                enter[n] = at[child];
                stack[n++] = node->first + child;
            }
        }
    }
}

static void put(const tn_query *query, const tn_ray *ray, const hit *h, size_t i, const tn_ray_results *out)
{
    bool met = h->piece >= 0;
    double point[3] = {0.0, 0.0, 0.0};
    if (met) {
        tn_vec3_madd(point, ray->origin, h->distance, ray->direction);
    }
    if (out->body) {
        out->body[i] = met ? tn_query_body_of(query, h->piece) : -1;
    }
    if (out->shape) {
        out->shape[i] = met && h->piece < query->model->n_shapes ? h->piece : -1;
    }
    if (out->distance) {
        out->distance[i] = met ? h->distance : INFINITY;
    }
    if (out->point) {
        memcpy(out->point + 3 * i, point, sizeof point);
    }
    if (out->normal) {
        memcpy(out->normal + 3 * i, h->normal, sizeof h->normal);
    }
}

static void find(const tn_query *query, const tn_ray_options *options, const double *origin, const double *direction,
                 size_t i, const tn_ray_results *out)
{
    tn_ray ray;
    hit h = {.piece = -1, .distance = options->reach > 0.0 ? options->reach : INFINITY};
    tn_ray_set(&ray, origin + 3 * i, direction + 3 * i);
    cast(query, &ray, options->leave_out, &h);
    put(query, &ray, &h, i, out);
}

static tn_status check_rays(int n, const double *origin, const double *direction, tn_error *error)
{
    for (int i = 0; i < n; i++) {
        const double *o = origin + 3 * (size_t)i, *d = direction + 3 * (size_t)i;
        double sum = 0.0 * (o[0] + o[1] + o[2]) + 0.0 * (d[0] + d[1] + d[2]); // NaN where one is not finite
        double length = tn_vec3_norm(d);
        if (!(sum == 0.0 && length > 0.0 && length < INFINITY)) {
            return tn_error_set(error, TN_BAD_INPUT, "ray %d is not finite, or its direction is zero", i);
        }
    }
    return TN_OK;
}

typedef struct rays {
    const tn_query *query;
    const tn_ray_options *options;
    const double *origin, *direction;
    const tn_ray_results *out;
} rays;

static void find_rays(const void *context, int first, int end, int thread)
{
    const rays *r = context;
    for (int i = first; i < end; i++) {
        find(r->query, r->options, r->origin, r->direction, (size_t)i, r->out);
    }
}

tn_status tn_query_rays(const tn_query *query, int n, const double *origin, const double *direction,
                        const tn_ray_options *options, const tn_ray_results *out, tn_error *error)
{
    const tn_ray_options given = options ? *options : (tn_ray_options){.leave_out = -1, .n_threads = 1};
    if (!query || !query->updated) {
        return tn_error_set(error, TN_BAD_INPUT, "the query has not been updated to a state");
    }
    if (n < 0 || (n > 0 && (!origin || !direction || !out)) || !(given.reach >= 0.0)) {
        return tn_error_set(error, TN_BAD_INPUT, "%d rays with reach %g m: no arrays, or no such number", n,
                            given.reach);
    }
    tn_status status = check_rays(n, origin, direction, error);
    if (status != TN_OK) {
        return status;
    }
    const rays all = {.query = query, .options = &given, .origin = origin, .direction = direction, .out = out};
    tn_team_share(given.n_threads, n, 16, find_rays, &all);
    return TN_OK;
}
