// Convex quadratic programs with few variables, many times over: a dual active-set method.
//
//     min  1/2 z^T H z + g^T z     with  low <= G z <= high
//
// H may be singular: each solve is a proximal point iteration on H + diag(eps), which few steps end (Rockafellar 1976).
// A step is a least-distance problem in v = L^T z + L^-1 (g - eps center), H + diag(eps) = L L^T, solved by an active
// set of its dual (Goldfarb, Idnani 1983; Arnstrom, Bemporad, Axehill 2022), which begins at any forces of the right
// signs: those of a problem whose bounds were other ones, as a node of branch and bound has from its parent. Its value
// is a lower bound at any time.
#pragma once

#include "base/arena.h"

#include <stdbool.h>

typedef struct tn_qp {
    int n, m;          // variables, rows
    double *H, *L;     // (n, n), lower factor
    double *eps;       // (n)
    double *g;         // (n)
    double *G, *M;     // (m, n), G L^-T
    int *first;        // (m) columns before it are zero, in G and in M
    int *unit;         // (m) column of a row that is one unit vector, else -1
    double *norm;      // (m) of the rows of M
    double *scale;     // (m) what counts as a violation, relative to 1
    int n_live, *live; // rows that bound anything
    double
        ceiling; // no feasible point costs more: a dual value above it proves that there is none; INFINITY: not known
    double *z_low, *z_high; // (n) all feasible points are between; infinite: not known
    // what follows a QP of tn_qp_share has of its own
    double *low, *high; // (m) equal: sign of the multiplier free
    int n_active;
    int *active;              // (n + 1) rows
    bool is_factored;         // R is the factor of the active rows
    double *lambda;           // (n + 1) multipliers: positive at the upper bound, negative at the lower one
    double *center;           // (n) of the proximal term
    double deadline;          // solves end then, at a time of base/timer.h; INFINITY: none
    bool (*stop)(void *user); // true: solves end too (tn_plan_options); NULL
    void *user;
    bool is_late; // the deadline was seen to be past, or stop said so

    double *z;       // (n) the solution
    double value;    // its objective, without a constant
    double bound;    // no feasible point has less; also where the solve was cut short
    long iterations; // ever
    // scratch
    double rounding;    // of v
    double *R;          // (n + 1, n + 1) lower factor of M_W M_W^T
    double *y, *v;      // (n)
    double *shift;      // (m) of active rows: M y
    double *target, *p; // (n + 1)
    bool *is_active;    // (m)
} tn_qp;

typedef enum tn_qp_status { TN_QP_SOLVED, TN_QP_INFEASIBLE, TN_QP_CUT, TN_QP_STUCK } tn_qp_status;

bool tn_qp_create(tn_arena *arena, int n, int m, tn_qp *qp); // false: no memory
// A QP with the data of another one, which must stay, and bounds, active set and solution of its own, so that both can
// be solved at once. False: no memory.
bool tn_qp_share(tn_arena *arena, const tn_qp *of, tn_qp *qp);
void tn_qp_follow(tn_qp *qp, const tn_qp *of); // after the other one's data changed; empty active set
// After H and G were written. False: H is not positive semidefinite.
bool tn_qp_factor(tn_qp *qp);
void tn_qp_factor_row(tn_qp *qp, int row); // of one row of G that changed since
// After low or high changed from or to infinity: finds the live rows.
void tn_qp_find_live(tn_qp *qp);
void tn_qp_forget(tn_qp *qp); // empty active set, center at zero
// Looks at the clock; once late it stays so until is_late is reset.
bool tn_qp_is_late(tn_qp *qp);
// From the active set, multipliers and center there are. Cut short (TN_QP_CUT) once the objective is known to be above
// `cutoff`, or late. TN_QP_STUCK: the cap on iterations or rounding stopped it: z is no solution, the bound holds.
tn_qp_status tn_qp_solve(tn_qp *qp, double cutoff);
