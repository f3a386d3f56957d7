#include "math/separator.h"

#include <stdbool.h>

enum { PASSES = 8, PATIENCE = 60 }; // moves in vain that end a pass, and a quarter of the separator's rows besides

typedef struct refinement {
    const tn_blocks *A;
    int *side;
    int *list;    // (count of the separator) its rows
    int *place;   // (n_rows) of a row in list
    int *pull[2]; // (n_rows) neighbours on either side, of rows in the separator
    int *moved;   // (n_rows) in this pass
    int *log;     // (n_rows) rows that changed sides, 3 row + the side before
    int n_log;
    int count[3];
    int least;
} refinement;

static void leave_list(refinement *s, int v)
{
    int last = s->list[s->count[TN_SIDE_SEPARATOR] - 1];
    s->list[s->place[v]] = last;
    s->place[last] = s->place[v];
}

static void count_neighbours(refinement *s, int v)
{
    s->pull[0][v] = s->pull[1][v] = 0;
    for (int k = s->A->start[v]; k < s->A->start[v + 1]; ++k) {
        int side = s->side[s->A->column[k]];
        if (side == TN_SIDE_NEAR || side == TN_SIDE_FAR) {
            s->pull[side][v]++;
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
    s->count[from]--;
    s->side[v] = to;
    if (to == TN_SIDE_SEPARATOR) {
        s->place[v] = s->count[to];
        s->list[s->count[to]] = v;
        count_neighbours(s, v);
    }
    s->count[to]++;
    for (int k = s->A->start[v]; k < s->A->start[v + 1]; ++k) {
        int w = s->A->column[k];
        if (w != v && s->side[w] == TN_SIDE_SEPARATOR) {
            s->pull[0][w] += (to == 0) - (from == 0);
            s->pull[1][w] += (to == 1) - (from == 1);
        }
    }
}

static void put_logged(refinement *s, int v, int to)
{
    s->log[s->n_log++] = 3 * v + s->side[v];
    put(s, v, to);
}

// The row whose move pulls the fewest others in, and its side, the smaller one where two are as good. False: none may
// move.
static bool choose(const refinement *s, int *row, int *to)
{
    int best = 1 << 30;
    bool found = false;
    for (int i = 0; i < s->count[TN_SIDE_SEPARATOR]; ++i) {
        int v = s->list[i];
        for (int side = 0; side < 2 && !s->moved[v]; ++side) {
            int pulled = s->pull[1 - side][v];
            bool grows_smaller = s->count[side] <= s->count[1 - side];
            int cost = 2 * pulled + (grows_smaller ? 0 : 1);
            if (cost < best && (s->count[1 - side] - pulled >= s->least || (grows_smaller && pulled == 0))) {
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
static bool has_room(const refinement *s, int n, int v)
{
    return s->n_log + 1 + s->A->start[v + 1] - s->A->start[v] <= n;
}

static bool pass(refinement *s, int n, const int *row)
{
    s->n_log = 0;
    for (int i = 0; i < n; ++i) {
        s->moved[row[i]] = 0;
    }
    int first = s->count[TN_SIDE_SEPARATOR], best = first, kept = 0, vain = 0, v, to;
    while (vain < PATIENCE + best / 4 && choose(s, &v, &to) && has_room(s, n, v)) {
        move(s, v, to);
        ++vain;
        if (s->count[TN_SIDE_SEPARATOR] < best) {
            best = s->count[TN_SIDE_SEPARATOR];
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

int tn_separator_refine(const tn_blocks *A, int n, const int *row, int least, int *side, int *work)
{
    size_t all = (size_t)A->n_rows;
    refinement s = {.A = A, .side = side, .list = work, .place = work + all, .moved = work + 4 * all};
    s.pull[0] = work + 2 * all;
    s.pull[1] = work + 3 * all;
    s.log = work + 5 * all;
    s.least = least;
    for (int i = 0; i < n; ++i) {
        int own = side[row[i]];
        if (own == TN_SIDE_SEPARATOR) {
            s.place[row[i]] = s.count[own];
            s.list[s.count[own]] = row[i];
            count_neighbours(&s, row[i]);
        }
        s.count[own]++;
    }
    for (int k = 0; k < PASSES && pass(&s, n, row); ++k) {
    }
    return s.count[TN_SIDE_SEPARATOR];
}
