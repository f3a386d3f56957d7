// How fast nodal's sweeps will be, from A alone: what decides about the coarse level before anything was iterated.
#pragma once

#include "solver/nodal/system.h"

// Guess of the factor by which accelerated sweeps reduce the error each, in (0, 1).
//
// Sweeps see the neighbours of a node; what they hardly see moves along with it. Against such a motion A holds only
// its row's sum, the node's mass (over h, in A's unit), so the slowest rate is about 1 - c sqrt(rho), rho = the sum
// over the diagonal block (traces). Measured on dragged, lifted and gripped bodies of 60 kPa to 10 MPa, c is 1 (fine
// fingers) to 5 (balls): 2 is in the middle.
double tn_nodal_rate_guess(const tn_nodal_system *system);
