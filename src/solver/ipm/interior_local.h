// A problem in local form, u = W lambda + q with W symmetric, as one that the interior point method takes: the roles of
// forces and velocities are exchanged.
//
//     A = W + Omega,  v = lambda,  b = -q,  J = I,  friction 1 / mu:   A v = b + u,  v in K,  u in K*
//
// since the dual of a cone is the cone of the inverse friction. Contacts without friction have no such cone: their
// tangential rows are cut off W, which leaves no tangential force.
#pragma once

#include "base/arena.h"
#include "tenon/problem.h"

typedef struct tn_interior_local {
    tn_problem problem; // in global form; points into this struct
    tn_rows contacts;
    tn_blocks A;
    double *b; // (3 contacts) -q
} tn_interior_local;

// False: no memory. local stays where it is while in use.
bool tn_interior_local_create(tn_interior_local *local, const tn_problem *problem, tn_arena *arena);
