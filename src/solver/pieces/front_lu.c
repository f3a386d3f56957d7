#include "solver/pieces/front_lu.h"

#include "kernels/fronts/front.h"
#include "math/blocks.h"
#include "math/partial_lu.h"

#include <string.h>

bool tn_front_lu_create(tn_front_lu *lu, const tn_blocks *K, int n_nodes, const int *of, tn_arena *arena)
{
    *lu = (tn_front_lu){.renewed = 0};
    tn_front_tree *t = &lu->tree;
    if (!tn_front_tree_create(t, K, NULL, n_nodes, of, arena)) {
        return false;
    }
    lu->across = TN_PUSH(arena, int, K->start[K->n_rows]);
    lu->first = TN_PUSH(arena, size_t, t->n_fronts);
    lu->exchanges = TN_PUSH(arena, int, t->n_fronts);
    lu->sign = TN_PUSH(arena, int, t->n_fronts);
    lu->stale = TN_PUSH(arena, bool, t->n_fronts);
    lu->x = TN_PUSH(arena, double, t->n);
    lu->y = TN_PUSH(arena, double, t->largest);
    if (!lu->across || !lu->first || !lu->exchanges || !lu->sign || !lu->stale || !lu->x || !lu->y) {
        return false;
    }
    size_t numbers = 0;
    int pivots = 0;
    for (int f = 0; f < t->n_fronts; ++f) {
        lu->first[f] = numbers;
        lu->exchanges[f] = pivots;
        numbers += (size_t)t->n_rows[f] * (size_t)t->n_rows[f];
        pivots += t->n_pivots[f];
    }
    for (int row = 0; row < K->n_rows; ++row) {
        for (int e = K->start[row]; e < K->start[row + 1]; ++e) {
            lu->across[e] = (int)((tn_blocks_find(K, K->column[e], row) - K->value) / 9);
        }
    }
    lu->value = TN_PUSH_RAW(arena, double, numbers);
    lu->pivot = TN_PUSH_RAW(arena, int, pivots);
    return lu->value && lu->pivot;
}

// K's blocks in the rows and columns of front f's pivots; ones where these are rounded up.
static void take_blocks(const tn_front_lu *lu, const tn_blocks *K, int f, double *front)
{
    const tn_front_tree *t = &lu->tree;
    size_t n = (size_t)t->n_rows[f], stride = (size_t)tn_front_stride(t->n_rows[f]);
    for (int i = t->first[f]; i < t->first[f + 1]; i += 3) {
        int row = t->row[i / 3];
        for (int e = K->start[row]; e < K->start[row + 1]; ++e) {
            if (t->target[e] < 0) {
                continue;
            }
            size_t other = (size_t)t->target[e] % stride, own = (size_t)t->target[e] / stride;
            const double *here = K->value + 9 * (size_t)e, *there = K->value + 9 * (size_t)lu->across[e];
            for (size_t a = 0; a < 3; ++a) {
                for (size_t b = 0; b < 3; ++b) {
                    front[(own + a) + (other + b) * n] = here[3 * a + b];
                    front[(other + b) + (own + a) * n] = there[3 * b + a];
                }
            }
        }
    }
    for (int i = t->first[f + 1] - t->first[f]; i < t->n_pivots[f]; ++i) {
        front[(size_t)i * (n + 1)] = 1.0;
    }
}

// What child c leaves, onto its parent f.
static void take_rest(const tn_front_lu *lu, int c, int f, double *front)
{
    const tn_front_tree *t = &lu->tree;
    size_t n = (size_t)t->n_rows[f], own = (size_t)t->n_rows[c], pivots = (size_t)t->n_pivots[c];
    const double *rest = lu->value + lu->first[c] + pivots * (own + 1);
    const tn_front_run *end = t->run + t->end[c];
    for (const tn_front_run *across = t->run + t->begin[c]; across < end; ++across) {
        for (int j = 0; j < across->size; ++j) {
            const double *from = rest + (size_t)(across->from + j) * own;
            double *to = front + (size_t)(across->to + j) * n;
            for (const tn_front_run *run = t->run + t->begin[c]; run < end; ++run) {
                for (int i = 0; i < run->size; ++i) {
                    to[run->to + i] += from[run->from + i];
                }
            }
        }
    }
}

static void find_stale(tn_front_lu *lu, const bool *changed)
{
    const tn_front_tree *t = &lu->tree;
    for (int f = 0; f < t->n_fronts; ++f) {
        bool stale = !changed;
        for (int i = t->first[f]; !stale && i < t->first[f + 1]; i += 3) {
            stale = changed[t->row[i / 3]];
        }
        for (int c = t->child[f]; !stale && c >= 0; c = t->next[c]) {
            stale = lu->stale[c];
        }
        lu->stale[f] = stale;
    }
}

int tn_front_lu_factor(tn_front_lu *lu, const tn_blocks *K, const bool *changed)
{
    const tn_front_tree *t = &lu->tree;
    int sign = 1;
    find_stale(lu, changed);
    for (int f = 0; f < t->n_fronts; ++f) {
        if (lu->stale[f]) {
            int n = t->n_rows[f];
            double *front = lu->value + lu->first[f];
            memset(front, 0, (size_t)n * (size_t)n * sizeof *front);
            take_blocks(lu, K, f, front);
            for (int c = t->child[f]; c >= 0; c = t->next[c]) {
                take_rest(lu, c, f, front);
            }
            lu->sign[f] = tn_partial_lu_factor(n, t->n_pivots[f], front, lu->pivot + lu->exchanges[f]);
            lu->renewed++;
        }
        sign *= lu->sign[f];
        if (sign == 0) {
            return 0;
        }
    }
    return sign;
}

static void forward(tn_front_lu *lu)
{
    const tn_front_tree *t = &lu->tree;
    double *x = lu->x, *y = lu->y;
    for (int f = 0; f < t->n_fronts; ++f) {
        int n = t->n_rows[f], k = t->n_pivots[f], own = t->first[f + 1] - t->first[f];
        const double *front = lu->value + lu->first[f];
        memset(y, 0, (size_t)n * sizeof *y);
        memcpy(y, x + t->first[f], (size_t)own * sizeof *y);
        tn_partial_lu_forward(n, k, front, lu->pivot + lu->exchanges[f], y);
        memcpy(x + t->first[f], y, (size_t)own * sizeof *y);
        for (const tn_front_run *r = t->run + t->begin[f]; r < t->run + t->end[f]; ++r) {
            for (int i = 0; i < r->size; ++i) {
                x[r->at + i] += y[k + r->from + i];
            }
        }
    }
}

static void backward(tn_front_lu *lu)
{
    const tn_front_tree *t = &lu->tree;
    double *x = lu->x, *y = lu->y;
    for (int f = t->n_fronts - 1; f >= 0; --f) {
        int n = t->n_rows[f], k = t->n_pivots[f], own = t->first[f + 1] - t->first[f];
        const double *front = lu->value + lu->first[f];
        memset(y, 0, (size_t)n * sizeof *y);
        memcpy(y, x + t->first[f], (size_t)own * sizeof *y);
        for (const tn_front_run *r = t->run + t->begin[f]; r < t->run + t->end[f]; ++r) {
            memcpy(y + k + r->from, x + r->at, (size_t)r->size * sizeof *y);
        }
        tn_partial_lu_backward(n, k, front, y);
        memcpy(x + t->first[f], y, (size_t)own * sizeof *y);
    }
}

void tn_front_lu_solve(tn_front_lu *lu, const double *b, double *x)
{
    const tn_front_tree *t = &lu->tree;
    for (int i = 0; i < t->n; ++i) {
        lu->x[t->place[i / 3] + i % 3] = b[i];
    }
    forward(lu);
    backward(lu);
    for (int i = 0; i < t->n; ++i) {
        x[i] = lu->x[t->place[i / 3] + i % 3];
    }
}
