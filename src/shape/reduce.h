// The contact points of a face, before they are handed on: fewer of them without loss of support.
#pragma once

#include "math/vec3.h"
#include "shape/manifold.h"

enum { TN_PAIR_POINTS = 8, TN_FACE_POINTS = 64 };

// Points over a face, in order round it, whatever their gaps: what is kept of them must not depend on the margin.
typedef struct tn_face_points {
    int n;
    int most; // how many to keep at most
    tn_contact_point points[TN_FACE_POINTS];
} tn_face_points;

// point: on the surface of the one shape; its counterpart lies gap beyond it along way * normal, way = 1 or -1.
static inline void tn_face_points_add(tn_face_points *face, const double normal[3], const double point[3], double way,
                                      double gap, unsigned feature)
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

// Hands on what is left after removing points while there are more than most, or more than four and the area
// they span shrinks by less than a fiftieth by it; never the deepest. nearest: NULL, or another point that
// must be among them, in place of one of the same name.
void tn_face_points_finish(tn_face_points *face, const tn_contact_point *nearest, tn_manifold *out);
