// Mechanisms of many links as one step's problem, without a simulation: slender rods of 0.2 m and 0.5 kg that move at
// random, joints between them, gravity, 10 ms.
#pragma once

#include "base/arena.h"
#include "tenon/problem.h"

typedef enum link_graph_kind {
    LINK_CHAIN,     // hangs on the world; joints revolute and spherical in turn, directions at random
    LINK_TREE,      // binary, the same joints
    LINK_FOUR_BARS, // a row of planar four-bars, each rocker the next one's crank: three redundant rows each
    LINK_LOOPS,     // the chain, and ten rods (one row each) across it
    LINK_RING,      // a regular polygon of revolute joints, free: three redundant rows in all
    LINK_GRAPHS,
} link_graph_kind;

typedef struct link_graph {
    tn_arena *arena;
    tn_problem problem; // no contacts; points into this object
    tn_rows rows;
    int n_links, n_redundant;
    double *centre; // (links, 3) [m]
    double *from;   // (links, 3) one end of each rod [m]
    double *mass;   // (2 links, 9) masses and moments of inertia over the step
    int *start, *block, *joint;
    double *jacobian, *offset, *compliance, *lower, *upper, *b;
    int n_entries, n_joints;
} link_graph;

// About n links (four-bars: the next odd number below), n >= 3. lean: without the redundant rows. NULL: no memory.
// The object stays where it is.
link_graph *link_graph_create(link_graph_kind kind, int n, bool lean);
void link_graph_destroy(link_graph *graph); // NULL too
