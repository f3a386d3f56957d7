// What the planners share: the problem condensed to its inputs and contact forces, and plans made of these.
//
// z holds u_k and c_k of all steps, the last step first: rows of step k then begin with zeros, and so do their rows of
// the QP's factor.
#pragma once

#include "control/qp.h"
#include "tenon/plan.h"

#include <stdint.h>

typedef struct tn_branch tn_branch; // branch.h
typedef struct tn_admm tn_admm;     // admm.h

struct tn_planner {
    tn_arena *arena;
    int n_x, n_u, n_c, N, n_X, n_U; // rows of the polytopes beside their boxes last
    int n_pairs;                    // N n_c, pair k n_c + i
    tn_qp qp;
    int row_c, row_w, row_sum, row_u, row_U, row_x, row_X; // where rows of each kind begin
    // w = Dx x_k + Hw u_k + Ew c_k + ow, the next state put in
    double *Dx, *Hw, *Ew, *ow; // (n_c, n_x), (n_c, n_u), (n_c, n_c), (n_c)
    double *S;                 // (N + 1, n_x, n): x_k = free_k + S_k z
    double *free;              // (N + 1, n_x) the motion without inputs and contacts
    double constant;           // cost = constant + the QP's objective
    double *x_low, *x_high;    // (N + 1, n_x) intervals that feasible plans keep to
    double *u_low, *u_high;    // (n_u)
    double *c_high, *w_high;   // (N, n_c)
    double *blocks;            // (2^n_c, n_c, n_c) inverses of the blocks of Ew, where has_blocks
    bool has_blocks;
    double *low, *high; // (m) the rows' bounds without any mode fixed
    double *trial;      // (n)
    uint8_t *known;     // the problem's numbers that H and G were made of
    size_t known_size;
    bool is_known;
    tn_plan best;  // of the solve that runs
    tn_plan moved; // scratch of tn_branch_move
    tn_branch *branch;
    tn_admm *admm;
};

enum { TN_PLANNER_BLOCK_MAX = 8 };                   // forces a step of which all blocks are inverted
enum { TN_PAIR_FREE, TN_PAIR_OPEN, TN_PAIR_CLOSED }; // c >= 0 and w >= 0; c = 0; w = 0

static inline int tn_planner_u(const tn_planner *p, int k) // column of u_k; c_k follows
{
    return (p->N - 1 - k) * (p->n_u + p->n_c);
}
static inline int tn_planner_c(const tn_planner *p, int pair)
{
    return tn_planner_u(p, pair / p->n_c) + p->n_u + pair % p->n_c;
}

// condense.c: H, G and their factors, where they are not those of the last problem; g and the rows' bounds.
tn_status tn_planner_condense(tn_planner *p, const tn_plan_problem *problem, tn_error *error);
// bounds.c: intervals of states, inputs and forces; empty: the kind and step of the set that conflicts.
void tn_planner_invert_blocks(tn_planner *p);
bool tn_planner_tighten(tn_planner *p, const tn_plan_problem *problem, tn_plan_set *set, int *step);
// The rows' bounds from the sets and the intervals, all pairs free.
void tn_planner_bound_rows(tn_planner *p, const tn_plan_problem *problem);
// The rows' bounds with a pair fixed or freed.
void tn_planner_fix(tn_planner *p, int pair, int how);
void tn_planner_fix_all(tn_planner *p, const uint8_t *how); // (n_pairs); NULL: all free
// w of a pair at z; -INFINITY where its row is left out.
double tn_planner_w(const tn_planner *p, int pair, const double *z);

// A plan by simulation of the system with the inputs and forces of z, its modes and cost.
void tn_plan_roll(const tn_planner *p, const tn_plan_problem *problem, const double *z, tn_plan *plan);
double tn_plan_cost(const tn_plan_problem *problem, const tn_plan *plan); // of its x and u
double tn_plan_residual(const tn_plan_problem *problem, const tn_plan *plan);
void tn_plan_copy(tn_plan *to, const tn_plan *from); // arrays, cost and residual
