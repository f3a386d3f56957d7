// Why a step solves its problem again, and how often it may: the one place that says so (again.c).
#pragma once

#include <stdbool.h>

// From the innermost loop outwards: an outer one goes through its inner ones anew. The loops decide that they want to,
// each in its file.
typedef enum tn_again_reason {
    TN_AGAIN_FINER,    // contacts that are wrong on their own scale: with finer aims for their islands (solve.c)
    TN_AGAIN_SQUEEZED, // contacts that ask for boundless forces: they give way (squeeze.c)
    TN_AGAIN_SPRINGS,  // contacts' springs whose laws are no straight line: along other tangents (yield.c)
    TN_AGAIN_JOINTS,   // midpoint: with joints' rows where the solution is (joints.c)
    TN_AGAIN_ARCS,     // soft bodies whose turning the step changes: with its arcs (arcs.c)
    TN_AGAIN_BOUNCES,  // bounces that bring energy from nowhere: with less of them (bounce.c, decompress.c)
    TN_AGAIN_PAIRS,    // bodies thrown against others that the list does not hold: with these (deflected.c)
    TN_AGAIN_NEWTON,   // scheme implicit: linearised at the step's end (newton.c)
    TN_AGAIN_REASONS
} tn_again_reason;

typedef struct tn_again {
    int n[TN_AGAIN_REASONS]; // times asked in the loop that runs
    int solves;              // calls of the solver in the step
} tn_again;

// Whether the step may be solved again for this reason: neither this loop nor the step has had its share. Its inner
// loops begin anew.
bool tn_again_may(tn_again *again, tn_again_reason reason);
