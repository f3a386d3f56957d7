// Geometry of one tetrahedron, and how hexahedral cells are cut into tetrahedra.
#pragma once

#include "mesh/mesh.h"

// Outward faces of a tetrahedron of positive volume: face f lies opposite corner f.
extern const int tn_tet_face[4][3];

double tn_tet_volume(const double *nodes, const int tet[4]);      // signed [m^3]
double tn_tet_edge_square(const double *nodes, const int tet[4]); // longest edge squared [m^2]
double tn_tet_quality(const double *nodes, const int tet[4]);     // see tn_mesh_quality; signed

// The six Kuhn tetrahedra of a cell around its diagonal from corner 0 to corner 7, positive for a right-handed cell.
// Corner c has bits (x, y, z) = (c & 1, c >> 1 & 1, c >> 2). Neighbours cut alike agree on the common face.
void tn_cell_cut(const int corner[8], int tets[24]);
