#include "kernels/nodal/groups.h"

#include "kernels/nodal/grouping.h"

#include <math.h>
#include <string.h>

// Rows of no node: one group for each two of a part. TN_NO_MEMORY only.
static tn_status group_bodies(const tn_parts *parts, int n_rows, const bool *is_node, int *n_groups, int *of_row,
                              int *unit, tn_arena *arena)
{
    int *open = TN_PUSH(arena, int, parts->n); // half filled group of each part, plus one
    if (!open) {
        return TN_NO_MEMORY;
    }
    for (int i = 0; i < n_rows; i++) {
        int *half = &open[parts->of_block[i]];
        unit[i] = -1;
        if (is_node[i]) {
            continue;
        }
        unit[i] = *half > 0 ? 3 : 0;
        of_row[i] = *half > 0 ? *half - 1 : (*n_groups)++;
        *half = *half > 0 ? 0 : of_row[i] + 1;
    }
    return TN_OK;
}

// Neighbours of each group by A: neighbour_start (n + 1), neighbour (at most blocks of A).
typedef struct group_graph {
    int *start, *neighbour;
} group_graph;

static tn_status make_graph(const tn_blocks *A, const int *of_row, int n, tn_arena *arena, group_graph *out)
{
    int *row_start = TN_PUSH(arena, int, n + 2);
    int *rows = TN_PUSH(arena, int, A->n_rows);
    int *stamp = TN_PUSH(arena, int, n);
    out->start = TN_PUSH(arena, int, n + 1);
    out->neighbour = TN_PUSH(arena, int, A->start[A->n_rows]);
    if (!row_start || !rows || !stamp || !out->start || !out->neighbour) {
        return TN_NO_MEMORY;
    }
    for (int i = 0; i < A->n_rows; i++) {
        row_start[of_row[i] + 2]++;
    }
    for (int g = 0; g < n; g++) {
        row_start[g + 2] += row_start[g + 1];
    }
    for (int i = 0; i < A->n_rows; i++) {
        rows[row_start[of_row[i] + 1]++] = i;
    }
    int at = 0;
    for (int g = 0; g < n; g++) {
        for (int k = row_start[g]; k < row_start[g + 1]; k++) {
            for (int e = A->start[rows[k]]; e < A->start[rows[k] + 1]; e++) {
                int other = of_row[A->column[e]];
                if (other != g && stamp[other] != g + 1) {
                    stamp[other] = g + 1;
                    out->neighbour[at++] = other;
                }
            }
        }
        out->start[g + 1] = at;
    }
    return TN_OK;
}

// Breadth-first search from `seed`; order gets the groups found, place their new numbers (-1 before). Returns how many.
static int search(const group_graph *graph, int seed, int n_before, int *order, int *number)
{
    int head = n_before, tail = n_before;
    order[tail] = seed;
    number[seed] = tail++;
    while (head < tail) {
        int g = order[head++];
        for (int k = graph->start[g]; k < graph->start[g + 1]; k++) {
            if (number[graph->neighbour[k]] < 0) {
                order[tail] = graph->neighbour[k];
                number[graph->neighbour[k]] = tail++;
            }
        }
    }
    return tail - n_before;
}

// New numbers of the groups: breadth-first from an end of each connected part, twice to find the end. Groups of bodies
// (n_nodal and above) come last: their rows of the envelope may be long.
static void number_groups(const group_graph *graph, int n_nodal, int n, int *order, int *number)
{
    for (int g = 0; g < n; g++) {
        number[g] = g < n_nodal ? -1 : g;
    }
    int n_done = 0;
    for (int g = 0; g < n_nodal; g++) {
        for (int round = 0, seed = g; round < 3 && (round > 0 || number[g] < 0); round++) {
            int found = search(graph, seed, n_done, order, number);
            seed = order[n_done + found - 1];
            if (round == 2) {
                n_done += found;
                break;
            }
            for (int k = 0; k < found; k++) {
                number[order[n_done + k]] = -1;
            }
        }
    }
}

static tn_status set_envelope(const tn_blocks *A, int n_nodal, int n, int *of_row, tn_arena *arena, int *first)
{
    group_graph graph;
    int *order = TN_PUSH(arena, int, n);
    int *number = TN_PUSH(arena, int, n);
    if (!order || !number || make_graph(A, of_row, n, arena, &graph) != TN_OK) {
        return TN_NO_MEMORY;
    }
    number_groups(&graph, n_nodal, n, order, number);
    for (int g = 0; g < n; g++) {
        first[number[g]] = number[g];
        for (int k = graph.start[g]; k < graph.start[g + 1]; k++) {
            int other = number[graph.neighbour[k]];
            first[number[g]] = other < first[number[g]] ? other : first[number[g]];
        }
    }
    for (int i = 0; i < A->n_rows; i++) {
        of_row[i] = number[of_row[i]];
    }
    return TN_OK;
}

// Blocks of the nodes' rows.
static int count_blocks(const tn_blocks *A, const bool *is_node)
{
    int n = 0;
    for (int i = 0; i < A->n_rows; i++) {
        n += is_node[i] ? A->start[i + 1] - A->start[i] : 0;
    }
    return n;
}

// First guess: 18 nodes on a thin body of 1458, more on a solid one (rows with more blocks), in proportion to the
// square root of the number. Rigid bodies beside it do not make it thinner.
static int guess_size(int n_blocks, int n_nodes)
{
    bool solid = n_blocks > 11.5 * n_nodes;
    int size = (int)((solid ? 1.05 : 0.47) * sqrt((double)n_nodes));
    return size < 16 ? 16 : size;
}

// Products of blocks in the factor of n groups, as a multiple of n_blocks.
static double factor_cost(int n_blocks, int n, const int *first)
{
    double sum = 0.0;
    for (int g = 0; g < n; g++) {
        double length = g - first[g] + 1;
        sum += 0.5 * length * length;
    }
    return sum / n_blocks;
}

static int find_nodes(const tn_ordering *order, const double *place, bool *is_node)
{
    int n = 0;
    for (int i = 0; i < order->n_rows; i++) {
        is_node[i] = order->lane[i] < TN_SELL_LANES * order->n_large && (!place || !isnan(place[3 * (size_t)i]));
        n += is_node[i];
    }
    return n;
}

tn_status tn_groups_create(const tn_blocks *A, const tn_layout *layout, const double *place, int size,
                           tn_arena *scratch, tn_arena *arena, tn_groups *out)
{
    static const double dear = 1.0; // a factor that costs more than this many sweeps asks for larger groups
    size_t n_rows = (size_t)A->n_rows;
    int *of_row = TN_PUSH(arena, int, n_rows);
    int *unit = TN_PUSH(arena, int, n_rows);
    int *first = TN_PUSH(arena, int, n_rows);
    tn_arena_mark mark = tn_arena_get_mark(scratch);
    tn_grouping w;
    if (!of_row || !unit || !first || !tn_grouping_create(&w, A, place, of_row, scratch)) {
        return TN_NO_MEMORY;
    }
    int n_nodes = find_nodes(&layout->coloured, place, w.is_node), n = 0;
    int n_blocks = count_blocks(A, w.is_node), aim = size > 0 ? size : guess_size(n_blocks, n_nodes);
    tn_arena_mark again = tn_arena_get_mark(scratch);
    for (double cost = 0.0;;) {
        tn_arena_release(scratch, again);
        tn_grouping_grow(&w, aim);
        n = w.n;
        tn_status status = group_bodies(layout->parts, A->n_rows, w.is_node, &n, of_row, unit, scratch);
        status = status == TN_OK ? set_envelope(A, w.n, n, of_row, scratch, first) : status;
        if (status != TN_OK) {
            return status;
        }
        cost = factor_cost(n_blocks, w.n, first);
        if (size > 0 || cost <= dear || w.n < 2) {
            break;
        }
        aim = (int)(aim * fmax(sqrt(cost / dear), 1.3));
    }
    tn_arena_release(scratch, mark);
    *out = (tn_groups){.n = n, .of_row = of_row, .unit = unit, .first = first, .size = aim};
    return tn_group_runs_create(A, n, of_row, scratch, arena, &out->runs);
}
