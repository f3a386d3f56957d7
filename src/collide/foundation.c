#include "collide/foundation.h"

#include "math/quat.h"

#include <math.h>

// The face of the box whose outward normal is the nearest to -n, n the plane's: 2 i, or 2 i + 1 along its axis i.
static int face_of(const tn_placed *box, const double n[3])
{
    int face = 0;
    double most = -INFINITY;
    for (int i = 0; i < 3; i++) {
        double axis[3];
        tn_placed_axis(axis, box, i);
        double along = tn_vec3_dot(axis, n);
        if (fabs(along) > most) {
            most = fabs(along);
            face = 2 * i + (along < 0.0);
        }
    }
    return face;
}

int tn_foundation_points(const tn_collide_view *view, const tn_shape_pair *pair, int elements, tn_contact_point *points)
{
    const tn_placed *a = view->placed + pair->a, *b = view->placed + pair->b;
    bool plane_is_a = tn_shape_is(a->shape, TN_FORM_HALF_SPACE);
    const tn_placed *plane = plane_is_a ? a : b, *box = plane_is_a ? b : a;
    double n[3], corner[3], along[3][3], least = INFINITY;
    tn_shape_class_plane.distance(plane, box->position, n);
    int face = face_of(box, n), i = face / 2, j = (i + 1) % 3, k = (i + 2) % 3;
    for (int axis = 0; axis < 3; axis++) {
        tn_placed_axis(along[axis], box, axis);
    }
    tn_vec3_madd(corner, box->position, face % 2 ? box->shape->size[i] : -box->shape->size[i], along[i]);
    for (int e = 0; e < elements * elements; e++) {
        int row = e / elements, column = e % elements;
        double x[3], normal[3], p = (2 * row + 1) / (double)elements - 1.0,
                                q = (2 * column + 1) / (double)elements - 1.0;
        tn_vec3_madd(x, corner, p * box->shape->size[j], along[j]);
        tn_vec3_madd(x, x, q * box->shape->size[k], along[k]);
        tn_contact_point *to = points + e;
        to->gap = tn_shape_class_plane.distance(plane, x, normal);
        to->feature = (unsigned)(face * TN_FOUNDATION_FACE + e);
        tn_vec3_scale(to->normal, plane_is_a ? 1.0 : -1.0, normal);
        tn_vec3_madd(to->point, x, -0.5 * to->gap, normal);
        least = fmin(least, to->gap);
    }
    double meet = view->model->margin + tn_pair_way(view->state, view->motion, view->pose, pair->a, pair->b);
    return least <= meet ? elements * elements : 0;
}

void tn_foundation_edges(const tn_shape *box, const tn_pose *pose, unsigned feature, int elements, double edges[2][3])
{
    unsigned face = feature / TN_FOUNDATION_FACE, axis = face / 2;
    for (unsigned e = 0; e < 2; e++) {
        unsigned along = (axis + 1 + e) % 3;
        double length = 2.0 * box->size[along] / elements;
        tn_vec3_set(edges[e], 0.0, 0.0, 0.0);
        edges[e][along] = e == 0 && face % 2 == 0 ? -length : length;
        tn_quat_rotate(edges[e], pose->quaternion, edges[e]);
    }
}

double tn_foundation_area(const tn_shape *box, unsigned feature, int elements)
{
    unsigned axis = feature / TN_FOUNDATION_FACE / 2;
    double area = 4.0 * box->size[(axis + 1) % 3] * box->size[(axis + 2) % 3];
    return area / ((double)elements * elements);
}
