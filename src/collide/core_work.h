// What the files that gather a shape's contacts with the faces and edges of a soft body share: soft_core.h.
#pragma once

#include "collide/soft_core.h"

typedef struct tn_core_work {
    const tn_collide_view *view;
    const tn_shape_pair *pair;
    const tn_model_soft *soft;
    const tn_shape *shape;
    const tn_skin_view *skin;
    tn_placed placed;
    tn_core_points core;
    int body;
    double reach; // no gap above it counts [m]
    tn_hit_buffer hits;
} tn_core_work;

void tn_core_to_world(const tn_core_work *work, const double local[3], double out[3]);
// Completes and takes the hit, whose a is rigid and whose soft point, gap and normal are set, if it may close.
// Returns false only without memory.
bool tn_core_take(tn_core_work *work, tn_soft_hit *hit);

// An edge of the shape; a curved one by its tangent in the middle.
typedef struct tn_edge_work {
    int number;
    double middle[3], half[3];
    double radius;
    double turn, sag; // of a curved edge: tn_core_edge, and how far it lies from its tangent [m]
    int stands_out;   // 1: yes, 0: no, -1: not asked yet
    tn_skin_box box;  // grown by the reach
} tn_edge_work;

void tn_core_set_edge(const tn_core_work *work, int i, tn_edge_work *out);
bool tn_core_hit_edge(tn_core_work *work, tn_edge_work *edge); // its crossings of the body's edges; false: no memory

// The round parts of the shape against the body's faces, and an ellipsoid against its edges. False: no memory.
bool tn_core_hit_round(tn_core_work *work);
