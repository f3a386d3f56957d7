// Private: assembly and solves of fronts.h for the number type FRONTS_REAL that the including file sets, with the
// kernels of FRONTS_KERNELS.
#pragma once

#include "kernels/fronts/front.h"
#include "kernels/fronts/fronts.h"

#include <string.h>

typedef FRONTS_REAL real;

// K's blocks into front f's panel, ones where its pivots are rounded up.
static void take_blocks(const tn_front_tree *t, const tn_blocks *K, int f, real *panel)
{
    size_t ld = (size_t)tn_front_stride(t->n_rows[f]);
    for (int i = t->first[f]; i < t->first[f + 1]; i += 3) {
        int row = t->row[i / 3];
        for (int e = K->start[row]; e < K->start[row + 1]; ++e) {
            if (t->target[e] < 0) {
                continue;
            }
            const double *from = K->value + 9 * (size_t)e;
            real *to = panel + t->target[e];
            for (int a = 0; a < 3; ++a) {
                for (int b = 0; b < 3; ++b) {
                    to[(size_t)a * ld + (size_t)b] = (real)from[3 * a + b];
                }
            }
        }
    }
    for (int i = t->first[f + 1] - t->first[f]; i < t->n_pivots[f]; ++i) {
        panel[(size_t)i * (ld + 1)] = 1;
    }
}

// Zeros on and below the diagonal of the first n_columns, and a little above.
static void clear(size_t n_columns, size_t ld, real *to)
{
    for (size_t j = 0; j < n_columns; ++j) {
        size_t top = j / TN_FRONT_ROWS * TN_FRONT_ROWS;
        memset(to + j * ld + top, 0, (ld - top) * sizeof *to);
    }
}

// The rests of f's children onto that part of it.
static void take_rests(const tn_fronts *s, int f, tn_front_part part, real *to)
{
    const tn_front_tree *t = &s->tree;
    for (int c = t->child[f]; c >= 0; c = t->next[c]) {
        FRONTS_KERNELS->add(t->end[c] - t->begin[c], t->run + t->begin[c], t->n_rows[c] - t->n_pivots[c],
                            (const real *)s->rest + t->rest[c], part, to);
    }
}

static bool factor(tn_fronts *s, const tn_blocks *K)
{
    const tn_front_tree *t = &s->tree;
    real *value = s->value, *stack = s->rest;
    for (int f = 0; f < t->n_fronts; ++f) {
        int k = t->n_pivots[f], n = t->n_rows[f];
        real *panel = value + t->panel[f], *rest = stack + t->rest[f];
        clear((size_t)k, (size_t)tn_front_stride(n), panel);
        take_blocks(t, K, f, panel);
        take_rests(s, f, (tn_front_part){.first = 0, .end = k, .ld = (size_t)tn_front_stride(n)}, panel);
        if (!FRONTS_KERNELS->factor(n, k, panel, rest, s->packed)) {
            return false;
        }
        // Children wait in another place of the stack: what they leave to the rest need not be there before.
        take_rests(s, f, (tn_front_part){.first = k, .end = n, .ld = (size_t)(n - k)}, rest);
    }
    return true;
}

static void forward(tn_fronts *s)
{
    const tn_front_tree *t = &s->tree;
    real *x = s->x, *y = s->y;
    for (int f = 0; f < t->n_fronts; ++f) {
        int k = t->n_pivots[f], n = t->n_rows[f];
        size_t own = (size_t)(t->first[f + 1] - t->first[f]);
        memset(y, 0, (size_t)tn_front_stride(n) * sizeof *y);
        memcpy(y, x + t->first[f], own * sizeof *y);
        FRONTS_KERNELS->forward(n, k, (const real *)s->value + t->panel[f], y);
        memcpy(x + t->first[f], y, own * sizeof *y);
        for (const tn_front_run *r = t->run + t->begin[f]; r < t->run + t->end[f]; ++r) {
            for (int i = 0; i < r->size; ++i) {
                x[r->at + i] += y[k + r->from + i];
            }
        }
    }
}

static void backward(tn_fronts *s)
{
    const tn_front_tree *t = &s->tree;
    real *x = s->x, *y = s->y;
    for (int f = t->n_fronts - 1; f >= 0; --f) {
        int k = t->n_pivots[f], n = t->n_rows[f];
        size_t own = (size_t)(t->first[f + 1] - t->first[f]);
        memset(y, 0, (size_t)tn_front_stride(n) * sizeof *y);
        memcpy(y, x + t->first[f], own * sizeof *y);
        for (const tn_front_run *r = t->run + t->begin[f]; r < t->run + t->end[f]; ++r) {
            memcpy(y + k + r->from, x + r->at, (size_t)r->size * sizeof *y);
        }
        FRONTS_KERNELS->backward(n, k, (const real *)s->value + t->panel[f], y);
        memcpy(x + t->first[f], y, own * sizeof *y);
    }
}

static void solve(tn_fronts *s, const double *b, double *out)
{
    const tn_front_tree *t = &s->tree;
    real *x = s->x;
    for (int i = 0; i < t->n; ++i) {
        x[t->place[i / 3] + i % 3] = (real)b[i];
    }
    forward(s);
    backward(s);
    for (int i = 0; i < t->n; ++i) {
        out[i] = (double)x[t->place[i / 3] + i % 3];
    }
}
