#include "solver/auto/band.h"

#include "problem/repeats.h"

#include <math.h>

// Contacts of each block row, one of those that touch the same ones in turn, and a walk over the graph.
typedef struct graph {
    const tn_rows *contacts;
    int n;        // block rows
    int *start;   // (n + 1)
    int *contact; // (entries)
    int *level;   // (n) number of the walk that has been here, 0: none
    int *crossed; // (contacts) likewise
    int *queue;   // (n)
} graph;

static bool build(const tn_problem *problem, tn_arena *arena, graph *g)
{
    const tn_rows *c = problem->rows;
    int n_entries = c->start[c->n_triples], n_distinct = 0;
    *g = (graph){.contacts = c,
                 .n = problem->A->n_rows,
                 .start = TN_PUSH(arena, int, (size_t)problem->A->n_rows + 2),
                 .contact = TN_PUSH_RAW(arena, int, n_entries),
                 .level = TN_PUSH(arena, int, problem->A->n_rows),
                 .crossed = TN_PUSH(arena, int, c->n_triples),
                 .queue = TN_PUSH_RAW(arena, int, problem->A->n_rows)};
    int *distinct = TN_PUSH_RAW(arena, int, c->n_triples);
    if (!g->start || !g->contact || !g->level || !g->crossed || !g->queue || !distinct) {
        return false;
    }
    for (int m = 0; m < c->n_triples; ++m) {
        if (tn_rows_repeat(c, m)) {
            continue;
        }
        distinct[n_distinct++] = m;
        for (int e = c->start[m]; e < c->start[m + 1]; ++e) {
            g->start[c->block[e] + 2]++;
        }
    }
    for (int i = 0; i < g->n; ++i) {
        g->start[i + 2] += g->start[i + 1];
    }
    for (int k = 0; k < n_distinct; ++k) {
        for (int m = distinct[k], e = c->start[m]; e < c->start[m + 1]; ++e) {
            g->contact[g->start[c->block[e] + 1]++] = m;
        }
    }
    return true;
}

// The contact's blocks that have not been visited join the queue of n. Returns its length.
static int cross(graph *g, int m, int mark, int n)
{
    const tn_rows *c = g->contacts;
    for (int e = c->start[m]; g->crossed[m] != mark && e < c->start[m + 1]; ++e) {
        int block = c->block[e];
        if (g->level[block] != mark) {
            g->level[block] = mark;
            g->queue[n++] = block;
        }
    }
    g->crossed[m] = mark;
    return n;
}

// Visits the piece of `first`, level by level, until there are more than `most` operations; visited blocks get `mark`.
// *last: one of the last level. Returns the operations of a block tridiagonal factorisation: 7/3 k^3 for a level of k
// rows.
static double walk(graph *g, int first, int mark, double most, int *last)
{
    double flops = 0.0;
    int begin = 0, end = 1, n = 1;
    g->queue[0] = first;
    g->level[first] = mark;
    while (begin < end && flops <= most) {
        double k = 3.0 * (end - begin);
        flops += 7.0 / 3.0 * k * k * k;
        for (int q = begin; q < end; ++q) {
            for (int i = g->start[g->queue[q]]; i < g->start[g->queue[q] + 1]; ++i) {
                n = cross(g, g->contact[i], mark, n);
            }
        }
        *last = g->queue[end - 1];
        begin = end;
        end = n;
    }
    return flops;
}

double tn_band_flops(const tn_problem *problem, double most, tn_arena *arena)
{
    graph g;
    double flops = 0.0;
    tn_arena_mark mark = tn_arena_get_mark(arena);
    if (!build(problem, arena, &g)) {
        flops = HUGE_VAL;
    }
    for (int i = 0; flops <= most && i < g.n; ++i) {
        int end;
        if (g.level[i] == 0 && g.start[i + 1] > g.start[i]) {
            walk(&g, i, 1, HUGE_VAL, &end); // to an end of the piece, and back from there
            flops += walk(&g, end, 2, most - flops, &end);
        }
    }
    tn_arena_release(arena, mark);
    return flops;
}
