#include "solver/nodal_groups.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 2 }; // of moving nodes to the nearest centre

// Work arrays of one grouping.
typedef struct grouping {
    const tn_blocks *A;
    const double *place; // or NULL
    bool *is_node;       // (n_rows) takes part
    int *of_row;         // (n_rows) group, -1: none yet
    int *queue;          // (n_rows)
    int *stamp;          // (n_rows) last group that queued the row
    int *front;          // (n_rows) where next groups may begin
    int *count;          // (n_rows) nodes of each group
    double *centre;      // (n_rows, 3)
    int n;               // groups
    int n_front, front_next;
    bool *was_front; // (n_rows)
} grouping;

// Grow group `g` around seed by breadth-first search to at most `size` nodes; what is seen beyond joins the front.
static int grow(grouping *w, int seed, int g, int size)
{
    int head = 0, tail = 0, n = 0;
    w->queue[tail++] = seed;
    w->stamp[seed] = g;
    while (head < tail && n < size) {
        int i = w->queue[head++];
        w->of_row[i] = g;
        n++;
        for (int e = w->A->start[i]; e < w->A->start[i + 1]; e++) {
            int j = w->A->column[e];
            if (w->is_node[j] && w->of_row[j] < 0 && w->stamp[j] != g) {
                w->stamp[j] = g;
                w->queue[tail++] = j;
            }
        }
    }
    for (; head < tail; head++) {
        if (!w->was_front[w->queue[head]]) {
            w->was_front[w->queue[head]] = true;
            w->front[w->n_front++] = w->queue[head];
        }
    }
    return n;
}

// A group of too few nodes joins the first neighbour that has a group. False: it has none.
static bool join_neighbour(grouping *w, int g, int n)
{
    for (int q = 0; q < n; q++) {
        int i = w->queue[q];
        for (int e = w->A->start[i]; e < w->A->start[i + 1]; e++) {
            int other = w->is_node[w->A->column[e]] ? w->of_row[w->A->column[e]] : -1;
            if (other >= 0 && other != g) {
                for (int k = 0; k < n; k++) {
                    w->of_row[w->queue[k]] = other;
                }
                return true;
            }
        }
    }
    return false;
}

static int next_seed(grouping *w, int *lowest)
{
    while (w->front_next < w->n_front) {
        int i = w->front[w->front_next++];
        if (w->of_row[i] < 0) {
            return i;
        }
    }
    while (*lowest < w->A->n_rows && (!w->is_node[*lowest] || w->of_row[*lowest] >= 0)) {
        (*lowest)++;
    }
    return *lowest < w->A->n_rows ? *lowest : -1;
}

static void grow_all(grouping *w, int size)
{
    int lowest = 0;
    for (int seed; (seed = next_seed(w, &lowest)) >= 0;) {
        int n = grow(w, seed, w->n, size);
        if (3 * n > size || !join_neighbour(w, w->n, n)) {
            w->n++;
        }
    }
}

static void find_centres(grouping *w)
{
    memset(w->count, 0, (size_t)w->n * sizeof *w->count);
    memset(w->centre, 0, 3 * (size_t)w->n * sizeof *w->centre);
    for (int i = 0; i < w->A->n_rows; i++) {
        if (w->is_node[i]) {
            w->count[w->of_row[i]]++;
            tn_vec3_add(w->centre + 3 * w->of_row[i], w->centre + 3 * w->of_row[i], w->place + 3 * i);
        }
    }
    for (int g = 0; g < w->n; g++) {
        tn_vec3_scale(w->centre + 3 * g, 1.0 / fmax(w->count[g], 1), w->centre + 3 * g);
    }
}

static double distance_square(const grouping *w, int row, int group)
{
    double d[3];
    tn_vec3_sub(d, w->place + 3 * row, w->centre + 3 * group);
    return tn_vec3_dot(d, d);
}

// Every node moves to the group of a neighbour whose centre is nearer than its own: rounder groups.
static void round_off(grouping *w)
{
    find_centres(w);
    for (int i = 0; i < w->A->n_rows; i++) {
        if (!w->is_node[i] || w->count[w->of_row[i]] < 2) {
            continue;
        }
        int best = w->of_row[i];
        double least = distance_square(w, i, best);
        for (int e = w->A->start[i]; e < w->A->start[i + 1]; e++) {
            int j = w->A->column[e];
            if (w->is_node[j] && w->of_row[j] != best) {
                double d = distance_square(w, i, w->of_row[j]);
                best = d < least ? w->of_row[j] : best;
                least = fmin(d, least);
            }
        }
        if (best != w->of_row[i]) {
            w->count[w->of_row[i]]--;
            w->count[best]++;
            w->of_row[i] = best;
        }
    }
}

// Rows of no node: one group for each two of them, by component.
static void group_bodies(const tn_components *components, const bool *is_node, int *n_groups, int *of_row, int *unit)
{
    for (int c = 0; c < components->n; c++) {
        int seen = 0;
        for (int k = components->start[c]; k < components->start[c + 1]; k++) {
            int row = components->blocks[k];
            if (!is_node[row]) {
                of_row[row] = *n_groups + seen / 2;
                unit[row] = 3 * (seen % 2);
                seen++;
            }
        }
        *n_groups += (seen + 1) / 2;
    }
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

static void set_arms(const grouping *w, double *arm)
{
    double *radius = w->centre + 3 * (size_t)w->n; // free space behind the centres
    memset(radius, 0, (size_t)w->n * sizeof *radius);
    for (int i = 0; i < w->A->n_rows; i++) {
        if (w->is_node[i]) {
            radius[w->of_row[i]] = fmax(radius[w->of_row[i]], distance_square(w, i, w->of_row[i]));
        }
    }
    for (int i = 0; i < w->A->n_rows; i++) {
        if (w->is_node[i] && radius[w->of_row[i]] > 0.0) {
            tn_vec3_sub(arm + 3 * i, w->place + 3 * i, w->centre + 3 * w->of_row[i]);
            tn_vec3_scale(arm + 3 * i, 1.0 / sqrt(radius[w->of_row[i]]), arm + 3 * i);
        }
    }
}

// Drop the numbers of groups that lost all their nodes.
static void compress(grouping *w)
{
    memset(w->count, 0, (size_t)w->n * sizeof *w->count);
    for (int i = 0; i < w->A->n_rows; i++) {
        if (w->is_node[i]) {
            w->count[w->of_row[i]] = 1;
        }
    }
    int n = 0;
    for (int g = 0; g < w->n; g++) {
        int used = w->count[g];
        w->count[g] = n;
        n += used;
    }
    for (int i = 0; i < w->A->n_rows; i++) {
        if (w->is_node[i]) {
            w->of_row[i] = w->count[w->of_row[i]];
        }
    }
    w->n = n;
}

// 18 nodes on a body of 1458, in proportion to the square root of the number: the factor's cost then grows like the
// sweep's on solid bodies.
static int choose_size(int n_nodes)
{
    int size = (int)(0.47 * sqrt((double)n_nodes));
    return size < 16 ? 16 : size;
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

static int find_nodes(const tn_blocks *A, const tn_components *components, const double *place, bool *is_node)
{
    int n = 0;
    for (int i = 0; i < A->n_rows; i++) {
        int c = components->of_block[i];
        is_node[i] = components->start[c + 1] - components->start[c] > TN_COMPONENT_BLOCKS &&
                     (!place || !isnan(place[3 * (size_t)i]));
        n += is_node[i];
    }
    return n;
}

tn_status tn_nodal_groups_create(const tn_blocks *A, const double *place, int size, tn_arena *arena,
                                 tn_nodal_groups *out)
{
    size_t n_rows = (size_t)A->n_rows;
    tn_components components;
    int *of_row = TN_PUSH(arena, int, n_rows);
    int *unit = TN_PUSH(arena, int, n_rows);
    int *first = TN_PUSH(arena, int, n_rows);
    double *arm = TN_PUSH(arena, double, 3 * n_rows);
    tn_arena_mark mark = tn_arena_get_mark(arena);
    grouping w = {.A = A, .place = place, .of_row = of_row};
    w.is_node = TN_PUSH(arena, bool, n_rows);
    w.was_front = TN_PUSH(arena, bool, n_rows);
    w.queue = TN_PUSH(arena, int, n_rows);
    w.stamp = TN_PUSH(arena, int, n_rows);
    w.front = TN_PUSH(arena, int, n_rows);
    w.count = TN_PUSH(arena, int, n_rows);
    w.centre = TN_PUSH(arena, double, 4 * n_rows);
    if (!of_row || !unit || !first || !arm || !w.is_node || !w.was_front || !w.queue || !w.stamp || !w.front ||
        !w.count || !w.centre || tn_components_find(A, arena, &components) != TN_OK) {
        return TN_NO_MEMORY;
    }
    int n_nodes = find_nodes(A, &components, place, w.is_node);
    memset(of_row, -1, n_rows * sizeof *of_row);
    memset(unit, -1, n_rows * sizeof *unit);
    memset(w.stamp, -1, n_rows * sizeof *w.stamp);
    size = size > 0 ? size : choose_size(n_nodes);
    grow_all(&w, size);
    for (int k = 0; k < ROUNDS && place; k++) {
        round_off(&w);
    }
    compress(&w);
    if (place) {
        find_centres(&w);
        set_arms(&w, arm);
    }
    int n = w.n;
    group_bodies(&components, w.is_node, &n, of_row, unit);
    tn_status status = set_envelope(A, w.n, n, of_row, arena, first);
    tn_arena_release(arena, mark);
    *out = (tn_nodal_groups){.n = n, .of_row = of_row, .unit = unit, .arm = arm, .first = first, .size = size};
    return status;
}
