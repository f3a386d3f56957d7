#include "math/bisection.h"

#include <string.h>

enum {
    LEVELS = 32,
    COARSEST = 100, // rows that are cut by growing a side
    STARTS = 4,     // of that
    SHRINK = 10,    // a level must lose a tenth of its rows
    HEAVIEST = 3,   // half of so many mean rows of the coarsest graph: weight that a joined row may have
    SCRATCH = 7,    // numbers a row that cutting the coarsest level takes
    PER_ROW = 5,    // numbers a row of a level: start, weight, coarse, side, and one to spare
};
static const double EVEN = 0.3; // share of the weight that a side keeps

typedef struct level {
    tn_blocks graph;
    int *strength; // (blocks) of the neighbours' ties: how many of the finest graph it stands for
    int *weight;   // (n_rows) rows of the finest graph
    int *coarse;   // (n_rows) row of the next level
    int *side;     // (n_rows)
} level;

typedef struct pool {
    int *next;
    size_t left;
} pool;

static int *take(pool *p, size_t n)
{
    int *taken = p->next;
    p->next += n;
    p->left -= n;
    return taken;
}

static bool push_level(pool *p, int n_rows, size_t n_blocks, level *l)
{
    size_t n = (size_t)n_rows;
    if (p->left < PER_ROW * n + 1 + 2 * n_blocks + SCRATCH * n) {
        return false;
    }
    l->graph.start = take(p, n + 1);
    l->weight = take(p, n);
    l->coarse = take(p, n);
    l->side = take(p, n);
    l->graph.column = take(p, n_blocks);
    l->strength = take(p, n_blocks);
    return true;
}

// Rows joined in pairs, each with the neighbour it has the strongest tie to, few neighbours first. mate (n_rows);
// order (n_rows) is scratch. Returns the rows of the next level, numbered in l->coarse.
static int match(level *l, int heaviest, int *mate, int *order)
{
    const tn_blocks *g = &l->graph;
    int n = g->n_rows, n_coarse = 0;
    int *count = l->coarse; // rows by their number of neighbours, then where those of a number begin
    memset(count, 0, (size_t)n * sizeof *count);
    for (int v = 0; v < n; ++v) {
        int degree = g->start[v + 1] - g->start[v];
        count[degree < n ? degree : n - 1]++;
        mate[v] = -1;
    }
    for (int d = 0, begin = 0; d < n; ++d) {
        int own = count[d];
        count[d] = begin;
        begin += own;
    }
    for (int v = 0; v < n; ++v) {
        int degree = g->start[v + 1] - g->start[v];
        order[count[degree < n ? degree : n - 1]++] = v;
    }
    for (int i = 0; i < n; ++i) {
        int v = order[i], best = v, strongest = 0;
        for (int k = g->start[v]; k < g->start[v + 1] && mate[v] < 0; ++k) {
            int w = g->column[k];
            if (mate[w] < 0 && l->strength[k] > strongest && l->weight[v] + l->weight[w] <= heaviest) {
                strongest = l->strength[k];
                best = w;
            }
        }
        if (mate[v] < 0) {
            mate[v] = best;
            mate[best] = v;
        }
    }
    for (int v = 0; v < n; ++v) {
        if (mate[v] >= v) {
            l->coarse[v] = l->coarse[mate[v]] = n_coarse++;
        }
    }
    return n_coarse;
}

// The next level of joined rows; seen (coarse rows) is scratch.
static void contract(const level *fine, const int *mate, int *seen, level *coarse)
{
    const tn_blocks *g = &fine->graph;
    int used = 0, row = 0;
    for (int c = 0; c < coarse->graph.n_rows; ++c) {
        seen[c] = -1;
    }
    for (int v = 0; v < g->n_rows; ++v) {
        if (mate[v] < v) {
            continue;
        }
        int first = used;
        coarse->graph.start[row] = first;
        coarse->weight[row] = fine->weight[v] + (mate[v] > v ? fine->weight[mate[v]] : 0);
        for (int twin = 0; twin < (mate[v] > v ? 2 : 1); ++twin) {
            int u = twin ? mate[v] : v;
            for (int k = g->start[u]; k < g->start[u + 1]; ++k) {
                int c = fine->coarse[g->column[k]];
                if (c == row) {
                    continue;
                }
                if (seen[c] < first) {
                    seen[c] = used;
                    coarse->graph.column[used] = c;
                    coarse->strength[used++] = 0;
                }
                coarse->strength[seen[c]] += fine->strength[k];
            }
        }
        ++row;
    }
    coarse->graph.start[row] = used;
}

// What a level has of neighbours fewer than it took room for goes back.
static void trim(level *l, pool *p)
{
    size_t n_blocks = (size_t)l->graph.start[l->graph.n_rows];
    int *strength = l->graph.column + n_blocks;
    memmove(strength, l->strength, n_blocks * sizeof *strength);
    l->strength = strength;
    p->left += (size_t)(p->next - (strength + n_blocks));
    p->next = strength + n_blocks;
}

static bool coarsen(level *fine, pool *p, int heaviest, level *coarse)
{
    int n = fine->graph.n_rows;
    if (p->left < 2 * (size_t)n) {
        return false;
    }
    // Scratch at the pool's far end.
    int *mate = p->next + p->left - n, *order = mate - n;
    int n_coarse = match(fine, heaviest, mate, order);
    pool before = *p;
    p->left -= 2 * (size_t)n;
    coarse->graph = (tn_blocks){.n_rows = n_coarse, .n_cols = n_coarse};
    bool fits = n_coarse < n - n / SHRINK && push_level(p, n_coarse, (size_t)fine->graph.start[n], coarse);
    if (!fits) {
        *p = before;
        return false;
    }
    p->left += 2 * (size_t)n;
    contract(fine, mate, order, coarse);
    trim(coarse, p);
    return true;
}

// One side grown from `start` until it has half of the weight, and what of it touches the other as the separator.
static void grow(const level *l, int total, int start, int *side, int *queue)
{
    const tn_blocks *g = &l->graph;
    for (int v = 0; v < g->n_rows; ++v) {
        side[v] = TN_SIDE_FAR;
    }
    int head = 0, tail = 0, weight = 0;
    queue[tail++] = start;
    side[start] = TN_SIDE_NEAR;
    while (head < tail && 2 * weight < total) {
        int v = queue[head++];
        weight += l->weight[v];
        for (int k = g->start[v]; k < g->start[v + 1]; ++k) {
            int w = g->column[k];
            if (side[w] == TN_SIDE_FAR) {
                side[w] = TN_SIDE_NEAR;
                queue[tail++] = w;
            }
        }
    }
    // Rows that were reached but not taken are the separator: they are all that the taken ones touch.
    for (int i = head; i < tail; ++i) {
        side[queue[i]] = TN_SIDE_SEPARATOR;
    }
}

static int cut_coarsest(level *l, int total, pool *p)
{
    int n = l->graph.n_rows, lightest = total + 1;
    int *side = p->next, *work = side + n;
    for (int k = 0; k < STARTS; ++k) {
        grow(l, total, (int)((long long)n * k / STARTS), side, work);
        int weight = tn_separator_refine(&l->graph, l->weight, (int)(EVEN * total), side, work);
        if (weight < lightest) {
            lightest = weight;
            memcpy(l->side, side, (size_t)n * sizeof *side);
        }
    }
    return lightest;
}

// The finest level: A itself, every row and tie of weight 1.
static level make_finest(const tn_blocks *A, int *side, pool *p)
{
    size_t n = (size_t)A->n_rows, n_blocks = (size_t)A->start[n];
    level l = {.graph = *A, .side = side};
    l.weight = take(p, n);
    l.coarse = take(p, n);
    l.strength = take(p, n_blocks);
    for (size_t i = 0; i < n; ++i) {
        l.weight[i] = 1;
    }
    for (size_t k = 0; k < n_blocks; ++k) {
        l.strength[k] = 1;
    }
    return l;
}

bool tn_bisect(const tn_blocks *A, int *side, int *work)
{
    level levels[LEVELS];
    pool p = {.next = work, .left = tn_bisection_work(A->n_rows, A->start[A->n_rows])};
    int total = A->n_rows, last = 0, heaviest = HEAVIEST * total / (2 * COARSEST) + 2;
    levels[0] = make_finest(A, side, &p);
    while (last + 1 < LEVELS && levels[last].graph.n_rows > COARSEST &&
           coarsen(&levels[last], &p, heaviest, &levels[last + 1])) {
        ++last;
    }
    cut_coarsest(&levels[last], total, &p);
    while (--last >= 0) {
        level *l = &levels[last];
        for (int v = 0; v < l->graph.n_rows; ++v) {
            l->side[v] = levels[last + 1].side[l->coarse[v]];
        }
        tn_separator_refine(&l->graph, l->weight, (int)(EVEN * total), l->side, p.next);
    }
    int count[3] = {0, 0, 0};
    for (int v = 0; v < total; ++v) {
        count[side[v]]++;
    }
    return count[TN_SIDE_NEAR] > 0 && count[TN_SIDE_FAR] > 0;
}

// The finest level, the others, of which each has half of the rows and at most all of the neighbours of the one before,
// and scratch.
size_t tn_bisection_work(int n_rows, int n_blocks)
{
    return (size_t)n_rows * (2 + 2 * PER_ROW + SCRATCH + 2) + 7 * (size_t)n_blocks + PER_ROW * LEVELS;
}
