#include "collide/frame.h"

#include "math/mat3.h"
#include "math/quat.h"

// t1 along direction's part across n; false, frame untouched, if it has none.
static bool frame_along(double frame[9], const double n[3], const double direction[3])
{
    double t[3];
    tn_vec3_madd(t, direction, -tn_vec3_dot(n, direction), n);
    double length = tn_vec3_norm(t);
    if (!(length > 1e-6 * tn_vec3_norm(direction))) {
        return false;
    }
    tn_vec3_scale(t, 1.0 / length, t);
    tn_vec3_madd(t, t, -tn_vec3_dot(n, t), n); // once more: small parts lose digits
    tn_vec3_scale(t, 1.0 / tn_vec3_norm(t), t);
    tn_vec3_copy(frame, n);
    tn_vec3_copy(frame + 3, t);
    tn_vec3_cross(frame + 6, n, t);
    return true;
}

// A surface's direction is given in its body's own axes; the state turns principal axes. A soft body has no axes of its
// own once it moves: its direction stays as the scene placed it.
static void world_direction(double out[3], const tn_state *state, int body, const double direction[3])
{
    int soft = body - state->model->n_bodies;
    if (soft >= 0) {
        const tn_scene_soft *description = state->model->softs[soft].description;
        tn_vec3_copy(out, direction);
        if (description) {
            tn_quat_rotate(out, description->pose.quaternion, direction);
        }
        return;
    }
    tn_quat_rotate_inverse(out, state->model->bodies[body].principal.quaternion, direction);
    tn_quat_rotate(out, state->pose[body].quaternion, out);
}

// t1 along the surface's direction. A face across it has none; there it is some direction of the body, which turns with
// it: one of the world's would make friction depend on where the body points.
static bool frame_of_surface(double frame[9], const tn_state *state, const tn_surface *surface, int body,
                             const double normal[3])
{
    double direction[3], own[9];
    world_direction(direction, state, body, surface->direction);
    if (frame_along(frame, normal, direction)) {
        return true;
    }
    tn_vec3_scale(direction, 1.0 / tn_vec3_norm(surface->direction), surface->direction);
    tn_mat3_frame(own, direction);
    world_direction(direction, state, body, own + 3);
    return frame_along(frame, normal, direction);
}

// NULL: not confined to a plane.
static const tn_model_body *planar_body(const tn_model *model, int body)
{
    return model->any_planar && body < model->n_bodies && model->bodies[body].planar ? model->bodies + body : NULL;
}

// A normal in the plane up to rounding, exactly so: t2 is the plane's normal to the last bit, and what the body does
// along it is nothing at all.
static bool frame_in_plane(double frame[9], const double n[3], const double across[3])
{
    double off = tn_vec3_dot(n, across), level[3];
    if (!(fabs(off) <= 1e-9)) {
        return false;
    }
    tn_vec3_madd(level, n, -off, across);
    if (off != 0.0) {
        tn_vec3_scale(level, 1.0 / tn_vec3_norm(level), level);
    }
    tn_vec3_copy(frame, level);
    tn_vec3_cross(frame + 3, across, level);
    tn_vec3_copy(frame + 6, across);
    return true;
}

bool tn_contact_held(const tn_model *model, int body_a, int body_b, const double normal[3])
{
    bool any = false;
    for (int side = 0; side < 2; side++) {
        int body = side == 0 ? body_a : body_b;
        const tn_model_body *planar = planar_body(model, body);
        if (planar && fabs(tn_vec3_dot(normal, planar->plane_axes + 6)) >= 1.0 - 5e-13) { // 1e-6 rad
            any = true;
        } else if (body >= model->n_bodies || model->bodies[body].n_blocks > 0) {
            return false;
        }
    }
    return any;
}

bool tn_surface_is_directed(const tn_surface *surface)
{
    bool isotropic =
        surface->mu1 == surface->mu2 && surface->spring.tangential_stiffness == surface->spring.tangential_stiffness2;
    return !isotropic && tn_vec3_dot(surface->direction, surface->direction) > 0.0;
}

void tn_contact_frame(double frame[9], const tn_state *state, const tn_surface *surface, int body_a, int body_b,
                      const double normal[3])
{
    double direction[3];
    if (tn_surface_is_directed(surface) &&
        frame_of_surface(frame, state, surface, surface->direction_of_b ? body_b : body_a, normal)) {
        return;
    }
    const tn_model_body *planar = planar_body(state->model, body_b);
    planar = planar ? planar : planar_body(state->model, body_a);
    if (planar) {
        const double *across = planar->plane_axes + 6;
        if (frame_in_plane(frame, normal, across)) {
            return;
        }
        tn_vec3_cross(direction, across, normal); // then t2 = n x t1 is the plane's normal
        if (frame_along(frame, normal, direction)) {
            return;
        }
    }
    tn_mat3_frame(frame, normal);
}
