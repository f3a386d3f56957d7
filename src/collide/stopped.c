#include "collide/stopped.h"

#include "math/vec3.h"

#include <math.h>

bool tn_pair_runs_up(const tn_collide_view *view, const tn_shape_pair *pair, int n, const tn_contact_point *points)
{
    const tn_body_motion *a = view->motion + view->model->shapes[pair->a].body;
    const tn_body_motion *b = view->motion + view->model->shapes[pair->b].body;
    for (int i = 0; i < n; ++i) {
        double va[3], vb[3];
        tn_motion_velocity_at(va, a, points[i].point);
        tn_motion_velocity_at(vb, b, points[i].point);
        double speed = fmax(tn_vec3_dot(points[i].normal, va), -tn_vec3_dot(points[i].normal, vb));
        if (points[i].gap <= view->model->margin + view->fall + view->step * speed) {
            return true;
        }
    }
    return false;
}
