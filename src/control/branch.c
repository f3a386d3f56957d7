// Branch and bound for the MIQP (branch.h). A node restricts pairs to some of their modes; its QP begins at its
// parent's active set and multipliers, which are dual feasible for it too, so that a node costs a few pivots. From a
// node the search goes on with the child that the relaxation leans to (a dive), its brother waits with what it needs to
// begin; where a dive ends the waiting node with the least bound is next, or the deepest one while there is no plan yet
// or the room for waiting nodes is nearly full. All decisions follow from numbers alone, so the result is a function of
// the nodes reached.
#include "control/branch.h"

#include <math.h>
#include <string.h>

enum { WAITING = 2048 }; // nodes; beyond, the search is depth first

typedef struct node {
    double bound;
    long number; // in the order of their making
    int depth, n_active;
    uint8_t *how;   // (n_pairs)
    int *active;    // (n)
    double *lambda; // (n)
    double *center; // (n)
} node;

struct tn_branch {
    int room, n_waiting;
    node *node;     // (room)
    int *heap;      // (room) waiting nodes, least bound first; behind them those that are free
    uint8_t *how;   // (n_pairs) of the node at hand
    uint8_t *trial; // (n_pairs)
    int depth;
    long made;
};

tn_branch *tn_branch_create(tn_planner *p)
{
    tn_branch *b = TN_PUSH(p->arena, tn_branch, 1);
    const int room = WAITING + 2 * p->n_pairs + 1, n = p->qp.n; // a dive restricts a pair up to twice
    if (!b || !(b->node = TN_PUSH(p->arena, node, room)) || !(b->heap = TN_PUSH(p->arena, int, room)) ||
        !(b->how = TN_PUSH(p->arena, uint8_t, p->n_pairs)) || !(b->trial = TN_PUSH(p->arena, uint8_t, p->n_pairs))) {
        return NULL;
    }
    b->room = room;
    uint8_t *how = TN_PUSH(p->arena, uint8_t, (size_t)room * (size_t)p->n_pairs);
    int *active = TN_PUSH(p->arena, int, (size_t)room *(size_t)n);
    double *numbers = TN_PUSH(p->arena, double, (size_t)room *(size_t)n * 2);
    if (!how || !active || !numbers) {
        return NULL;
    }
    for (int i = 0; i < room; i++) {
        b->heap[i] = i;
        b->node[i] = (node){.how = how + (size_t)i * (size_t)p->n_pairs,
                            .active = active + (size_t)i * (size_t)n,
                            .lambda = numbers + (size_t)i * (size_t)n * 2,
                            .center = numbers + (size_t)i * (size_t)n * 2 + n};
    }
    return b;
}

static bool before(const tn_branch *b, int i, int j)
{
    const node *x = &b->node[b->heap[i]], *y = &b->node[b->heap[j]];
    return x->bound < y->bound || (x->bound == y->bound && x->number < y->number);
}

static void swap(tn_branch *b, int i, int j)
{
    const int keep = b->heap[i];
    b->heap[i] = b->heap[j];
    b->heap[j] = keep;
}

static void rise(tn_branch *b, int i)
{
    for (; i > 0 && before(b, i, (i - 1) / 2); i = (i - 1) / 2) {
        swap(b, i, (i - 1) / 2);
    }
}

static void sink(tn_branch *b, int i)
{
    for (;;) {
        int least = i;
        for (int child = 2 * i + 1; child <= 2 * i + 2 && child < b->n_waiting; child++) {
            least = before(b, child, least) ? child : least;
        }
        if (least == i) {
            return;
        }
        swap(b, i, least);
        i = least;
    }
}

// Takes place i of the heap out; its node stays readable until the next one waits.
static const node *take(tn_branch *b, int i)
{
    swap(b, i, --b->n_waiting);
    if (i < b->n_waiting) {
        rise(b, i);
        sink(b, i);
    }
    return &b->node[b->heap[b->n_waiting]];
}

static const node *take_next(tn_branch *b, bool deepest)
{
    int next = 0;
    if (deepest || b->n_waiting >= WAITING) {
        for (int i = 1; i < b->n_waiting; i++) {
            const node *x = &b->node[b->heap[i]], *y = &b->node[b->heap[next]];
            next = x->depth > y->depth || (x->depth == y->depth && before(b, i, next)) ? i : next;
        }
    }
    return take(b, next);
}

// The brother of the child at hand, begun from the QP as it is.
static void wait_with(tn_branch *b, tn_planner *p, int pair, int how, double bound)
{
    const tn_qp *qp = &p->qp;
    node *x = &b->node[b->heap[b->n_waiting]];
    x->bound = bound;
    x->number = b->made++;
    x->depth = b->depth + 1;
    x->n_active = qp->n_active;
    memcpy(x->how, b->how, (size_t)p->n_pairs);
    x->how[pair] = (uint8_t)how;
    memcpy(x->active, qp->active, (size_t)qp->n_active * sizeof *x->active);
    memcpy(x->lambda, qp->lambda, (size_t)qp->n_active * sizeof *x->lambda);
    memcpy(x->center, qp->center, (size_t)qp->n * sizeof *x->center);
    b->n_waiting++;
    rise(b, b->n_waiting - 1);
}

static void begin_at(tn_branch *b, tn_planner *p, const node *x)
{
    tn_qp *qp = &p->qp;
    tn_qp_forget(qp);
    b->depth = x->depth;
    qp->n_active = x->n_active;
    memcpy(b->how, x->how, (size_t)p->n_pairs);
    memcpy(qp->active, x->active, (size_t)x->n_active * sizeof *x->active);
    memcpy(qp->lambda, x->lambda, (size_t)x->n_active * sizeof *x->lambda);
    memcpy(qp->center, x->center, (size_t)qp->n * sizeof *x->center);
    tn_planner_fix_all(p, b->how);
}

static bool is_one(int modes)
{
    return (modes & (modes - 1)) == 0;
}

static int mode_of(int one)
{
    return one == TN_PAIR_OPEN ? TN_PLAN_OPEN : one == TN_PAIR_CLOSED ? TN_PLAN_CLOSED : TN_PLAN_OFF;
}

tn_qp_status tn_branch_try(tn_planner *p, const tn_plan_problem *problem, const uint8_t *how, double cutoff)
{
    tn_planner_fix_all(p, how);
    const tn_qp_status status = tn_qp_solve(&p->qp, cutoff - p->constant);
    if (status == TN_QP_SOLVED) {
        tn_plan *plan = &p->best;
        const double cost = p->constant + p->qp.value;
        if (cost < plan->cost) {
            for (int pair = 0; pair < p->n_pairs; pair++) { // exactly, not to rounding
                double *c = p->qp.z + tn_planner_c(p, pair);
                *c = how[pair] == TN_PAIR_CLOSED ? *c : 0.0;
            }
            tn_plan_roll(p, problem, p->qp.z, plan);
            for (int pair = 0; pair < p->n_pairs; pair++) {
                plan->mode[pair] = (uint8_t)mode_of(how[pair]);
            }
        }
    }
    return status;
}

// The pair that may have several modes and is farthest from all of them; -1: all have one. *leans: to which of them,
// *gap: how far it is.
static int choose(const tn_planner *p, const tn_branch *b, int *leans, double *gap)
{
    int chosen = -1;
    *gap = -INFINITY;
    for (int pair = 0; pair < p->n_pairs; pair++) {
        double off = -INFINITY;
        const int to = is_one(b->how[pair]) ? 0 : tn_planner_nearest_mode(p, pair, b->how[pair], p->qp.z, &off);
        if (off > *gap) {
            *gap = off;
            chosen = pair;
            *leans = to;
        }
    }
    return chosen;
}

static double cutoff_of(const tn_planner *p, const tn_plan_options *options)
{
    return p->best.cost < INFINITY ? p->best.cost - options->gap * (1.0 + fabs(p->best.cost)) : INFINITY;
}

// Fixes all pairs as the relaxation has them. True: that closes the node.
static bool round_off(tn_planner *p, tn_branch *b, const tn_plan_problem *problem, const tn_plan_options *options,
                      double bound)
{
    for (int pair = 0; pair < p->n_pairs; pair++) {
        double gap;
        b->trial[pair] = (uint8_t)tn_planner_nearest_mode(p, pair, b->how[pair], p->qp.z, &gap);
    }
    tn_branch_try(p, problem, b->trial, INFINITY);
    return bound >= cutoff_of(p, options);
}

static const double COMPLEMENTARY = 1e-9; // gap that counts as none

// The node at hand, *bound of its parent in, its own out: true if a child of it is now at hand.
static bool descend(tn_planner *p, tn_branch *b, const tn_plan_problem *problem, const tn_plan_options *options,
                    double *bound)
{
    const double cutoff = cutoff_of(p, options);
    const tn_qp_status status = tn_qp_solve(&p->qp, cutoff - p->constant);
    *bound = fmax(*bound, p->constant + p->qp.bound);
    if (*bound >= cutoff) { // INFINITY where it is infeasible
        return false;
    }
    int leans = 0;
    double gap;
    const int pair = choose(p, b, &leans, &gap);
    if (pair < 0) { // all are fixed
        if (status == TN_QP_SOLVED) {
            tn_branch_try(p, problem, b->how, INFINITY);
        }
        return false;
    }
    if (status == TN_QP_SOLVED && gap <= COMPLEMENTARY) {
        if (round_off(p, b, problem, options, *bound)) {
            return false;
        }
        tn_planner_fix_all(p, b->how);
    } else if (status == TN_QP_SOLVED && p->best.cost == INFINITY) {
        tn_branch_move(p, problem, p->qp.z);
        tn_planner_fix_all(p, b->how);
    }
    wait_with(b, p, pair, b->how[pair] & ~leans, *bound);
    b->how[pair] = (uint8_t)leans;
    tn_planner_fix(p, pair, b->how[pair]);
    b->depth++;
    return true;
}

// The next node that waits and may hold something better is at hand. False: there is none.
static bool go_on(tn_planner *p, tn_branch *b, double cutoff, double *at_hand, double *dropped)
{
    while (b->n_waiting > 0) {
        const node *next = take_next(b, p->best.cost == INFINITY);
        *at_hand = next->bound;
        if (next->bound < cutoff) {
            begin_at(b, p, next);
            return true;
        }
        *dropped = fmin(*dropped, next->bound);
    }
    return false;
}

static bool is_spent(tn_planner *p, const tn_plan_options *options, long nodes)
{
    return tn_qp_is_late(&p->qp) || (options->node_budget > 0 && nodes >= options->node_budget);
}

static void finish(const tn_planner *p, const tn_plan_options *options, double open, tn_plan *plan)
{
    const double cost = p->best.cost;
    if (cost < INFINITY) {
        tn_plan_copy(plan, &p->best);
    }
    plan->bound = fmin(open, cost);
    plan->gap = cost < INFINITY ? (cost - plan->bound) / (1.0 + fabs(cost)) : INFINITY;
    if (cost < INFINITY) {
        plan->status = plan->gap <= options->gap ? TN_PLAN_OPTIMAL : TN_PLAN_FEASIBLE;
    } else {
        plan->status = open < INFINITY ? TN_PLAN_NONE : TN_PLAN_INFEASIBLE;
    }
}

void tn_branch_solve(tn_planner *p, const tn_plan_problem *problem, const tn_plan_options *options, tn_plan *plan)
{
    tn_branch *b = p->branch;
    b->n_waiting = b->depth = 0;
    b->made = 0;
    memcpy(b->how, p->modes, (size_t)p->n_pairs);
    tn_planner_fix_all(p, b->how);
    double at_hand = -INFINITY, dropped = INFINITY; // bounds: of the node at hand, least of those done with
    plan->nodes = 0;
    bool open = true;
    while (open && !is_spent(p, options, plan->nodes)) {
        double bound = at_hand;
        const bool dives = descend(p, b, problem, options, &bound);
        if (p->qp.is_late) { // as if the node had not been begun, so that a run by the number of nodes ends the same
            break;
        }
        at_hand = bound;
        plan->nodes++;
        if (!dives) {
            dropped = fmin(dropped, at_hand);
            open = go_on(p, b, cutoff_of(p, options), &at_hand, &dropped);
        }
    }
    dropped = open ? fmin(dropped, at_hand) : dropped;
    for (int i = 0; i < b->n_waiting; i++) {
        dropped = fmin(dropped, b->node[b->heap[i]].bound);
    }
    finish(p, options, dropped, plan);
}
