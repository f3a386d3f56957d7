// Local search over modes: the other mode of one pair, or a pair's modes of two steps in a row exchanged, so that a
// touch begins or ends a step sooner or later. The first move that helps is kept, until none does.
#include "control/branch.h"

#include <math.h>

enum { SEARCHES = 12 }; // moves tried, for each pair

static void move(uint8_t *how, int pair, int then)
{
    if (then == pair) {
        how[pair] ^= TN_PAIR_OPEN ^ TN_PAIR_CLOSED;
    } else {
        const uint8_t keep = how[pair];
        how[pair] = how[then];
        how[then] = keep;
    }
}

// Whether a move makes the plan better; how keeps it then.
static bool helps(tn_planner *p, const tn_plan_problem *problem, uint8_t *how, int pair, int then)
{
    const double cost = p->best.cost;
    move(how, pair, then);
    tn_branch_try(p, problem, how, cost);
    const bool better = p->best.cost < cost - 1e-9 * (1.0 + fabs(cost));
    if (!better) {
        move(how, pair, then);
    }
    return better;
}

void tn_search_nearby(tn_planner *p, const tn_plan_problem *problem, uint8_t *how)
{
    int since = 0; // moves tried since the last one that helped
    for (int pair = 0; pair < p->n_pairs; pair++) {
        how[pair] = p->best.mode[pair] ? TN_PAIR_CLOSED : TN_PAIR_OPEN;
    }
    for (int i = 0; since < 2 * p->n_pairs && i < SEARCHES * p->n_pairs; i++) {
        const int pair = i / 2 % p->n_pairs, then = i % 2 == 0 ? pair : pair + p->n_c;
        const bool moves = then == pair || (then < p->n_pairs && how[then] != how[pair]);
        since = moves && helps(p, problem, how, pair, then) ? 0 : since + 1;
        if (tn_qp_is_late(&p->qp)) {
            return;
        }
    }
}
