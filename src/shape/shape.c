#include "shape/shape.h"

#include "math/quat.h"
#include "math/vec3.h"
#include "shape/class.h"

#include <stdbool.h>

const tn_shape_class *const tn_shape_table[TN_SHAPE_COUNT] = {
    [TN_SHAPE_PLANE] = &tn_shape_class_plane,
    [TN_SHAPE_SPHERE] = &tn_shape_class_sphere,
    [TN_SHAPE_BOX] = &tn_shape_class_box,
    [TN_SHAPE_CAPSULE] = &tn_shape_class_capsule,
    [TN_SHAPE_POINTS] = &tn_shape_class_points,
    [TN_SHAPE_CYLINDER] = &tn_shape_class_cylinder,
    [TN_SHAPE_ELLIPSOID] = &tn_shape_class_ellipsoid,
    [TN_SHAPE_HULL] = &tn_shape_class_hull,
    [TN_SHAPE_TRIANGLES] = &tn_shape_class_triangles,
    [TN_SHAPE_HEIGHTS] = &tn_shape_class_heights,
    [TN_SHAPE_DISK] = &tn_shape_class_disk,
    [TN_SHAPE_ELLIPSE] = &tn_shape_class_ellipse,
    [TN_SHAPE_POLYGON] = &tn_shape_class_polygon,
    [TN_SHAPE_CONE] = &tn_shape_class_cone,
};

bool tn_placed_set(tn_placed *placed, const tn_shape *shape, const tn_pose *pose)
{
    double sum = 0.0; // 0 x is 0 for finite x, NaN otherwise
    for (int i = 0; i < 3; ++i) {
        sum += 0.0 * pose->position[i];
    }
    for (int i = 0; i < 4; ++i) {
        sum += 0.0 * pose->quaternion[i];
    }
    if (!(sum == 0.0)) {
        return false;
    }
    placed->shape = shape;
    tn_vec3_copy(placed->position, pose->position);
    tn_quat_to_mat3(placed->rotation, pose->quaternion);
    return true;
}

void tn_placed_axis(double out[3], const tn_placed *placed, int axis)
{
    tn_vec3_set(out, placed->rotation[axis], placed->rotation[3 + axis], placed->rotation[6 + axis]);
}

void tn_shape_bounds(const tn_shape *shape, const tn_pose *pose, double margin, double low[3], double high[3])
{
    tn_placed placed;
    if (!tn_placed_set(&placed, shape, pose)) {
        tn_vec3_set(low, NAN, NAN, NAN);
        tn_vec3_set(high, NAN, NAN, NAN);
        return;
    }
    tn_class_of(shape)->bounds(&placed, low, high);
    for (int i = 0; i < 3; ++i) {
        low[i] -= margin;
        high[i] += margin;
    }
}

double tn_shape_volume(const tn_shape *shape)
{
    const tn_shape_class *class = tn_class_of(shape);
    return class->volume ? class->volume(shape) : 0.0;
}

void tn_shape_inertia(const tn_shape *shape, double density, double *mass, double inertia[9])
{
    for (int i = 0; i < 9; ++i) {
        inertia[i] = 0.0;
    }
    *mass = 0.0;
    if (tn_class_of(shape)->inertia) {
        tn_class_of(shape)->inertia(shape, density, mass, inertia);
    }
}

double tn_shape_spin_radius(const tn_shape *shape)
{
    const tn_shape_class *class = tn_class_of(shape);
    return class->spin_radius ? class->spin_radius(shape) : 0.0;
}

double tn_shape_least(const tn_shape *shape)
{
    const tn_shape_class *class = tn_class_of(shape);
    return class->least ? class->least(shape) : INFINITY;
}

const char *tn_shape_name(tn_shape_kind kind)
{
    return (unsigned)kind < TN_SHAPE_COUNT ? tn_shape_table[kind]->name : "unknown";
}
