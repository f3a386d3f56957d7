// Contacts that give way: what spring a contact has, and its law as a row of the step's problem.
#include "discretize/point_spring.h"

#include "collide/foundation.h"
#include "math/vec3.h"

#include <math.h>

// Curvature of a shape where it touches [1/m]; the model has refused what is neither round nor flat.
static double curvature(const tn_model *model, int shape)
{
    const tn_shape *s = shape < model->n_shapes ? &model->shapes[shape].shape : NULL;
    bool round = s && tn_shape_is(s, TN_FORM_BALLS);
    return round ? 1.0 / s->size[0] : 0.0;
}

// 4/3 E* sqrt(r) [N/m^(3/2)].
static double hertz(const tn_model *model, const tn_contact *contact)
{
    const tn_contact_spring *s = &contact->surface->spring;
    double bent = curvature(model, contact->shape_a) + curvature(model, contact->shape_b);
    return 4.0 / 3.0 * s->modulus * sqrt(s->radius > 0.0 ? s->radius : 1.0 / bent);
}

tn_point_spring tn_point_spring_of(const tn_model *model, const tn_contact *contact)
{
    const tn_surface *surface = contact->surface;
    const tn_contact_spring *s = &surface->spring;
    tn_point_spring out = {.power = 0.0};
    if (surface->contact == TN_CONTACT_RIGID) {
        return out;
    }
    out = (tn_point_spring){.power = 1.0,
                            .k = s->stiffness,
                            .damping = s->damping,
                            .hunt_crossley = s->hunt_crossley,
                            .softness_t = {1.0 / s->tangential_damping, 1.0 / s->tangential_damping},
                            .tangential = {s->tangential_stiffness, s->tangential_stiffness2},
                            .relaxation = s->relaxation};
    if (surface->contact == TN_CONTACT_HERTZ) {
        out.power = 1.5;
        out.k = hertz(model, contact);
    }
    if (surface->contact == TN_CONTACT_FOUNDATION) {
        const tn_shape *a = &model->shapes[contact->shape_a].shape, *b = &model->shapes[contact->shape_b].shape;
        out.k =
            s->bedding * tn_foundation_area(tn_shape_is(a, TN_FORM_HALF_SPACE) ? b : a, contact->feature, s->elements);
    }
    return out;
}

void tn_point_spring_hold(tn_point_spring *spring, double h, const double before[2], double rolling)
{
    for (int i = 0; i < 2; i++) {
        double compliance = 1.0 / spring->tangential[i];
        if (compliance > 0.0) {
            spring->softness_t[i] = (1.0 / h + rolling / spring->relaxation) * compliance;
            spring->held[i] = -before[i] / h * compliance;
        }
    }
}

void tn_point_spring_before(const double frame[9], const double warm[3], double out[2])
{
    out[0] = tn_vec3_dot(frame + 3, warm);
    out[1] = tn_vec3_dot(frame + 6, warm);
}

double tn_point_spring_energy_along(const tn_point_spring *spring, const double f[2])
{
    return 0.5 * (f[0] * f[0] / spring->tangential[0] + f[1] * f[1] / spring->tangential[1]);
}

// The whole law at one depth.
typedef struct law_at {
    double force, slope; // f [N], df/dd [N/m]
} law_at;

static law_at evaluate(const tn_point_spring *spring, double h, double gap, double depth)
{
    double elastic = tn_point_spring_force(spring, depth), slope = spring->power * elastic / depth;
    double rate = (depth - fmax(0.0, -gap)) / h, extra = 1.5 * spring->hunt_crossley;
    return (law_at){.force = elastic + (spring->damping + extra * elastic) * rate,
                    .slope = slope * (1.0 + extra * rate) + (spring->damping + extra * elastic) / h};
}

// The depth that the spring alone takes.
static double elastic_depth(const tn_point_spring *spring, double f)
{
    double x = f / spring->k;
    return spring->power == 1.0 ? x : cbrt(x * x);
}

double tn_point_spring_depth(const tn_point_spring *spring, double h, double gap, double f)
{
    enum { CAP = 200 };
    double before = fmax(0.0, -gap);
    if (tn_point_spring_is_straight(spring)) {
        return (f + spring->damping / h * before) / (spring->k + spring->damping / h);
    }
    double alone = elastic_depth(spring, f);
    if (spring->damping == 0.0 && spring->hunt_crossley == 0.0) {
        return alone;
    }
    // Dampers hold it between where it was and where the spring alone would have it.
    bool deeper = f >= tn_point_spring_force(spring, before);
    double low = deeper ? before : 0.0, high = deeper ? fmax(alone, before) : before, depth = high;
    // Newton's method within a bracket, which also closes in on where the law leaves zero.
    for (int i = 0; i < CAP && low < high; i++) {
        law_at at = evaluate(spring, h, gap, depth);
        if (at.force == f && f > 0.0) {
            break;
        }
        if (at.force > f) {
            high = depth;
        } else {
            low = depth;
        }
        double next = depth - (at.force - f) / at.slope, middle = 0.5 * (low + high);
        next = next > low && next < high ? next : middle;
        if (next == depth || middle == low || middle == high) {
            break;
        }
        depth = next;
    }
    return depth;
}

void tn_point_spring_row(const tn_point_spring *spring, double h, double gap, double depth, double *w, double *R)
{
    if (tn_point_spring_is_straight(spring)) { // the same for any depth, in few roundings
        *R = 1.0 / (h * spring->k + spring->damping);
        *w = gap / (gap < 0.0 ? h + spring->damping / spring->k : h);
        return;
    }
    law_at at = evaluate(spring, h, gap, depth);
    *R = 1.0 / (h * at.slope);
    *w = (gap + depth - at.force / at.slope) / h;
}
