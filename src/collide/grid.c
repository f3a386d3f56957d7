// Every box is listed once, in its cell (cells.h); the list is sorted by cell. A box looks for partners among its own
// level's boxes that come after it in the list, and among all boxes of the coarser levels: so each pair is found once,
// by its finer box; where only pairs of some are sought, these look everywhere. A box of a level is at most a cell
// wide, so what overlaps a given box has its centre within half a cell of it.
#include "collide/grid.h"

#include "base/team.h"
#include "collide/cells.h"

#include <math.h>
#include <string.h>

enum { GATHERED = 64 }; // boxes that overlap one before they are judged

typedef double pair_of_doubles __attribute__((vector_size(16)));
typedef int64_t pair_of_masks __attribute__((vector_size(16)));

// One box in the list: all that a pair is judged by, in one cache line.
typedef struct item {
    double ends[6]; // high, then -low
    int surface, body, material;
    unsigned char motion; // tn_side_motion
    bool sought;
    bool is_ball; // the box is that of a sphere, grown alike on all sides
    unsigned char level;
} item;

typedef struct grid {
    const tn_model *model;
    tn_cells cells;
    int n;       // items
    item *items; // (n) by cell
    int *start;  // (cells.n_cells + 1) first item of each cell
    bool all;    // pairs are sought
} grid;

// Cells along one axis: count of them from first, modulo the torus.
typedef struct span {
    int first, count;
} span;

static span span_of(const tn_cell_level *level, const tn_bounds *box, int axis)
{
    double half = 0.5 * level->side;
    int64_t low = tn_cell_floor((box->low[axis] - half) * level->inverse);
    int64_t high = tn_cell_floor((box->high[axis] + half) * level->inverse);
    if (high - low >= level->mask[axis]) {
        return (span){0, level->mask[axis] + 1};
    }
    return (span){(int)(low & level->mask[axis]), (int)(high - low) + 1};
}

static tn_bounds box_of(const item *i)
{
    const double *e = i->ends;
    return (tn_bounds){.low = {-e[3], -e[4], -e[5]}, .high = {e[0], e[1], e[2]}};
}

static pair_of_doubles load(const double *two)
{
    pair_of_doubles v;
    memcpy(&v, two, sizeof v);
    return v;
}

// Two boxes overlap where (low, -high) of one is nowhere above (high, -low) of the other. All six at once and without
// branches, for hits and misses come at random.
static bool overlap(const pair_of_doubles own[3], const item *other)
{
    const double *ends = other->ends;
    pair_of_masks below = (pair_of_masks)(own[0] <= load(ends)) & (pair_of_masks)(own[1] <= load(ends + 2)) &
                          (pair_of_masks)(own[2] <= load(ends + 4));
    return (below[0] & below[1]) != 0; // -1 or 0 each
}

// Two balls whose boxes overlap: the balls in the boxes do not, beyond any rounding. More than half of such pairs.
static bool balls_apart(const item *a, const item *b)
{
    if (!a->is_ball || !b->is_ball) {
        return false;
    }
    const double *p = a->ends, *q = b->ends;
    double reach = 0.5 * (p[0] + p[3] + q[0] + q[3]), square = 0.0, size = 0.0;
    for (int i = 0; i < 3; ++i) {
        double d = 0.5 * ((p[i] - p[3 + i]) - (q[i] - q[3 + i]));
        square += d * d;
        size += fabs(p[i]) + fabs(q[i]);
    }
    reach += 1e-12 * reach + 1e-14 * size;
    return square > reach * reach;
}

static bool wanted(const tn_model *model, const item *a, const item *b)
{
    bool ordered = a->surface < b->surface;
    size_t row = (size_t)(ordered ? a : b)->material, column = (size_t)(ordered ? b : a)->material;
    return tn_motions_meet(a->motion, b->motion) && a->body != b->body &&
           model->surfaces[row * (size_t)model->n_materials + column].collide &&
           !tn_model_joined(model, a->body, b->body);
}

// A box that looks for partners. Those whose boxes overlap are gathered first and judged later: whether they do comes
// at random, and a branch on it would be guessed wrong more often than not.
typedef struct seeker {
    const item *own;
    pair_of_doubles starts[3]; // low, then -high
    int among_sought;          // of the sought items, from this number on
    tn_pair_sink *sink;
    int n;
    int near[GATHERED]; // (n) items
} seeker;

static void seek_for(seeker *s, const item *own, tn_pair_sink *sink)
{
    const double *e = own->ends;
    const pair_of_doubles starts[3] = {{-e[3], -e[4]}, {-e[5], -e[0]}, {-e[1], -e[2]}};
    memcpy(s->starts, starts, sizeof starts);
    s->own = own;
    s->among_sought = 0;
    s->sink = sink;
    s->n = 0;
}

// The pairs among those gathered.
static void judge(const grid *g, seeker *s)
{
    int n = 0;
    for (int k = 0; k < s->n; ++k) {
        s->near[n] = s->near[k];
        n += !balls_apart(s->own, g->items + s->near[k]);
    }
    for (int k = 0; k < n; ++k) {
        const item *other = g->items + s->near[k];
        if (!(other->sought && s->near[k] < s->among_sought) && wanted(g->model, s->own, other)) {
            tn_pair_sink_add(s->sink, s->own->surface, other->surface);
        }
    }
    s->n = 0;
}

// With the items from number j up to end.
static inline void meet(const grid *g, seeker *s, int j, int end)
{
    while (j < end) {
        int stop = end - j > GATHERED - s->n ? j + GATHERED - s->n : end, n = s->n;
        for (; j < stop; ++j) {
            s->near[n] = j;
            n += overlap(s->starts, g->items + j);
        }
        s->n = n;
        if (n == GATHERED) {
            judge(g, s);
        }
    }
}

// With the level's items from number `from` on.
static void meet_level(const grid *g, seeker *s, const tn_cell_level *level, int from)
{
    if ((level->mask[0] | level->mask[1] | level->mask[2]) == 0) { // few boxes lie in one cell
        const int *start = g->start + level->first;
        meet(g, s, start[0] > from ? start[0] : from, start[1]);
        return;
    }
    const tn_bounds box = box_of(s->own);
    span x = span_of(level, &box, 0), y = span_of(level, &box, 1), z = span_of(level, &box, 2);
    int split = x.first + x.count - (level->mask[0] + 1); // cells beyond the end of a row go on at its beginning
    int last = split > 0 ? level->mask[0] + 1 : x.first + x.count;
    for (int kz = 0; kz < z.count; ++kz) {
        const int *layer = g->start + level->first + (((z.first + kz) & level->mask[2]) << level->shift[2]);
        for (int ky = 0; ky < y.count; ++ky) {
            const int *start = layer + (((y.first + ky) & level->mask[1]) << level->shift[1]);
            meet(g, s, start[x.first] > from ? start[x.first] : from, start[last]);
            if (split > 0) {
                meet(g, s, start[0] > from ? start[0] : from, start[split]);
            }
        }
    }
}

// A sought box with all others, but for the sought ones before it in the list, which have found it.
static void meet_everywhere(const grid *g, int i, tn_pair_sink *sink)
{
    seeker s;
    seek_for(&s, g->items + i, sink);
    s.among_sought = i;
    for (int l = 0; l <= g->cells.top && g->items[i].sought; ++l) {
        if (g->cells.level[l].n_boxes > 0) {
            meet_level(g, &s, g->cells.level + l, 0);
        }
    }
    judge(g, &s);
}

static void meet_one(const grid *g, int i, tn_pair_sink *sink)
{
    if (!g->all) {
        meet_everywhere(g, i, sink);
        return;
    }
    int own = g->items[i].level;
    seeker s;
    seek_for(&s, g->items + i, sink);
    meet_level(g, &s, g->cells.level + own, i + 1);
    for (int l = own + 1; l <= g->cells.top; ++l) {
        if (g->cells.level[l].n_boxes > 0) {
            meet_level(g, &s, g->cells.level + l, 0);
        }
    }
    judge(g, &s);
}

typedef struct meeting {
    const grid *g;
    tn_pair_sink *sinks;
} meeting;

static void meet_some(const void *context, int first, int end, int thread)
{
    const meeting *m = context;
    for (int i = first; i < end; ++i) {
        meet_one(m->g, i, m->sinks + thread);
    }
}

static void meet_all(const grid *g, int n_threads, tn_pair_sink *sinks)
{
    tn_team_share(n_threads, g->n, 256, meet_some, &(meeting){g, sinks});
}

static item item_of(const tn_broad_input *input, int surface, int level)
{
    const tn_bounds *b = input->bounds + surface;
    return (item){.ends = {b->high[0], b->high[1], b->high[2], -b->low[0], -b->low[1], -b->low[2]},
                  .surface = surface,
                  .body = tn_side_body(input->model, surface),
                  .material = tn_side_material(input->model, surface),
                  .motion = (unsigned char)tn_side_motion(input->model, surface),
                  .sought = input->sought && input->sought[surface],
                  .is_ball = input->has_balls && surface < input->model->n_shapes &&
                             tn_shape_is_sphere(&input->model->shapes[surface].shape),
                  .level = (unsigned char)level};
}

typedef struct listing {
    const grid *g;
    const tn_broad_input *input;
    const int *ids;
    const signed char *level_of;
    int *place; // of each box its cell, then its item; -1: none
} listing;

static void find_cells(const void *context, int first, int end, int thread)
{
    const listing *l = context;
    for (int k = first; k < end; ++k) {
        l->place[k] =
            l->level_of[k] < 0 ? -1 : tn_cell_of(l->g->cells.level + l->level_of[k], l->input->bounds + l->ids[k]);
    }
}

static void put_items(const void *context, int first, int end, int thread)
{
    const listing *l = context;
    for (int k = first; k < end; ++k) {
        if (l->place[k] >= 0) {
            l->g->items[l->place[k]] = item_of(l->input, l->ids[k], l->level_of[k]);
        }
    }
}

// The items by cell: a counting sort. The boxes without a cell go to rest. place (n): scratch.
static void list_boxes(grid *g, const tn_broad_input *input, int n, const int *ids, const signed char *level_of,
                       int *place, tn_grid_rest *rest)
{
    enum { PIECE = 512 };
    const listing l = {.g = g, .input = input, .ids = ids, .level_of = level_of, .place = place};
    tn_team_share(input->n_threads, n, PIECE, find_cells, &l);
    for (int k = 0; k < n; ++k) {
        if (place[k] < 0) {
            rest->ids[rest->n++] = ids[k];
        } else {
            g->start[place[k]]++;
        }
    }
    int sum = 0;
    for (int c = 0; c <= g->cells.n_cells; ++c) {
        sum += g->start[c];
        g->start[c] = sum; // the end of cell c
    }
    for (int k = n - 1; k >= 0; --k) {
        if (place[k] >= 0) {
            place[k] = --g->start[place[k]]; // in the end its start
        }
    }
    tn_team_share(input->n_threads, n, PIECE, put_items, &l);
    g->n = n - rest->n;
}

tn_status tn_grid_pairs(const tn_broad_input *input, int n, const int *ids, tn_pair_sink *sinks, tn_arena *arena,
                        tn_grid_rest *rest, tn_error *error)
{
    grid g = {.model = input->model, .all = !input->sought};
    signed char *level_of = TN_PUSH_RAW(arena, signed char, n);
    int *place = TN_PUSH_RAW(arena, int, n);
    *rest = (tn_grid_rest){.ids = TN_PUSH_RAW(arena, int, n)};
    g.items = TN_PUSH_RAW(arena, item, n);
    if (level_of) {
        tn_cells_choose(&g.cells, input->bounds, n, ids, input->n_threads, level_of);
    }
    g.start = TN_PUSH(arena, int, g.cells.n_cells + 1);
    if (!level_of || !place || !rest->ids || !g.items || !g.start) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the cells of %d surfaces", n);
    }
    list_boxes(&g, input, n, ids, level_of, place, rest);
    meet_all(&g, input->n_threads, sinks);
    return TN_OK;
}
