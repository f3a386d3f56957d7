// Inside of tn_query: the pieces of all bodies at their places, and a tree of boxes over bodies and their pieces.
// Private to this room.
#pragma once

#include "base/arena.h"
#include "shape/class.h"
#include "state/state.h"
#include "tenon/query.h"

typedef struct tn_box {
    double low[3], high[3];
} tn_box;

// A node of the tree: an inner one's children are first and first + 1.
typedef struct tn_query_node {
    tn_box box;
    int first; // child, or ~piece of a leaf
} tn_query_node;

// A piece of a body: a shape at its place, or a triangle of a soft body's surface.
typedef struct tn_piece {
    const tn_placed *placed; // NULL: a triangle
    double corner[9];
} tn_piece;

struct tn_query {
    const tn_model *model;
    tn_arena *arena;
    bool updated;
    int n_pieces;      // shapes, then faces of soft bodies
    const double *x;   // (n_nodes, 3) copied
    tn_placed *placed; // (n_shapes)
    tn_box *box;       // (n_pieces)
    int n_unbounded;
    int *unbounded; // (n_unbounded) pieces without a box: planes
    int n_nodes;
    tn_query_node *node; // root of all first; n_nodes 0: there is nothing
    int *root;           // (bodies, soft ones too) node of each body's pieces; -1: it has none with a box
};

enum { TN_QUERY_DEPTH = 80 }; // of the tree at most: halved from 2^31 bodies, then 2^31 pieces

static inline int tn_query_body_of(const tn_query *query, int piece)
{
    const tn_model *model = query->model;
    return piece < model->n_shapes ? model->shapes[piece].body
                                   : model->n_bodies + model->node_soft[model->faces[3 * (piece - model->n_shapes)]];
}
// First piece of a body, and one behind its last.
void tn_query_pieces(const tn_model *model, int body, int *first, int *end);
tn_piece tn_query_piece(const tn_query *query, int piece);

// The tree over query->box. False: no memory; its scratch goes to the arena and is given back.
bool tn_query_build(tn_query *query);

// Lower bound of the distance of what two boxes hold, 0 where they overlap [m].
double tn_box_gap(const tn_box *a, const tn_box *b);

// Distance of two pieces, where it is less than out->distance: all of out but the shapes. Returns whether.
bool tn_piece_distance(const tn_piece *a, const tn_piece *b, tn_nearest *out);

typedef struct tn_ray {
    double origin[3], direction[3]; // unit
    double inverse[3];              // of the direction, finite
} tn_ray;
void tn_ray_set(tn_ray *ray, const double origin[3], const double direction[3]); // direction of any length
// The first point of the piece along the ray, nearer than *distance: it and the normal are set. Returns whether.
bool tn_piece_ray(const tn_piece *piece, const tn_ray *ray, double *distance, double normal[3]);
// Where the ray enters the box: INFINITY where it does not before `reach`.
static inline double tn_ray_box(const tn_ray *ray, const tn_box *box, double reach)
{
    double from = 0.0, to = reach;
    for (int k = 0; k < 3; k++) {
        double s = (box->low[k] - ray->origin[k]) * ray->inverse[k];
        double t = (box->high[k] - ray->origin[k]) * ray->inverse[k];
        double near = s < t ? s : t, far = s < t ? t : s;
        from = near > from ? near : from;
        to = far < to ? far : to;
    }
    return from <= to ? from : INFINITY;
}
