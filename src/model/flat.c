// Planar shapes touch only what lies in their plane: everything else that could collide with them is refused here.
#include "shape/flat.h"
#include "math/quat.h"
#include "model/compile.h"
#include "model/motion.h"
#include "shape/pose.h"

static tn_status fail(const tn_model *model, int s, tn_error *error, const char *what)
{
    const tn_model_body *body = &model->bodies[model->shapes[s].body];
    const tn_place *place = &body->description->place;
    return tn_error_at(error, place->file ? place->file : "", place->line, place->column, "body '%s' %s",
                       body->description->name, what);
}

static void world_axis(double out[3], const tn_pose *body, const tn_model_shape *shape, int axis)
{
    double unit[3] = {axis == 0, axis == 1, axis == 2};
    tn_quat_rotate(out, shape->pose.quaternion, unit);
    tn_quat_rotate(out, body->quaternion, out);
}

static bool parallel(const double a[3], const double b[3])
{
    double cross[3];
    tn_vec3_cross(cross, a, b);
    return tn_vec3_norm(cross) <= TN_FLAT_TILT;
}

// A kinematic body keeps its planar shapes in their plane, as far as a few times can tell.
static bool stays_in_plane(const tn_model *model, const tn_model_shape *shape)
{
    enum { TIMES = 64 };
    const tn_model_body *body = &model->bodies[shape->body];
    double first[3], normal[3], level = 0.0;
    for (int k = 0; k <= TIMES; k++) {
        tn_pose pose, own;
        double axis[3];
        tn_motion_pose(body, model->settings.duration * k / TIMES, &pose);
        tn_pose_join(&own, &pose, &shape->pose);
        world_axis(axis, &pose, shape, 1);
        if (k == 0) {
            tn_vec3_copy(first, own.position);
            tn_vec3_copy(normal, axis);
            level = TN_FLAT_TILT * (tn_shape_least(&shape->shape) + tn_shape_spin_radius(&shape->shape));
        }
        double way[3];
        tn_vec3_sub(way, own.position, first);
        if (!parallel(axis, normal) || fabs(tn_vec3_dot(way, normal)) > level + TN_FLAT_TILT * tn_vec3_norm(way)) {
            return false;
        }
    }
    return true;
}

static tn_status check_body(const tn_model *model, int s, tn_error *error)
{
    const tn_model_shape *shape = &model->shapes[s];
    const tn_model_body *body = &model->bodies[shape->body];
    tn_pose start;
    double normal[3];
    tn_motion_start_pose(body, &start);
    world_axis(normal, &start, shape, 1);
    if (body->kind == TN_BODY_FREE && !(body->planar && parallel(normal, body->plane_axes + 6))) {
        return fail(model, s, error,
                    "carries a planar shape but does not move in its plane: the normal of 'confine' must be the y axis "
                    "of the shape's frame");
    }
    if (body->kind == TN_BODY_KINEMATIC && !stays_in_plane(model, shape)) {
        return fail(model, s, error, "carries a planar shape and leaves its plane by its motion");
    }
    return TN_OK;
}

// Whether shape s lies in the plane of the planar shape `flat`, or is a half space at right angles to it.
static bool fits(const tn_model *model, int s, int flat)
{
    const tn_model_shape *a = &model->shapes[flat], *b = &model->shapes[s];
    tn_pose body_a, body_b, pose_a, pose_b;
    double normal[3], axis[3], between[3];
    tn_motion_start_pose(&model->bodies[a->body], &body_a);
    tn_motion_start_pose(&model->bodies[b->body], &body_b);
    tn_pose_join(&pose_a, &body_a, &a->pose);
    tn_pose_join(&pose_b, &body_b, &b->pose);
    world_axis(normal, &body_a, a, 1);
    bool plane = tn_shape_is(&b->shape, TN_FORM_HALF_SPACE);
    world_axis(axis, &body_b, b, plane ? 2 : 1);
    if (plane) {
        return fabs(tn_vec3_dot(normal, axis)) <= TN_FLAT_TILT;
    }
    tn_vec3_sub(between, pose_b.position, pose_a.position);
    double slack = tn_vec3_norm(between) + tn_shape_least(&a->shape) + tn_shape_least(&b->shape);
    return tn_shape_is_flat(&b->shape) && parallel(normal, axis) &&
           fabs(tn_vec3_dot(between, normal)) <= TN_FLAT_TILT * slack;
}

static bool collide(const tn_model *model, int a, int b)
{
    const tn_model_shape *first = &model->shapes[a < b ? a : b], *second = &model->shapes[a < b ? b : a];
    bool moves = model->bodies[first->body].kind == TN_BODY_FREE || model->bodies[second->body].kind == TN_BODY_FREE;
    return first->body != second->body && moves &&
           model->surfaces[first->material * model->n_materials + second->material].collide;
}

// Against the first planar shape of each material, and the first of those on free bodies: all others of the material
// are in the same plane, or have been refused themselves.
static tn_status check_pairs(const tn_model *model, const int *first, int s, tn_error *error)
{
    for (int k = 0; k < 2 * model->n_materials; k++) {
        int flat = first[k];
        if (flat < 0 || flat == s || !collide(model, s, flat) || fits(model, s, flat)) {
            continue;
        }
        return tn_shape_is_flat(&model->shapes[s].shape)
                   ? fail(model, s, error,
                          "carries a planar shape in another plane than others that it collides with: all must lie in "
                          "one, or a pair of materials with 'collide: false' keeps them apart")
                   : fail(model, s, error,
                          "cannot collide with planar shapes: only other planar shapes in the same plane and planes at "
                          "right angles to it can; a pair of materials with 'collide: false' keeps them apart");
    }
    return TN_OK;
}

static tn_status check_softs(const tn_model *model, const int *first, tn_error *error)
{
    for (int k = 0; k < model->n_softs * model->n_materials; k++) {
        const tn_model_soft *soft = &model->softs[k / model->n_materials];
        int flat = first[k % model->n_materials];
        if (flat >= 0 && soft->collides &&
            model->surfaces[model->shapes[flat].material * model->n_materials + soft->material].collide) {
            return fail(model, flat, error, "carries a planar shape, which soft bodies cannot collide with");
        }
    }
    return TN_OK;
}

tn_status tn_model_check_flat(const tn_model *model, tn_arena *arena, tn_error *error)
{
    tn_status status = TN_OK;
    bool any = false;
    int *first = TN_PUSH(arena, int, 2 * (size_t)model->n_materials); // of each material: planar, planar and free
    if (!first) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for %d materials", model->n_materials);
    }
    for (int k = 0; k < 2 * model->n_materials; k++) {
        first[k] = -1;
    }
    for (int s = 0; s < model->n_shapes && status == TN_OK; s++) {
        const tn_model_shape *shape = &model->shapes[s];
        if (tn_shape_is_flat(&shape->shape)) {
            bool is_free = model->bodies[shape->body].kind == TN_BODY_FREE;
            int *any_of = &first[shape->material], *free_of = &first[model->n_materials + shape->material];
            *any_of = *any_of < 0 ? s : *any_of;
            *free_of = *free_of < 0 && is_free ? s : *free_of;
            any = true;
            status = check_body(model, s, error);
        }
    }
    for (int s = 0; any && s < model->n_shapes && status == TN_OK; s++) {
        status = check_pairs(model, first, s, error);
    }
    return status == TN_OK && any ? check_softs(model, first, error) : status;
}
