#include "collide/graze.h"

#include "math/mat3.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "model/pose.h"
#include "shape/class.h"
#include "shape/hull.h"

#include <math.h>

enum { MANY_FACES = 64 }; // of a hull: more are round

// How far two faces may be from level [of the margin].
static const double LEVEL = 1e-3;

// A pair, now and at the step's end if its bodies go on as they do.
typedef struct graze {
    const tn_shape *shape[2];
    const tn_pose *now[2];
    tn_pose then[2];
    double level; // [m]
} graze;

static bool closes(const tn_collide_view *view, const tn_shape_pair *pair, const tn_contact_point *p, double level)
{
    double va[3], vb[3], u[3];
    tn_motion_velocity_at(va, view->motion + view->model->shapes[pair->a].body, p->point);
    tn_motion_velocity_at(vb, view->motion + view->model->shapes[pair->b].body, p->point);
    tn_vec3_sub(u, vb, va);
    return p->gap >= -level && p->gap + view->step * tn_vec3_dot(p->normal, u) < -level;
}

// Gap of the two along the unit vector n, which points from a to b.
static double gap_along(const graze *g, const tn_pose *a, const tn_pose *b, const double n[3])
{
    double frame[9], turn[4], low[2][3], high[2][3];
    const tn_pose *pose[2] = {a, b};
    tn_mat3_frame(frame, n);
    tn_quat_from_mat3(turn, frame);
    for (int i = 0; i < 2; ++i) {
        tn_pose seen;
        tn_mat3_vec(seen.position, frame, pose[i]->position);
        tn_quat_mul(seen.quaternion, turn, pose[i]->quaternion);
        tn_shape_bounds(g->shape[i], &seen, 0.0, low[i], high[i]);
    }
    return low[1][0] - high[0][0];
}

// Face k of the shape in its own frame; false: there is none.
static bool face_of(const tn_shape *shape, int k, double out[3])
{
    bool ends = shape->kind == TN_SHAPE_CYLINDER || shape->kind == TN_SHAPE_CONE;
    bool hull = shape->kind == TN_SHAPE_HULL && shape->hull->n_faces <= MANY_FACES;
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

// The face between the two from now to then that leaves them the widest gap then; false: there is none.
static bool find_face(const graze *g, double normal[3], double *gap)
{
    double widest = -g->level;
    bool found = false;
    for (int side = 0; side < 2; ++side) {
        double own[3], n[3];
        for (int k = 0; face_of(g->shape[side], k, own); ++k) {
            tn_quat_rotate(n, g->now[side]->quaternion, own);
            tn_vec3_scale(n, side == 0 ? 1.0 : -1.0, n);
            double now = gap_along(g, g->now[0], g->now[1], n);
            double then = now < -g->level ? -INFINITY : gap_along(g, &g->then[0], &g->then[1], n);
            if (then > widest) {
                widest = then;
                *gap = now;
                tn_vec3_copy(normal, n);
                found = true;
            }
        }
    }
    return found;
}

// Points that lie on the face take its normal; others, of what is round, do not touch there. Returns how many are left.
static int lay_on_face(const double normal[3], double gap, double level, int n, tn_contact_point *points)
{
    int kept = 0;
    for (int i = 0; i < n; ++i) {
        double own = points[i].gap * tn_vec3_dot(points[i].normal, normal);
        if (own <= gap + level) {
            points[kept] = points[i];
            tn_vec3_copy(points[kept].normal, normal);
            points[kept++].gap = own;
        }
    }
    return kept;
}

int tn_pair_graze(const tn_collide_view *view, const tn_shape_pair *pair, int n, tn_contact_point *points)
{
    graze g = {.shape = {&view->model->shapes[pair->a].shape, &view->model->shapes[pair->b].shape},
               .now = {view->pose + pair->a, view->pose + pair->b},
               .level = LEVEL * view->model->margin};
    bool any = false;
    for (int i = 0; i < n && !any; ++i) {
        any = closes(view, pair, points + i, g.level);
    }
    double normal[3] = {0.0}, gap = 0.0;
    if (!any) {
        return n;
    }
    const int shapes[2] = {pair->a, pair->b};
    for (int i = 0; i < 2; ++i) {
        const tn_body_motion *motion = view->motion + view->model->shapes[shapes[i]].body;
        tn_motion_carry(&g.then[i], motion, view->step, g.now[i]);
    }
    return find_face(&g, normal, &gap) ? lay_on_face(normal, gap, g.level, n, points) : n;
}
