// What the files of tn_qp_rows share: parts of rows and the numbers between them.
#pragma once

#include "math/mat3.h"
#include "math/vec3.h"
#include "solver/qp/rows.h"

static inline int tn_qp_part_size(const tn_qp_rows *s, int component)
{
    return s->offset[component + 1] - s->offset[component];
}

static inline double tn_qp_dot(int n, const double *x, const double *y)
{
    if (n == 6) { // a rigid body
        return ((x[0] * y[0] + x[2] * y[2]) + x[4] * y[4]) + ((x[1] * y[1] + x[3] * y[3]) + x[5] * y[5]);
    }
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * y[i];
    }
    return sum;
}

// What Omega and compliance add between rows i and j of one contact, or to a joint row itself; before scaling.
static inline double tn_qp_own_answer(const tn_qp_rows *s, int m, int i, int j)
{
    const tn_rows *c = s->problem->rows;
    if (m < 0) {
        return i == j ? s->problem->rows->compliance[i - s->first[c->n_triples]] : 0.0;
    }
    if (!c->softness) {
        return 0.0;
    }
    double turned[3];
    tn_mat3_vec(turned, c->softness + 9 * (size_t)m, s->push + 3 * (size_t)j);
    return tn_vec3_dot(s->push + 3 * (size_t)i, turned);
}
