// Conservative advancement: the two can safely go on for as long as the gap lasts at the highest speed of approach;
// then measure again (Mirtich 1996, "Impulse-based dynamic simulation of rigid body systems", 2.3).
#include "collide/passing.h"

#include "math/vec3.h"
#include "shape/manifold.h"

#include <math.h>

enum { MAX_ADVANCES = 64 }; // grazing takes most; what is not settled by then counts as a meeting

// The shape after the time t, if its body goes on as it does.
static bool placed_at(tn_placed *out, const tn_collide_view *view, int shape, double t)
{
    const tn_model_shape *s = view->model->shapes + shape;
    tn_pose then;
    tn_motion_carry(&then, view->motion + s->body, t, view->pose + shape);
    return tn_placed_set(out, &s->shape, &then);
}

// Gap after the time t, or reach where it is larger.
static double gap_at(const tn_collide_view *view, const tn_shape_pair *pair, double t, double reach)
{
    tn_placed a, b;
    tn_contact_point points[TN_MANIFOLD_MAX];
    if (!placed_at(&a, view, pair->a, t) || !placed_at(&b, view, pair->b, t)) {
        return 0.0;
    }
    int n = tn_placed_contact(&a, &b, reach, NULL, points);
    for (int i = 0; i < n; ++i) {
        reach = fmin(reach, points[i].gap);
    }
    return reach;
}

// How fast points of the shape go by their body's turning [m/s].
static double turning(const tn_collide_view *view, int shape)
{
    const tn_model_shape *s = view->model->shapes + shape;
    double radius = tn_vec3_norm(s->pose.position) + tn_shape_spin_radius(&s->shape);
    return radius * tn_vec3_norm(view->motion[s->body].angular);
}

bool tn_pair_passes(const tn_collide_view *view, const tn_shape_pair *pair, double gap)
{
    const tn_model_shape *a = view->model->shapes + pair->a, *b = view->model->shapes + pair->b;
    double between[3], left = view->step, clear = view->model->margin + view->fall;
    tn_vec3_sub(between, view->motion[b->body].linear, view->motion[a->body].linear);
    double speed = tn_vec3_norm(between) + turning(view, pair->a) + turning(view, pair->b);
    bool fast = speed * left > 0.5 * fmin(tn_shape_least(&a->shape), tn_shape_least(&b->shape));
    if (!fast || tn_shape_is(&a->shape, TN_FORM_HALF_SPACE) || tn_shape_is(&b->shape, TN_FORM_HALF_SPACE)) {
        // a plane is all there is
        return false;
    }
    for (int k = 0; k < MAX_ADVANCES && gap > clear; ++k) {
        left -= (gap - 0.5 * clear) / speed;
        if (left <= 0.0) {
            return true;
        }
        gap = gap_at(view, pair, view->step - left, clear + speed * left);
    }
    return false;
}
