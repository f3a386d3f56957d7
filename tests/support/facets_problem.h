// Random problems with a polyhedral friction cone: solved to the project's bar, compared. Header-only.
#pragma once

#include "friction_problem.h"

static const double FACETS_LIMIT = 1e-10; // the project's bar for the polyhedral law

static inline tn_solve_report facets_solve(friction_problem *f, const char *solver, tn_law law, int facets)
{
    f->problem.law = law;
    f->problem.facets = facets;
    return friction_solve(f, solver, FACETS_LIMIT);
}

// Nothing moves along the second tangents: a problem in the plane.
static inline void facets_make_planar(friction_problem *f)
{
    for (int e = 0; e < f->start[f->contacts.n_triples]; ++e) {
        memset(f->jacobian + 9 * e + 6, 0, 3 * sizeof *f->jacobian);
    }
    for (int m = 0; m < f->contacts.n_triples; ++m) {
        f->offset[3 * m + 2] = 0.0;
    }
}

// Largest difference over the largest |b_i|.
static inline double facets_difference(int n, const double *a, const double *b)
{
    double d = 0.0, size = 0.0;
    for (int i = 0; i < n; ++i) {
        d = fmax(d, fabs(a[i] - b[i]));
        size = fmax(size, fabs(b[i]));
    }
    return d / size;
}
