#include "collide/graze.h"

#include "math/mat3.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "shape/facets.h"
#include "shape/hull.h"
#include "shape/triangle.h"

#include <math.h>

enum {
    MANY_FACES = 64, // of a hull: more are round
    MOST_FACETS = 24 // that meet at a point
};

// A shape, or of a surface the triangles at one of the pair's points.
typedef struct side {
    const tn_shape *shape;
    const tn_pose *now;
    tn_pose then; // at the step's end if its body goes on as it does
    const double *angular;
    double radius; // of its turning: 0 of a surface, which moves as it is told
    tn_facets facets;
    int n;           // triangles, at most MOST_FACETS; none of a convex shape
    tn_facet *facet; // (n)
} side;

typedef struct graze {
    side side[2];
    double level, margin, step; // [m], [m], [s]
} graze;

static bool closes(const tn_collide_view *view, const tn_shape_pair *pair, const tn_contact_point *p, double level)
{
    double va[3], vb[3], u[3];
    tn_motion_velocity_at(va, view->motion + view->model->shapes[pair->a].body, p->point);
    tn_motion_velocity_at(vb, view->motion + view->model->shapes[pair->b].body, p->point);
    tn_vec3_sub(u, vb, va);
    return tn_gap_closes(p->gap, view->step * tn_vec3_dot(p->normal, u), level);
}

// How far the side reaches along the unit vector n.
static double extent(const side *s, const tn_pose *pose, const double n[3])
{
    double frame[9], turn[4], low[3], high[3], own[3];
    if (s->n == 0) {
        tn_pose seen;
        tn_mat3_frame(frame, n);
        tn_quat_from_mat3(turn, frame);
        tn_mat3_vec(seen.position, frame, pose->position);
        tn_quat_mul(seen.quaternion, turn, pose->quaternion);
        tn_shape_bounds(s->shape, &seen, 0.0, low, high);
        return high[0];
    }
    double most = -INFINITY;
    tn_quat_rotate_inverse(own, pose->quaternion, n);
    for (int i = 0; i < 3 * s->n; ++i) {
        most = fmax(most, tn_vec3_dot(own, s->facet[i / 3].corner[i % 3]));
    }
    return most + tn_vec3_dot(n, pose->position);
}

// Gap of the two along the unit vector n, which points from the first to the second, now or at the step's end.
static double gap_along(const graze *g, bool then, const double n[3])
{
    const side *a = &g->side[0], *b = &g->side[1];
    const double back[3] = {-n[0], -n[1], -n[2]};
    return -extent(b, then ? &b->then : b->now, back) - extent(a, then ? &a->then : a->now, n);
}

// Face k of the side in its own frame; false: there is none.
static bool face_of(const side *s, int k, double out[3])
{
    const tn_shape *shape = s->shape;
    bool ends = shape->kind == TN_SHAPE_CYLINDER || shape->kind == TN_SHAPE_CONE;
    bool hull = shape->kind == TN_SHAPE_HULL && shape->hull->n_faces <= MANY_FACES;
    if (k < s->n) {
        tn_facet_normal(&s->facet[k], out);
        return true;
    }
    if (hull && k < shape->hull->n_faces) {
        tn_vec3_copy(out, shape->hull->plane + 4 * (size_t)k);
        return true;
    }
    if (shape->kind == TN_SHAPE_POLYGON && k < shape->n_points) {
        const double *p = shape->points + 3 * (size_t)k, *q = shape->points + 3 * (size_t)((k + 1) % shape->n_points);
        tn_vec3_set(out, q[2] - p[2], 0.0, p[0] - q[0]);
        double length = tn_vec3_norm(out);
        tn_vec3_scale(out, 1.0 / length, out);
        return true;
    }
    tn_vec3_set(out, 0.0, 0.0, 0.0);
    out[ends ? 2 : k / 2 % 3] = k % 2 ? -1.0 : 1.0;
    return (ends && k < 2) || (shape->kind == TN_SHAPE_BOX && k < 6);
}

// What turns about the normal and across it at once, as a wheel in a bend does, tips by h^2/2 (w . n) |w x n| a metre
// in a step, in the last one as in this, and was left turning about its former axis: in all four times as much until
// the step's end. Returns twice of it, at most the margin [m].
static double tipping(const graze *g, const double n[3])
{
    double tip = 0.0;
    for (int i = 0; i < 2; ++i) {
        double across[3];
        tn_vec3_cross(across, g->side[i].angular, n);
        tip += g->side[i].radius * fabs(tn_vec3_dot(g->side[i].angular, n)) * tn_vec3_norm(across);
    }
    return fmin(g->step * g->step * tip, g->margin);
}

// A face between the two.
typedef struct between {
    double normal[3];
    double gap;
} between;

// The one from now to then that leaves them the widest gap then; false: there is none.
static bool find_face(const graze *g, between *out)
{
    double widest = -INFINITY;
    for (int i = 0; i < 2; ++i) {
        double own[3], n[3];
        for (int k = 0; face_of(&g->side[i], k, own); ++k) {
            tn_quat_rotate(n, g->side[i].now->quaternion, own);
            tn_vec3_scale(n, i == 0 ? 1.0 : -1.0, n);
            double tip = tipping(g, n), now = gap_along(g, false, n);
            double then = now < -g->level - tip ? -INFINITY : gap_along(g, true, n);
            if (then > fmax(widest, -g->level - 2.0 * tip)) {
                widest = then;
                out->gap = now;
                tn_vec3_copy(out->normal, n);
            }
        }
    }
    return widest > -INFINITY;
}

// Points along the face's normal stay, others that lie on the face take it; the rest, of what is round, do not touch
// there. Returns how many are left.
static int lay_on_face(const between *face, double level, int n, tn_contact_point *points)
{
    const double same = 1.0 - 1e-6; // cosine
    int kept = 0;
    for (int i = 0; i < n; ++i) {
        double along = tn_vec3_dot(points[i].normal, face->normal), own = points[i].gap * along;
        if (along >= same || own <= face->gap + level) {
            points[kept] = points[i];
            tn_vec3_copy(points[kept].normal, face->normal);
            points[kept++].gap = own;
        }
    }
    return kept;
}

typedef struct meeting {
    side *of;
    double x[3], level;
} meeting;

static bool gather(void *user, int face)
{
    meeting *m = user;
    double weight[3];
    tn_facet facet;
    m->of->facets.get(m->of->facets.surface, face, &facet);
    if (tn_triangle_closest(facet.corner[0], facet.corner[1], facet.corner[2], m->x, weight) <= m->level * m->level) {
        m->of->facet[m->of->n++] = facet;
    }
    return m->of->n < MOST_FACETS;
}

// The triangles that meet where the point is on the surface.
static void gather_facets(graze *g, int surface, const tn_contact_point *p)
{
    side *s = &g->side[surface];
    meeting m = {.of = s, .level = g->level};
    double on[3], low[3], high[3];
    tn_vec3_madd(on, p->point, (surface == 0 ? -0.5 : 0.5) * p->gap, p->normal);
    tn_vec3_sub(on, on, s->now->position);
    tn_quat_rotate_inverse(m.x, s->now->quaternion, on);
    for (int i = 0; i < 3; ++i) {
        low[i] = m.x[i] - g->level;
        high[i] = m.x[i] + g->level;
    }
    s->n = 0;
    s->facets.visit(s->facets.surface, low, high, gather, &m);
}

// Each point that closes goes by the triangles around it alone.
static int graze_surface(const tn_collide_view *view, const tn_shape_pair *pair, graze *g, int surface, int n,
                         tn_contact_point *points)
{
    tn_facet around[MOST_FACETS];
    int kept = 0;
    g->side[surface].facet = around;
    for (int i = 0; i < n; ++i) {
        between face;
        points[kept] = points[i];
        bool meets = closes(view, pair, points + i, g->level);
        if (meets) {
            gather_facets(g, surface, points + i);
        }
        bool by_face = meets && g->side[surface].n > 0 && find_face(g, &face);
        kept += by_face ? lay_on_face(&face, g->level, 1, points + kept) : 1;
    }
    return kept;
}

// Returns whether it is a surface.
static bool set_side(side *s, const tn_collide_view *view, int shape)
{
    const tn_model_shape *of = view->model->shapes + shape;
    const tn_body_motion *motion = view->motion + of->body;
    bool surface = tn_shape_is(&of->shape, TN_FORM_SURFACE);
    *s = (side){.shape = &of->shape, .now = view->pose + shape, .angular = motion->angular};
    tn_motion_carry(&s->then, motion, view->step, s->now);
    if (surface) {
        s->facets = tn_facets_of(s->shape);
    } else {
        s->radius = tn_shape_spin_radius(s->shape);
    }
    return surface;
}

int tn_pair_graze(const tn_collide_view *view, const tn_shape_pair *pair, int n, tn_contact_point *points)
{
    graze g = {.level = TN_LEVEL * view->model->margin, .margin = view->model->margin, .step = view->step};
    between face;
    bool any = false;
    for (int i = 0; i < n && !any; ++i) {
        any = closes(view, pair, points + i, g.level);
    }
    if (!any) {
        return n;
    }
    bool first = set_side(&g.side[0], view, pair->a), second = set_side(&g.side[1], view, pair->b);
    if (first || second) {
        return graze_surface(view, pair, &g, first ? 0 : 1, n, points);
    }
    return find_face(&g, &face) ? lay_on_face(&face, g.level, n, points) : n;
}

bool tn_vertex_grazes(const tn_shape *shape, const tn_pose *pose, const double x[3], const double way[3],
                      const double normal[3], const double facing[3], double level)
{
    const side s = {.shape = shape};
    double own[3], n[3];
    for (int k = 0; face_of(&s, k, own); ++k) {
        tn_quat_rotate(n, pose->quaternion, own);
        if (tn_vec3_dot(n, facing) < tn_vec3_dot(normal, facing) - 0.5) {
            double now = tn_vec3_dot(n, x) - extent(&s, pose, n);
            if (fmin(now, now + tn_vec3_dot(n, way)) >= -level) {
                return true;
            }
        }
    }
    return false;
}
