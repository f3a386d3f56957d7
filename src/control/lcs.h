// What all that use a linear complementarity system share.
#pragma once

#include "base/arena.h"
#include "math/sums.h"
#include "tenon/plan.h"

// Numbers of all its arrays, which stand in one block from A on.
static inline size_t tn_lcs_numbers(const tn_lcs *s)
{
    const size_t n_x = (size_t)s->n_x, n_u = (size_t)s->n_u, n_c = (size_t)s->n_c;
    return n_x * (n_x + n_u + n_c + 1) + n_c * (2 * n_x + n_u + n_c + 1);
}

// Number j of the next state. u, c NULL: none.
static inline double tn_lcs_next(const tn_lcs *s, int j, const double *x, const double *u, const double *c)
{
    const size_t n_x = (size_t)s->n_x, n_u = (size_t)s->n_u, n_c = (size_t)s->n_c, row = (size_t)j;
    return s->F[j] + tn_dot(n_x, s->A + row * n_x, x) + (u ? tn_dot(n_u, s->B + row * n_u, u) : 0.0) +
           (c ? tn_dot(n_c, s->C + row * n_c, c) : 0.0);
}

// motion.c: one step from x under u (NULL: 0) by Lemke's method. c (n_c) may be NULL. False: no solution was found, or
// no memory.
bool tn_lcs_step(const tn_lcs *s, const double *x, const double *u, tn_arena *arena, double *c, double *next);
