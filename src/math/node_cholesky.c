// Stored is U with K = U^T U in the order of elimination: a node's square block and, beside it, the blocks of the later
// nodes that it couples to, rows contiguous, so that all inner loops run along rows.
#include "math/node_cholesky.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { TOUCHERS = 8 }; // most nodes of a joint row

struct tn_node_cholesky {
    int n, n_rows;
    int *rank;     // (nodes) place in the order of elimination; what follows is by place
    int *size;     // (n) numbers
    int *first;    // (n + 1) first number in a vector by places
    int *diagonal; // (n) where the square block is in value
    int *start;    // (n + 1) first later neighbour
    int *later;    // (start[n]) places of later neighbours, ascending
    int *at;       // (start[n]) their blocks in value, size[k] x size[later]
    int *update;   // where the products of each node's pairs of neighbours go: by node, first, second >= first
    int *target;   // (blocks of K) where each goes, -1: not stored
    int *stride;   // (blocks of K)
    int *gather;   // (n_rows) first number of each block row in a vector by places
    int n_values;
    double *value, *x;
    // With joint rows: the nodes that each touches, and where their products go.
    const int *node_of;
    int *place;    // (n_rows) of each block row in its node
    int *touch;    // (rows + 1) first node of each row
    int *toucher;  // (touch[rows]) places, ascending
    int *row_pair; // (pairs of each row's touchers, first <= second) where in value
};

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
    return s->rank && s->size && s->first && s->diagonal && s->start && s->target && s->stride && s->gather && s->x;
}

// Whether row i acts on the same blocks as the one before it, as the rows of a joint do.
static bool like_the_last(const tn_joint_rows *rows, int i)
{
    int n = rows->start[i + 1] - rows->start[i];
    return i > 0 && n == rows->start[i] - rows->start[i - 1] &&
           memcmp(rows->block + rows->start[i], rows->block + rows->start[i - 1], (size_t)n * sizeof *rows->block) == 0;
}

static void create_row_edges(graph *g, const tn_joint_rows *rows, const int *node_of)
{
    for (int i = 0; i < rows->n; ++i) {
        for (int e = rows->start[i]; !like_the_last(rows, i) && e < rows->start[i + 1]; ++e) {
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
static int find_touchers(const tn_node_cholesky *s, const tn_joint_rows *rows, int i, int *places)
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

static bool create_rows(tn_node_cholesky *s, const tn_joint_rows *rows, tn_arena *arena)
{
    int pairs = 0, used = 0;
    s->touch = TN_PUSH(arena, int, rows->n + 1);
    s->toucher = TN_PUSH(arena, int, (rows->n > 0 ? rows->start[rows->n] : 0) + 1);
    if (!s->touch || !s->toucher) {
        return false;
    }
    for (int i = 0; i < rows->n; ++i) {
        int n = 0;
        if (like_the_last(rows, i)) {
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
    for (int i = 0; s->row_pair && i < rows->n; ++i) {
        if (like_the_last(rows, i)) {
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

static tn_node_cholesky *create(const tn_blocks *K, int n_nodes, const int *node_of, const tn_joint_rows *rows,
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

tn_node_cholesky *tn_node_cholesky_create_rows(const tn_blocks *A, int n_nodes, const int *node_of,
                                               const tn_joint_rows *rows, tn_arena *arena)
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

// ---- numbers. Loops of constant length 6 for rigid bodies: the compiler unrolls them.

// U (n square) from K's block; what is below its diagonal is not used.
static inline __attribute__((always_inline)) bool factor_square(int n, double *U)
{
    for (int t = 0; t < n; ++t) {
        double pivot = U[n * t + t];
        if (!(pivot > 0.0) || !(pivot < INFINITY)) {
            return false;
        }
        double inverse = 1.0 / sqrt(pivot);
        for (int j = t; j < n; ++j) {
            U[n * t + j] *= inverse;
        }
        for (int i = t + 1; i < n; ++i) {
            double factor = U[n * t + i];
            for (int j = i; j < n; ++j) {
                U[n * i + j] -= factor * U[n * t + j];
            }
        }
    }
    return true;
}

// B (n, m) = U^-T B
static inline __attribute__((always_inline)) void solve_rows(int n, int m, const double *U, double *B)
{
    for (int t = 0; t < n; ++t) {
        double inverse = 1.0 / U[n * t + t];
        for (int j = 0; j < m; ++j) {
            B[m * t + j] *= inverse;
        }
        for (int i = t + 1; i < n; ++i) {
            double factor = U[n * t + i];
            for (int j = 0; j < m; ++j) {
                B[m * i + j] -= factor * B[m * t + j];
            }
        }
    }
}

// C (m, p) -= A^T B, A (n, m), B (n, p)
static inline __attribute__((always_inline)) void subtract(int n, int m, int p, const double *A, const double *B,
                                                           double *C)
{
    for (int i = 0; i < m; ++i) {
        for (int t = 0; t < n; ++t) {
            double factor = A[m * t + i];
            for (int j = 0; j < p; ++j) {
                C[p * i + j] -= factor * B[p * t + j];
            }
        }
    }
}

static void subtract_6(const double *restrict A, const double *restrict B, double *restrict C)
{
    for (int i = 0; i < 6; ++i) {
        double row[6];
        for (int j = 0; j < 6; ++j) {
            row[j] = C[6 * i + j];
        }
        for (int t = 0; t < 6; ++t) {
            double factor = A[6 * t + i];
            for (int j = 0; j < 6; ++j) {
                row[j] -= factor * B[6 * t + j];
            }
        }
        for (int j = 0; j < 6; ++j) {
            C[6 * i + j] = row[j];
        }
    }
}

static void update(tn_node_cholesky *s, int k, const int *target)
{
    int n = s->size[k];
    for (int e = s->start[k]; e < s->start[k + 1]; ++e) {
        int m = s->size[s->later[e]];
        for (int f = e; f < s->start[k + 1]; ++f) {
            int p = s->size[s->later[f]];
            const double *A = s->value + s->at[e], *B = s->value + s->at[f];
            double *C = s->value + *target++;
            if (n == 6 && m == 6 && p == 6) {
                if (e == f) {
                    double copy[36]; // no aliasing for the compiler to fear
                    memcpy(copy, A, sizeof copy);
                    subtract_6(copy, B, C);
                } else {
                    subtract_6(A, B, C);
                }
            } else {
                subtract(n, m, p, A, B, C);
            }
        }
    }
}

static void take_blocks(tn_node_cholesky *s, const tn_blocks *K)
{
    memset(s->value, 0, (size_t)s->n_values * sizeof *s->value);
    for (int k = 0; k < K->start[K->n_rows]; ++k) {
        if (s->target[k] >= 0) {
            const double *from = K->value + 9 * (size_t)k;
            double *to = s->value + s->target[k];
            for (int i = 0; i < 3; ++i, to += s->stride[k]) {
                to[0] = from[3 * i];
                to[1] = from[3 * i + 1];
                to[2] = from[3 * i + 2];
            }
        }
    }
}

enum { TOGETHER = 6 }; // rows added at once

// C (n, m) += sum over rows r of w_r a_r b_r^T
static void add_products(int n, int m, int rows, const double *w, const double (*a)[TN_NODE_CHOLESKY_SIZE],
                         const double (*b)[TN_NODE_CHOLESKY_SIZE], double *C)
{
    for (int r = 0; r < rows; ++r) {
        for (int i = 0; i < n; ++i) {
            double factor = w[r] * a[r][i];
            for (int j = 0; j < m; ++j) {
                C[m * i + j] += factor * b[r][j];
            }
        }
    }
}

static void add_products_6(int rows, const double *w, const double (*a)[TN_NODE_CHOLESKY_SIZE],
                           const double (*b)[TN_NODE_CHOLESKY_SIZE], double *restrict C)
{
    for (int i = 0; i < 6; ++i, C += 6) {
        double sum[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
        for (int r = 0; r < rows; ++r) {
            double factor = w[r] * a[r][i];
            for (int j = 0; j < 6; ++j) {
                sum[j] += factor * b[r][j];
            }
        }
        for (int j = 0; j < 6; ++j) {
            C[j] += sum[j];
        }
    }
}

// Numbers of rows first to last - 1, which act on the same blocks, by their nodes.
static void gather_rows(const tn_node_cholesky *s, const tn_joint_rows *rows, int first, int last,
                        double g[TOUCHERS][TOGETHER][TN_NODE_CHOLESKY_SIZE])
{
    int n = s->touch[first + 1] - s->touch[first], entries = rows->start[first + 1] - rows->start[first];
    for (int k = 0; k < n; ++k) {
        memset(g[k], 0, (size_t)(last - first) * sizeof g[k][0]);
    }
    for (int e = 0; e < entries; ++e) {
        int block = rows->block[rows->start[first] + e], at = s->rank[s->node_of[block]], k = 0;
        while (s->toucher[s->touch[first] + k] != at) {
            ++k;
        }
        for (int i = first; i < last; ++i) {
            const double *from = &rows->jacobian[3 * (size_t)(rows->start[i] + e)];
            double *to = &g[k][i - first][3 * s->place[block]];
            to[0] += from[0];
            to[1] += from[1];
            to[2] += from[2];
        }
    }
}

static void take_rows(tn_node_cholesky *s, const tn_joint_rows *rows, const double *weight)
{
    const int *pair = s->row_pair;
    double g[TOUCHERS][TOGETHER][TN_NODE_CHOLESKY_SIZE];
    for (int first = 0, last; first < rows->n; first = last) {
        for (last = first + 1; last < rows->n && last < first + TOGETHER && like_the_last(rows, last);) {
            ++last;
        }
        int n = s->touch[first + 1] - s->touch[first], count = last - first;
        gather_rows(s, rows, first, last, g);
        for (int a = 0; a < n; ++a) {
            int size_a = s->size[s->toucher[s->touch[first] + a]];
            for (int b = a; b < n; ++b) {
                int size_b = s->size[s->toucher[s->touch[first] + b]];
                double *C = s->value + *pair++;
                if (size_a == 6 && size_b == 6) {
                    add_products_6(count, weight + first, g[a], g[b], C);
                } else {
                    add_products(size_a, size_b, count, weight + first, g[a], g[b], C);
                }
            }
        }
        pair += (count - 1) * (n * (n + 1) / 2);
    }
}

static bool factor_values(tn_node_cholesky *s)
{
    const int *target = s->update;
    for (int k = 0; k < s->n; ++k) {
        int n = s->size[k], later = s->start[k + 1] - s->start[k];
        double *U = s->value + s->diagonal[k];
        if (!(n == 6 ? factor_square(6, U) : factor_square(n, U))) {
            return false;
        }
        for (int e = s->start[k]; e < s->start[k + 1]; ++e) {
            int m = s->size[s->later[e]];
            if (n == 6 && m == 6) {
                solve_rows(6, 6, U, s->value + s->at[e]);
            } else {
                solve_rows(n, m, U, s->value + s->at[e]);
            }
        }
        update(s, k, target);
        target += later * (later + 1) / 2;
    }
    return true;
}

bool tn_node_cholesky_factor(tn_node_cholesky *s, const tn_blocks *K)
{
    take_blocks(s, K);
    return factor_values(s);
}

bool tn_node_cholesky_factor_rows(tn_node_cholesky *s, const tn_blocks *A, const tn_joint_rows *rows,
                                  const double *weight)
{
    take_blocks(s, A);
    take_rows(s, rows, weight);
    return factor_values(s);
}

static inline __attribute__((always_inline)) void forward(int n, const double *U, double *x)
{
    for (int t = 0; t < n; ++t) {
        x[t] /= U[n * t + t];
        for (int i = t + 1; i < n; ++i) {
            x[i] -= U[n * t + i] * x[t];
        }
    }
}

static inline __attribute__((always_inline)) void backward(int n, const double *U, double *x)
{
    for (int t = n - 1; t >= 0; --t) {
        double sum = x[t];
        for (int i = t + 1; i < n; ++i) {
            sum -= U[n * t + i] * x[i];
        }
        x[t] = sum / U[n * t + t];
    }
}

// y (m) -= B^T x, B (n, m)
static inline __attribute__((always_inline)) void push(int n, int m, const double *B, const double *x, double *y)
{
    for (int t = 0; t < n; ++t) {
        for (int j = 0; j < m; ++j) {
            y[j] -= B[m * t + j] * x[t];
        }
    }
}

// x (n) -= B y
static inline __attribute__((always_inline)) void pull(int n, int m, const double *B, const double *y, double *x)
{
    for (int t = 0; t < n; ++t) {
        double sum = 0.0;
        for (int j = 0; j < m; ++j) {
            sum += B[m * t + j] * y[j];
        }
        x[t] -= sum;
    }
}

void tn_node_cholesky_solve(tn_node_cholesky *s, const double *b, double *out)
{
    double *x = s->x;
    for (int i = 0; i < s->n_rows; ++i) {
        memcpy(x + s->gather[i], b + 3 * (size_t)i, 3 * sizeof *x);
    }
    for (int k = 0; k < s->n; ++k) {
        int n = s->size[k];
        double *xk = x + s->first[k];
        n == 6 ? forward(6, s->value + s->diagonal[k], xk) : forward(n, s->value + s->diagonal[k], xk);
        for (int e = s->start[k]; e < s->start[k + 1]; ++e) {
            int m = s->size[s->later[e]];
            double *y = x + s->first[s->later[e]];
            n == 6 && m == 6 ? push(6, 6, s->value + s->at[e], xk, y) : push(n, m, s->value + s->at[e], xk, y);
        }
    }
    for (int k = s->n - 1; k >= 0; --k) {
        int n = s->size[k];
        double *xk = x + s->first[k];
        for (int e = s->start[k]; e < s->start[k + 1]; ++e) {
            int m = s->size[s->later[e]];
            const double *y = x + s->first[s->later[e]];
            n == 6 && m == 6 ? pull(6, 6, s->value + s->at[e], y, xk) : pull(n, m, s->value + s->at[e], y, xk);
        }
        n == 6 ? backward(6, s->value + s->diagonal[k], xk) : backward(n, s->value + s->diagonal[k], xk);
    }
    for (int i = 0; i < s->n_rows; ++i) {
        memcpy(out + 3 * (size_t)i, x + s->gather[i], 3 * sizeof *x);
    }
}
