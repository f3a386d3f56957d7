// What all that use a linear complementarity system share.
#pragma once

#include "base/arena.h"
#include "math/sums.h"
#include "tenon/plan.h"

#include <math.h>

// Numbers of all its arrays, which stand in one block from A on.
static inline size_t tn_lcs_numbers(const tn_lcs *s)
{
    const size_t n_x = (size_t)s->n_x, n_u = (size_t)s->n_u, n_c = (size_t)s->n_c;
    return n_x * (n_x + n_u + n_c + 1) + n_c * (3 * n_x + n_u + n_c + 2);
}

// Number j of the next state. u, c NULL: none.
static inline double tn_lcs_next(const tn_lcs *s, int j, const double *x, const double *u, const double *c)
{
    const size_t n_x = (size_t)s->n_x, n_u = (size_t)s->n_u, n_c = (size_t)s->n_c, row = (size_t)j;
    return s->F[j] + tn_dot(n_x, s->A + row * n_x, x) + (u ? tn_dot(n_u, s->B + row * n_u, u) : 0.0) +
           (c ? tn_dot(n_c, s->C + row * n_c, c) : 0.0);
}

static inline bool tn_lcs_has_guard(const tn_lcs *s, int i)
{
    return s->guard_offset[i] > -INFINITY;
}

// The guard of pair i in a step from x under u; -INFINITY: it has none.
static inline double tn_lcs_guard(const tn_lcs *s, int i, const double *x, const double *u)
{
    double guard = s->guard_offset[i];
    for (int j = 0; j < s->n_x && tn_lcs_has_guard(s, i); j++) {
        const double by = s->guard[i * s->n_x + j];
        guard += by != 0.0 ? by * tn_lcs_next(s, j, x, u, NULL) : 0.0;
    }
    return guard;
}

// The mode of a pair with these numbers.
static inline int tn_lcs_mode(double c, double w, double guard)
{
    return guard >= 0.0 ? TN_PLAN_OFF : c > w ? TN_PLAN_CLOSED : TN_PLAN_OPEN;
}

// motion.c: one step from x under u (NULL: 0) by Lemke's method; pairs act where their guards are negative. c (n_c) may
// be NULL. False: no solution was found, or no memory.
bool tn_lcs_step(const tn_lcs *s, const double *x, const double *u, tn_arena *arena, double *c, double *next);
