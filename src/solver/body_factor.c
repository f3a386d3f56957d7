#include "solver/body_factor.h"

#include "math/vec3.h"

#include <string.h>

// Operations of an envelope's factorisation up to which it is taken.
static const double ENVELOPE_FLOPS = 2e7;

// The graph of pairs.
typedef struct graph {
    int n;
    int *first;  // (n) first block row of each pair
    int *of;     // (block rows) pair
    int *start;  // (n + 1)
    int *next;   // (start[n]) neighbours, some of them twice
    int *degree; // (n)
} graph;

static bool has_block(const tn_blocks *K, int row, int column)
{
    for (int e = K->start[row]; e < K->start[row + 1]; ++e) {
        if (K->column[e] == column) {
            return true;
        }
    }
    return false;
}

static void pair_rows(graph *g, const tn_blocks *K)
{
    for (int i = 0; i < K->n_rows; ++g->n) {
        bool coupled = i + 1 < K->n_rows && has_block(K, i, i + 1);
        g->first[g->n] = i;
        g->of[i++] = g->n;
        if (coupled) {
            g->of[i++] = g->n;
        }
    }
}

static bool make_graph(graph *g, const tn_blocks *K, tn_arena *arena)
{
    *g = (graph){.first = TN_PUSH_RAW(arena, int, K->n_rows), .of = TN_PUSH_RAW(arena, int, K->n_rows)};
    if (!g->first || !g->of) {
        return false;
    }
    pair_rows(g, K);
    g->start = TN_PUSH(arena, int, g->n + 1);
    g->next = TN_PUSH_RAW(arena, int, K->start[K->n_rows]);
    g->degree = TN_PUSH_RAW(arena, int, g->n);
    if (!g->start || !g->next || !g->degree) {
        return false;
    }
    int n = 0;
    for (int p = 0; p < g->n; ++p) {
        int end = p + 1 < g->n ? g->first[p + 1] : K->n_rows;
        g->start[p] = n;
        for (int e = K->start[g->first[p]]; e < K->start[end]; ++e) {
            int q = g->of[K->column[e]];
            // Both rows of a body mostly name both of another: its first mention in a row is enough.
            if (q != p && (n == g->start[p] || g->next[n - 1] != q)) {
                g->next[n++] = q;
            }
        }
        g->degree[p] = n - g->start[p];
    }
    g->start[g->n] = n;
    return true;
}

// Breadth first from `root`, neighbours of few first; appends to order[n..], returns the new length. seen: by pair.
static int walk(const graph *g, int root, bool *seen, int *order, int n)
{
    int head = n;
    order[n++] = root;
    seen[root] = true;
    while (head < n) {
        int p = order[head++], from = n;
        for (int e = g->start[p]; e < g->start[p + 1]; ++e) {
            int q = g->next[e], at = n;
            if (seen[q]) {
                continue;
            }
            seen[q] = true;
            ++n;
            for (; at > from && g->degree[order[at - 1]] > g->degree[q]; --at) {
                order[at] = order[at - 1];
            }
            order[at] = q;
        }
    }
    return n;
}

// Cuthill and McKee's order of all pieces, each from the far end of a walk from its first pair.
static bool make_order(const graph *g, int *order, tn_arena *arena)
{
    bool *seen = TN_PUSH(arena, bool, g->n);
    int n = 0;
    for (int p = 0; seen && p < g->n; ++p) {
        if (seen[p]) {
            continue;
        }
        int end = p;
        for (int twice = 0; twice < 2; ++twice) {
            int last = walk(g, end, seen, order, n);
            end = order[last - 1];
            for (int k = n; k < last; ++k) {
                seen[order[k]] = false;
            }
        }
        n = walk(g, end, seen, order, n);
    }
    return seen != NULL;
}

// First column of each row of the envelope, order reversed; position by pair.
static void make_envelope(const graph *g, const int *order, int *position, int *first)
{
    for (int k = 0; k < g->n; ++k) {
        position[order[k]] = g->n - 1 - k;
    }
    for (int p = 0; p < g->n; ++p) {
        int own = position[p];
        first[own] = own;
        for (int e = g->start[p]; e < g->start[p + 1]; ++e) {
            int at = position[g->next[e]];
            first[own] = at < first[own] ? at : first[own];
        }
    }
}

static void count(tn_body_factor *f, int n, const int *first)
{
    f->flops = f->entries = 0.0;
    for (int i = 0; i < n; ++i) {
        double width = i - first[i] + 1;
        f->flops += 216.0 * width * width;
        f->entries += 36.0 * width;
    }
}

// Whether block rows i and i + 1 name each other and the same others.
static bool are_alike(const tn_blocks *K, int i)
{
    int n = K->start[i + 1] - K->start[i];
    return i + 1 < K->n_rows && K->start[i + 2] - K->start[i + 1] == n && has_block(K, i, i + 1) &&
           memcmp(K->column + K->start[i], K->column + K->start[i + 1], (size_t)n * sizeof *K->column) == 0;
}

static tn_status create_fronts(tn_body_factor *f, const tn_blocks *K, const bool *kept, const tn_fronts *lender,
                               tn_arena *arena, tn_error *error)
{
    int *of = TN_PUSH_RAW(arena, int, K->n_rows), n = 0;
    f->fronts = TN_PUSH(arena, tn_fronts, 1);
    for (int i = 0; of && i < K->n_rows; ++i, ++n) {
        of[i] = n;
        if (are_alike(K, i)) {
            of[++i] = n;
        }
    }
    if (!of || !f->fronts || !tn_fronts_create(f->fronts, K, kept, n, of, lender, arena)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for a factor of %d block rows", K->n_rows);
    }
    f->flops = f->fronts->tree.flops;
    f->entries = (double)f->fronts->tree.values;
    return TN_OK;
}

tn_status tn_body_factor_create_thin(tn_body_factor *f, const tn_blocks *K, const bool *kept,
                                     const tn_body_factor *lender, tn_arena *arena, tn_error *error)
{
    *f = (tn_body_factor){.n_rows = K->n_rows};
    return create_fronts(f, K, kept, lender->fronts, arena, error);
}

tn_status tn_body_factor_create(tn_body_factor *f, const tn_blocks *K, tn_arena *arena, tn_error *error)
{
    graph g;
    *f = (tn_body_factor){.n_rows = K->n_rows};
    bool ok = make_graph(&g, K, arena);
    int *order = ok ? TN_PUSH_RAW(arena, int, g.n) : NULL, *position = ok ? TN_PUSH_RAW(arena, int, g.n) : NULL;
    int *first = ok ? TN_PUSH_RAW(arena, int, g.n) : NULL, *place = TN_PUSH_RAW(arena, int, K->n_rows);
    if (!order || !position || !first || !place || !make_order(&g, order, arena)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the order of a factor");
    }
    make_envelope(&g, order, position, first);
    count(f, g.n, first);
    if (f->flops > ENVELOPE_FLOPS) {
        return create_fronts(f, K, NULL, NULL, arena, error);
    }
    for (int i = 0; i < K->n_rows; ++i) {
        int p = g.of[i];
        place[i] = TN_ENVELOPE_STRIDE * position[p] + 3 * (i - g.first[p]);
    }
    f->place = place;
    f->x = TN_PUSH(arena, double, TN_ENVELOPE_STRIDE *(size_t)g.n);
    if (!f->x || !tn_envelope_create(&f->envelope, g.n, first, arena)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for a factor");
    }
    return TN_OK;
}

// Where a block row or column stands: its pair's number and the first of its three numbers in it.
static int pair_at(int place)
{
    return place / TN_ENVELOPE_STRIDE;
}

static void scatter(const tn_body_factor *f, const tn_blocks *K)
{
    const tn_envelope *s = &f->envelope;
    memset(s->value, 0, TN_ENVELOPE_BLOCK * s->at[s->n] * sizeof *s->value);
    for (int p = 0; p < s->n; ++p) {
        double *diagonal = tn_envelope_block(s, p, p);
        for (int i = 0; i < 6; ++i) {
            diagonal[TN_ENVELOPE_STRIDE * i + i] = 1.0; // where a pair has one row
        }
    }
    for (int i = 0; i < K->n_rows; ++i) {
        int row = f->place[i];
        for (int e = K->start[i]; e < K->start[i + 1]; ++e) {
            int column = f->place[K->column[e]];
            if (pair_at(column) > pair_at(row)) {
                continue;
            }
            double *to = tn_envelope_block(s, pair_at(row), pair_at(column)) + row % TN_ENVELOPE_STRIDE +
                         TN_ENVELOPE_STRIDE * (column % TN_ENVELOPE_STRIDE);
            const double *from = K->value + 9 * (size_t)e;
            for (int k = 0; k < 9; ++k) {
                to[k / 3 + TN_ENVELOPE_STRIDE * (k % 3)] = from[k];
            }
        }
    }
}

tn_status tn_body_factor_values(tn_body_factor *f, const tn_blocks *K, tn_error *error)
{
    bool positive = false;
    if (f->fronts) {
        positive = tn_fronts_factor(f->fronts, K, TN_PRECISION_DOUBLE);
    } else {
        scatter(f, K);
        positive = tn_envelope_factor(&f->envelope);
    }
    return positive ? TN_OK : tn_error_set(error, TN_NUMERICS, "a factor's matrix is not positive definite");
}

bool tn_body_factor_values_rough(tn_body_factor *f, const tn_blocks *K)
{
    return f->fronts ? tn_fronts_factor(f->fronts, K, TN_PRECISION_SINGLE) : tn_body_factor_values(f, K, NULL) == TN_OK;
}

tn_status tn_body_factor_solve(const tn_body_factor *f, const double *b, double *x, tn_error *error)
{
    if (f->fronts) {
        tn_fronts_solve(f->fronts, b, x);
        return TN_OK;
    }
    memset(f->x, 0, TN_ENVELOPE_STRIDE * (size_t)f->envelope.n * sizeof *f->x);
    for (int i = 0; i < f->n_rows; ++i) {
        tn_vec3_copy(f->x + f->place[i], b + 3 * (size_t)i);
    }
    tn_envelope_solve(&f->envelope, f->x);
    for (int i = 0; i < f->n_rows; ++i) {
        tn_vec3_copy(x + 3 * (size_t)i, f->x + f->place[i]);
    }
    return TN_OK;
}
