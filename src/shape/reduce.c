#include "shape/reduce.h"

#include "math/vec3.h"

void tn_face_points_add(tn_face_points *face, const double normal[3], const double point[3], double way, double gap,
                        unsigned feature)
{
    if (face->n == TN_FACE_POINTS) {
        return;
    }
    tn_contact_point *p = face->points + face->n++;
    tn_vec3_copy(p->normal, normal);
    tn_vec3_madd(p->point, point, 0.5 * way * gap, normal);
    p->gap = gap;
    p->feature = feature;
}

// Twice the area of three points, heights included.
static double corner_area(const tn_contact_point *p, const tn_contact_point *q, const tn_contact_point *r)
{
    double u[3], v[3], cross[3];
    tn_vec3_sub(u, q->point, p->point);
    tn_vec3_sub(v, r->point, p->point);
    tn_vec3_cross(cross, u, v);
    return tn_vec3_norm(cross);
}

// The point that is missed least, and twice the area that goes with it. Near ties (symmetric outlines) are settled by
// name, so that small motion does not change the choice.
static int least_missed(int n, const tn_contact_point *points, int deepest, double area, double *loss)
{
    const double tie = 1e-3;
    int least = -1;
    for (int i = 0; i < n; ++i) {
        double here = corner_area(points + (i + n - 1) % n, points + i, points + (i + 1) % n);
        bool better = least < 0 || here < *loss - tie * area ||
                      (here <= *loss + tie * area && points[i].feature > points[least].feature);
        if (i != deepest && better) {
            least = i;
            *loss = here;
        }
    }
    return least;
}

static void remove_point(tn_face_points *face, int i)
{
    face->n--;
    for (; i < face->n; ++i) {
        face->points[i] = face->points[i + 1];
    }
}

static void reduce(tn_face_points *face)
{
    const double small = 0.02; // of the area spanned
    const tn_contact_point *points = face->points;
    double area = 0.0, loss = 0.0;
    int deepest = 0;
    for (int i = 0; i < face->n; ++i) {
        area += i > 1 ? corner_area(points, points + i - 1, points + i) : 0.0;
        deepest = points[i].gap < points[deepest].gap ? i : deepest;
    }
    while (face->n > 4) {
        int least = least_missed(face->n, points, deepest, area, &loss);
        if (face->n <= face->most && loss > small * area) {
            return;
        }
        remove_point(face, least);
        deepest -= deepest > least;
    }
}

void tn_face_points_finish(tn_face_points *face, const tn_contact_point *nearest, tn_manifold *out)
{
    for (int i = face->n - 1; nearest && i >= 0; --i) {
        if (face->points[i].feature == nearest->feature) {
            remove_point(face, i);
        }
    }
    if (!out->every) {
        reduce(face);
    }
    for (int i = 0; i < face->n; ++i) {
        const tn_contact_point *p = face->points + i;
        tn_manifold_add(out, p->normal, p->point, p->gap, p->feature);
    }
    if (nearest) {
        tn_manifold_add(out, nearest->normal, nearest->point, nearest->gap, nearest->feature);
    }
}
