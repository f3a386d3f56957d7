#include "solver/shift.h"

#include <math.h>

static const double LEAST_SHARE = 1.0 / 16.0, PROGRESS = 0.9;

bool tn_shift_create(tn_shift *shift, const tn_problem *problem, tn_arena *arena)
{
    *shift = (tn_shift){.problem = problem, .share = 1.0, .patience = 60, .residual = HUGE_VAL, .best = HUGE_VAL};
    shift->value = TN_PUSH(arena, double, problem->rows->n_triples);
    return shift->value != NULL;
}

double tn_shift_of(const tn_problem *problem, int m, const double u[3])
{
    const double *mu = problem->rows->mu + 2 * (size_t)m;
    double a = mu[0] * u[1], b = mu[1] * u[2];
    return problem->law == TN_LAW_COULOMB ? sqrt(a * a + b * b) : 0.0;
}

void tn_shift_set(tn_shift *shift, const double *u)
{
    for (int m = 0; m < shift->problem->rows->n_triples; ++m) {
        shift->value[m] = tn_shift_of(shift->problem, m, u + 3 * (size_t)m);
    }
}

double tn_shift_residual(const tn_shift *shift, const double *u)
{
    double sum = 0.0;
    for (int m = 0; m < shift->problem->rows->n_triples; ++m) {
        double off = tn_shift_of(shift->problem, m, u + 3 * (size_t)m) - shift->value[m];
        sum += off * off;
    }
    return sqrt(sum);
}

bool tn_shift_update(tn_shift *shift, const double *u)
{
    double residual = tn_shift_residual(shift, u);
    shift->stalled = residual < PROGRESS * shift->best ? 0 : shift->stalled + 1;
    shift->best = fmin(shift->best, residual);
    if (shift->stalled >= shift->patience) {
        shift->share *= 0.5;
        shift->stalled = 0;
    }
    shift->residual = residual;
    ++shift->updates;
    for (int m = 0; m < shift->problem->rows->n_triples; ++m) {
        double target = tn_shift_of(shift->problem, m, u + 3 * (size_t)m);
        shift->value[m] += shift->share * (target - shift->value[m]);
    }
    return shift->share >= LEAST_SHARE;
}
