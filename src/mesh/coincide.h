// Boundary faces that lie on each other because their nodes were not merged: the body would fall apart there.
#pragma once

#include "mesh/mesh.h"

// Two faces of the boundary whose corners stand at the same three places (to 1e-9 of the mesh's size) are an error.
// The mesh must have passed the other checks.
tn_status tn_mesh_check_coincident(const tn_mesh *mesh, tn_error *error);
