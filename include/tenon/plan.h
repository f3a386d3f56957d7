// Planning through contact: optimal control of linear complementarity systems.
//
// The system, step k = 0 .. N-1 (N = horizon), with c_k the contact forces that act during the step:
//
//     x_{k+1} = A x_k + B u_k + C c_k + F
//     w_k     = D x_{k+1} + D0 x_k + H u_k + E c_k + offset
//     0 <= c_k  perp  w_k >= 0                                   (each pair: c or w is zero)
//
// D acts on the NEXT state, as the position level wants it (gap at the end of the step); D0 acts on the state before
// the step. Frictionless contact needs D and offset alone; polyhedral friction needs E (its multiplier's rows). The
// velocity level has D on the velocities and switches: a pair with a guard (guard_offset finite) acts only where
//
//     guard (A x_k + B u_k + F) + guard_offset < 0               (the gap after a step without contacts)
//
// and has c = 0 and any w otherwise; at zero a plan may take either. The problem:
//
//     min  |x_N - x_ref_N|^2_Qf + sum_{k<N} |x_k - x_ref_k|^2_Q + |u_k - u_ref_k|^2_R       (|y|^2_Q = y^T Q y)
//     with x_0 given, x_k in X for k = 1 .. N, u_k in U for k = 0 .. N-1
//
// All arrays are row-major. The structs own theirs: made by ..._create as one block, freed by ..._destroy; in between
// write into the arrays, not the pointers.
#pragma once

#include "tenon/error.h"

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) // all else is hidden

typedef struct tn_lcs {
    int n_x, n_u, n_c;
    double step;                  // length of a step [s], for output only; 0: not said
    double *A;                    // (n_x, n_x)
    double *B;                    // (n_x, n_u)
    double *C;                    // (n_x, n_c)
    double *F;                    // (n_x)
    double *D, *D0;               // (n_c, n_x) on x_{k+1} and on x_k
    double *H;                    // (n_c, n_u)
    double *E;                    // (n_c, n_c)
    double *offset;               // (n_c)
    double *guard, *guard_offset; // (n_c, n_x), (n_c); offset -INFINITY: no guard, the pair always acts
} tn_lcs;

// All zeros, no guards. n_x >= 1, n_u >= 0, n_c >= 0. TN_BAD_INPUT, TN_NO_MEMORY: *lcs is empty.
tn_status tn_lcs_create(int n_x, int n_u, int n_c, tn_lcs *lcs, tn_error *error);
void tn_lcs_destroy(tn_lcs *lcs); // an empty one is fine; leaves it empty
// TN_BAD_INPUT: what is not finite, by name.
tn_status tn_lcs_check(const tn_lcs *lcs, tn_error *error);
bool tn_lcs_has_guards(const tn_lcs *lcs); // whether any pair has one

// { y : low <= y <= high, G y <= g }. Bounds may be infinite.
typedef struct tn_polytope {
    int n, n_rows;
    double *low, *high; // (n)
    double *G;          // (n_rows, n)
    double *g;          // (n_rows)
} tn_polytope;

typedef struct tn_plan_problem {
    tn_lcs lcs; // sizes are those of all else
    int horizon;
    tn_polytope X, U;
    double *Q, *Qf; // (n_x, n_x) symmetric, positive semidefinite
    double *R;      // (n_u, n_u) likewise
    double *x_ref;  // (horizon + 1, n_x)
    double *u_ref;  // (horizon, n_u)
    double *x0;     // (n_x)
} tn_plan_problem;

// All zeros, bounds infinite. n_X, n_U: rows of the polytopes beside their boxes. TN_BAD_INPUT, TN_NO_MEMORY: *problem
// is empty.
tn_status tn_plan_problem_create(int n_x, int n_u, int n_c, int horizon, int n_X, int n_U, tn_plan_problem *problem,
                                 tn_error *error);
void tn_plan_problem_destroy(tn_plan_problem *problem); // an empty one is fine; leaves it empty
// TN_BAD_INPUT: not finite, empty boxes, weights that are not symmetric or not positive semidefinite, by name.
tn_status tn_plan_problem_check(const tn_plan_problem *problem, tn_error *error);

// From a YAML file (docs/planning.md): errors with line and column. *problem is empty on failure.
tn_status tn_plan_problem_load(const char *path, tn_plan_problem *problem, tn_error *error);

typedef enum tn_plan_method {
    TN_PLAN_MIQP,      // branch and bound: the global optimum with a proof
    TN_PLAN_ADMM,      // consensus over the complementarity ("C3"): quick, local
    TN_PLAN_MPCC,      // relaxed complementarity by an interior point method: local; no guards
    TN_PLAN_ENUMERATE, // every mode: an oracle for small problems, of at most 2^24 modes
} tn_plan_method;
// "miqp", "admm", "mpcc", "enumerate"; -1: unknown.
int tn_plan_method_find(const char *name);
const char *tn_plan_method_name(tn_plan_method method);
bool tn_plan_has_mpcc(void); // whether the library was built with Ipopt

typedef struct tn_plan_options {
    tn_plan_method method;
    double time_budget; // wall time [s]; 0: none
    // Nodes of branch and bound; 0: none. With n > 1 threads up to 8 n more may be done. The result is a function of
    // the nodes reached and of n_threads alone.
    long node_budget;
    double gap;      // branch and bound ends when cost - bound <= gap (1 + |cost|); default 1e-9
    int n_threads;   // of branch and bound and of motions, 1 to 64; default 1
    bool warm_start; // begin with the plan given: MIQP tries its modes first, MPCC and ADMM begin at it
    // Of MIQP and ADMM: motions under random inputs (of `seed`) about the best plan so far; modes of the best of them
    // are tried. Where friction couples pairs this finds plans that moves of single modes do not. Default 0.
    long motions;
    uint64_t seed;
    int iterations;      // of ADMM; default 60
    double penalty;      // of ADMM, relative to the cost's curvature; default 0.1
    double penalty_grow; // factor of the penalty every ten iterations; default 2
    // Asked again and again by the planner's threads; true ends it as a time budget does, with the best plan so far.
    // MPCC has a plan at its end only: stopped before, it has none. NULL.
    bool (*stop)(void *user);
    void *user;
} tn_plan_options;
tn_plan_options tn_plan_options_default(void);

typedef enum tn_plan_status {
    TN_PLAN_NONE,       // no feasible plan found within the budget, or by a local method
    TN_PLAN_INFEASIBLE, // there is none: conflict says what is at odds
    TN_PLAN_FEASIBLE,   // a feasible plan, not proved to be optimal; gap says how far it may be off
    TN_PLAN_OPTIMAL,    // proved within the gap asked for
} tn_plan_status;
const char *tn_plan_status_name(tn_plan_status status);

// Where a problem has no feasible plan: the set without which there would be one, at the first step that cannot be
// reached.
typedef enum tn_plan_set { TN_PLAN_SET_NONE, TN_PLAN_SET_X, TN_PLAN_SET_U, TN_PLAN_SET_COMPLEMENTARITY } tn_plan_set;

// Modes of a pair in a step.
enum { TN_PLAN_OPEN, TN_PLAN_CLOSED, TN_PLAN_OFF }; // c = 0; w = 0, in contact; c = 0 since the guard is not negative

typedef struct tn_plan {
    int n_x, n_u, n_c, horizon;
    double *x;     // (horizon + 1, n_x)
    double *u;     // (horizon, n_u)
    double *c, *w; // (horizon, n_c); index k: c_k and w_k of the step from x_k to x_{k+1}
    uint8_t *mode; // (horizon, n_c) TN_PLAN_OPEN ...
    tn_plan_status status;
    double cost;     // INFINITY: no plan
    double bound;    // no plan costs less; -INFINITY: not known
    double gap;      // (cost - bound) / (1 + |cost|)
    double residual; // how far the plan is off: dynamics, complementarity, sets; largest, in their units
    long nodes, iterations;
    double seconds;
    tn_plan_set conflict;
    int conflict_step;
    char conflict_text[96]; // "X at step 3"; "": none, or not found within the budget
} tn_plan;

// Arrays of a problem's sizes. TN_NO_MEMORY: *plan is empty.
tn_status tn_plan_create(const tn_plan_problem *problem, tn_plan *plan, tn_error *error);
void tn_plan_destroy(tn_plan *plan); // an empty one is fine; leaves it empty

// The planners' memory, for problems of given sizes: a solve allocates nothing but at first (MPCC apart, whose Ipopt
// does). One thread at a time. What a solve leaves behind saves time in the next where only x0 and references changed,
// and changes no result.
typedef struct tn_planner tn_planner;
tn_planner *tn_planner_create(const tn_plan_problem *problem, tn_error *error); // NULL on failure; copies the sizes
void tn_planner_destroy(tn_planner *planner);                                   // NULL is fine
// TN_OK also where there is no plan (plan->status says so). TN_BAD_INPUT: the problem, or other sizes. options NULL:
// default.
tn_status tn_planner_solve(tn_planner *planner, const tn_plan_problem *problem, const tn_plan_options *options,
                           tn_plan *plan, tn_error *error);

// Bounds on contact forces, slacks and guards that every feasible plan keeps, found from the sets by bound tightening
// (what a big-M formulation takes for M): the caller's arrays (horizon, n_c), NULL: not asked for. Infinite where the
// sets give none. w_low: of pairs with a guard, where that turns them off. *feasible: false where the sets leave no
// plan, then the bounds mean nothing.
typedef struct tn_plan_bounds {
    double *c_high, *w_high, *w_low, *guard_low, *guard_high;
} tn_plan_bounds;
tn_status tn_planner_bounds(tn_planner *planner, const tn_plan_problem *problem, const tn_plan_bounds *out,
                            bool *feasible, tn_error *error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
