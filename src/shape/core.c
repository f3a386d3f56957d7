#include "shape/core.h"

#include "math/vec3.h"

void tn_core_set(tn_core *core, const tn_placed *placed)
{
    bool capsule = tn_class_of(placed->shape)->core->rounded;
    const double *size = placed->shape->size;
    tn_vec3_copy(core->centre, placed->position);
    for (int i = 0; i < 3; ++i) {
        tn_vec3_set(core->axis[i], placed->rotation[i], placed->rotation[3 + i], placed->rotation[6 + i]);
    }
    if (capsule) {
        tn_vec3_set(core->half, 0.0, 0.0, size[1]);
    } else {
        tn_vec3_copy(core->half, size);
    }
    core->radius = capsule ? size[0] : 0.0;
    core->first = !capsule ? 0 : size[1] > 0.0 ? 2 : 3;
}

void tn_core_vertex(double out[3], const tn_core *core, unsigned vertex)
{
    tn_vec3_copy(out, core->centre);
    for (int i = core->first; i < 3; ++i) {
        tn_vec3_madd(out, out, vertex >> i & 1 ? core->half[i] : -core->half[i], core->axis[i]);
    }
}

void tn_core_edge(double middle[3], double half[3], const tn_core *core, unsigned edge)
{
    unsigned along = edge >> 3;
    tn_vec3_copy(middle, core->centre);
    for (unsigned i = (unsigned)core->first; i < 3; ++i) {
        if (i != along) {
            tn_vec3_madd(middle, middle, edge >> i & 1 ? core->half[i] : -core->half[i], core->axis[i]);
        }
    }
    tn_vec3_scale(half, core->half[along], core->axis[along]);
}

double tn_core_size(const tn_core *core)
{
    if (core->first > 0) {
        return core->radius;
    }
    const double *h = core->half;
    double least = h[0] < h[1] ? h[0] : h[1];
    return h[2] < least ? h[2] : least;
}

unsigned tn_core_support(const tn_core *core, const double direction[3])
{
    unsigned vertex = 0;
    for (int i = core->first; i < 3; ++i) {
        vertex |= tn_vec3_dot(direction, core->axis[i]) > 0.0 ? 1u << i : 0;
    }
    return vertex;
}
