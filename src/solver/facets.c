#include "solver/facets.h"

#include "math/blocks.h"

#include <math.h>

static const double TURN = 6.283185307179586476925286766559;

bool tn_facets_planar(const tn_problem *problem, int m)
{
    const tn_rows *c = problem->rows;
    if (c->offset[3 * (size_t)m + 2] != 0.0) {
        return false;
    }
    if (problem->W) {
        for (int k = problem->W->start[m]; k < problem->W->start[m + 1]; ++k) {
            const double *w = problem->W->value + 9 * (size_t)k + 6;
            if (w[0] != 0.0 || w[1] != 0.0 || w[2] != 0.0) {
                return false;
            }
        }
        return true;
    }
    for (int e = c->start[m]; e < c->start[m + 1]; ++e) {
        const double *row = c->jacobian + 9 * (size_t)e + 6;
        if (row[0] != 0.0 || row[1] != 0.0 || row[2] != 0.0) {
            return false;
        }
    }
    return true;
}

double tn_facets_mu(const tn_problem *problem, int m)
{
    const double *mu = problem->rows->mu + 2 * (size_t)m;
    if (problem->law == TN_LAW_FRICTIONLESS) {
        return 0.0;
    }
    return problem->facets == 0 || problem->facets == 2 ? mu[0] : fmax(mu[0], mu[1]);
}

int tn_facets_count(const tn_problem *problem, int m)
{
    return tn_facets_mu(problem, m) == 0.0 ? 0 : problem->facets == 0 ? 2 : problem->facets;
}

void tn_facets_direction(const tn_problem *problem, int m, int i, double d[2])
{
    const double *mu = problem->rows->mu + 2 * (size_t)m;
    int n = tn_facets_count(problem, m), half = n / 2;
    if (n == 0) {
        d[0] = d[1] = 0.0;
        return;
    }
    double sign = i < half ? 1.0 : -1.0, angle = TURN * (i % half) / n, largest = tn_facets_mu(problem, m);
    bool quarter = 4 * (i % half) == n; // cos is not quite zero there
    d[0] = quarter ? 0.0 : sign * cos(angle) * mu[0] / largest;
    d[1] = n == 2 ? 0.0 : sign * sin(angle) * mu[1] / largest;
}

const char *tn_facets_refusal(const tn_problem *problem)
{
    if (problem->facets > 0 || problem->law == TN_LAW_FRICTIONLESS) {
        return NULL;
    }
    for (int m = 0; m < problem->rows->n_triples; ++m) {
        const double *mu = problem->rows->mu + 2 * (size_t)m;
        if ((mu[0] > 0.0 || mu[1] > 0.0) && !tn_facets_planar(problem, m)) {
            return "its friction cone is polyhedral, and contacts in space have a round one; set solver.facets, to 8 "
                   "or 16 say";
        }
    }
    return NULL;
}
