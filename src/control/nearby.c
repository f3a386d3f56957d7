// Local search over modes: another mode of one pair, or a pair's modes of two steps in a row exchanged, so that a touch
// begins or ends a step sooner or later. The first move that helps is kept, until none does.
#include "control/branch.h"

#include <math.h>

enum { SEARCHES = 12 }; // moves tried, for each pair

// Whether a pair in another mode, or where `then` is another pair their modes exchanged, makes the plan better; how
// keeps it then.
static bool helps(tn_planner *p, const tn_plan_problem *problem, uint8_t *how, int pair, int then, int mode)
{
    const double cost = p->best.cost;
    const uint8_t keep = how[pair], other = how[then];
    how[then] = keep;
    how[pair] = then == pair ? (uint8_t)mode : other;
    tn_branch_try(p, problem, how, cost);
    const bool better = p->best.cost < cost - 1e-9 * (1.0 + fabs(cost));
    if (!better) {
        how[then] = other;
        how[pair] = keep;
    }
    return better;
}

static bool any_helps(tn_planner *p, const tn_plan_problem *problem, uint8_t *how, int pair)
{
    bool better = false;
    for (int mode = 1; mode <= TN_PAIR_OFF && !better; mode <<= 1) {
        better = p->modes[pair] & mode && how[pair] != mode && helps(p, problem, how, pair, pair, mode);
    }
    return better;
}

void tn_search_nearby(tn_planner *p, const tn_plan_problem *problem, uint8_t *how)
{
    int since = 0; // moves tried since the last one that helped
    for (int pair = 0; pair < p->n_pairs; pair++) {
        how[pair] = (uint8_t)(1 << p->best.mode[pair]);
    }
    for (int i = 0; since < 2 * p->n_pairs && i < SEARCHES * p->n_pairs; i++) {
        const int pair = i / 2 % p->n_pairs, then = i % 2 == 0 ? pair : pair + p->n_c;
        const bool moves = then < p->n_pairs && how[then] != how[pair];
        const bool better =
            then == pair ? any_helps(p, problem, how, pair) : moves && helps(p, problem, how, pair, then, 0);
        since = better ? 0 : since + 1;
        if (tn_qp_is_late(&p->qp)) {
            return;
        }
    }
}
