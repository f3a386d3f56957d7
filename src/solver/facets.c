#include "solver/facets.h"

#include "law/polygon.h"
#include "math/vec3.h"

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

// Of the polygon: without facets the problem is in the plane.
static int sides(const tn_problem *problem)
{
    return problem->facets == 0 ? 2 : problem->facets;
}

double tn_facets_mu(const tn_problem *problem, int m)
{
    return problem->law == TN_LAW_FRICTIONLESS ? 0.0 : tn_polygon_mu(sides(problem), problem->rows->mu + 2 * (size_t)m);
}

int tn_facets_count(const tn_problem *problem, int m)
{
    return tn_facets_mu(problem, m) == 0.0 ? 0 : sides(problem);
}

void tn_facets_direction(const tn_problem *problem, int m, int i, double d[2])
{
    tn_polygon_direction(sides(problem), problem->rows->mu + 2 * (size_t)m, i, d);
}

void tn_facets_ray(const tn_problem *problem, int m, int i, double ray[3])
{
    double mu = tn_facets_mu(problem, m), d[2];
    tn_facets_direction(problem, m, i, d);
    tn_vec3_set(ray, 1.0, mu * d[0], mu * d[1]);
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
