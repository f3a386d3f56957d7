#include "model/inertia.h"

#include "math/mat3.h"
#include "math/quat.h"

#include <string.h>

// tensor += R local R^T, symmetrised
static void add_turned(double tensor[9], const double quaternion[4], const double local[9])
{
    double r[9], rl[9], turned[9];
    tn_quat_to_mat3(r, quaternion);
    tn_mat3_mul(rl, r, local);
    tn_mat3_mul_nt(turned, rl, r);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            tensor[3 * i + j] += 0.5 * (turned[3 * i + j] + turned[3 * j + i]);
        }
    }
}

static void compose_shapes(const tn_scene_body *body, tn_inertia *out)
{
    // Shapes without volume or density (planes, points) report mass 0 and drop out.
    double moment[3] = {0.0, 0.0, 0.0};
    for (int s = 0; s < body->n_shapes; s++) {
        const tn_scene_shape *shape = &body->shapes[s];
        double mass, local[9];
        tn_shape_inertia(&shape->shape, shape->density, &mass, local);
        out->mass += mass;
        tn_vec3_madd(moment, moment, mass, shape->pose.position);
    }
    if (!(out->mass > 0.0)) {
        return;
    }
    tn_vec3_scale(out->center, 1.0 / out->mass, moment);
    for (int s = 0; s < body->n_shapes; s++) {
        const tn_scene_shape *shape = &body->shapes[s];
        double mass, local[9], d[3];
        tn_shape_inertia(&shape->shape, shape->density, &mass, local);
        tn_vec3_sub(d, shape->pose.position, out->center);
        add_turned(out->tensor, shape->pose.quaternion, local);
        tn_mat3_add_point_mass(out->tensor, mass, d);
    }
}

void tn_inertia_compose(const tn_scene_body *body, tn_inertia *out)
{
    *out = (tn_inertia){0};
    const tn_scene_inertia *given = body->inertia;
    if (!given) {
        compose_shapes(body, out);
        return;
    }
    out->mass = given->mass;
    tn_vec3_copy(out->center, given->center);
    memcpy(out->tensor, given->tensor, sizeof out->tensor);
}

void tn_inertia_add_point(tn_inertia *inertia, double mass, const double place[3])
{
    double total = inertia->mass + mass, arm[3];
    if (!(total > 0.0)) {
        return;
    }
    // About the new center the two masses act as the reduced mass at their distance.
    tn_vec3_sub(arm, place, inertia->center);
    tn_mat3_add_point_mass(inertia->tensor, inertia->mass * mass / total, arm);
    tn_vec3_madd(inertia->center, inertia->center, mass / total, arm);
    inertia->mass = total;
}

static int is_diagonal(const double a[9])
{
    double scale = 1e-13 * (fabs(a[0]) + fabs(a[4]) + fabs(a[8]));
    return fabs(a[1]) <= scale && fabs(a[2]) <= scale && fabs(a[5]) <= scale;
}

void tn_inertia_principal(const tn_inertia *inertia, tn_pose *principal, double moments[3])
{
    tn_vec3_copy(principal->position, inertia->center);
    if (is_diagonal(inertia->tensor)) {
        tn_quat_identity(principal->quaternion);
        tn_vec3_set(moments, inertia->tensor[0], inertia->tensor[4], inertia->tensor[8]);
        return;
    }
    double axes[9];
    tn_mat3_eigen(inertia->tensor, moments, axes);
    tn_quat_from_mat3(principal->quaternion, axes);
    tn_quat_normalize(principal->quaternion);
}

double tn_inertia_about(const tn_inertia *inertia, const double axis[3])
{
    double turned[3];
    tn_mat3_vec(turned, inertia->tensor, axis);
    return tn_vec3_dot(axis, turned);
}
