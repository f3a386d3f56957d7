// Which function finds the contact of which two shapes; the order of the arguments is settled here.
#include "math/vec3.h"
#include "shape/convex.h"
#include "shape/facets.h"
#include "shape/flat.h"
#include "shape/shape.h"

#include <stddef.h>

static void plane_convex(const tn_placed *a, const tn_placed *b, tn_manifold *out)
{
    tn_class_of(b->shape)->on_plane(a, b, out);
}

// By form, in the order that the function wants. An absent pair never touches.
static const tn_pair_function table[TN_FORM_COUNT][TN_FORM_COUNT] = {
    [TN_FORM_HALF_SPACE] =
        {
            [TN_FORM_CONVEX] = plane_convex,
            [TN_FORM_BALLS] = tn_pair_ball,
            [TN_FORM_PLANAR] = tn_pair_plane_flat,
        },
    [TN_FORM_SURFACE] =
        {
            [TN_FORM_CONVEX] = tn_pair_facets_convex,
            [TN_FORM_BALLS] = tn_pair_facets_ball,
        },
    [TN_FORM_CONVEX] =
        {
            [TN_FORM_CONVEX] = tn_pair_convex,
            [TN_FORM_BALLS] = tn_pair_ball,
        },
    [TN_FORM_BALLS] = {[TN_FORM_BALLS] = tn_pair_ball},
    [TN_FORM_PLANAR] = {[TN_FORM_PLANAR] = tn_pair_flat},
};

// Of boxes and capsules closed forms are known.
static tn_pair_function function_of(const tn_shape *a, const tn_shape *b)
{
    if (a->kind == TN_SHAPE_CAPSULE && b->kind == TN_SHAPE_CAPSULE) {
        return tn_pair_capsules;
    }
    if (a->kind == TN_SHAPE_BOX && (b->kind == TN_SHAPE_BOX || b->kind == TN_SHAPE_CAPSULE)) {
        return tn_pair_cores;
    }
    tn_pair_function function = table[tn_class_of(a)->form][tn_class_of(b)->form];
    return function == tn_pair_ball && !tn_class_of(a)->distance ? NULL : function; // points and points
}

// The one of the lower form or kind comes first.
static bool in_order(const tn_shape *a, const tn_shape *b)
{
    tn_shape_form of_a = tn_class_of(a)->form, of_b = tn_class_of(b)->form;
    return of_a < of_b || (of_a == of_b && a->kind <= b->kind);
}

// Normals from the first of the two in order. Returns false where that is b.
static bool find_points(const tn_placed *a, const tn_placed *b, tn_manifold *out)
{
    bool straight = in_order(a->shape, b->shape);
    const tn_placed *first = straight ? a : b, *second = straight ? b : a;
    tn_pair_function function = function_of(first->shape, second->shape);
    if (function) {
        function(first, second, out);
    }
    return straight;
}

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
        if (points[i - 1].feature <= points[i].feature) {
            continue;
        }
        tn_contact_point p = points[i];
        int j = i;
        for (; j > 0 && points[j - 1].feature > p.feature; --j) {
            points[j] = points[j - 1];
        }
        points[j] = p;
    }
}

int tn_placed_contact(const tn_placed *a, const tn_placed *b, double margin, const tn_sweep *sweep,
                      tn_contact_point out[TN_MANIFOLD_MAX])
{
    tn_manifold manifold = {.margin = margin, .sweep = sweep, .points = out};
    bool straight = find_points(a, b, &manifold);
    for (int i = 0; !straight && i < manifold.n; ++i) {
        tn_vec3_scale(out[i].normal, -1.0, out[i].normal);
    }
    sort_points(manifold.n, out);
    return manifold.n;
}

double tn_placed_depth(const tn_placed *a, const tn_placed *b, double beyond)
{
    tn_contact_point points[TN_MANIFOLD_MAX];
    tn_manifold manifold = {.deepest = true, .beyond = beyond, .points = points};
    find_points(a, b, &manifold);
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
    return placed ? tn_placed_contact(&placed_a, &placed_b, margin, NULL, out) : 0;
}
