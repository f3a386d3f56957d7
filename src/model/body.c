// One body of the scene, compiled and checked.
#include "math/mat3.h"
#include "math/quat.h"
#include "model/compile.h"
#include "model/inertia.h"
#include "shape/pose.h"

#include <string.h>

static tn_status fail(const tn_place *place, tn_error *error, const char *body, const char *message)
{
    const char *file = place->file ? place->file : "";
    return tn_error_at(error, file, place->line, place->column, "body '%s' %s", body, message);
}

// A rigid body's moments are positive, and none exceeds the sum of the other two.
static bool moments_possible(const double m[3])
{
    double slack = 1.0 + 1e-9;
    return m[0] > 0.0 && m[1] > 0.0 && m[2] > 0.0 && m[0] <= slack * (m[1] + m[2]) && m[1] <= slack * (m[0] + m[2]) &&
           m[2] <= slack * (m[0] + m[1]);
}

static tn_status check_shapes(const tn_scene_body *from, tn_error *error)
{
    for (int s = 0; s < from->n_shapes && from->kind == TN_BODY_FREE; s++) {
        const tn_scene_shape *shape = &from->shapes[s];
        if (tn_shape_is(&shape->shape, TN_FORM_HALF_SPACE)) {
            return fail(&shape->place, error, from->name,
                        "is free and cannot carry a plane: make it fixed or kinematic, or use a box");
        }
        if (shape->collides && tn_shape_is(&shape->shape, TN_FORM_SURFACE)) {
            return fail(&shape->place, error, from->name,
                        "is free and cannot touch with a mesh or height field: give it convex hulls");
        }
    }
    return TN_OK;
}

// rows e1, e2, normal with e1 x e2 = normal
static void plane_axes(const double normal[3], double axes[9])
{
    double unit[3], frame[9];
    tn_vec3_scale(unit, 1.0 / tn_vec3_norm(normal), normal);
    tn_mat3_frame(frame, unit);
    memcpy(axes, frame + 3, 6 * sizeof *axes);
    tn_vec3_copy(axes + 6, frame);
}

// Part of x along the axis (in_plane false) or across it (true), as a length.
static double stray(const double x[3], const double axis[3], bool in_plane)
{
    double along = tn_vec3_dot(x, axis), rest[3];
    tn_vec3_madd(rest, x, -along, axis);
    return in_plane ? tn_vec3_norm(rest) : fabs(along);
}

static tn_status compile_planar(const tn_scene_body *from, const tn_inertia *inertia, tn_arena *arena,
                                tn_model_body *out, tn_error *error)
{
    if (!(tn_vec3_norm(from->plane_normal) > 0.0)) {
        return fail(&from->place, error, from->name, "is confined to a plane without a normal: give a non-zero one");
    }
    double *axes = TN_PUSH_RAW(arena, double, 9);
    if (!axes) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the plane of body '%s'", from->name);
    }
    plane_axes(from->plane_normal, axes);
    out->plane_axes = axes;
    const tn_scene_velocity still = {.linear = {0.0}}, *velocity = from->velocity ? from->velocity : &still;
    const double *normal = axes + 6;
    double slack = 1e-9 * (1.0 + tn_vec3_norm(velocity->linear));
    if (stray(velocity->linear, normal, false) > slack) {
        return fail(&from->place, error, from->name,
                    "is confined to a plane but its velocity points out of it: remove that component");
    }
    slack = 1e-9 * (1.0 + tn_vec3_norm(velocity->angular));
    if (stray(velocity->angular, normal, true) > slack) {
        return fail(&from->place, error, from->name,
                    "is confined to a plane but turns about another axis: angular_velocity must be along the normal");
    }
    double axis[3];
    tn_quat_rotate_inverse(axis, from->pose.quaternion, normal);
    tn_vec3_set(out->inertia, tn_inertia_about(inertia, axis), 0.0, 0.0);
    // Body axes are kept: only the moment about the normal counts.
    tn_vec3_copy(out->principal.position, inertia->center);
    tn_quat_identity(out->principal.quaternion);
    if (!(out->inertia[0] > 0.0)) {
        return fail(&from->place, error, from->name,
                    "has no inertia about its plane's normal: give inertia, or a shape with volume and density");
    }
    return TN_OK;
}

static tn_status compile_free(const tn_model *model, int number, tn_arena *arena, tn_model_body *out, tn_error *error)
{
    const tn_scene_body *from = out->description;
    tn_inertia inertia;
    tn_inertia_compose(from, &inertia);
    tn_model_add_attached_mass(model, number, &from->pose, &inertia);
    if (!(inertia.mass > 0.0) || !isfinite(inertia.mass)) {
        return fail(&from->place, error, from->name,
                    "is free but has no mass: give mass and inertia, or a shape with volume and density");
    }
    const double lightest = 1e-18; // a virus; its inverse times anything of a scene stays finite
    if (inertia.mass < lightest) {
        return tn_error_at(error, from->place.file ? from->place.file : "", from->place.line, from->place.column,
                           "body '%s' weighs %g kg: at least %g kg are needed", from->name, inertia.mass, lightest);
    }
    out->mass = inertia.mass;
    if (from->plane_normal) {
        return compile_planar(from, &inertia, arena, out, error);
    }
    tn_inertia_principal(&inertia, &out->principal, out->inertia);
    if (!moments_possible(out->inertia)) {
        return tn_error_at(error, from->place.file ? from->place.file : "", from->place.line, from->place.column,
                           "body '%s' has impossible principal moments of inertia %g, %g, %g kg m^2: each must be "
                           "positive and at most the sum of the other two",
                           from->name, out->inertia[0], out->inertia[1], out->inertia[2]);
    }
    return TN_OK;
}

tn_status tn_model_compile_body(tn_model *model, int b, tn_arena *arena, tn_error *error)
{
    const tn_scene_body *from = &model->scene->bodies[b];
    tn_model_body *out = &model->bodies[b + 1];
    *out = (tn_model_body){.kind = from->kind, .block = -1, .description = from, .pushed = from->push != NULL};
    model->any_pushed = model->any_pushed || out->pushed;
    tn_pose_set_identity(&out->principal);
    tn_status status = check_shapes(from, error);
    if (status == TN_OK && from->kind == TN_BODY_FREE) {
        out->planar = from->plane_normal != NULL;
        model->any_planar = model->any_planar || out->planar;
        out->n_blocks = out->planar ? 1 : 2;
        status = compile_free(model, b + 1, arena, out, error);
    }
    const double *moment = out->inertia;
    model->any_oblong =
        model->any_oblong || (out->n_blocks == 2 && !(moment[0] == moment[1] && moment[1] == moment[2]));
    return status;
}
