#include "kernels/fronts/tree_data.h"

#include "math/graph_order.h"

#include <string.h>

// Fronts are joined where the zeros that this stores are at most this share, by the pivots that they have then: narrow
// fronts are slow for their size.
static const struct {
    int pivots;
    double zeros;
} JOIN[] = {{24, 0.4}, {48, 0.15}, {96, 0.06}, {1 << 30, 0.02}};

static bool make_graph(elimination *e, const tn_blocks *K, const int *of, tn_arena *arena)
{
    tn_blocks *g = &e->graph;
    *g = (tn_blocks){.n_rows = e->n, .n_cols = e->n, .start = TN_PUSH(arena, int, e->n + 1)};
    g->column = TN_PUSH_RAW(arena, int, K->start[K->n_rows]);
    int *seen = TN_PUSH(arena, int, e->n), used = 0;
    if (!g->start || !g->column || !seen) {
        return false;
    }
    for (int i = 0; i < K->n_rows; ++i) {
        int p = of[i];
        seen[p] = p + 1;
        for (int k = K->start[i]; k < K->start[i + 1]; ++k) {
            int q = of[K->column[k]];
            if (seen[q] != p + 1 && (!e->kept || e->kept[k])) {
                seen[q] = p + 1;
                g->column[used++] = q;
            }
        }
        g->start[p + 1] = used;
    }
    return true;
}

static bool push_arrays(elimination *e, const tn_blocks *K, const int *of, tn_arena *arena)
{
    e->order = TN_PUSH_RAW(arena, int, e->n);
    e->rank = TN_PUSH_RAW(arena, int, e->n);
    e->size = TN_PUSH(arena, int, e->n);
    e->parent = TN_PUSH_RAW(arena, int, e->n);
    e->later = TN_PUSH(arena, int, e->n + 1);
    e->rest = TN_PUSH(arena, int, e->n);
    e->pivots = TN_PUSH_RAW(arena, int, e->n);
    e->top = TN_PUSH_RAW(arena, int, e->n);
    e->zeros = TN_PUSH(arena, double, e->n);
    int *scratch = TN_PUSH_RAW(arena, int, tn_graph_order_scratch(&e->graph));
    if (!e->order || !e->rank || !e->size || !e->parent || !e->later || !e->rest || !e->pivots || !e->top ||
        !e->zeros || !scratch) {
        return false;
    }
    tn_graph_order(&e->graph, 6, e->order, scratch);
    for (int k = 0; k < e->n; ++k) {
        e->rank[e->order[k]] = k;
    }
    for (int i = 0; i < K->n_rows; ++i) {
        e->size[e->rank[of[i]]] += 3;
    }
    return true;
}

// room for `more` numbers behind the `used` ones of *list.
static bool reserve(int **list, size_t *room, size_t used, size_t more, tn_arena *arena)
{
    if (used + more <= *room) {
        return true;
    }
    size_t wanted = 2 * (used + more);
    int *wider = TN_PUSH_RAW(arena, int, wanted);
    if (!wider) {
        return false;
    }
    if (used > 0) {
        memcpy(wider, *list, used * sizeof *wider);
    }
    *list = wider;
    *room = wanted;
    return true;
}

// later, node, parent, rest: what a node couples to is its own later neighbours and what its children leave.
static bool eliminate(elimination *e, tn_arena *arena)
{
    int *seen = TN_PUSH(arena, int, e->n), *child = TN_PUSH_RAW(arena, int, e->n);
    int *sibling = TN_PUSH_RAW(arena, int, e->n);
    size_t room = 0, used = 0;
    if (!seen || !child || !sibling) {
        return false;
    }
    for (int k = 0; k < e->n; ++k) {
        child[k] = -1;
    }
    for (int k = 0; k < e->n; ++k) {
        if (!reserve(&e->node, &room, used, (size_t)e->n, arena)) {
            return false;
        }
        seen[k] = k + 1;
        int p = e->order[k], parent = e->n;
        for (int a = e->graph.start[p]; a < e->graph.start[p + 1]; ++a) {
            int q = e->rank[e->graph.column[a]];
            if (q > k && seen[q] != k + 1) {
                seen[q] = k + 1;
                e->node[used++] = q;
            }
        }
        for (int c = child[k]; c >= 0; c = sibling[c]) {
            for (int a = e->later[c]; a < e->later[c + 1]; ++a) {
                int q = e->node[a];
                if (seen[q] != k + 1) {
                    seen[q] = k + 1;
                    e->node[used++] = q;
                }
            }
        }
        e->later[k + 1] = (int)used;
        for (int a = e->later[k]; a < (int)used; ++a) {
            parent = e->node[a] < parent ? e->node[a] : parent;
            e->rest[k] += e->size[e->node[a]];
        }
        e->parent[k] = parent < e->n ? parent : -1;
        if (parent < e->n) {
            sibling[k] = child[parent];
            child[parent] = k;
        }
    }
    return true;
}

static bool pays(double pivots, double rest, double zeros)
{
    double total = pivots * (0.5 * pivots + rest);
    int i = 0;
    while (pivots > JOIN[i].pivots) {
        ++i;
    }
    return zeros <= JOIN[i].zeros * total;
}

// Fronts of one node joined to their parents' where that pays, the largest of a parent's children first.
static bool join(elimination *e, tn_arena *arena)
{
    int *next = TN_PUSH_RAW(arena, int, e->n), *child = TN_PUSH_RAW(arena, int, e->n);
    if (!next || !child) {
        return false;
    }
    for (int k = 0; k < e->n; ++k) {
        child[k] = -1;
        e->pivots[k] = e->size[k];
        e->top[k] = k;
    }
    for (int k = 0; k < e->n; ++k) {
        for (int c = child[k]; c >= 0; c = next[c]) {
            double missing = (double)e->pivots[c] * (e->pivots[k] + e->rest[k] - e->rest[c]);
            double zeros = e->zeros[k] + e->zeros[c] + missing;
            if (pays(e->pivots[k] + e->pivots[c], e->rest[k], zeros)) {
                e->top[c] = k;
                e->pivots[k] += e->pivots[c];
                e->zeros[k] = zeros;
            }
        }
        if (e->parent[k] >= 0) { // into its parent's children, those with the largest rest first
            int *at = &child[e->parent[k]];
            while (*at >= 0 && e->rest[*at] >= e->rest[k]) {
                at = &next[*at];
            }
            next[k] = *at;
            *at = k;
        }
    }
    for (int k = e->n - 1; k >= 0; --k) {
        e->top[k] = e->top[k] == k ? k : e->top[e->top[k]];
    }
    return true;
}

bool tn_front_tree_create(tn_front_tree *t, const tn_blocks *K, const bool *kept, int n_nodes, const int *of,
                          tn_arena *arena)
{
    elimination e = {.n = n_nodes, .kept = kept};
    *t = (tn_front_tree){.n = 3 * K->n_rows};
    return make_graph(&e, K, of, arena) && push_arrays(&e, K, of, arena) && eliminate(&e, arena) && join(&e, arena) &&
           tn_front_tree_lay_out(t, &e, K, of, arena);
}
