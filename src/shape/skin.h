// The skin of a soft body: a closed surface of triangles whose nodes move. What touches what, a tree of boxes over the
// faces, and the places where the surface is nearest to a point, with signs that hold for any deformation without
// self-intersection.
#pragma once

#include "base/arena.h"

#include <math.h>
#include <stdbool.h>

// Faces, edges and nodes are numbered within the skin. Immutable.
typedef struct tn_skin {
    int n_nodes, n_faces, n_edges;
    const int *faces;     // (n_faces, 3) counter-clockwise seen from outside
    const int *neighbour; // (n_faces, 3) face across the edge from corner k to corner k + 1; -1: none
    const int *face_edge; // (n_faces, 3) edge from corner k to corner k + 1
    const int *edges;     // (n_edges, 2) nodes
    const int *edge_face; // (n_edges, 2) its faces, the lower first; [1] = -1: none
    int n_sharp;
    const int *sharp;     // (n_sharp) edges bent outwards at rest by more than 20 degrees, ascending
    const bool *is_sharp; // (n_edges)
    const int *start;     // (n_nodes + 1) faces of each node:
    const int *node_face; // (3 n_faces) ascending for each node
    const double *rest;   // (n_nodes, 3) [m]
    double edge_max;      // longest edge at rest [m]: the scale of depth and neighbourhood
    // Tree, depth first: node i's first child is i + 1, and skip[i] follows all below it.
    int n_boxes;
    const int *skip;  // (n_boxes)
    const int *first; // (n_boxes) of a leaf: its faces are order[first .. first + count)
    const int *count; // (n_boxes) 0: not a leaf
    const int *order; // (n_faces)
} tn_skin;

typedef struct tn_skin_box {
    double low[3], high[3];
} tn_skin_box;

// Squared distance of x to the box, 0 inside [m^2]. Without branches: on which side x lies cannot be foretold.
static inline double tn_skin_box_square(const tn_skin_box *box, const double x[3])
{
    double square = 0.0;
    for (int k = 0; k < 3; ++k) {
        double below = box->low[k] - x[k], above = x[k] - box->high[k], out = below > above ? below : above;
        out = 0.5 * (out + fabs(out)); // or 0 where it is negative
        square += out * out;
    }
    return square;
}

// A skin at a place: x (n_nodes, 3), boxes refitted.
typedef struct tn_skin_view {
    const tn_skin *skin;
    const double *x;
    tn_skin_box *box; // (n_boxes)
} tn_skin_view;

// A point of the surface as seen from a point beside it: that point = this one + distance * normal.
typedef struct tn_skin_point {
    int face; // the lowest that holds it
    int n;    // nodes: 1 at a vertex, 2 on an edge, 3 in a face
    int node[3];
    double weight[3];
    double distance; // [m] negative: the point is inside
    double normal[3];
} tn_skin_point;

// faces (n_faces, 3) and rest (n_nodes, 3) stay the caller's.
tn_status tn_skin_create(int n_nodes, const double *rest, int n_faces, const int *faces, tn_arena *arena, tn_skin *out,
                         tn_error *error);

// False: no memory. x stays the caller's.
bool tn_skin_view_set(tn_skin_view *view, const tn_skin *skin, const double *x, tn_arena *arena);

typedef struct tn_skin_search {
    double reach; // farthest outside [m]
    double depth; // farthest inside [m], may be INFINITY
    double touch; // overlap that still counts as being outside [m]
    // Which faces, and which points of them, count; NULL: all. Those refused hide no others.
    bool (*face_wanted)(const void *user, int face);
    bool (*wanted)(const void *user, const tn_skin_point *point);
    const void *user;
} tn_skin_search;

// The places where the surface's distance to x has a local minimum, at most capacity of them (the nearest), by face
// ascending; seen from outside. From inside, deeper than touch: the nearest place alone. Returns their number.
//
// The sign is that of the angle-weighted normal of the nearest feature (Baerentzen and Aanaes 2005), exact for a closed
// surface; below depth nothing is found.
int tn_skin_near(const tn_skin_view *view, const tn_skin_search *search, const double x[3], int capacity,
                 tn_skin_point *out);

// A straight edge, from middle - half to middle + half, across an edge of the skin: both closest points inside their
// edges, the direction from one to the other between the normals of the skin's two faces (or nearly).
typedef struct tn_skin_crossing {
    double s, t;      // places on the straight edge and the skin's, -1 to 1
    double distance;  // [m] negative: overlap
    double normal[3]; // out of the skin
} tn_skin_crossing;

// False: they do not cross, are farther apart than reach, or overlap deeper than depth. A straight edge beyond the far
// side of a thin body is no overlap, but cannot be told from one: choose depth so that this cannot be, or look at the
// normal.
bool tn_skin_cross(const tn_skin_view *view, int edge, const double middle[3], const double half[3], double reach,
                   double depth, tn_skin_crossing *out);
// Is the unit direction between the normals of the edge's two faces? A flat edge counts, and one bent in by little.
bool tn_skin_within_fold(const tn_skin_view *view, int edge, const double direction[3]);
// The same of a direction out of the skin; a valley counts too where it is shallow: it must not be passed either.
bool tn_skin_between_faces(const tn_skin_view *view, int edge, const double outward[3]);
void tn_skin_edge(const tn_skin_view *view, int edge, double middle[3], double half[3]);

// Calls for each face in those boxes of the tree that meet the box, for each edge of them, or for each edge of one
// face, until a call returns false, which is then returned. An edge is taken with the lower of its faces.
typedef bool tn_skin_visitor(void *user, int face_or_edge);
bool tn_skin_each_face(const tn_skin_view *view, const tn_skin_box *box, tn_skin_visitor *visitor, void *user);
bool tn_skin_each_edge(const tn_skin_view *view, const tn_skin_box *box, tn_skin_visitor *visitor, void *user);
bool tn_skin_edges_of(const tn_skin_view *view, int face, tn_skin_visitor *visitor, void *user);

// The point with these weights of a face as seen from x: unlike tn_skin_near it need not be the nearest.
void tn_skin_point_at(const tn_skin_view *view, int face, const double weight[3], const double x[3],
                      tn_skin_point *out);
// Outward unit normals; zero for a face without area.
void tn_skin_face_normal(const tn_skin_view *view, int face, double normal[3]);
void tn_skin_edge_normal(const tn_skin_view *view, int edge, double normal[3]); // mean of its faces'
void tn_skin_node_facing(const tn_skin_view *view, int node, double normal[3]); // area-weighted: cheaper
