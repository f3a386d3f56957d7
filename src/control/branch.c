// Branch and bound for the MIQP (branch.h). A node restricts pairs to some of their modes; its QP begins at its
// parent's active set and multipliers, which are dual feasible for it too, so that a node costs a few pivots. From a
// node the search goes on with the child that the relaxation leans to (a dive), its brother waits with what it needs to
// begin; where a dive ends the waiting node with the least bound is next, or the deepest one while there is no plan yet
// or the room for waiting nodes is nearly full.
//
// With several threads there are two divers a thread, so that long nodes and short ones even out. They go round by
// round: in each of them every diver does some nodes, its dive and then those that it left waiting itself, with the
// best plan of the round's begin or its own; then what they found is taken in their order. All decisions follow from
// numbers alone, so the result is a function of the number of threads and of the nodes reached.
#include "control/branch.h"

#include "base/team.h"

#include <math.h>
#include <string.h>

enum { WAITING = 2048 }; // nodes; beyond, the search is depth first
enum { TURN = 4 };       // nodes of a diver in a round of several

typedef struct node {
    double bound;
    long number; // in the order of their making
    int depth, n_active;
    uint8_t *how;   // (n_pairs)
    int *active;    // (n)
    double *lambda; // (n)
    double *center; // (n)
} node;

typedef struct diver {
    tn_planner *p;
    bool is_at_node;  // else it has none
    const node *next; // that it takes up with the round: it is not at it yet; NULL: it is
    uint8_t *how;     // (n_pairs) of the node at hand
    uint8_t *trial;   // (n_pairs)
    int depth;
    double bound; // of the node at hand, or of its parent
    // in a round
    double begun;   // the bound that it began with
    double dropped; // least bound of the nodes done with
    int n_done, n_kept;
    node kept[TURN]; // nodes that wait
} diver;

struct tn_branch {
    int room, n_waiting, n_divers;
    node *node;   // (room)
    int *heap;    // (room) waiting nodes, least bound first; behind them those that are free
    diver *diver; // (n_divers)
    long made;
    double dropped; // least bound of the nodes done with
};

static bool make_nodes(tn_arena *arena, const tn_planner *p, int n, node *nodes)
{
    const size_t columns = (size_t)p->qp.n, pairs = (size_t)p->n_pairs, count = (size_t)n;
    uint8_t *how = TN_PUSH(arena, uint8_t, count * pairs);
    int *active = TN_PUSH(arena, int, count *columns);
    double *numbers = TN_PUSH(arena, double, count *columns * 2);
    if (!how || !active || !numbers) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        nodes[i] = (node){.how = how + i * pairs,
                          .active = active + i * columns,
                          .lambda = numbers + i * columns * 2,
                          .center = numbers + i * columns * 2 + columns};
    }
    return true;
}

static tn_branch *create(tn_planner *p, int n_divers)
{
    tn_branch *b = TN_PUSH(p->arena, tn_branch, 1);
    // A dive restricts a pair up to twice.
    const int room = WAITING + n_divers * (2 * p->n_pairs + 1 + TURN);
    if (!b || !(b->node = TN_PUSH(p->arena, node, room)) || !(b->heap = TN_PUSH(p->arena, int, room)) ||
        !(b->diver = TN_PUSH(p->arena, diver, n_divers)) || !make_nodes(p->arena, p, room, b->node)) {
        return NULL;
    }
    b->room = room;
    b->n_divers = n_divers;
    for (int i = 0; i < room; i++) {
        b->heap[i] = i;
    }
    for (int i = 0; i < n_divers; i++) {
        diver *d = &b->diver[i];
        if (!(d->how = TN_PUSH(p->arena, uint8_t, p->n_pairs)) ||
            !(d->trial = TN_PUSH(p->arena, uint8_t, p->n_pairs)) || !make_nodes(p->arena, p, TURN, d->kept)) {
            return NULL;
        }
    }
    return b;
}

// Of several threads none is p itself, whose best plan is that of whole rounds.
static int diver_count(const tn_planner *p)
{
    return p->n_team > 1 ? p->n_team - 1 : 1;
}

bool tn_branch_make_room(tn_planner *p)
{
    if (!p->branch || p->branch->n_divers < diver_count(p)) {
        p->branch = create(p, diver_count(p));
    }
    return p->branch != NULL;
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
static void keep_brother(diver *d, int pair, int how, double bound)
{
    const tn_planner *p = d->p;
    const tn_qp *qp = &p->qp;
    node *x = &d->kept[d->n_kept++];
    x->bound = bound;
    x->depth = d->depth + 1;
    x->n_active = qp->n_active;
    memcpy(x->how, d->how, (size_t)p->n_pairs);
    x->how[pair] = (uint8_t)how;
    memcpy(x->active, qp->active, (size_t)qp->n_active * sizeof *x->active);
    memcpy(x->lambda, qp->lambda, (size_t)qp->n_active * sizeof *x->lambda);
    memcpy(x->center, qp->center, (size_t)qp->n * sizeof *x->center);
}

static void wait_with(tn_branch *b, node *brother)
{
    node *free = &b->node[b->heap[b->n_waiting]], keep = *free;
    *free = *brother;
    *brother = keep;
    free->number = b->made++;
    b->n_waiting++;
    rise(b, b->n_waiting - 1);
}

static void begin_at(diver *d, const node *x)
{
    tn_planner *p = d->p;
    tn_qp *qp = &p->qp;
    tn_qp_forget(qp);
    d->depth = x->depth;
    d->bound = x->bound;
    d->is_at_node = true;
    qp->n_active = x->n_active;
    memcpy(d->how, x->how, (size_t)p->n_pairs);
    memcpy(qp->active, x->active, (size_t)x->n_active * sizeof *x->active);
    memcpy(qp->lambda, x->lambda, (size_t)x->n_active * sizeof *x->lambda);
    memcpy(qp->center, x->center, (size_t)qp->n * sizeof *x->center);
    tn_planner_fix_all(p, d->how);
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
static int choose(const diver *d, int *leans, double *gap)
{
    const tn_planner *p = d->p;
    int chosen = -1;
    *gap = -INFINITY;
    for (int pair = 0; pair < p->n_pairs; pair++) {
        double off = -INFINITY;
        const int to = is_one(d->how[pair]) ? 0 : tn_planner_nearest_mode(p, pair, d->how[pair], p->qp.z, &off);
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
static bool round_off(diver *d, const tn_plan_problem *problem, const tn_plan_options *options, double bound)
{
    tn_planner *p = d->p;
    for (int pair = 0; pair < p->n_pairs; pair++) {
        double gap;
        d->trial[pair] = (uint8_t)tn_planner_nearest_mode(p, pair, d->how[pair], p->qp.z, &gap);
    }
    tn_branch_try(p, problem, d->trial, INFINITY);
    return bound >= cutoff_of(p, options);
}

static const double COMPLEMENTARY = 1e-9; // gap that counts as none

// The node at hand, *bound of its parent in, its own out: true if a child of it is now at hand.
static bool descend(diver *d, const tn_plan_problem *problem, const tn_plan_options *options, double *bound)
{
    tn_planner *p = d->p;
    const double cutoff = cutoff_of(p, options);
    const tn_qp_status status = tn_qp_solve(&p->qp, cutoff - p->constant);
    *bound = fmax(*bound, p->constant + p->qp.bound);
    if (*bound >= cutoff) { // INFINITY where it is infeasible
        return false;
    }
    int leans = 0;
    double gap;
    const int pair = choose(d, &leans, &gap);
    if (pair < 0) { // all are fixed
        if (status == TN_QP_STUCK) {
            tn_qp_forget(&p->qp); // what it has of its parent may be why
        }
        if (status != TN_QP_CUT && tn_branch_try(p, problem, d->how, INFINITY) == TN_QP_INFEASIBLE) {
            *bound = INFINITY;
        }
        return false;
    }
    if (status == TN_QP_SOLVED && gap <= COMPLEMENTARY) {
        if (round_off(d, problem, options, *bound)) {
            return false;
        }
        tn_planner_fix_all(p, d->how);
    } else if (status == TN_QP_SOLVED && p->best.cost == INFINITY) {
        tn_branch_move(p, problem, p->qp.z);
        tn_planner_fix_all(p, d->how);
    }
    keep_brother(d, pair, d->how[pair] & ~leans, *bound);
    d->how[pair] = (uint8_t)leans;
    tn_planner_fix(p, pair, d->how[pair]);
    d->depth++;
    return true;
}

// Divers without a node take the next that wait and may hold something better. Into at: those that have one.
static int gather(tn_branch *b, const tn_planner *p, double cutoff, diver *at[])
{
    int n = 0;
    for (int i = 0; i < diver_count(p); i++) {
        diver *d = &b->diver[i];
        while (!d->is_at_node && b->n_waiting > 0) {
            const node *next = take_next(b, p->best.cost == INFINITY);
            if (next->bound < cutoff) {
                d->next = next;
                d->bound = next->bound;
                d->is_at_node = true;
            } else {
                b->dropped = fmin(b->dropped, next->bound);
            }
        }
        if (d->is_at_node) {
            at[n++] = d;
        }
    }
    return n;
}

// The deepest node of those kept that may hold something better is at hand.
static void go_on(diver *d, double cutoff)
{
    while (d->n_kept > 0 && !d->is_at_node) {
        const node *last = &d->kept[--d->n_kept];
        if (last->bound < cutoff) {
            begin_at(d, last);
        } else {
            d->dropped = fmin(d->dropped, last->bound);
        }
    }
}

// Up to `turn` nodes.
static void dive(diver *d, const tn_plan_problem *problem, const tn_plan_options *options, int turn)
{
    if (d->next) {
        begin_at(d, d->next);
        d->next = NULL;
    }
    d->begun = d->bound;
    d->dropped = INFINITY;
    d->n_kept = 0;
    for (d->n_done = 0; d->n_done < turn && d->is_at_node && !d->p->qp.is_late; d->n_done++) {
        d->is_at_node = descend(d, problem, options, &d->bound);
        if (!d->is_at_node) {
            d->dropped = fmin(d->dropped, d->bound);
            if (d->n_done + 1 < turn) {
                go_on(d, cutoff_of(d->p, options));
            }
        }
    }
}

typedef struct diving {
    diver **at;
    const tn_plan_problem *problem;
    const tn_plan_options *options;
    int turn;
} diving;

static void dive_some(const void *context, int first, int end, int thread)
{
    const diving *d = context;
    for (int i = first; i < end; ++i) {
        dive(d->at[i], d->problem, d->options, d->turn);
    }
}

// What a diver found in a round.
static void take_in(tn_branch *b, tn_planner *p, diver *d)
{
    if (d->p->best.cost < p->best.cost) {
        tn_plan_copy(&p->best, &d->p->best);
    }
    for (int i = 0; i < d->n_kept; i++) {
        wait_with(b, &d->kept[i]);
    }
    b->dropped = fmin(b->dropped, d->dropped);
}

// A round of n divers, who each do at least one node: how many nodes they did. One that the clock cut short counts as
// not begun, so that a run by the number of nodes ends the same.
static long go_round(tn_branch *b, tn_planner *p, const tn_plan_problem *problem, const tn_plan_options *options,
                     diver *at[], int n)
{
    const int turn = p->n_team > 1 ? TURN : 1;
    for (int i = 0; i < n; i++) {
        at[i]->p->best.cost = p->best.cost;
    }
    tn_team_share(options->n_threads, n, 1, dive_some, &(diving){at, problem, options, turn});
    for (int i = 0; i < n; i++) {
        p->qp.is_late = p->qp.is_late || at[i]->p->qp.is_late;
    }
    long done = 0;
    for (int i = 0; i < n; i++) {
        if (p->qp.is_late) {
            at[i]->is_at_node = true;
            at[i]->bound = at[i]->begun;
        } else {
            take_in(b, p, at[i]);
            done += at[i]->n_done;
        }
    }
    return done;
}

static void begin(tn_branch *b, tn_planner *p)
{
    tn_planner_brief_team(p);
    b->n_waiting = 0;
    b->made = 0;
    b->dropped = INFINITY;
    for (int i = 0; i < diver_count(p); i++) {
        b->diver[i].p = p->team[p->n_team > 1 ? i + 1 : 0];
        b->diver[i].is_at_node = false;
        b->diver[i].next = NULL;
    }
    diver *first = &b->diver[0];
    first->depth = 0;
    first->bound = -INFINITY;
    first->is_at_node = true;
    memcpy(first->how, p->modes, (size_t)p->n_pairs);
    tn_planner_fix_all(first->p, first->how);
}

// The least bound of what is not done with.
static double open_bound(const tn_branch *b, const tn_planner *p)
{
    double least = b->dropped;
    for (int i = 0; i < diver_count(p); i++) {
        least = b->diver[i].is_at_node ? fmin(least, b->diver[i].bound) : least;
    }
    for (int i = 0; i < b->n_waiting; i++) {
        least = fmin(least, b->node[b->heap[i]].bound);
    }
    return least;
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
    diver *at[TN_PLANNER_TEAM_MAX];
    begin(b, p);
    plan->nodes = 0;
    while (!tn_qp_is_late(&p->qp) && (options->node_budget == 0 || plan->nodes < options->node_budget)) {
        const int n = gather(b, p, cutoff_of(p, options), at);
        if (n == 0) {
            break;
        }
        plan->nodes += go_round(b, p, problem, options, at, n);
    }
    for (int i = 1; i < p->n_team; i++) {
        p->qp.iterations += p->team[i]->qp.iterations;
    }
    finish(p, options, open_bound(b, p), plan);
}
