// Which set each constraint's force lies in, from the arrays of the problem.
#include "problem/bound.h"

#include <math.h>
#include <stddef.h>

static tn_bound bound_of_single(const tn_rows *rows, int i)
{
    double lower = rows->lower[i], upper = rows->upper[i];
    bool free = lower == -INFINITY && upper == INFINITY;
    return (tn_bound){.set = free ? TN_SET_FREE : TN_SET_BOX, .bound = {lower, upper}};
}

static double preload_of(const tn_rows *rows, int m)
{
    return rows->preload ? rows->preload[m] : 0.0;
}

tn_bound tn_problem_bound(const tn_problem *problem, int i, const double *lambda)
{
    const tn_rows *rows = problem->rows;
    if (i >= rows->n_triples) {
        return bound_of_single(rows, i - rows->n_triples);
    }
    const double *mu = rows->mu + 2 * (size_t)i;
    int friction = i - (rows->n_triples - rows->n_frictions);
    if (friction >= 0) {
        int by = rows->pressed_by[friction];
        return (tn_bound){.set = tn_friction_set(rows, friction),
                          .bound = {mu[0], mu[1]},
                          .pressed = lambda && by >= 0 ? lambda[3 * (size_t)by] + preload_of(rows, by) : 0.0};
    }
    tn_bound bound = tn_set_of_contact(problem->law, problem->facets, mu);
    bound.preload = preload_of(rows, i);
    return bound;
}

unsigned tn_problem_sets(const tn_problem *problem)
{
    const tn_rows *rows = problem->rows;
    unsigned sets = 0;
    if (rows->n_triples > rows->n_frictions) { // all contacts lie in the same
        sets |= 1u << tn_problem_bound(problem, 0, NULL).set;
    }
    for (int k = 0; k < rows->n_frictions; ++k) {
        sets |= 1u << tn_friction_set(rows, k);
    }
    for (int i = 0; i < rows->n_singles; ++i) {
        sets |= 1u << bound_of_single(rows, i).set;
    }
    return sets;
}

void tn_rows_soften(const tn_rows *rows, int m, double W[9])
{
    for (int i = 0; rows->softness && i < 9; ++i) {
        W[i] += rows->softness[9 * (size_t)m + (size_t)i];
    }
}
