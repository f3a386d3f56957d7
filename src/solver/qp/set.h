// The working set of the dual active set method (qp.c): rows whose velocity is kept at zero by a force between its
// bounds, with their factor; and the rows whose velocities are looked at.
#pragma once

#include "solver/qp/rows.h"
#include "solver/qp/working_factor.h"

typedef struct tn_qp_set {
    const tn_qp_rows *rows;
    double *f, *y; // (rows->n) scaled forces and velocities
    int *watched;  // (n_watched) the rows whose y is kept; the others' is that of the last look at all
    int n_watched;
    bool *near;     // (rows->n) watched, or to be after a look at all
    int *order;     // (n) rows as the factor likes them
    int *set;       // (n) rows of the working set in the factor's order, then room for one more
    bool *working;  // (rows->n)
    bool *given_up; // (rows->n) no force can right it: contradictory rows
    double *along;  // (n) change of the set's forces a unit of the entering one
    double *column; // (n)
    tn_working_factor factor;
    double scale; // largest velocity without forces
    int changes, max_changes;
} tn_qp_set;

// Rows are scaled to N_ii = 1. A row with less than this left after the working set depends on it.
static const double TN_QP_DEPENDENT = 1e-10;

bool tn_qp_set_create(tn_qp_set *s, const tn_qp_rows *rows, int capacity, tn_arena *arena);

static inline bool tn_qp_set_has_room(const tn_qp_set *s)
{
    return s->factor.n < s->factor.capacity;
}

// Whether a row may soon be wrong. What is no contact always may.
bool tn_qp_set_is_near(const tn_qp_set *s, int i);
// Look at all rows, or at those that have been near ever since the solve began. Most rows are of contacts that stay
// open.
void tn_qp_set_watch(tn_qp_set *s, bool all);
// y from f, of the watched rows, without what rounding left in it.
void tn_qp_set_refresh(tn_qp_set *s);

// What of row p the working set leaves free; column becomes L^-1 of its column.
double tn_qp_set_reduce(tn_qp_set *s, int p);
void tn_qp_set_enter(tn_qp_set *s, int p, double left);
void tn_qp_set_leave(tn_qp_set *s, int at);
// The factor of the rows that are marked as working, anew; those that depend on others keep their force and are left
// out.
void tn_qp_set_factorise(tn_qp_set *s);
// The set of the rows whose force is between its bounds; sweeps: the forces come nearer to the solution's before, so
// that few rows have to enter or leave afterwards. No sweeps with Omega.
void tn_qp_set_start(tn_qp_set *s, bool sweeps);
