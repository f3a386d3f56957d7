// A tree of boxes: bodies halved along the longest extent of their middles until each is alone, then its pieces
// likewise, so that every body has a node of its own.
#include "query/query.h"

typedef struct item {
    tn_box box;
    int id; // body or piece
} item;

static void join(tn_box *into, const tn_box *box)
{
    for (int k = 0; k < 3; k++) {
        into->low[k] = box->low[k] < into->low[k] ? box->low[k] : into->low[k];
        into->high[k] = box->high[k] > into->high[k] ? box->high[k] : into->high[k];
    }
}

static tn_box box_of(int n, const item *items)
{
    tn_box box = items[0].box;
    for (int i = 1; i < n; i++) {
        join(&box, &items[i].box);
    }
    return box;
}

static double middle(const item *i, int axis)
{
    return i->box.low[axis] + i->box.high[axis]; // twice
}

static int longest_axis(int n, const item *items)
{
    double longest = -1.0;
    int axis = 0;
    for (int k = 0; k < 3; k++) {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < n; i++) {
            double x = middle(&items[i], k);
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        axis = high - low > longest ? k : axis;
        longest = high - low > longest ? high - low : longest;
    }
    return axis;
}

static bool before(const item *a, const item *b, int axis)
{
    double x = middle(a, axis), y = middle(b, axis);
    return x < y || (x == y && a->id < b->id);
}

// Hoare's selection: the `half` items that come first stand first.
static void halve(int n, item *items, int half, int axis)
{
    int low = 0, high = n - 1;
    while (low < high) {
        item pivot = items[(low + high) / 2];
        int i = low - 1, j = high + 1;
        for (;;) {
            do {
                i++;
            } while (before(&items[i], &pivot, axis));
            do {
                j--;
            } while (before(&pivot, &items[j], axis));
            if (i >= j) {
                break;
            }
            item kept = items[i];
            items[i] = items[j];
            items[j] = kept;
        }
        if (half - 1 <= j) {
            high = j;
        } else {
            low = j + 1;
        }
    }
}

typedef struct builder {
    tn_query *query;
    item *piece; // (n_pieces) scratch: those of each body at their own numbers
} builder;

static void build(builder *b, int node, int n, item *items, bool bodies);

// The body's pieces at the node.
static void build_body(builder *b, int node, int body)
{
    int first, end, n = 0;
    tn_query_pieces(b->query->model, body, &first, &end);
    for (int p = first; p < end; p++) {
        if (isfinite(b->query->box[p].low[0])) {
            b->piece[first + n++] = (item){b->query->box[p], p};
        }
    }
    b->query->root[body] = node;
    build(b, node, n, b->piece + first, false);
}

static void build(builder *b, int node, int n, item *items, bool bodies)
{
    tn_query *query = b->query;
    if (n == 1 && bodies) {
        build_body(b, node, items->id);
        return;
    }
    query->node[node].box = box_of(n, items);
    if (n == 1) {
        query->node[node].first = ~items->id;
        return;
    }
    int first = query->n_nodes, half = n / 2;
    query->n_nodes += 2;
    query->node[node].first = first;
    halve(n, items, half, longest_axis(n, items));
    build(b, first, half, items, bodies);
    build(b, first + 1, n - half, items + half, bodies);
}

// Bodies that have pieces with boxes.
static int list_bodies(const tn_query *query, item *bodies)
{
    const tn_model *model = query->model;
    int n = 0;
    for (int b = 0; b < model->n_bodies + model->n_softs; b++) {
        int first, end;
        bool any = false;
        tn_query_pieces(model, b, &first, &end);
        query->root[b] = -1;
        for (int p = first; p < end; p++) {
            const tn_box *box = &query->box[p];
            if (isfinite(box->low[0]) && !any) {
                bodies[n] = (item){*box, b};
                any = true;
            } else if (isfinite(box->low[0])) {
                join(&bodies[n].box, box);
            }
        }
        n += any;
    }
    return n;
}

bool tn_query_build(tn_query *query)
{
    size_t n_bodies = (size_t)query->model->n_bodies + (size_t)query->model->n_softs,
           n_pieces = (size_t)query->n_pieces;
    query->node = TN_PUSH_RAW(query->arena, tn_query_node, 2 * n_pieces + 1);
    query->root = TN_PUSH_RAW(query->arena, int, n_bodies);
    tn_arena_mark mark = tn_arena_get_mark(query->arena);
    builder b = {query, TN_PUSH_RAW(query->arena, item, n_pieces)};
    item *bodies = TN_PUSH_RAW(query->arena, item, n_bodies);
    query->n_nodes = 0;
    bool ok = query->node && query->root && b.piece && bodies;
    int n = ok ? list_bodies(query, bodies) : 0;
    if (n > 0) {
        query->n_nodes = 1;
        build(&b, 0, n, bodies, true);
    }
    tn_arena_release(query->arena, mark);
    return ok;
}

double tn_box_gap(const tn_box *a, const tn_box *b)
{
    double square = 0.0;
    for (int k = 0; k < 3; k++) {
        double gap = fmax(0.0, fmax(a->low[k] - b->high[k], b->low[k] - a->high[k]));
        square += gap * gap;
    }
    return sqrt(square);
}
