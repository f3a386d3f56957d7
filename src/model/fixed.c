// What never moves apart from what does, so that a step looks only at what of it is near something that does.
#include "math/quat.h"
#include "math/vec3.h"
#include "model/compile.h"
#include "model/motion.h"

// World coordinates; a shape whose place is no number is everywhere.
static void find_box(const tn_model *model, int shape, double box[6])
{
    const tn_model_shape *s = &model->shapes[shape];
    tn_pose body, pose;
    tn_placed placed;
    tn_motion_pose(&model->bodies[s->body], 0.0, &body);
    tn_quat_rotate(pose.position, body.quaternion, s->pose.position);
    tn_vec3_add(pose.position, pose.position, body.position);
    tn_quat_mul(pose.quaternion, body.quaternion, s->pose.quaternion);
    tn_vec3_set(box, -INFINITY, -INFINITY, -INFINITY);
    tn_vec3_set(box + 3, INFINITY, INFINITY, INFINITY);
    if (tn_placed_set(&placed, &s->shape, &pose)) {
        tn_class_of(&s->shape)->bounds(&placed, box, box + 3);
    }
}

tn_status tn_model_compile_fixed(tn_model *model, tn_arena *arena, tn_error *error)
{
    model->mover = TN_PUSH_RAW(arena, int, model->n_bodies);
    model->fixed = TN_PUSH_RAW(arena, tn_fixed_shape, model->n_shapes);
    if (!model->mover || !model->fixed) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the places of %d shapes", model->n_shapes);
    }
    for (int b = 0; b < model->n_bodies; b++) {
        const tn_model_body *body = &model->bodies[b];
        if (body->kind != TN_BODY_FIXED) {
            model->mover[model->n_movers++] = b;
        }
        for (int s = body->first_shape; body->kind == TN_BODY_FIXED && s < body->first_shape + body->n_shapes; s++) {
            tn_fixed_shape *to = &model->fixed[model->n_fixed++];
            to->shape = s;
            find_box(model, s, to->box);
        }
    }
    return TN_OK;
}
