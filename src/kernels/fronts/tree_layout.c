// Where the fronts of a tree and their numbers lie in memory, and where each entry of the matrix and of a child goes:
// found once for all matrices of a pattern.
#include "kernels/fronts/front.h"
#include "kernels/fronts/tree_data.h"

#include <string.h>

static int round_up(int n, int to)
{
    return (n + to - 1) / to * to;
}

// Fronts numbered children first, each subtree in one piece.
static bool number_fronts(tn_front_tree *t, elimination *e, tn_arena *arena)
{
    int *child = TN_PUSH_RAW(arena, int, e->n + 1), *next = TN_PUSH_RAW(arena, int, e->n);
    int *up = TN_PUSH_RAW(arena, int, e->n);
    e->number = TN_PUSH_RAW(arena, int, e->n);
    if (!child || !next || !up || !e->number) {
        return false;
    }
    for (int k = 0; k <= e->n; ++k) {
        child[k] = -1;
    }
    for (int k = e->n - 1; k >= 0; --k) {
        e->number[k] = -1;
        if (e->top[k] == k) {
            up[k] = e->parent[k] >= 0 ? e->top[e->parent[k]] : e->n;
            next[k] = child[up[k]];
            child[up[k]] = k;
            ++t->n_fronts;
        }
    }
    t->parent = TN_PUSH_RAW(arena, int, t->n_fronts);
    int *last = TN_PUSH_RAW(arena, int, t->n_fronts);
    if (!t->parent || !last) {
        return false;
    }
    // Down to the first leaf, then to the next sibling's or up.
    int used = 0, at = child[e->n];
    while (at >= 0 && at < e->n) {
        if (child[at] >= 0) {
            int down = child[at];
            child[at] = -1;
            at = down;
            continue;
        }
        last[used] = at;
        e->number[at] = used++;
        at = next[at] >= 0 ? next[at] : up[at];
    }
    for (int f = 0; f < t->n_fronts; ++f) {
        t->parent[f] = up[last[f]] < e->n ? e->number[up[last[f]]] : -1;
    }
    return true;
}

static bool push_fronts(tn_front_tree *t, elimination *e, const tn_blocks *K, tn_arena *arena)
{
    t->first = TN_PUSH(arena, int, t->n_fronts + 1);
    t->n_pivots = TN_PUSH(arena, int, t->n_fronts);
    t->n_rows = TN_PUSH(arena, int, t->n_fronts);
    t->child = TN_PUSH_RAW(arena, int, t->n_fronts);
    t->next = TN_PUSH_RAW(arena, int, t->n_fronts);
    t->panel = TN_PUSH(arena, size_t, t->n_fronts);
    t->rest = TN_PUSH(arena, size_t, t->n_fronts);
    t->begin = TN_PUSH(arena, int, t->n_fronts);
    t->end = TN_PUSH(arena, int, t->n_fronts);
    t->place = TN_PUSH_RAW(arena, int, K->n_rows);
    t->row = TN_PUSH_RAW(arena, int, K->n_rows);
    t->target = TN_PUSH_RAW(arena, int, K->start[K->n_rows]);
    e->at = TN_PUSH_RAW(arena, int, e->n);
    e->start = TN_PUSH(arena, int, t->n_fronts + 1);
    return t->first && t->child && t->next && t->panel && t->rest && t->n_pivots && t->n_rows && t->begin && t->end &&
           t->place && t->row && t->target && e->at && e->start;
}

// first, n_pivots, n_rows of the fronts, at and start.
static void place_nodes(tn_front_tree *t, elimination *e)
{
    for (int k = 0; k < e->n; ++k) {
        t->first[e->number[e->top[k]] + 1] += e->size[k];
    }
    for (int f = 0; f < t->n_fronts; ++f) {
        t->first[f + 1] += t->first[f];
    }
    for (int k = 0; k < e->n; ++k) {
        int f = e->number[e->top[k]];
        e->at[k] = t->first[f] + t->n_pivots[f];
        t->n_pivots[f] += e->size[k];
    }
    for (int k = 0; k < e->n; ++k) {
        int f = e->number[k];
        if (f >= 0) {
            t->n_pivots[f] = round_up(t->n_pivots[f], TN_FRONT_STRIP);
            t->n_rows[f] = t->n_pivots[f] + round_up(e->rest[k], TN_FRONT_ROWS);
            e->start[f + 1] = e->later[k + 1] - e->later[k];
        }
    }
    for (int f = 0; f < t->n_fronts; ++f) {
        e->start[f + 1] += e->start[f];
    }
}

static void place_block_rows(tn_front_tree *t, const elimination *e, const tn_blocks *K, const int *of)
{
    for (int i = 0; i < K->n_rows; ++i) {
        bool second = i > 0 && of[i] == of[i - 1];
        t->place[i] = second ? t->place[i - 1] + 3 : e->at[e->rank[of[i]]];
        t->row[t->place[i] / 3] = i;
    }
}

// list, by two transpositions: the fronts of each node, then the nodes of each front.
static bool sort_rests(const tn_front_tree *t, elimination *e, tn_arena *arena)
{
    size_t n_list = (size_t)e->start[t->n_fronts];
    int *count = TN_PUSH(arena, int, e->n + 2), *front = TN_PUSH_RAW(arena, int, n_list);
    int *by_place = TN_PUSH_RAW(arena, int, t->n / 3), *used = TN_PUSH_RAW(arena, int, t->n_fronts);
    e->list = TN_PUSH_RAW(arena, int, n_list);
    if (!count || !front || !by_place || !used || !e->list) {
        return false;
    }
    memset(by_place, -1, (size_t)(t->n / 3) * sizeof *by_place);
    memcpy(used, e->start, (size_t)t->n_fronts * sizeof *used);
    for (int k = 0; k < e->n; ++k) {
        by_place[e->at[k] / 3] = k;
        for (int a = e->later[k]; e->number[k] >= 0 && a < e->later[k + 1]; ++a) {
            count[e->node[a] + 2]++;
        }
    }
    for (int k = 0; k < e->n; ++k) {
        count[k + 2] += count[k + 1];
    }
    for (int k = 0; k < e->n; ++k) {
        for (int a = e->later[k]; e->number[k] >= 0 && a < e->later[k + 1]; ++a) {
            front[count[e->node[a] + 1]++] = e->number[k];
        }
    }
    for (int i = 0; i < t->n / 3; ++i) {
        int k = by_place[i];
        for (int a = k < 0 ? 0 : count[k]; k >= 0 && a < count[k + 1]; ++a) {
            e->list[used[front[a]]++] = k;
        }
    }
    return true;
}

// Local rows of front f, in where (n / 3) by place / 3.
static void place_rows(const tn_front_tree *t, const elimination *e, int f, int *where)
{
    for (int i = t->first[f]; i < t->first[f + 1]; i += 3) {
        where[i / 3] = i - t->first[f];
    }
    int row = t->n_pivots[f];
    for (int a = e->start[f]; a < e->start[f + 1]; ++a) {
        int k = e->list[a];
        for (int i = 0; i < e->size[k]; i += 3, row += 3) {
            where[(e->at[k] + i) / 3] = row;
        }
    }
}

// Neighbours in f's rest that lie side by side in a vector and in the parent's front, whose rows are in where.
static void make_runs(tn_front_tree *t, const elimination *e, const int *where, int f)
{
    int row = 0, used = t->begin[f];
    for (int a = e->start[f]; a < e->start[f + 1]; ++a) {
        int k = e->list[a], to = where[e->at[k] / 3];
        tn_front_run *last = used > t->begin[f] ? &t->run[used - 1] : NULL;
        if (last && last->to + last->size == to && last->at + last->size == e->at[k]) {
            last->size += e->size[k];
        } else {
            t->run[used++] = (tn_front_run){.from = row, .to = to, .at = e->at[k], .size = e->size[k]};
        }
        row += e->size[k];
    }
    t->end[f] = used;
}

static void find_targets(tn_front_tree *t, const tn_blocks *K, const bool *kept, const int *where, int ld, int i)
{
    int column = where[t->place[i] / 3];
    for (int k = K->start[i]; k < K->start[i + 1]; ++k) {
        int j = K->column[k];
        bool counts = t->place[j] >= t->place[i] && (!kept || kept[k]);
        t->target[k] = !counts ? -1 : where[t->place[j] / 3] + ld * column;
    }
}

static bool find_places(tn_front_tree *t, const elimination *e, const tn_blocks *K, tn_arena *arena)
{
    int *where = TN_PUSH_RAW(arena, int, t->n / 3);
    t->run = TN_PUSH_RAW(arena, tn_front_run, e->start[t->n_fronts]);
    if (!where || !t->run) {
        return false;
    }
    memset(t->child, -1, (size_t)t->n_fronts * sizeof *t->child);
    for (int f = 0; f < t->n_fronts; ++f) {
        place_rows(t, e, f, where);
        for (int i = t->first[f]; i < t->first[f + 1]; i += 3) {
            find_targets(t, K, e->kept, where, tn_front_stride(t->n_rows[f]), t->row[i / 3]);
        }
        t->begin[f] = t->end[f] = e->start[f];
        for (int c = t->child[f]; c >= 0; c = t->next[c]) {
            make_runs(t, e, where, c);
        }
        if (t->parent[f] >= 0) {
            t->next[f] = t->child[t->parent[f]];
            t->child[t->parent[f]] = f;
        }
    }
    return true;
}

static size_t rest_numbers(const tn_front_tree *t, int f)
{
    size_t m = (size_t)(t->n_rows[f] - t->n_pivots[f]);
    return m * m;
}

// Where panels and rests lie. A rest is filled while its children's wait: those of even depth lie at the stack's
// beginning, those of odd depth at its end, and of either the last one goes first.
static void place_numbers(tn_front_tree *t, bool *odd)
{
    size_t used[2] = {0, 0};
    for (int f = t->n_fronts - 1; f >= 0; --f) {
        odd[f] = t->parent[f] >= 0 && !odd[t->parent[f]];
    }
    for (int f = 0; f < t->n_fronts; ++f) {
        int k = t->n_pivots[f], n = t->n_rows[f];
        t->panel[f] = t->values;
        t->values += (size_t)k * (size_t)tn_front_stride(n);
        t->largest = n > t->largest ? n : t->largest;
        for (int i = 0; i < k; ++i) {
            t->flops += (double)(n - i) * (double)(n - i);
        }
        t->rest[f] = used[odd[f]];
        used[odd[f]] += rest_numbers(t, f);
        t->stack = used[0] + used[1] > t->stack ? used[0] + used[1] : t->stack;
        for (int c = t->child[f]; c >= 0; c = t->next[c]) {
            used[odd[c]] -= rest_numbers(t, c);
        }
    }
    for (int f = 0; f < t->n_fronts; ++f) {
        t->rest[f] = odd[f] ? t->stack - t->rest[f] - rest_numbers(t, f) : t->rest[f];
    }
}

bool tn_front_tree_lay_out(tn_front_tree *t, elimination *e, const tn_blocks *K, const int *of, tn_arena *arena)
{
    if (!number_fronts(t, e, arena) || !push_fronts(t, e, K, arena)) {
        return false;
    }
    place_nodes(t, e);
    place_block_rows(t, e, K, of);
    bool *odd = TN_PUSH_RAW(arena, bool, t->n_fronts);
    if (!odd || !sort_rests(t, e, arena) || !find_places(t, e, K, arena)) {
        return false;
    }
    place_numbers(t, odd);
    return true;
}
