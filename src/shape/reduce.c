#include "shape/reduce.h"

#include "math/vec3.h"

// Twice the area of three points, heights included, as a vector.
static void corner(const tn_contact_point *p, const tn_contact_point *q, const tn_contact_point *r, double out[3])
{
    double u[3], v[3];
    tn_vec3_sub(u, q->point, p->point);
    tn_vec3_sub(v, r->point, p->point);
    tn_vec3_cross(out, u, v);
}

// Twice the area that goes with point i.
static double area_of(const tn_face_points *face, int i)
{
    const tn_contact_point *p = face->points;
    double out[3];
    corner(p + (i > 0 ? i : face->n) - 1, p + i, p + (i + 1 < face->n ? i + 1 : 0), out);
    return tn_vec3_norm(out);
}

// Twice the area that all span.
static double area_spanned(const tn_face_points *face)
{
    double sum[3] = {0.0, 0.0, 0.0};
    for (int i = 2; i < face->n; ++i) {
        double part[3];
        corner(face->points, face->points + i - 1, face->points + i, part);
        tn_vec3_add(sum, sum, part);
    }
    return tn_vec3_norm(sum);
}

// The point that is missed least, by the areas that go with them. Near ties (symmetric outlines) are settled by name,
// so that small motion does not change the choice.
static int least_missed(const tn_face_points *face, const double *areas, int deepest, double area)
{
    const double tie = 1e-3;
    const tn_contact_point *points = face->points;
    int least = -1;
    for (int i = 0; i < face->n; ++i) {
        bool better = least < 0 || areas[i] < areas[least] - tie * area ||
                      (areas[i] <= areas[least] + tie * area && points[i].feature > points[least].feature);
        if (i != deepest && better) {
            least = i;
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

// remove_point, and the areas of those that are left.
static void remove_with_area(tn_face_points *face, int i, double *areas)
{
    remove_point(face, i);
    for (int k = i; k < face->n; ++k) {
        areas[k] = areas[k + 1];
    }
    int before = (i > 0 ? i : face->n) - 1, after = i < face->n ? i : 0;
    areas[before] = area_of(face, before);
    areas[after] = area_of(face, after);
}

static void reduce(tn_face_points *face)
{
    const double small = 0.02; // of the area spanned
    const tn_contact_point *points = face->points;
    int deepest = 0;
    if (face->n <= 4) {
        return;
    }
    double area = area_spanned(face), areas[TN_FACE_POINTS];
    for (int i = 0; i < face->n; ++i) {
        areas[i] = area_of(face, i);
        deepest = points[i].gap < points[deepest].gap ? i : deepest;
    }
    while (face->n > 4) {
        int least = least_missed(face, areas, deepest, area);
        if (face->n <= face->most && areas[least] > small * area) {
            return;
        }
        remove_with_area(face, least, areas);
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
