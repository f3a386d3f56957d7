#include "shape/segment.h"

#include "math/vec3.h"

static double clamp1(double s)
{
    return s < -1.0 ? -1.0 : s > 1.0 ? 1.0 : s;
}

// Minimise |r + s d1 - t d2|^2, convex in (s, t): the unconstrained minimum in s, clamped, then the best t for it; if t
// must be clamped, the best s for that t. (For two variables in a box this is exact.) Of segments that are nearly
// parallel that last step also mends the rounding of s.
double tn_segment_closest(const double c1[3], const double d1[3], const double c2[3], const double d2[3], double *s1,
                          double *s2)
{
    double r[3];
    tn_vec3_sub(r, c1, c2);
    double aa = tn_vec3_dot(d1, d1), ab = tn_vec3_dot(d1, d2), bb = tn_vec3_dot(d2, d2);
    double ar = tn_vec3_dot(d1, r), br = tn_vec3_dot(d2, r);
    double det = aa * bb - ab * ab;
    // Nearly parallel (angle below 1e-7): any s serves, and t is then the best for it.
    double s = det > 1e-14 * aa * bb ? clamp1((ab * br - bb * ar) / det) : 0.0;
    double t = bb > 0.0 ? (br + s * ab) / bb : 0.0;
    if (!(fabs(t) <= 1.0 && det > 1e-3 * aa * bb)) {
        s = aa > 0.0 ? clamp1((clamp1(t) * ab - ar) / aa) : 0.0;
        t = bb > 0.0 ? clamp1((br + s * ab) / bb) : 0.0;
    }
    double d[3];
    tn_vec3_madd(d, r, s, d1);
    tn_vec3_madd(d, d, -t, d2);
    *s1 = s;
    *s2 = t;
    return tn_vec3_dot(d, d);
}

void tn_segment_halves(const double p[3], const double q[3], double middle[3], double half[3])
{
    for (int k = 0; k < 3; ++k) {
        middle[k] = 0.5 * (p[k] + q[k]);
        half[k] = 0.5 * (q[k] - p[k]);
    }
}
