#include "collide/inner.h"

#include "shape/convex.h"
#include "shape/manifold.h"

#include <math.h>

// Keeps the order of features, and each once: a mesh's are spread over all numbers.
static int insert(const tn_contact_point *p, int n, tn_contact_point *points)
{
    int at = n;
    while (at > 0 && points[at - 1].feature >= p->feature) {
        --at;
    }
    if (n >= TN_MANIFOLD_MAX || (at < n && points[at].feature == p->feature)) {
        return n;
    }
    for (int i = n; i > at; --i) {
        points[i] = points[i - 1];
    }
    points[at] = *p;
    return n + 1;
}

// Radius of the ball about the centre of a convex shape [m]; INFINITY: it has none, or is one.
static double inner_radius(const tn_placed *placed)
{
    return tn_shape_is(placed->shape, TN_FORM_CONVEX) ? tn_shape_least(placed->shape) : INFINITY;
}

// May a blow turn the shape's body, and does reach go beyond the ball that it holds?
static bool may_add(const tn_collide_view *view, int shape, double reach, double radius)
{
    const tn_model *model = view->model;
    return radius < INFINITY && reach - model->margin > radius && model->bodies[model->shapes[shape].body].n_blocks > 0;
}

// Side 0: the ball in a, against b; side 1: the ball in b, against a.
static int add_ball(const tn_collide_view *view, const tn_shape_pair *pair, int side, double radius, double reach,
                    int n, tn_contact_point *points)
{
    const tn_shape ball = tn_shape_ball(radius);
    tn_placed a = view->placed[pair->a], b = view->placed[pair->b];
    (side ? &b : &a)->shape = &ball;
    tn_contact_point found[TN_MANIFOLD_MAX];
    int n_found = tn_placed_contact(&a, &b, reach, NULL, found);
    for (int i = 0; i < n_found; ++i) {
        found[i].feature = tn_feature(TN_FEATURE_NEAREST, 0x7fff, (unsigned)(2 * i + side));
        n = insert(found + i, n, points);
    }
    return n;
}

int tn_inner_points(const tn_collide_view *view, const tn_shape_pair *pair, double reach, double *way, int n,
                    tn_contact_point points[TN_MANIFOLD_MAX])
{
    const int shapes[2] = {pair->a, pair->b};
    for (int side = 0; side < 2; ++side) {
        double radius = inner_radius(view->placed + shapes[side]);
        if (!may_add(view, shapes[side], reach, radius)) {
            continue;
        }
        if (*way < 0.0) {
            *way = tn_pair_way(view->state, view->motion, view->pose, pair->a, pair->b);
        }
        if (*way > radius) {
            n = add_ball(view, pair, side, radius, reach, n, points);
        }
    }
    return n;
}
