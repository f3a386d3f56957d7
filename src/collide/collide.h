// Contact list of a state: broad phase, narrow phase, frames, surfaces, matched with the last step's memory.
#pragma once

#include "base/arena.h"
#include "model/model.h"
#include "state/state.h"

// Where a contact acts on a soft body: n = 1 a vertex, 2 a point of an edge, 3 of a face. n = 0: the side is rigid;
// where an edge of a shape touches one of a soft body, node[0] is then the shape's edge and weight[0] the place on it.
typedef struct tn_soft_point {
    int n;
    int node[3];      // model nodes
    double weight[3]; // barycentric, sum 1
} tn_soft_point;

// One contact. Side a has the lower surface number; n points from a to b.
typedef struct tn_contact {
    int body_a, body_b;   // model numbers, soft bodies included
    int shape_a, shape_b; // model surface numbers, soft ones included; equal for contact of a soft body with itself
    uint32_t feature;
    const tn_soft_point *soft_a, *soft_b; // never NULL
    const tn_surface *surface;            // the model's
    const double *frame;                  // (9) rows n, t1, t2; t1 along mu1's direction where anisotropic
    const double *warm; // (3) last step's force in world axes, zero if new [N]; the state's, until it changes
    double point[3];    // world, midway between the surfaces [m]
    double gap;         // [m]
} tn_contact;

typedef struct tn_contact_list {
    int n;
    tn_contact *contacts; // each key (shape_a, shape_b, feature) once, sorted by (shape_a, shape_b, feature):
                          // independent of the broad phase's order
    double *frames;       // (n, 9) of the contacts, one after the other
    int room;             // contacts and frames there is room for, a few more than n
} tn_contact_list;

// Contacts with gap <= model->margin (+ the way the bodies can go towards each other within the step) at state's poses.
// The list lives in arena; scratch is given back at the end, unless it is the same arena. Any number of threads makes
// the same list.
tn_status tn_collide(const tn_model *model, const tn_state *state, int n_threads, tn_arena *arena, tn_arena *scratch,
                     tn_contact_list *out, tn_error *error);
// Of other velocities at the same poses: all contacts that the list lacks and that come to within the margin as the
// bodies go with these, and some others, of pairs with at least one surface that is sought (tn_side_count).
tn_status tn_collide_joining(const tn_model *model, const tn_state *state, const bool *sought, int n_threads,
                             tn_arena *arena, tn_contact_list *out, tn_error *error);
// Corners (low, high) that bound a shape of a body without velocity for a step: where contacts with it are sought [m].
void tn_shape_rest_box(const tn_state *state, int shape, double out[6]);
// The gap of the same contact [m] at other poses of the bodies (n_bodies) and places x (n_nodes, 3) of the nodes, by
// the geometry of the features that it names: a vertex of a soft body and the shape or face, a face and the shape's
// point. Only for contacts with a soft side. NaN for places that are not finite.
double tn_contact_gap(const tn_model *model, const tn_pose *poses, const double *x, const tn_contact *contact);
