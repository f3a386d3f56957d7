// The motion of a system under given inputs, step by step by Lemke's method. Its modes are ones that a plan can have:
// where contacts are coupled by friction, relaxations rarely end at such.
#include "base/random.h"
#include "base/team.h"
#include "control/branch.h"
#include "control/lcs.h"
#include "solver/lemke/lcp.h"

#include <math.h>
#include <string.h>

enum { MAX_PIVOTS = 5000, ROUND = 8 }; // ROUND: motions of which the cheapest one's modes are tried
static const double SPREAD = 0.25;     // of the draws, relative to the inputs' range

// w where c acts, u NULL: 0.
static double slack(const tn_lcs *s, int i, const double *x, const double *u, const double *next)
{
    const size_t n_x = (size_t)s->n_x, n_u = (size_t)s->n_u, row = (size_t)i;
    return s->offset[i] + tn_dot(n_x, s->D + row * n_x, next) + tn_dot(n_x, s->D0 + row * n_x, x) +
           (u ? tn_dot(n_u, s->H + row * n_u, u) : 0.0);
}

static void next_state(const tn_lcs *s, const double *x, const double *u, const double *c, double *out)
{
    for (int j = 0; j < s->n_x; j++) {
        out[j] = tn_lcs_next(s, j, x, u, c);
    }
}

bool tn_lcs_step(const tn_lcs *s, const double *x, const double *u, tn_arena *arena, double *c, double *next)
{
    const tn_arena_mark mark = tn_arena_get_mark(arena);
    const size_t n = (size_t)s->n_c;
    double *M = TN_PUSH(arena, double, n *n), *q = TN_PUSH(arena, double, n), *cover = TN_PUSH(arena, double, n),
           *z = TN_PUSH(arena, double, n);
    bool solved = M && q && cover && z;
    next_state(s, x, u, NULL, next);
    for (size_t i = 0; i < n && solved; i++) {
        cover[i] = 1.0;
        if (tn_lcs_guard(s, (int)i, x, u) >= 0.0) { // c + 1 instead of w, so that c = 0
            q[i] = M[i * n + i] = 1.0;
            continue;
        }
        q[i] = slack(s, (int)i, x, u, next);
        memcpy(M + i * n, s->E + i * n, n * sizeof *M);
        for (size_t k = 0; k < (size_t)s->n_x; k++) {
            const double D = s->D[i * (size_t)s->n_x + k];
            for (size_t j = 0; j < n && D != 0.0; j++) {
                M[i * n + j] += D * s->C[k * n + j];
            }
        }
    }
    tn_lcp lcp = {.n = s->n_c, .M = M, .q = q};
    tn_lcp_report report;
    if (solved && n > 0 && (solved = tn_lcp_lemke(&lcp, cover, 0.0, MAX_PIVOTS, arena, z, &report) == TN_LCP_SOLVED)) {
        next_state(s, x, u, z, next);
        if (c) {
            memcpy(c, z, n * sizeof *c);
        }
    }
    tn_arena_release(arena, mark);
    return solved;
}

// Into p->moved, modes as tn_branch_try takes them; its inputs are there already. False: no motion was found.
static bool move(tn_planner *p, const tn_plan_problem *problem)
{
    const tn_lcs *s = &problem->lcs;
    tn_plan *plan = &p->moved;
    memcpy(plan->x, problem->x0, (size_t)p->n_x * sizeof *plan->x);
    for (int k = 0; k < p->N; k++) {
        double *x = plan->x + k * p->n_x, *u = plan->u + k * p->n_u, *c = plan->c + k * p->n_c;
        for (int i = 0; i < p->n_u; i++) {
            u[i] = fmin(fmax(u[i], p->u_low[i]), p->u_high[i]);
        }
        if (!tn_lcs_step(s, x, u, p->arena, c, x + p->n_x)) {
            return false;
        }
        for (int i = 0; i < p->n_c; i++) {
            const double w = slack(s, i, x, u, x + p->n_x) + tn_dot((size_t)p->n_c, s->E + i * p->n_c, c);
            plan->mode[k * p->n_c + i] = (uint8_t)(1 << tn_lcs_mode(c[i], w, tn_lcs_guard(s, i, x, u)));
        }
    }
    plan->cost = tn_plan_cost(problem, plan);
    return true;
}

static void try_moved(tn_planner *p, const tn_plan_problem *problem)
{
    if (move(p, problem)) {
        tn_branch_try(p, problem, p->moved.mode, INFINITY);
    }
}

void tn_branch_move(tn_planner *p, const tn_plan_problem *problem, const double *z)
{
    for (int k = 0; k < p->N; k++) {
        memcpy(p->moved.u + k * p->n_u, z + tn_planner_u(p, k), (size_t)p->n_u * sizeof *z);
    }
    try_moved(p, problem);
}

// The given plan's inputs as they are, and one step on.
static void try_given(tn_planner *p, const tn_plan_problem *problem, const tn_plan *given)
{
    for (int shift = 0; shift <= 1; shift++) {
        for (int j = 0; j < p->N * p->n_u; j++) {
            p->moved.u[j] = given->u[j + shift * p->n_u < p->N * p->n_u ? j + shift * p->n_u : j];
        }
        try_moved(p, problem);
    }
}

// Inputs of `one` about p's best plan's (none: 0), each off by a normal number within a window of steps that draw
// number i says.
static void draw(const tn_planner *p, tn_planner *one, uint64_t seed, uint64_t i)
{
    const int from = (int)(p->N * tn_random_uniform(seed, 0, i));
    const int to = from + 1 + (int)((p->N - from) * tn_random_uniform(seed, 1, i));
    for (int j = 0; j < p->N * p->n_u; j++) {
        const int k = j / p->n_u, input = j % p->n_u;
        const double base = p->best.cost < INFINITY ? p->best.u[j] : 0.0;
        const double range = p->u_high[input] - p->u_low[input], off = tn_random_normal(seed, 2 + (uint64_t)input, i);
        one->moved.u[j] =
            base + (k >= from && k < to ? off * SPREAD * (range < INFINITY ? range : 1.0 + fabs(base)) : 0.0);
    }
}

typedef struct drawn {
    double cost; // INFINITY: no motion was found
    long i;
} drawn;

// Every stride-th draw from `from` up to `to`: the cheapest, its modes in one->trial.
static drawn draw_some(const tn_planner *p, tn_planner *one, const tn_plan_problem *problem, uint64_t seed, long from,
                       long to, int stride)
{
    drawn least = {.cost = INFINITY, .i = to};
    for (long i = from; i < to && !tn_qp_is_late(&one->qp); i += stride) {
        draw(p, one, seed, (uint64_t)i);
        if (move(one, problem) && one->moved.cost < least.cost) {
            least = (drawn){.cost = one->moved.cost, .i = i};
            memcpy(one->trial, one->moved.mode, (size_t)one->n_pairs);
        }
    }
    return least;
}

typedef struct drawing {
    const tn_planner *p;
    const tn_plan_problem *problem;
    uint64_t seed;
    long from, to;
    int n;
    drawn *found;
} drawing;

static void draw_shares(const void *context, int first, int end, int thread)
{
    const drawing *d = context;
    for (int k = first; k < end; ++k) {
        d->found[k] = draw_some(d->p, d->p->team[k], d->problem, d->seed, d->from + k, d->to, d->n);
    }
}

// A round of draws by the team, the modes of the cheapest tried: as by one planner alone. False: it got late.
static bool draw_round(tn_planner *p, const tn_plan_problem *problem, uint64_t seed, long from, long to, int n_threads)
{
    drawn found[TN_PLANNER_TEAM_MAX];
    const int n = p->n_team < ROUND ? p->n_team : ROUND;
    tn_team_share(n_threads, n, 1, draw_shares, &(drawing){p, problem, seed, from, to, n, found});
    drawn best = {.cost = INFINITY, .i = to};
    const tn_planner *who = NULL;
    for (int k = 0; k < n; k++) {
        p->qp.is_late = p->qp.is_late || p->team[k]->qp.is_late;
        if (found[k].cost < best.cost || (found[k].cost == best.cost && found[k].i < best.i)) {
            best = found[k];
            who = p->team[k];
        }
    }
    if (!p->qp.is_late && who) {
        tn_branch_try(p, problem, (const uint8_t *)who->trial, INFINITY);
    }
    return !p->qp.is_late;
}

void tn_search_motions(tn_planner *p, const tn_plan_problem *problem, const tn_plan_options *o, const tn_plan *given)
{
    if (o->motions > 0 && given) {
        try_given(p, problem, given);
    }
    tn_planner_brief_team(p);
    bool goes_on = true;
    for (long from = 0; from < o->motions && goes_on; from += ROUND) {
        goes_on =
            draw_round(p, problem, o->seed, from, from + ROUND < o->motions ? from + ROUND : o->motions, o->n_threads);
    }
}
