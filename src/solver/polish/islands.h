// Islands: bodies (parts of A) that contacts and joint rows couple, directly or through others. They are solved
// one by one, so that a small group is polished whatever else is in the scene.
#pragma once

#include "math/parts.h"

typedef struct tn_polish_island {
    int n, n_joints, n_parts;
    const int *contact; // (n) row blocks of the problem, ascending: contacts, then moments
    const int *joint;   // (n_joints) joint rows, ascending
    const int *part;    // (n_parts) of A; none in local form
} tn_polish_island;

typedef struct tn_polish_islands {
    int n, most; // islands of at most the asked number of rows; rows of the largest of them
    tn_polish_island *island;
} tn_polish_islands;

// Those with at least one and at most max_rows scalar rows, in the order of their first component. In local form the
// whole problem is one. False: no memory.
bool tn_polish_islands_find(const tn_problem *problem, const tn_parts *parts, int max_rows, tn_arena *arena,
                            tn_polish_islands *out);
