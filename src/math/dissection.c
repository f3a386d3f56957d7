#include "math/dissection.h"

#include "math/bisection.h"

#include <stdbool.h>
#include <string.h>

enum { LEAF = 100 };             // rows of a piece that is left alone
static const double DENSE = 4.0; // blocks of a row over the mean, above which it is eliminated last: a rigid body in
                                 // contact with many nodes would bring them all next to each other

typedef struct dissection {
    const tn_blocks *A;
    int *rank;
    int *row;   // (n) rows, those of a piece one after the other
    int *piece; // (n) number of each row's piece, -1: separator
    int *place; // (n) of each row in its piece while that is cut; -1: not seen
    int *queue; // (n)
    int *side;  // (n) of the queue's rows
    int *start; // (n + 1) the piece's own graph
    int *work;  // column (blocks of A), then tn_bisect's
    int n_pieces;
} dissection;

// Rows of the piece that hang together with its first one, into the queue; returns their number.
static int search(dissection *s, int first, int n)
{
    for (int i = first; i < first + n; i++) {
        s->place[s->row[i]] = -1;
    }
    int head = 0, tail = 0, own = s->piece[s->row[first]];
    s->place[s->row[first]] = tail;
    s->queue[tail++] = s->row[first];
    while (head < tail) {
        int i = s->queue[head++];
        for (int k = s->A->start[i]; k < s->A->start[i + 1]; k++) {
            int j = s->A->column[k];
            if (s->piece[j] == own && s->place[j] < 0) {
                s->place[j] = tail;
                s->queue[tail++] = j;
            }
        }
    }
    return tail;
}

// Sides of the queue's n rows, a connected piece. False: it cannot be cut.
static bool find_separator(dissection *s, int n)
{
    tn_blocks own = {.n_rows = n, .n_cols = n, .start = s->start, .column = s->work};
    int used = 0, piece = s->piece[s->queue[0]];
    for (int p = 0; p < n; p++) {
        int i = s->queue[p];
        own.start[p] = used;
        for (int k = s->A->start[i]; k < s->A->start[i + 1]; k++) {
            int j = s->A->column[k];
            if (j != i && s->piece[j] == piece) {
                own.column[used++] = s->place[j];
            }
        }
    }
    own.start[n] = used;
    return tn_bisect(&own, s->side, s->work + used);
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
        if (s->side[i] == TN_SIDE_NEAR) {
            s->piece[row] = near;
            s->row[first + n_near++] = row;
        } else if (s->side[i] == TN_SIDE_SEPARATOR) {
            s->rank[row] = TN_DISSECTION_DEPTH - depth;
            s->piece[row] = -1;
        }
    }
    for (int i = 0; i < n; i++) {
        int row = s->queue[i];
        if (s->side[i] == TN_SIDE_FAR) {
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
        if (s->place[row] < 0) {
            s->piece[row] = rest;
            s->queue[used++] = row;
        }
    }
    memcpy(s->row + first, s->queue, (size_t)n * sizeof *s->row);
}

static void dissect(dissection *s, int first, int n, int depth)
{
    while (n > LEAF && depth < TN_DISSECTION_DEPTH) {
        int reached = search(s, first, n);
        if (reached < n) {
            set_apart(s, first, n, reached);
            dissect(s, first, reached, depth);
            first += reached;
            n -= reached;
            continue;
        }
        if (!find_separator(s, n)) {
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
    dissection s = {.A = A, .rank = rank, .row = work, .piece = work + n, .place = work + 2 * n, .queue = work + 3 * n};
    s.side = work + 4 * n;
    s.start = work + 5 * n;
    s.work = s.start + n + 1;
    s.n_pieces = 1;
    for (int i = 0; i < n; i++) {
        bool dense = (double)(A->start[i + 1] - A->start[i]) * n > DENSE * A->start[n];
        rank[i] = dense ? TN_DISSECTION_DEPTH : 0;
        s.piece[i] = dense ? -1 : 0;
        if (!dense) {
            s.row[n_thin++] = i;
        }
    }
    dissect(&s, 0, n_thin, 1);
}

size_t tn_dissection_work(const tn_blocks *A)
{
    int n = A->n_rows, n_blocks = n > 0 ? A->start[n] : 0;
    return 6 * (size_t)n + 1 + (size_t)n_blocks + tn_bisection_work(n, n_blocks);
}
