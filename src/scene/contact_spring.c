// How the springs of two materials' contact act together.
#include "scene/scene.h"

#include <math.h>

const tn_contact_spring tn_contact_spring_rigid = {.stiffness = INFINITY,
                                                   .modulus = INFINITY,
                                                   .bedding = INFINITY,
                                                   .tangential_damping = INFINITY,
                                                   .tangential_stiffness = INFINITY,
                                                   .tangential_stiffness2 = INFINITY,
                                                   .relaxation = INFINITY};

tn_contact_model tn_contact_spring_model(const tn_contact_spring *spring)
{
    bool linear = isfinite(spring->stiffness), hertz = isfinite(spring->modulus), layer = isfinite(spring->bedding);
    if (linear + hertz + layer > 1) {
        return TN_CONTACT_MIXED;
    }
    return linear ? TN_CONTACT_LINEAR : hertz ? TN_CONTACT_HERTZ : layer ? TN_CONTACT_FOUNDATION : TN_CONTACT_RIGID;
}

// One behind the other; what is rigid leaves the other as it is, to the bit.
static double in_series(double a, double b)
{
    return isinf(a) ? b : isinf(b) ? a : 1.0 / (1.0 / a + 1.0 / b);
}

tn_contact_spring tn_contact_spring_combine(const tn_contact_spring *a, const tn_contact_spring *b)
{
    return (tn_contact_spring){.stiffness = in_series(a->stiffness, b->stiffness),
                               .modulus = in_series(a->modulus, b->modulus),
                               .bedding = in_series(a->bedding, b->bedding),
                               .elements = a->elements > b->elements ? a->elements : b->elements,
                               .damping = fmax(a->damping, b->damping),
                               .hunt_crossley = fmax(a->hunt_crossley, b->hunt_crossley),
                               .tangential_damping = in_series(a->tangential_damping, b->tangential_damping),
                               .tangential_stiffness = in_series(a->tangential_stiffness, b->tangential_stiffness),
                               .tangential_stiffness2 = in_series(a->tangential_stiffness2, b->tangential_stiffness2),
                               .relaxation = fmin(a->relaxation, b->relaxation)};
}
