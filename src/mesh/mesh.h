// Tetrahedral meshes of soft bodies: generators, readers, checks, surface. All memory from the caller's arena.
#pragma once

#include "base/arena.h"

// A named set of nodes, e.g. a physical group of Gmsh.
typedef struct tn_mesh_group {
    const char *name;
    int n;
    const int *nodes; // (n) ascending
} tn_mesh_group;

typedef struct tn_mesh {
    int n_nodes;
    const double *nodes; // (n_nodes, 3) rest positions in the body's frame [m]
    int n_tets;
    const int *tets; // (n_tets, 4) of positive volume: (x1 - x0) x (x2 - x0) . (x3 - x0) > 0
    int n_groups;
    const tn_mesh_group *groups;
} tn_mesh;

// The boundary: faces of exactly one tetrahedron.
typedef struct tn_mesh_surface {
    int n_faces;
    const int *faces; // (n_faces, 3) counter-clockwise seen from outside
    int n_vertices;
    const int *vertices; // (n_vertices) nodes on the surface, ascending
} tn_mesh_surface;

// Generators. Divisions count cells along each axis. error: sizes out of range or no memory.
// Box of the given size centred at the origin, cells cut into six (Kuhn) tetrahedra of one orientation; x runs fastest.
tn_status tn_mesh_grid(const double size[3], const int divisions[3], tn_arena *arena, tn_mesh *out, tn_error *error);
// Ball around the origin: `divisions` layers of the 20 cells of an icosahedron, 20 divisions^3 tetrahedra.
tn_status tn_mesh_ball(double radius, int divisions, tn_arena *arena, tn_mesh *out, tn_error *error);
// Cylinder along z, centred: (divisions_across + 1) / 2 rings around the axis.
tn_status tn_mesh_cylinder(double radius, double length, int divisions_across, int divisions_along, tn_arena *arena,
                           tn_mesh *out, tn_error *error);

// A bending finger of a gripper: along z from the root at z = 0 to the tip at z = length, its back in the plane x = 0,
// the palm side facing +x. Its thickness (x) tapers from root to tip, notches on the back, a third as wide as what is
// between them, let it bend, ridges on the palm side (every second line of nodes, 4 % of the thickness) grip.
typedef struct tn_mesh_finger_options {
    double length, width;                 // along z and y [m]
    double thickness_root, thickness_tip; // along x [m]
    int notches;                          // on the back, evenly spaced; 0: none
    double notch_depth;                   // part of the thickness, 0 to 0.7
    int divisions[3];                     // cells along x, y and between two notches along z
} tn_mesh_finger_options;
tn_status tn_mesh_finger(const tn_mesh_finger_options *options, tn_arena *arena, tn_mesh *out, tn_error *error);

// Reader by the file's name and content: Gmsh .msh 2.2 and 4.1 (ASCII and binary), TetGen (.node with .ele beside),
// legacy VTK (.vtk, ASCII and binary). Lengths times scale. TN_BAD_INPUT: message with file and line (or byte).
// TN_IO: there is no such file, or it cannot be read.
// Tetrahedra of negative volume are turned; the result has passed tn_mesh_check. Nodes of no tetrahedron are dropped.
tn_status tn_mesh_read(const char *path, double scale, tn_arena *arena, tn_mesh *out, tn_error *error);

// Finite nodes, indices in range, positive volumes (relative to the edges' cubes, 1e-9), no tetrahedron twice, no face
// of three tetrahedra, no two nodes at one place that belong to different tetrahedra's corners of one face, every node
// used. The message names the offending node, tetrahedron or face (numbered from 0) and says what to do.
tn_status tn_mesh_check(const tn_mesh *mesh, tn_error *error);

tn_status tn_mesh_get_surface(const tn_mesh *mesh, tn_arena *arena, tn_mesh_surface *out, tn_error *error);
double tn_mesh_volume(const tn_mesh *mesh); // [m^3]
// A quarter of the volumes of the tetrahedra round each node (n_nodes) [m^3]; lumped masses are in proportion.
void tn_mesh_node_volumes(const tn_mesh *mesh, double *out);
// The worst element: smallest 6 sqrt(2) V / l^3, l the root mean square of a tetrahedron's edges; 1 if all are regular.
double tn_mesh_quality(const tn_mesh *mesh);
