// Which elements meet at each node and around each edge, and where their blocks go.
#include "base/order.h"
#include "kernels/tets/parts.h"

#include "base/assert.h"

#include <string.h>

static int node_of(const tn_tets_input *input, tet_corners code, bool second)
{
    return input->tets[4 * (size_t)tet_of(code) + (second ? code & 3 : code >> 2 & 3)];
}

// out = codes (n) sorted by one of their nodes; stable. start (n_nodes + 1) receives the ranges.
static void sort_by_node(const tn_tets_input *input, const tet_corners *codes, int n, bool second, int *start,
                         tet_corners *out)
{
    memset(start, 0, ((size_t)input->n_nodes + 1) * sizeof *start);
    for (int k = 0; k < n; k++) {
        start[node_of(input, codes[k], second) + 1]++;
    }
    for (int i = 0; i < input->n_nodes; i++) {
        start[i + 1] += start[i];
    }
    for (int k = 0; k < n; k++) {
        out[start[node_of(input, codes[k], second)]++] = codes[k];
    }
    memmove(start + 1, start, (size_t)input->n_nodes * sizeof *start);
    start[0] = 0;
}

// The six edges of each element, ordered so that corner a's node is the smaller one.
static void list_edges(const tn_tets_input *input, tet_corners *codes)
{
    for (int e = 0; e < input->n_tets; e++) {
        const int *node = input->tets + 4 * (size_t)e;
        for (int a = 0; a < 3; a++) {
            for (int b = a + 1; b < 4; b++) {
                *codes++ = 16 * e + (node[a] < node[b] ? 4 * a + b : 4 * b + a);
            }
        }
    }
}

// Place of block (row, column) in the pattern, -1: none.
static int find_block(const tn_blocks *pattern, int row, int column)
{
    int end = pattern->start[row + 1], at = tn_order_first(pattern->column, pattern->start[row], end, column);
    return at < end && pattern->column[at] == column ? at : -1;
}

static bool is_tied_pair(const tn_tets_input *input, int i, int j)
{
    return (input->tied[i] && (input->tied[j] || input->block[j] >= 0)) || (input->tied[j] && input->block[i] >= 0);
}

// End of the run of codes that are the same edge as codes[first].
static int edge_end(const tn_tets_input *input, const tet_corners *codes, int n, int first)
{
    int i = node_of(input, codes[first], false), j = node_of(input, codes[first], true), k = first;
    while (k < n && node_of(input, codes[k], false) == i && node_of(input, codes[k], true) == j) {
        k++;
    }
    return k;
}

// What the lists will hold.
static void count_lists(const tn_tets_input *input, tn_tets *tets)
{
    int n = 6 * input->n_tets;
    for (int first = 0; first < n; first = edge_end(input, tets->around, n, first)) {
        int i = node_of(input, tets->around[first], false), j = node_of(input, tets->around[first], true);
        tets->n_edges += input->block[i] >= 0 && input->block[j] >= 0;
        tets->n_pairs += is_tied_pair(input, i, j);
    }
    for (int i = 0; i < input->n_nodes; i++) {
        bool used = tets->corner_start[i + 1] > tets->corner_start[i];
        tets->n_diagonals += input->block[i] >= 0;
        tets->n_pairs += input->tied[i] && used;
    }
}

static tn_status fill_edges(const tn_tets_input *input, tn_tets *tets, tn_error *error)
{
    int n = 6 * input->n_tets, count = 0;
    for (int first = 0, end; first < n; first = end) {
        end = edge_end(input, tets->around, n, first);
        int row = input->block[node_of(input, tets->around[first], false)];
        int column = input->block[node_of(input, tets->around[first], true)];
        if (row < 0 || column < 0) {
            continue;
        }
        tet_edge edge = {first, end, find_block(input->pattern, row, column), find_block(input->pattern, column, row)};
        if (edge.upper < 0 || edge.lower < 0) {
            return tn_error_set(error, TN_BAD_INPUT, "the pattern lacks block (%d, %d)", row, column);
        }
        tets->edges[count++] = edge;
    }
    return TN_OK;
}

static tn_status fill_diagonals(const tn_tets_input *input, tn_tets *tets, tn_error *error)
{
    int count = 0;
    for (int i = 0; i < input->n_nodes; i++) {
        int row = input->block[i];
        if (row < 0) {
            continue;
        }
        tets->diagonal_node[count] = i;
        tets->diagonal_block[count] = find_block(input->pattern, row, row);
        if (tets->diagonal_block[count++] < 0) {
            return tn_error_set(error, TN_BAD_INPUT, "the pattern lacks block (%d, %d)", row, row);
        }
    }
    return TN_OK;
}

// Merge the tied nodes themselves into the edges' order.
static void fill_pairs(const tn_tets_input *input, tn_tets *tets)
{
    int n = 6 * input->n_tets, count = 0, first = 0;
    for (int i = 0; i < input->n_nodes; i++) {
        if (input->tied[i] && tets->corner_start[i + 1] > tets->corner_start[i]) {
            tets->pair_range[count] = (tet_range){tets->corner_start[i], tets->corner_start[i + 1]};
            tets->pairs[count++] = (tn_tets_pair){{i, i}};
        }
        for (int end; first < n && node_of(input, tets->around[first], false) == i; first = end) {
            end = edge_end(input, tets->around, n, first);
            int j = node_of(input, tets->around[first], true);
            if (is_tied_pair(input, i, j)) {
                tets->pair_range[count] = (tet_range){first, end};
                tets->pairs[count++] = (tn_tets_pair){{i, j}};
            }
        }
    }
    TN_ASSERT(count == tets->n_pairs);
}

// Whether a node of element e is given its velocity.
static bool is_driven(const tn_tets_input *input, int e)
{
    for (int a = 0; a < 4; a++) {
        int i = input->tets[4 * (size_t)e + a];
        if (input->block[i] < 0 && !input->tied[i]) {
            return true;
        }
    }
    return false;
}

static bool list_driven(const tn_tets_input *input, tn_tets *tets, tn_arena *arena)
{
    for (int e = 0; e < input->n_tets; e++) {
        tets->n_driven += is_driven(input, e);
    }
    tets->driven = TN_PUSH(arena, int, tets->n_driven);
    for (int e = 0, n = 0; tets->driven && e < input->n_tets; e++) {
        if (is_driven(input, e)) {
            tets->driven[n++] = e;
        }
    }
    return tets->driven != NULL;
}

// Corners by node, edges by both nodes. scratch (6 n_tets), start (n_nodes + 1).
static void sort_codes(const tn_tets_input *input, tn_tets *tets, tet_corners *scratch, int *start)
{
    for (int e = 0; e < input->n_tets; e++) {
        for (int a = 0; a < 4; a++) {
            scratch[4 * (size_t)e + a] = 16 * e + 5 * a;
        }
    }
    sort_by_node(input, scratch, 4 * input->n_tets, false, tets->corner_start, tets->corners);
    list_edges(input, tets->around);
    sort_by_node(input, tets->around, 6 * input->n_tets, true, start, scratch);
    sort_by_node(input, scratch, 6 * input->n_tets, false, start, tets->around);
}

static tn_status no_memory(const tn_tets_input *input, tn_error *error)
{
    return tn_error_set(error, TN_NO_MEMORY, "no memory for the tables of %d tetrahedra", input->n_tets);
}

tn_status tn_tets_tables(const tn_tets_input *input, tn_tets *tets, tn_arena *arena, tn_error *error)
{
    tets->corner_start = TN_PUSH(arena, int, input->n_nodes + 1);
    tets->corners = TN_PUSH(arena, tet_corners, 4 * (size_t)input->n_tets);
    tets->around = TN_PUSH(arena, tet_corners, 6 * (size_t)input->n_tets);
    tn_arena_mark mark = tn_arena_get_mark(arena);
    tet_corners *scratch = TN_PUSH(arena, tet_corners, 6 * (size_t)input->n_tets);
    int *start = TN_PUSH(arena, int, input->n_nodes + 1);
    if (!tets->corner_start || !tets->corners || !tets->around || !scratch || !start) {
        return no_memory(input, error);
    }
    sort_codes(input, tets, scratch, start);
    tn_arena_release(arena, mark);

    count_lists(input, tets);
    tets->edges = TN_PUSH(arena, tet_edge, tets->n_edges);
    tets->diagonal_node = TN_PUSH(arena, int, tets->n_diagonals);
    tets->diagonal_block = TN_PUSH(arena, int, tets->n_diagonals);
    tets->pairs = TN_PUSH(arena, tn_tets_pair, tets->n_pairs);
    tets->pair_range = TN_PUSH(arena, tet_range, tets->n_pairs);
    if (!tets->edges || !tets->diagonal_node || !tets->diagonal_block || !tets->pairs || !tets->pair_range ||
        !list_driven(input, tets, arena)) {
        return no_memory(input, error);
    }
    fill_pairs(input, tets);
    tn_status status = fill_edges(input, tets, error);
    return status ? status : fill_diagonals(input, tets, error);
}
