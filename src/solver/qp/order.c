// Rows in the order of a breadth-first walk over the bodies, from one at the rim (Cuthill and McKee 1969).
#include "solver/qp/rows.h"

#include <string.h>

typedef struct walk {
    const tn_qp_rows *rows;
    int *start, *row; // rows of each component
    int *rank;        // (components) place in the walk, -1: not reached
    int *queue;       // (components)
    int reached;
} walk;

static bool create(walk *w, const tn_qp_rows *rows, tn_arena *arena)
{
    int n = rows->parts->n, n_parts = rows->start[rows->n];
    *w = (walk){.rows = rows,
                .start = TN_PUSH(arena, int, n + 2),
                .row = TN_PUSH_RAW(arena, int, n_parts),
                .rank = TN_PUSH_RAW(arena, int, n),
                .queue = TN_PUSH_RAW(arena, int, n)};
    if (!w->start || !w->row || !w->rank || !w->queue) {
        return false;
    }
    for (int k = 0; k < n_parts; ++k) {
        ++w->start[rows->component[k] + 2];
    }
    for (int c = 0; c < n; ++c) {
        w->start[c + 2] += w->start[c + 1];
    }
    for (int i = 0; i < rows->n; ++i) {
        for (int k = rows->start[i]; k < rows->start[i + 1]; ++k) {
            w->row[w->start[rows->component[k] + 1]++] = i;
        }
    }
    return true;
}

// Reaches all that hangs together with c; returns the last.
static int go(walk *w, int c)
{
    const tn_qp_rows *rows = w->rows;
    int done = w->reached;
    w->queue[w->reached++] = c;
    w->rank[c] = done;
    for (; done < w->reached; ++done) {
        int own = w->queue[done];
        for (int l = w->start[own]; l < w->start[own + 1]; ++l) {
            int i = w->row[l];
            for (int k = rows->start[i]; k < rows->start[i + 1]; ++k) {
                int other = rows->component[k];
                if (w->rank[other] < 0) {
                    w->rank[other] = w->reached;
                    w->queue[w->reached++] = other;
                }
            }
        }
    }
    return w->queue[w->reached - 1];
}

// Each piece once to find its rim, once from there.
static void walk_all(walk *w)
{
    int n = w->rows->parts->n;
    for (int c = 0; c < n; ++c) {
        w->rank[c] = -1;
    }
    for (int c = 0; c < n; ++c) {
        if (w->rank[c] >= 0) {
            continue;
        }
        int before = w->reached, last = go(w, c);
        for (int k = before; k < w->reached; ++k) {
            w->rank[w->queue[k]] = -1;
        }
        w->reached = before;
        go(w, last);
    }
}

bool tn_qp_rows_order(const tn_qp_rows *rows, tn_arena *arena, int *order)
{
    walk w;
    tn_arena_mark mark = tn_arena_get_mark(arena);
    int n = rows->parts->n;
    int *count = TN_PUSH(arena, int, n + 1);
    if (!count || !create(&w, rows, arena)) {
        return false;
    }
    walk_all(&w);
    // A row comes with the last of its bodies; rows without any come first.
    for (int turn = 0; turn < 2; ++turn) {
        for (int i = 0; i < rows->n; ++i) {
            int last = 0;
            for (int k = rows->start[i]; k < rows->start[i + 1]; ++k) {
                int rank = w.rank[rows->component[k]];
                last = rank > last ? rank : last;
            }
            if (turn == 0) {
                ++count[last + 1];
            } else {
                order[count[last]++] = i;
            }
        }
        for (int c = 0; turn == 0 && c < n; ++c) {
            count[c + 1] += count[c];
        }
    }
    tn_arena_release(arena, mark);
    return true;
}
