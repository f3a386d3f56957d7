// Gaps of contacts of soft bodies after the step.
#include "collide/collide.h"
#include "math/vec3.h"
#include "model/pose.h"

// A soft body's vertex and a shape.
static double vertex_gap(const tn_model *model, const tn_pose *poses, const double *x, const tn_contact *contact)
{
    const tn_model_shape *shape = model->shapes + contact->shape_a;
    tn_pose pose;
    double normal[3], nearest[3];
    tn_pose_join(&pose, poses + shape->body, &shape->pose);
    return tn_shape_distance(&shape->shape, &pose, x + 3 * (size_t)contact->soft_b.node[0], normal, nearest);
}

double tn_contact_gap(const tn_model *model, const tn_pose *poses, const double *x, const tn_contact *contact)
{
    return vertex_gap(model, poses, x, contact);
}
