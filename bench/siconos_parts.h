// Parts of `tenon bench siconos`: a problem as both sides take it, and the rows of its two tables.
#pragma once

#include "bench.h"
#include "table.h"
#include "tenon/problem.h"

#include "base/arena.h"

// One problem: as it came, and as Siconos takes it.
typedef struct siconos_problem {
    const char *name;
    const tn_problem *problem; // ours: global form of a simulation, or a file's
    tn_problem local;          // u = W r + q with impulses r
    tn_rows contacts;
    double *mu, *r;
    tn_arena *arena, *scratch;
} siconos_problem;

// Of one solver.
typedef struct siconos_attempt {
    double seconds, reached;
    int iterations;
} siconos_attempt;

// Rows of the friction table.
typedef struct siconos_tally {
    int rows, faster, only_ours, only_theirs, neither;
} siconos_tally;

enum { SICONOS_PATIENCE = 5 }; // of any solver on one problem [s]

// j->local, mu and r from j->problem: W, q and one mu a contact, explicit.
bool siconos_make_local(siconos_problem *j, tn_error *error);
double siconos_fclib(siconos_problem *j, const double *r); // NAN where it cannot be had

// Time to the error `goal` on either side.
void siconos_friction_row(table *t, siconos_problem *j, double goal, siconos_tally *count);
// Lemke's pivoting on either side; two directions in a planar problem.
void siconos_lemke_row(table *t, siconos_problem *j, bool planar);
int siconos_lemke_contacts(void); // most that the table takes
