// Two capsules: the closest points of their axes, and where these are nearly parallel the ends of their overlap.
#include "math/vec3.h"
#include "shape/manifold.h"
#include "shape/segment.h"

// Sine of the angle below which ends count too [-].
static const double nearly_parallel = 0.1;

typedef struct capsule {
    double centre[3], half[3]; // half: from the centre to the + end
    double radius, length;     // length: |half|
} capsule;

static capsule capsule_of(const tn_placed *placed)
{
    capsule c = {.radius = placed->shape->size[0], .length = placed->shape->size[1]};
    tn_vec3_copy(c.centre, placed->position);
    tn_placed_axis(c.half, placed, 2);
    tn_vec3_scale(c.half, c.length, c.half);
    return c;
}

// Axes that cross: across both, away from a's centre; parallel and coincident: any direction across.
static void crossing_normal(double n[3], const capsule *a, const capsule *b, const tn_placed *placed)
{
    double between[3];
    tn_vec3_cross(n, a->half, b->half);
    double length = tn_vec3_norm(n);
    if (!(length > 1e-9 * a->length * b->length)) {
        tn_placed_axis(n, placed, 0);
        return;
    }
    tn_vec3_sub(between, b->centre, a->centre);
    tn_vec3_scale(n, (tn_vec3_dot(n, between) < 0.0 ? -1.0 : 1.0) / length, n);
}

// Contact of the balls at s on a's and t on b's axis.
static double add_balls(const capsule *a, double s, const capsule *b, double t, const tn_placed *placed,
                        unsigned feature, tn_manifold *out)
{
    double pa[3], pb[3], n[3], point[3];
    tn_vec3_madd(pa, a->centre, s, a->half);
    tn_vec3_madd(pb, b->centre, t, b->half);
    tn_vec3_sub(n, pb, pa);
    double length = tn_vec3_norm(n);
    if (length > 1e-12 * (a->radius + b->radius)) {
        tn_vec3_set(n, n[0] / length, n[1] / length, n[2] / length);
    } else {
        crossing_normal(n, a, b, placed);
    }
    double gap = length - a->radius - b->radius;
    tn_vec3_madd(point, pa, a->radius + 0.5 * gap, n);
    tn_manifold_add(out, n, point, gap, feature);
    return gap;
}

// The ball nearest to x on c's axis, s in [-1, 1] or beyond.
static double foot(const capsule *c, const double x[3])
{
    double d[3];
    tn_vec3_sub(d, x, c->centre);
    return tn_vec3_dot(d, c->half) / (c->length * c->length);
}

// Both ends of x's axis that lie beside the other's axis. Returns the smallest gap. taken: the ends of the
// other axis (bit 0: -, bit 1: +) that such a contact already uses.
static double add_ends(const capsule *a, const capsule *b, int of_b, const tn_placed *placed, unsigned *taken,
                       tn_manifold *out)
{
    const capsule *x = of_b ? b : a, *other = of_b ? a : b;
    const double slack = 1e-3; // of the half length: equal capsules side by side keep a's ends under small motion
    double least = INFINITY;
    unsigned used = 0;
    for (int end = 0; end < 2; ++end) {
        double p[3], s = end ? 1.0 : -1.0;
        tn_vec3_madd(p, x->centre, s, x->half);
        double t = foot(other, p);
        if (fabs(t) > 1.0 + slack || *taken >> end & 1) {
            continue;
        }
        t = fmin(1.0, fmax(-1.0, t));
        used |= fabs(t) > 1.0 - slack ? 1u << (t > 0.0) : 0;
        double gap = of_b ? add_balls(a, t, b, s, placed, 2u + (unsigned)end, out)
                          : add_balls(a, s, b, t, placed, (unsigned)end, out);
        least = fmin(least, gap);
    }
    *taken = used;
    return least;
}

// Feature: end of a (0, 1), end of b (2, 3), the axes' closest points (4).
void tn_pair_capsules(const tn_placed *a, const tn_placed *b, tn_manifold *out)
{
    capsule ca = capsule_of(a), cb = capsule_of(b);
    double s, t, across[3];
    double radii = ca.radius + cb.radius;
    double gap = sqrt(tn_segment_closest(ca.centre, ca.half, cb.centre, cb.half, &s, &t)) - radii;
    if (!(gap <= out->margin)) {
        return;
    }
    tn_vec3_cross(across, ca.half, cb.half);
    double product = ca.length * cb.length, least = INFINITY;
    if (product > 0.0 && tn_vec3_norm(across) < nearly_parallel * product) {
        unsigned taken = 0;
        least = add_ends(&ca, &cb, 0, b, &taken, out);
        least = fmin(least, add_ends(&ca, &cb, 1, b, &taken, out));
    }
    if (least > gap + 1e-9 * radii) {
        add_balls(&ca, s, &cb, t, b, 4, out);
    }
}
