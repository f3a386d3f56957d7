// One contact with polyhedral friction, solved exactly.
#pragma once

#include "law/local_state.h"
#include "law/polygon.h"

// Largest -c . t over the corners c [m/s]: what replaces mu |u_t|.
double tn_polygon_support(const tn_polygon *g, const double t[2]);

// r [N] in the cone and u = W r + q [m/s] that obey the strict or the associated law; g with n >= 2, W any 3x3 matrix.
// W_nn <= 0 gives r = 0. TN_LOCAL_FAILED leaves r as it is.
tn_local_state tn_polyhedron_solve(const tn_polygon *g, bool associated, const double W[9], const double q[3],
                                   double r[3]);
