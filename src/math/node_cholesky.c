// Order of elimination and pattern of the factor by nodes; its numbers are in node_cholesky_values.c.
#include "math/node_cholesky_data.h"

#include <stdint.h>

// ---- order and pattern

typedef struct graph {
    int n, n_words;
    uint64_t *near; // (n, n_words) neighbours
} graph;

static void join(graph *g, int i, int j)
{
    g->near[(size_t)i * (size_t)g->n_words + (size_t)j / 64] |= (uint64_t)1 << (j % 64);
}

static bool create_graph(graph *g, const tn_blocks *K, int n, const int *node_of, tn_arena *arena)
{
    *g = (graph){.n = n, .n_words = (n + 63) / 64};
    g->near = TN_PUSH(arena, uint64_t, (size_t)n * (size_t)g->n_words);
    for (int i = 0; g->near && i < K->n_rows; ++i) {
        for (int k = K->start[i]; k < K->start[i + 1]; ++k) {
            if (node_of[i] != node_of[K->column[k]]) {
                join(g, node_of[i], node_of[K->column[k]]);
            }
        }
    }
    return g->near != NULL;
}

static int degree_of(const graph *g, int i)
{
    int sum = 0;
    for (int w = 0; w < g->n_words; ++w) {
        sum += __builtin_popcountll(g->near[(size_t)i * (size_t)g->n_words + (size_t)w]);
    }
    return sum;
}

// Calls for each member of near[i], ascending.
static int next_member(const graph *g, int i, int after)
{
    const uint64_t *near = &g->near[(size_t)i * (size_t)g->n_words];
    for (int j = after + 1; j < g->n; j = (j / 64 + 1) * 64) {
        uint64_t rest = near[j / 64] >> (j % 64);
        if (rest) {
            return j + __builtin_ctzll(rest);
        }
    }
    return -1;
}

// Node i goes: its neighbours become neighbours of one another, and forget it.
static void eliminate(graph *g, int i, int *degree)
{
    const uint64_t *near = &g->near[(size_t)i * (size_t)g->n_words];
    for (int j = next_member(g, i, -1); j >= 0; j = next_member(g, i, j)) {
        uint64_t *other = &g->near[(size_t)j * (size_t)g->n_words];
        for (int w = 0; w < g->n_words; ++w) {
            other[w] |= near[w];
        }
        other[j / 64] &= ~((uint64_t)1 << (j % 64));
        other[i / 64] &= ~((uint64_t)1 << (i % 64));
        degree[j] = degree_of(g, j);
    }
}

// order (n): nodes by minimum degree; g keeps the later neighbours of each. Returns the number of those in all.
static int order_nodes(graph *g, int *order, int *rank, int *degree)
{
    int total = 0, least = 0;
    for (int i = 0; i < g->n; ++i) {
        degree[i] = degree_of(g, i);
        rank[i] = -1;
    }
    for (int k = 0; k < g->n; ++k) {
        int best = -1;
        // One node's elimination lessens the degree of another by one at most.
        for (int i = 0; i < g->n && (best < 0 || degree[best] > least - 1); ++i) {
            if (rank[i] < 0 && (best < 0 || degree[i] < degree[best])) {
                best = i;
            }
        }
        least = degree[best];
        order[k] = best;
        rank[best] = k;
        total += degree[best];
        eliminate(g, best, degree);
    }
    return total;
}

// later, ascending by place.
static void list_neighbours(tn_node_cholesky *s, const graph *g, const int *order)
{
    for (int k = 0; k < s->n; ++k) {
        int used = s->start[k];
        for (int j = next_member(g, order[k], -1); j >= 0; j = next_member(g, order[k], j)) {
            int place = s->rank[j], e = used++;
            for (; e > s->start[k] && s->later[e - 1] > place; --e) {
                s->later[e] = s->later[e - 1];
            }
            s->later[e] = place;
        }
        s->start[k + 1] = used;
    }
}

static void lay_out(tn_node_cholesky *s)
{
    for (int k = 0; k < s->n; ++k) {
        s->diagonal[k] = s->n_values;
        s->n_values += s->size[k] * s->size[k];
        for (int e = s->start[k]; e < s->start[k + 1]; ++e) {
            s->at[e] = s->n_values;
            s->n_values += s->size[k] * s->size[s->later[e]];
        }
        s->first[k + 1] = s->first[k] + s->size[k];
    }
}

static int find(const tn_node_cholesky *s, int k, int later)
{
    if (later == k) {
        return s->diagonal[k];
    }
    int e = s->start[k];
    while (s->later[e] != later) {
        ++e;
    }
    return s->at[e];
}

static int count_pairs(const tn_node_cholesky *s)
{
    int n = 0;
    for (int k = 0; k < s->n; ++k) {
        int later = s->start[k + 1] - s->start[k];
        n += later * (later + 1) / 2;
    }
    return n;
}

static bool find_updates(tn_node_cholesky *s, tn_arena *arena)
{
    int used = 0;
    s->update = TN_PUSH(arena, int, count_pairs(s));
    for (int k = 0; s->update && k < s->n; ++k) {
        for (int e = s->start[k]; e < s->start[k + 1]; ++e) {
            for (int f = e; f < s->start[k + 1]; ++f) {
                s->update[used++] = find(s, s->later[e], s->later[f]);
            }
        }
    }
    return s->update != NULL;
}

// Where K's blocks go; place (n_rows): of each block row in its node.
static void find_targets(tn_node_cholesky *s, const tn_blocks *K, const int *node_of, const int *place)
{
    for (int i = 0; i < K->n_rows; ++i) {
        int row = s->rank[node_of[i]];
        s->gather[i] = s->first[row] + 3 * place[i];
        for (int k = K->start[i]; k < K->start[i + 1]; ++k) {
            int j = K->column[k], column = s->rank[node_of[j]];
            s->stride[k] = s->size[column];
            s->target[k] = column < row ? -1 : find(s, row, column) + 3 * place[i] * s->size[column] + 3 * place[j];
        }
    }
}

static bool push_arrays(tn_node_cholesky *s, const tn_blocks *K, tn_arena *arena)
{
    s->rank = TN_PUSH(arena, int, s->n);
    s->size = TN_PUSH(arena, int, s->n);
    s->first = TN_PUSH(arena, int, s->n + 1);
    s->diagonal = TN_PUSH(arena, int, s->n);
    s->start = TN_PUSH(arena, int, s->n + 1);
    s->target = TN_PUSH(arena, int, K->start[K->n_rows]);
    s->stride = TN_PUSH(arena, int, K->start[K->n_rows]);
    s->gather = TN_PUSH(arena, int, K->n_rows);
    s->x = TN_PUSH(arena, double, 3 * (size_t)K->n_rows);
    s->inverse = TN_PUSH(arena, double, 3 * (size_t)K->n_rows);
    return s->rank && s->size && s->first && s->diagonal && s->start && s->target && s->stride && s->gather && s->x &&
           s->inverse;
}

static void create_row_edges(graph *g, const tn_rows *rows, const int *node_of)
{
    for (int i = 0; i < rows->n_singles; ++i) {
        for (int e = rows->start[i]; !tn_node_cholesky_like_the_last(rows, i) && e < rows->start[i + 1]; ++e) {
            for (int f = rows->start[i]; f < rows->start[i + 1]; ++f) {
                int a = node_of[rows->block[e]], b = node_of[rows->block[f]];
                if (a != b) {
                    join(g, a, b);
                }
            }
        }
    }
}

// The places of the nodes that row i touches, ascending; their number.
static int find_touchers(const tn_node_cholesky *s, const tn_rows *rows, int i, int *places)
{
    int n = 0;
    for (int e = rows->start[i]; e < rows->start[i + 1]; ++e) {
        int at = s->rank[s->node_of[rows->block[e]]], k = 0;
        while (k < n && places[k] < at) {
            ++k;
        }
        if (k == n || places[k] != at) {
            memmove(places + k + 1, places + k, (size_t)(n - k) * sizeof *places);
            places[k] = at;
            ++n;
        }
    }
    return n;
}

static bool create_rows(tn_node_cholesky *s, const tn_rows *rows, tn_arena *arena)
{
    int pairs = 0, used = 0;
    s->touch = TN_PUSH(arena, int, rows->n_singles + 1);
    s->toucher = TN_PUSH(arena, int, (rows->n_singles > 0 ? rows->start[rows->n_singles] : 0) + 1);
    if (!s->touch || !s->toucher) {
        return false;
    }
    for (int i = 0; i < rows->n_singles; ++i) {
        int n = 0;
        if (tn_node_cholesky_like_the_last(rows, i)) {
            n = s->touch[i] - s->touch[i - 1];
            memcpy(s->toucher + s->touch[i], s->toucher + s->touch[i - 1], (size_t)n * sizeof *s->toucher);
        } else {
            n = find_touchers(s, rows, i, s->toucher + s->touch[i]);
        }
        if (n > TOUCHERS) {
            return false;
        }
        s->touch[i + 1] = s->touch[i] + n;
        pairs += n * (n + 1) / 2;
    }
    s->row_pair = TN_PUSH(arena, int, pairs);
    for (int i = 0; s->row_pair && i < rows->n_singles; ++i) {
        if (tn_node_cholesky_like_the_last(rows, i)) {
            int n = s->touch[i + 1] - s->touch[i], n_pairs = n * (n + 1) / 2;
            memcpy(s->row_pair + used, s->row_pair + used - n_pairs, (size_t)n_pairs * sizeof *s->row_pair);
            used += n_pairs;
            continue;
        }
        for (int a = s->touch[i]; a < s->touch[i + 1]; ++a) {
            for (int b = a; b < s->touch[i + 1]; ++b) {
                s->row_pair[used++] = find(s, s->toucher[a], s->toucher[b]);
            }
        }
    }
    return s->row_pair != NULL;
}

static tn_node_cholesky *create(const tn_blocks *K, int n_nodes, const int *node_of, const tn_rows *rows,
                                tn_arena *arena)
{
    tn_node_cholesky *s = TN_PUSH(arena, tn_node_cholesky, 1);
    int *order = TN_PUSH(arena, int, n_nodes), *degree = TN_PUSH(arena, int, n_nodes);
    int *place = TN_PUSH(arena, int, K->n_rows);
    graph g;
    if (!s || !order || !degree || !place || n_nodes > TN_NODE_CHOLESKY_NODES) {
        return NULL;
    }
    *s = (tn_node_cholesky){.n = n_nodes, .n_rows = K->n_rows, .node_of = node_of, .place = place};
    if (!push_arrays(s, K, arena) || !create_graph(&g, K, n_nodes, node_of, arena)) {
        return NULL;
    }
    if (rows) {
        create_row_edges(&g, rows, node_of);
    }
    int total = order_nodes(&g, order, s->rank, degree);
    for (int i = 0; i < K->n_rows; ++i) {
        int k = s->rank[node_of[i]];
        place[i] = s->size[k] / 3;
        s->size[k] += 3;
        if (s->size[k] > TN_NODE_CHOLESKY_SIZE) {
            return NULL;
        }
    }
    s->later = TN_PUSH(arena, int, total);
    s->at = TN_PUSH(arena, int, total);
    if (!s->later || !s->at) {
        return NULL;
    }
    list_neighbours(s, &g, order);
    lay_out(s);
    s->value = TN_PUSH_RAW(arena, double, s->n_values);
    if (!s->value || !find_updates(s, arena)) {
        return NULL;
    }
    find_targets(s, K, node_of, place);
    return !rows || create_rows(s, rows, arena) ? s : NULL;
}

tn_node_cholesky *tn_node_cholesky_create(const tn_blocks *K, int n_nodes, const int *node_of, tn_arena *arena)
{
    return create(K, n_nodes, node_of, NULL, arena);
}

tn_node_cholesky *tn_node_cholesky_create_rows(const tn_blocks *A, int n_nodes, const int *node_of, const tn_rows *rows,
                                               tn_arena *arena)
{
    return create(A, n_nodes, node_of, rows, arena);
}

double tn_node_cholesky_flops(const tn_node_cholesky *s)
{
    double sum = 0.0;
    for (int k = 0; k < s->n; ++k) {
        double width = s->size[k];
        for (int e = s->start[k]; e < s->start[k + 1]; ++e) {
            width += s->size[s->later[e]];
        }
        sum += s->size[k] * width * width;
    }
    return sum;
}

double tn_node_cholesky_entries(const tn_node_cholesky *s)
{
    return s->n_values;
}
