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

// A pair's modes, and sets of them: open (c = 0, w >= 0), closed (w = 0, c >= 0), and with a guard, which these two
// need at zero or less, off (c = 0, guard >= 0).
enum { TN_PAIR_OPEN = 1 << TN_PLAN_OPEN, TN_PAIR_CLOSED = 1 << TN_PLAN_CLOSED, TN_PAIR_OFF = 1 << TN_PLAN_OFF };
enum { TN_PAIR_C, TN_PAIR_W, TN_PAIR_GUARD, TN_QUANTITIES };
// Sides of zero that quantities may be on, of modes together as bits.
enum { TN_CONFLICTS = 4 }; // of sides; the first is that of pairs without guards
enum { TN_SIDE_C, TN_SIDE_W, TN_SIDE_W_BELOW, TN_SIDE_GUARD, TN_SIDE_GUARD_BELOW, TN_SIDES };
typedef struct tn_side {
    int quantity;
    double sign;
} tn_side;
extern const tn_side tn_sides[TN_SIDES];

static inline int tn_sides_of(int modes)
{
    return (modes & TN_PAIR_OPEN ? 1 << TN_SIDE_W | 1 << TN_SIDE_GUARD_BELOW : 0) |
           (modes & TN_PAIR_CLOSED ? 1 << TN_SIDE_C | 1 << TN_SIDE_GUARD_BELOW : 0) |
           (modes & TN_PAIR_OFF ? 1 << TN_SIDE_W | 1 << TN_SIDE_W_BELOW | 1 << TN_SIDE_GUARD : 0);
}

// Of a thread there are some divers (branch.c) where there are several threads.
enum { TN_PLANNER_THREADS_MAX = 64, TN_PLANNER_DIVERS = 2 };
enum { TN_PLANNER_TEAM_MAX = TN_PLANNER_THREADS_MAX * TN_PLANNER_DIVERS + 1 };

struct tn_planner {
    tn_arena *arena;
    int n_x, n_u, n_c, N, n_X, n_U; // rows of the polytopes beside their boxes last
    int n_pairs;                    // N n_c, pair k n_c + i
    tn_qp qp;
    // Rows begin with the pairs' quantities, quantity n_pairs + pair. Without guards there are the first two of them,
    // the first two sides and the first conflict (condense.c).
    int n_quantities, n_sides, n_conflicts;
    int row_sum, row_u, row_U, row_x, row_X; // where rows of each other kind begin
    // w = Dx x_k + Hw u_k + Ew c_k + ow, the next state put in; guards likewise, without forces
    double *Dx, *Hw, *Ew, *ow; // (n_c, n_x), (n_c, n_u), (n_c, n_c), (n_c)
    double *Gx, *Gu, *og;      // (n_c, n_x), (n_c, n_u), (n_c)
    double *S;                 // (N + 1, n_x, n): x_k = free_k + S_k z
    double *free;              // (N + 1, n_x) the motion without inputs and contacts
    double constant;           // cost = constant + the QP's objective
    double *x_low, *x_high;    // (N + 1, n_x) intervals that feasible plans keep to
    double *u_low, *u_high;    // (n_u)
    double
        *most[TN_SIDES]; // (n_pairs) of each side: the farthest from zero that feasible plans go; infinite: not known
    uint8_t *modes;      // (n_pairs) that a pair can have
    double *blocks;      // (2^n_c, n_c, n_c) inverses of the blocks of Ew, where has_blocks
    bool has_blocks;
    double *low, *high; // (m) the rows' bounds without any mode fixed
    double *zero;       // (n_quantities n_pairs) of a row where its quantity is zero; infinite: the row is left out
    double *trial;      // (n)
    uint8_t *known;     // the problem's numbers that H and G were made of
    size_t known_size;
    bool is_known;
    tn_plan best;  // of the solve that runs
    tn_plan moved; // scratch of tn_branch_move
    tn_branch *branch;
    tn_admm *admm;
    int n_team, n_made; // planners that work at once in this solve, and such as there are: this one first
    tn_planner *team[TN_PLANNER_TEAM_MAX];
};

enum { TN_PLANNER_BLOCK_MAX = 8 }; // forces a step of which all blocks are inverted

static inline int tn_planner_u(const tn_planner *p, int k) // column of u_k; c_k follows
{
    return (p->N - 1 - k) * (p->n_u + p->n_c);
}
static inline int tn_planner_c(const tn_planner *p, int pair)
{
    return tn_planner_u(p, pair / p->n_c) + p->n_u + pair % p->n_c;
}

// team.c: planners that solve parts of p's problem at once, each with a QP's state and plans of its own; all else they
// share with p. False: no memory.
bool tn_planner_make_team(tn_planner *p, int n);
void tn_planner_disband(tn_planner *p);
// After p's rows changed: the others' are the same, and their best plan costs what p's does.
void tn_planner_brief_team(tn_planner *p);

// condense.c: H, G and their factors, where they are not those of the last problem; g and the rows' bounds.
tn_status tn_planner_condense(tn_planner *p, const tn_plan_problem *problem, tn_error *error);
// bounds.c: intervals of states, inputs and forces; empty: the kind and step of the set that conflicts.
void tn_planner_invert_blocks(tn_planner *p);
bool tn_planner_tighten(tn_planner *p, const tn_plan_problem *problem, tn_plan_set *set, int *step);
// The rows' bounds from the sets and the intervals, all pairs free.
void tn_planner_bound_rows(tn_planner *p, const tn_plan_problem *problem);
void tn_planner_leave_out(tn_planner *p, int row, int n); // rows from that one on
// After rows were left out: the rows that bind in any mode, and all pairs free.
void tn_planner_free_all(tn_planner *p);

// modes.c
void tn_planner_find_modes(tn_planner *p, const tn_lcs *s);    // that guards' bounds leave
void tn_planner_forget_bounds(tn_planner *p, const tn_lcs *s); // of the pairs, and all modes are possible
// The rows' bounds with a pair, or all, restricted to modes.
void tn_planner_fix(tn_planner *p, int pair, int modes);
void tn_planner_fix_all(tn_planner *p, const uint8_t *modes); // (n_pairs)
// A pair's quantity at z; -INFINITY where its row is left out, or it has no guard.
double tn_planner_value(const tn_planner *p, int quantity, int pair, const double *z);
// Which of these modes a pair is nearest to at z, and how far off that is, relative to its bounds; -INFINITY where the
// pair's rows are left out.
int tn_planner_nearest_mode(const tn_planner *p, int pair, int modes, const double *z, double *gap);

// A plan by simulation of the system with the inputs and forces of z, its modes and cost.
void tn_plan_roll(const tn_planner *p, const tn_plan_problem *problem, const double *z, tn_plan *plan);
double tn_plan_cost(const tn_plan_problem *problem, const tn_plan *plan); // of its x and u
double tn_plan_residual(const tn_plan_problem *problem, const tn_plan *plan);
void tn_plan_copy(tn_plan *to, const tn_plan *from); // arrays, cost and residual
