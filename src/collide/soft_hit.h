// Contacts that touch faces of soft bodies, while they are gathered; and how their features are numbered.
#pragma once

#include "collide/view.h"

// Features of a pair. Shape and soft body: the vertex's number alone, or TN_FEATURE_CORE | point of the shape << 5 |
// rank, or TN_FEATURE_EDGE | edge of the body << 10 | rank. Soft and soft: vertex of a << 3 | rank, TN_FEATURE_SECOND |
// vertex of b << 3 | rank, or TN_FEATURE_CORE | edge of a << 3 | rank. rank: among the contacts of one point, by face,
// or of one edge, by edge: 0 where there is but one, whichever face or edge it slides over.
#define TN_FEATURE_CORE 0x80000000u
#define TN_FEATURE_SECOND 0x40000000u
#define TN_FEATURE_EDGE 0xC0000000u
enum { TN_EDGE_RANK_BITS = 10 };

typedef struct tn_soft_hit {
    uint32_t feature;
    tn_soft_point a, b;
    double point[3];  // midway [m]
    double normal[3]; // from a to b
    double gap;       // [m]
} tn_soft_hit;

// Hits of the pair at hand, in the view's scratch.
typedef struct tn_hit_buffer {
    int n, capacity;
    tn_soft_hit *hits;
    tn_collide_view *view;
} tn_hit_buffer;

bool tn_hit_add(tn_hit_buffer *buffer, const tn_soft_hit *hit); // false: no memory
void tn_hits_sort(int n, tn_soft_hit *hits);                    // by feature, then a's first node, in place

// Appends a contact for every hit.
tn_status tn_hits_fill(const tn_collide_view *view, const tn_shape_pair *pair, int n, const tn_soft_hit *hits,
                       tn_contact_buffer *buffer, tn_error *error);

// No gap of the node above it can count to a soft body that moves like this [m]: a bound of tn_soft_way, whose speed is
// at most sqrt(1.25) times that of the node relative to the body.
double tn_soft_reach(const tn_collide_view *view, int node, const tn_soft_motion *other);

// The skin of a soft body, as it is at any place; NULL: no memory.
const tn_skin *tn_collide_skin(tn_collide_view *view, int soft);

// The skin of a soft body at the state's places, made when first asked for; NULL: no memory.
const tn_skin_view *tn_collide_view_skin(tn_collide_view *view, int soft);

// A place on a skin in the model's numbers, and its velocity within the step [m/s].
void tn_soft_point_of(tn_soft_point *out, const tn_model_soft *soft, const tn_skin_point *point);
// On an edge, s from -1 to 1 along it.
tn_soft_point tn_soft_edge_point(const tn_model_soft *soft, const tn_skin *skin, int edge, double s);
void tn_soft_point_velocity(double velocity[3], const tn_collide_view *view, const tn_soft_point *point);
bool tn_soft_point_moves(const tn_model *model, const tn_soft_point *point);              // some node does
bool tn_soft_point_attached(const tn_model *model, const tn_soft_point *point, int body); // some node is, to the body
