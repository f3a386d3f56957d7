// Which function finds the contact of which two kinds; the order of the arguments is settled here.
#include "math/vec3.h"
#include "shape/convex.h"
#include "shape/facets.h"
#include "shape/flat.h"
#include "shape/shape.h"

#include <stddef.h>

// One row for two kinds, in the order that the function wants. An absent pair never touches.
static const tn_pair_function table[TN_SHAPE_COUNT][TN_SHAPE_COUNT] = {
    [TN_SHAPE_PLANE] =
        {
            [TN_SHAPE_SPHERE] = tn_pair_ball,
            [TN_SHAPE_BOX] = tn_pair_plane_box,
            [TN_SHAPE_CAPSULE] = tn_pair_plane_capsule,
            [TN_SHAPE_POINTS] = tn_pair_ball,
            [TN_SHAPE_CYLINDER] = tn_pair_plane_cylinder,
            [TN_SHAPE_ELLIPSOID] = tn_pair_plane_ellipsoid,
            [TN_SHAPE_HULL] = tn_pair_plane_hull,
            [TN_SHAPE_DISK] = tn_pair_plane_flat,
            [TN_SHAPE_ELLIPSE] = tn_pair_plane_flat,
            [TN_SHAPE_POLYGON] = tn_pair_plane_flat,
        },
    [TN_SHAPE_SPHERE] =
        {
            [TN_SHAPE_SPHERE] = tn_pair_ball,
            [TN_SHAPE_POINTS] = tn_pair_ball,
        },
    [TN_SHAPE_BOX] =
        {
            [TN_SHAPE_SPHERE] = tn_pair_ball,
            [TN_SHAPE_BOX] = tn_pair_cores,
            [TN_SHAPE_CAPSULE] = tn_pair_cores,
            [TN_SHAPE_POINTS] = tn_pair_ball,
            [TN_SHAPE_CYLINDER] = tn_pair_convex,
            [TN_SHAPE_ELLIPSOID] = tn_pair_convex,
            [TN_SHAPE_HULL] = tn_pair_convex,
        },
    [TN_SHAPE_CAPSULE] =
        {
            [TN_SHAPE_SPHERE] = tn_pair_ball,
            [TN_SHAPE_CAPSULE] = tn_pair_capsules,
            [TN_SHAPE_POINTS] = tn_pair_ball,
            [TN_SHAPE_CYLINDER] = tn_pair_convex,
            [TN_SHAPE_ELLIPSOID] = tn_pair_convex,
            [TN_SHAPE_HULL] = tn_pair_convex,
        },
    [TN_SHAPE_CYLINDER] =
        {
            [TN_SHAPE_SPHERE] = tn_pair_ball,
            [TN_SHAPE_POINTS] = tn_pair_ball,
            [TN_SHAPE_CYLINDER] = tn_pair_convex,
            [TN_SHAPE_ELLIPSOID] = tn_pair_convex,
            [TN_SHAPE_HULL] = tn_pair_convex,
        },
    [TN_SHAPE_ELLIPSOID] =
        {
            [TN_SHAPE_SPHERE] = tn_pair_ball,
            [TN_SHAPE_POINTS] = tn_pair_ball,
            [TN_SHAPE_ELLIPSOID] = tn_pair_convex,
            [TN_SHAPE_HULL] = tn_pair_convex,
        },
    [TN_SHAPE_HULL] =
        {
            [TN_SHAPE_SPHERE] = tn_pair_ball,
            [TN_SHAPE_POINTS] = tn_pair_ball,
            [TN_SHAPE_HULL] = tn_pair_convex,
        },
    [TN_SHAPE_TRIANGLES] =
        {
            [TN_SHAPE_SPHERE] = tn_pair_facets_ball,
            [TN_SHAPE_BOX] = tn_pair_facets_convex,
            [TN_SHAPE_CAPSULE] = tn_pair_facets_convex,
            [TN_SHAPE_POINTS] = tn_pair_facets_ball,
            [TN_SHAPE_CYLINDER] = tn_pair_facets_convex,
            [TN_SHAPE_ELLIPSOID] = tn_pair_facets_convex,
            [TN_SHAPE_HULL] = tn_pair_facets_convex,
        },
    [TN_SHAPE_HEIGHTS] =
        {
            [TN_SHAPE_SPHERE] = tn_pair_facets_ball,
            [TN_SHAPE_BOX] = tn_pair_facets_convex,
            [TN_SHAPE_CAPSULE] = tn_pair_facets_convex,
            [TN_SHAPE_POINTS] = tn_pair_facets_ball,
            [TN_SHAPE_CYLINDER] = tn_pair_facets_convex,
            [TN_SHAPE_ELLIPSOID] = tn_pair_facets_convex,
            [TN_SHAPE_HULL] = tn_pair_facets_convex,
        },
    [TN_SHAPE_DISK] =
        {
            [TN_SHAPE_DISK] = tn_pair_flat,
            [TN_SHAPE_ELLIPSE] = tn_pair_flat,
            [TN_SHAPE_POLYGON] = tn_pair_flat,
        },
    [TN_SHAPE_ELLIPSE] =
        {
            [TN_SHAPE_ELLIPSE] = tn_pair_flat,
            [TN_SHAPE_POLYGON] = tn_pair_flat,
        },
    [TN_SHAPE_POLYGON] =
        {
            [TN_SHAPE_POLYGON] = tn_pair_flat,
        },
};

void tn_manifold_add(tn_manifold *manifold, const double normal[3], const double point[3], double gap, unsigned feature)
{
    if (!(gap <= manifold->margin)) {
        return;
    }
    int slot = manifold->n;
    if (slot < TN_MANIFOLD_MAX) {
        manifold->n++;
    } else {
        slot = 0;
        for (int i = 1; i < TN_MANIFOLD_MAX; ++i) {
            slot = manifold->points[i].gap > manifold->points[slot].gap ? i : slot;
        }
        if (!(gap < manifold->points[slot].gap)) {
            return;
        }
    }
    tn_contact_point *p = manifold->points + slot;
    tn_vec3_copy(p->normal, normal);
    tn_vec3_copy(p->point, point);
    p->gap = gap;
    p->feature = feature;
}

// By feature, so that the order does not tell how the points were found.
static void sort_points(int n, tn_contact_point *points)
{
    for (int i = 1; i < n; ++i) {
        tn_contact_point p = points[i];
        int j = i;
        for (; j > 0 && points[j - 1].feature > p.feature; --j) {
            points[j] = points[j - 1];
        }
        points[j] = p;
    }
}

int tn_placed_contact(const tn_placed *a, const tn_placed *b, double margin, tn_contact_point out[TN_MANIFOLD_MAX])
{
    tn_pair_function straight = table[a->shape->kind][b->shape->kind];
    tn_pair_function swapped = table[b->shape->kind][a->shape->kind];
    tn_manifold manifold = {.margin = margin, .points = out};
    if (straight) {
        straight(a, b, &manifold);
    } else if (swapped) {
        swapped(b, a, &manifold);
        for (int i = 0; i < manifold.n; ++i) {
            tn_vec3_scale(out[i].normal, -1.0, out[i].normal);
        }
    }
    sort_points(manifold.n, out);
    return manifold.n;
}

double tn_placed_depth(const tn_placed *a, const tn_placed *b, double beyond)
{
    tn_contact_point points[TN_MANIFOLD_MAX];
    tn_pair_function straight = table[a->shape->kind][b->shape->kind];
    tn_pair_function swapped = table[b->shape->kind][a->shape->kind];
    tn_manifold manifold = {.deepest = true, .points = points};
    if (straight == tn_pair_cores || swapped == tn_pair_cores) {
        manifold.margin = -beyond; // the axes that part them by more end the search
    }
    if (straight) {
        straight(a, b, &manifold);
    } else if (swapped) {
        swapped(b, a, &manifold);
    }
    double depth = 0.0;
    for (int i = 0; i < manifold.n; ++i) {
        depth = -points[i].gap > depth ? -points[i].gap : depth;
    }
    return depth;
}

int tn_shape_contact(const tn_shape *a, const tn_pose *pose_a, const tn_shape *b, const tn_pose *pose_b, double margin,
                     tn_contact_point out[TN_MANIFOLD_MAX])
{
    tn_placed placed_a, placed_b;
    bool placed = tn_placed_set(&placed_a, a, pose_a) && tn_placed_set(&placed_b, b, pose_b);
    return placed ? tn_placed_contact(&placed_a, &placed_b, margin, out) : 0;
}
