#include "shape/reduce.h"

#include "math/vec3.h"

#include <stdbool.h>

// Twice the area of three points seen along the normal.
static double corner_area(const tn_contact_point *p, const tn_contact_point *q, const tn_contact_point *r)
{
    double u[3], v[3], cross[3];
    tn_vec3_sub(u, q->point, p->point);
    tn_vec3_sub(v, r->point, p->point);
    tn_vec3_cross(cross, u, v);
    return fabs(tn_vec3_dot(cross, p->normal));
}

int tn_points_reduce(int n, tn_contact_point *points, int most)
{
    const double small = 0.02, tie = 1e-3; // of the area spanned
    double area = 0.0;
    int deepest = 0;
    for (int i = 0; i < n; ++i) {
        area += i > 1 ? corner_area(points, points + i - 1, points + i) : 0.0;
        deepest = points[i].gap < points[deepest].gap ? i : deepest;
    }
    while (n > 4) {
        int least = -1;
        double loss = INFINITY;
        for (int i = 0; i < n; ++i) {
            double here = corner_area(points + (i + n - 1) % n, points + i, points + (i + 1) % n);
            // Near ties (symmetric outlines) by name, so that small motion does not change the choice.
            bool better = here < loss - tie * area ||
                          (here <= loss + tie * area && least >= 0 && points[i].feature > points[least].feature);
            if (i != deepest && (least < 0 || better)) {
                least = i;
                loss = here;
            }
        }
        if (n <= most && loss > small * area) {
            break;
        }
        for (int i = least; i + 1 < n; ++i) {
            points[i] = points[i + 1];
        }
        deepest -= deepest > least;
        n--;
    }
    return n;
}
