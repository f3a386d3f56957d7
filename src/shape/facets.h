// What triangle meshes and height fields have in common: triangles that know their neighbours, in the shape's frame.
//
// Contact is made with the triangles one by one, but only in directions that are normal to the surface as a whole: what
// a single triangle's border would push sideways, its neighbours know to be no border. Neighbouring triangles in one
// plane form a patch, whose contacts are joined.
#pragma once

#include "shape/manifold.h"

typedef struct tn_facet {
    double corner[3][3]; // counter-clockwise seen from outside [m]
    int node[3];
} tn_facet;

typedef bool (*tn_facet_visitor)(void *user, int face); // false: no more

typedef struct tn_facets {
    const void *surface;
    int n_faces;
    bool closed;       // has an inside; else what is behind a face is inside as far as contact reaches
    const int *patch;  // (n_faces) lowest face of the same plane that is joined to it through such
    const float *turn; // (n_faces) tn_facets_turns
    void (*get)(const void *surface, int face, tn_facet *out);
    int (*across)(const void *surface, int face, int k); // face beyond the edge from corner k to k + 1; -1: none
    int (*around)(const void *surface, int node, int i); // i-th face that has the node; -1: no more
    void (*visit)(const void *surface, const double low[3], const double high[3], tn_facet_visitor visitor,
                  void *user); // faces that may reach into the box, always in the same order
    // Face with the point nearest to x and that point's weights. -1: there is none; or x is outside and farther than
    // most from all of them, where knowing that saves time.
    int (*nearest)(const void *surface, const double x[3], double most, double weight[3]);
} tn_facets;

tn_facets tn_facets_of(const tn_shape *shape); // triangles or heights

// Fills patch (n_faces); facets->patch is not read. queue (n_faces): scratch.
void tn_facets_patches(const tn_facets *facets, int *patch, int *queue);

// Fills turn (n_faces): the largest angle between a face's normal and the directions that the surface allows at the
// face's edges and corners [rad], or more; a right angle where that is beyond one, and at the border of an open surface
// at least. normals (n_faces, 3): scratch.
void tn_facets_turns(const tn_facets *facets, double *normals, float *turn);

void tn_facet_normal(const tn_facet *facet, double normal[3]); // unit

// The part of a triangle that holds a point.
typedef struct tn_facet_point {
    int face;
    int n; // 3: inside the face, 2: on the edge from corner k to k + 1, 1: at corner k
    int k;
    double x[3];
} tn_facet_point;

// Weights below slack count as 0.
tn_facet_point tn_facet_point_of(const tn_facet *facet, int face, const double weight[3], double slack);

// May a body touch the surface at the point in this direction (unit, out of the surface)? Inside a face: along its
// normal only. On an edge or at a corner: where no neighbour rises towards it by more than slack (a sine), and the edge
// is no mere line across a plane.
bool tn_facet_point_allows(const tn_facets *facets, const tn_facet *facet, const tn_facet_point *point,
                           const double direction[3], double slack);
// Does the surface go on in the same plane on all sides of the point?
bool tn_facet_point_is_inner(const tn_facets *facets, const tn_facet *facet, const tn_facet_point *point);
// Is all of the surface within the box one plane that goes on beyond it? Then a face of it is returned, else -1: there
// the solid is a half space.
int tn_facets_plane(const tn_facets *facets, const double low[3], const double high[3]);
// The surface's normal at the point, for signs: angle-weighted at corners (Baerentzen and Aanaes 2005). On the border
// of an open surface *border is set.
void tn_facet_point_normal(const tn_facets *facets, const tn_facet *facet, const tn_facet_point *point,
                           double normal[3], bool *border);
// Stable name: the same from both sides of an edge; a patch has one name.
unsigned tn_facet_point_name(const tn_facets *facets, const tn_facet *facet, const tn_facet_point *point);

// Signed distance and normal, in the shape's frame. Beyond most it may be INFINITY, with no normal.
double tn_facets_distance(const tn_facets *facets, const double x[3], double most, double normal[3]);

// The same of a shape at its place, in world axes.
double tn_facets_distance_placed(const tn_placed *placed, const double x[3], double normal[3]);
// World box around the box from low to high of the shape's frame.
void tn_facets_bounds(const tn_placed *placed, const double low[3], const double high[3], double out_low[3],
                      double out_high[3]);

void tn_pair_facets_ball(const tn_placed *a, const tn_placed *b, tn_manifold *out);   // b: sphere or points
void tn_pair_facets_convex(const tn_placed *a, const tn_placed *b, tn_manifold *out); // b: any other convex shape

// Of directions: as good as a face's normal [rad].
static const double tn_facet_near = 0.02;

// A contact with one triangle, as they are gathered.
typedef struct tn_facet_contact {
    double normal[3], point[3], gap; // world
    unsigned group;                  // tn_facet_point_name
    unsigned local;                  // of the other shape's feature
    bool upright;                    // along the normal of a patch, the group's
    bool inner; // the outline needs it not: triangles of a patch meet there, or the other shape is curved there
} tn_facet_contact;

// Joins what several triangles report: one of each place and direction; of a group in one plane the corners of its
// outline, without inner ones unless nothing is deeper. Returns the number that is left, sorted by group and local.
int tn_facet_contacts_reduce(int n, tn_facet_contact *contacts, double size);
