#include "math/dissection.h"

#include "math/separator.h"

#include <stdbool.h>
#include <string.h>

enum { LEAF = 400, SEARCHES = 3, STARTS = 6 }; // rows of a piece that is left alone; searches for the far end
static const double BALANCE = 0.3;             // least share of a side
static const double EVEN = 0.4;  // share that a smaller separator leaves each side, where the first one did
static const double DENSE = 4.0; // blocks of a row over the mean, above which it is eliminated last: a rigid body in
                                 // contact with many nodes would bring them all next to each other

typedef struct dissection {
    const tn_blocks *A;
    int *rank;
    int *row;   // (n) rows, those of a piece one after the other
    int *piece; // (n) number of each row's piece, -1: separator
    int *level; // (n) distance from the search's start, -1: not seen
    int *queue; // (n)
    int *side;  // (n) while a piece is cut, else -1
    int *best;  // (n) sides of the best separator
    int *work;  // (6 n)
    int n_pieces;
} dissection;

// Levels of the piece that start is in; returns how many rows were reached, *last is one of the farthest.
static int search(dissection *s, int first, int n, int start, int *last)
{
    for (int i = first; i < first + n; i++) {
        s->level[s->row[i]] = -1;
    }
    int head = 0, tail = 0, own = s->piece[start];
    s->queue[tail++] = start;
    s->level[start] = 0;
    while (head < tail) {
        int i = s->queue[head++];
        for (int k = s->A->start[i]; k < s->A->start[i + 1]; k++) {
            int j = s->A->column[k];
            if (s->piece[j] == own && s->level[j] < 0) {
                s->level[j] = s->level[i] + 1;
                s->queue[tail++] = j;
            }
        }
    }
    *last = s->queue[tail - 1];
    return tail;
}

// The thinnest level that leaves enough on both sides, or -1. The queue holds the rows by level.
static int thinnest_level(const dissection *s, int n)
{
    int best = -1, best_count = n, begin = 0;
    while (begin < n) {
        int level = s->level[s->queue[begin]], end = begin;
        while (end < n && s->level[s->queue[end]] == level) {
            end++;
        }
        int count = end - begin, smaller = begin < n - end ? begin : n - end;
        if (count < best_count && smaller >= BALANCE * (n - count)) {
            best = level;
            best_count = count;
        }
        begin = end;
    }
    return best;
}

static bool touches(const dissection *s, int row, int own, int level)
{
    for (int k = s->A->start[row]; k < s->A->start[row + 1]; k++) {
        int j = s->A->column[k];
        if (s->piece[j] == own && s->level[j] == level) {
            return true;
        }
    }
    return false;
}

// Sides by the levels of the search at hand, made better. Returns the separator's rows.
static int cut_and_refine(dissection *s, int own, int n, int cut)
{
    int n_side[3] = {0, 0, 0};
    for (int i = 0; i < n; i++) {
        int row = s->queue[i], level = s->level[row];
        // Rows of the cut level without a neighbour beyond it start on the near side.
        bool separates = level == cut && touches(s, row, own, cut + 1);
        s->side[row] = separates ? TN_SIDE_SEPARATOR : level <= cut ? TN_SIDE_NEAR : TN_SIDE_FAR;
        n_side[s->side[row]]++;
    }
    int smaller = n_side[0] < n_side[1] ? n_side[0] : n_side[1];
    int least = smaller < EVEN * n ? smaller : (int)(EVEN * n);
    return tn_separator_refine(s->A, n, s->queue, least, s->side, s->work);
}

// Sides of rows first..first+n-1, a connected piece, into s->best: from its far end, then from rows inside. False: no
// cut leaves enough on both sides.
static bool find_separator(dissection *s, int first, int n)
{
    int own = s->piece[s->row[first]], fewest = n, last = s->row[first];
    for (int k = 0; k < SEARCHES; k++) {
        search(s, first, n, last, &last);
    }
    for (int k = 0; k <= STARTS; k++) {
        int ignored, cut;
        if (k > 0) {
            search(s, first, n, s->row[first + (int)((long long)n * (k - 1) / STARTS)], &ignored);
        }
        cut = thinnest_level(s, n);
        int count = cut < 0 ? n : cut_and_refine(s, own, n, cut);
        if (count < fewest) {
            fewest = count;
            for (int i = 0; i < n; i++) {
                s->best[s->queue[i]] = s->side[s->queue[i]];
            }
        }
        for (int i = 0; i < n; i++) {
            s->side[s->queue[i]] = -1;
        }
    }
    return fewest < n;
}

// Rows first..first+n-1 into a near and a far piece, one after the other, and the separator, which drops out. Returns
// the near side's size; *n_far is the other's.
static int part(dissection *s, int first, int n, int depth, int *n_far)
{
    int near = s->n_pieces, far = s->n_pieces + 1, n_near = 0;
    s->n_pieces += 2;
    *n_far = 0;
    for (int i = 0; i < n; i++) {
        int row = s->queue[i];
        if (s->best[row] == TN_SIDE_NEAR) {
            s->piece[row] = near;
            s->row[first + n_near++] = row;
        } else if (s->best[row] == TN_SIDE_SEPARATOR) {
            s->rank[row] = TN_DISSECTION_DEPTH - depth;
            s->piece[row] = -1;
        }
    }
    for (int i = 0; i < n; i++) {
        int row = s->queue[i];
        if (s->best[row] == TN_SIDE_FAR) {
            s->piece[row] = far;
            s->row[first + n_near + (*n_far)++] = row;
        }
    }
    return n_near;
}

// A graph in several parts: the part of the search becomes a piece, the rest another.
static void set_apart(dissection *s, int first, int n, int reached)
{
    int rest = s->n_pieces++, used = reached;
    for (int i = 0; i < n; i++) {
        int row = s->row[first + i];
        if (s->level[row] < 0) {
            s->piece[row] = rest;
            s->queue[used++] = row;
        }
    }
    memcpy(s->row + first, s->queue, (size_t)n * sizeof *s->row);
}

static void dissect(dissection *s, int first, int n, int depth)
{
    while (n > LEAF && depth < TN_DISSECTION_DEPTH) {
        int last, reached = search(s, first, n, s->row[first], &last);
        if (reached < n) {
            set_apart(s, first, n, reached);
            dissect(s, first, reached, depth);
            first += reached;
            n -= reached;
            continue;
        }
        if (!find_separator(s, first, n)) {
            return;
        }
        int n_far, n_near = part(s, first, n, depth, &n_far);
        depth++;
        dissect(s, first, n_near, depth);
        first += n_near;
        n = n_far;
    }
}

void tn_dissection_rank(const tn_blocks *A, int *rank, int *work)
{
    int n = A->n_rows, n_thin = 0;
    dissection s = {.A = A, .rank = rank, .row = work, .piece = work + n, .level = work + 2 * n, .queue = work + 3 * n};
    s.side = work + 4 * n;
    s.best = work + 5 * n;
    s.work = work + 6 * n;
    s.n_pieces = 1;
    for (int i = 0; i < n; i++) {
        bool dense = (double)(A->start[i + 1] - A->start[i]) * n > DENSE * A->start[n];
        rank[i] = dense ? TN_DISSECTION_DEPTH : 0;
        s.side[i] = -1;
        s.piece[i] = dense ? -1 : 0;
        if (!dense) {
            s.row[n_thin++] = i;
        }
    }
    dissect(&s, 0, n_thin, 1);
}
