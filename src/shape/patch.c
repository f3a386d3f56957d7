#include "shape/patch.h"

#include "math/vec3.h"

double tn_patch_facing(const tn_convex *c, const double direction[3], double normal[3])
{
    tn_vec3_copy(normal, direction);
    return c->class->facing ? c->class->facing(c, direction, normal) : -1.0;
}

void tn_patch_set(const tn_convex *c, const double direction[3], tn_patch *out)
{
    out->n = 0;
    if (c->class->patch) {
        c->class->patch(c, direction, out);
    }
}
