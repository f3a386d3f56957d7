#include "math/separator.h"

#include <stdbool.h>
#include <string.h>

enum { PASSES = 8, PATIENCE = 8 }; // moves in vain that end a pass, and two thirds of the separator's rows besides

typedef struct refinement {
    const tn_blocks *A;
    const int *weight;
    int *side;
    int *list;    // (n_list) rows of the separator
    int *place;   // (n_rows) of a row in list
    int *pull[2]; // (n_rows) weight of the neighbours on either side, of rows in the separator
    int *moved;   // (n_rows) in this pass
    int *log;     // (n_rows) rows that changed sides, 3 row + the side before
    int n_list, n_log;
    int sum[3]; // of the sides' weights
    int least;
} refinement;

static void leave_list(refinement *s, int v)
{
    int last = s->list[--s->n_list];
    s->list[s->place[v]] = last;
    s->place[last] = s->place[v];
}

static void count_neighbours(refinement *s, int v)
{
    s->pull[0][v] = s->pull[1][v] = 0;
    for (int k = s->A->start[v]; k < s->A->start[v + 1]; ++k) {
        int side = s->side[s->A->column[k]];
        if (side == TN_SIDE_NEAR || side == TN_SIDE_FAR) {
            s->pull[side][v] += s->weight[s->A->column[k]];
        }
    }
}

// v to another side; pulls of its neighbours in the separator follow.
static void put(refinement *s, int v, int to)
{
    int from = s->side[v];
    if (from == TN_SIDE_SEPARATOR) {
        leave_list(s, v);
    }
    s->sum[from] -= s->weight[v];
    s->sum[to] += s->weight[v];
    s->side[v] = to;
    if (to == TN_SIDE_SEPARATOR) {
        s->place[v] = s->n_list;
        s->list[s->n_list++] = v;
        count_neighbours(s, v);
    }
    for (int k = s->A->start[v]; k < s->A->start[v + 1]; ++k) {
        int w = s->A->column[k];
        if (w != v && s->side[w] == TN_SIDE_SEPARATOR) {
            s->pull[0][w] += s->weight[v] * ((to == 0) - (from == 0));
            s->pull[1][w] += s->weight[v] * ((to == 1) - (from == 1));
        }
    }
}

static void put_logged(refinement *s, int v, int to)
{
    s->log[s->n_log++] = 3 * v + s->side[v];
    put(s, v, to);
}

// The row whose move makes the separator lightest, and its side, the lighter one where two are as good. False: none may
// move.
static bool choose(const refinement *s, int *row, int *to)
{
    int best = 1 << 30;
    bool found = false;
    for (int i = 0; i < s->n_list; ++i) {
        int v = s->list[i];
        for (int side = 0; side < 2 && !s->moved[v]; ++side) {
            int pulled = s->pull[1 - side][v];
            bool grows_smaller = s->sum[side] <= s->sum[1 - side];
            int cost = 2 * (pulled - s->weight[v]) + (grows_smaller ? 0 : 1);
            if (cost < best && (s->sum[1 - side] - pulled >= s->least || (grows_smaller && pulled == 0))) {
                best = cost;
                *row = v;
                *to = side;
                found = true;
            }
        }
    }
    return found;
}

static void move(refinement *s, int v, int to)
{
    s->moved[v] = 1;
    put_logged(s, v, to);
    for (int k = s->A->start[v]; k < s->A->start[v + 1]; ++k) {
        int w = s->A->column[k];
        if (s->side[w] == 1 - to) {
            put_logged(s, w, TN_SIDE_SEPARATOR);
        }
    }
}

// A row moves once, and comes into the separator at most twice.
static bool has_room(const refinement *s, int v)
{
    return s->n_log + 1 + s->A->start[v + 1] - s->A->start[v] <= s->A->n_rows;
}

static bool pass(refinement *s)
{
    s->n_log = 0;
    memset(s->moved, 0, (size_t)s->A->n_rows * sizeof *s->moved);
    int first = s->sum[TN_SIDE_SEPARATOR], best = first, kept = 0, vain = 0, v, to;
    while (vain < PATIENCE + 2 * s->n_list / 3 && choose(s, &v, &to) && has_room(s, v)) {
        move(s, v, to);
        ++vain;
        if (s->sum[TN_SIDE_SEPARATOR] < best) {
            best = s->sum[TN_SIDE_SEPARATOR];
            kept = s->n_log;
            vain = 0;
        }
    }
    while (s->n_log > kept) {
        int entry = s->log[--s->n_log];
        put(s, entry / 3, entry % 3);
    }
    return best < first;
}

int tn_separator_refine(const tn_blocks *A, const int *weight, int least, int *side, int *work)
{
    size_t n = (size_t)A->n_rows;
    refinement s = {.A = A, .weight = weight, .side = side, .list = work, .place = work + n, .least = least};
    s.pull[0] = work + 2 * n;
    s.pull[1] = work + 3 * n;
    s.moved = work + 4 * n;
    s.log = work + 5 * n;
    for (int v = 0; v < A->n_rows; ++v) {
        s.sum[side[v]] += weight[v];
        if (side[v] == TN_SIDE_SEPARATOR) {
            s.place[v] = s.n_list;
            s.list[s.n_list++] = v;
            count_neighbours(&s, v);
        }
    }
    for (int k = 0; k < PASSES && pass(&s); ++k) {
    }
    return s.sum[TN_SIDE_SEPARATOR];
}
