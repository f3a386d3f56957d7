// Every box is listed once, in its cell (cells.h); the list is sorted by cell. A box looks for partners among its own
// level's boxes that come after it in the list, and among all boxes of the coarser levels: so each pair is found once,
// by its finer box. A box of a level is at most a cell wide, so what overlaps a given box has its centre within half a
// cell of it.
#include "collide/grid.h"

#include "collide/cells.h"

#include <math.h>
#include <omp.h>

// One box in the list: all that a pair is judged by, in one cache line.
typedef struct item {
    tn_bounds box;
    int surface, body, material;
    bool moves;
    signed char level;
} item;

typedef struct grid {
    const tn_model *model;
    tn_cells cells;
    int n;       // items
    item *items; // (n) by cell
    int *start;  // (cells.n_cells + 1) first item of each cell
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

// No branches: hits and misses come at random.
static bool overlap(const tn_bounds *a, const tn_bounds *b)
{
    return (a->low[0] <= b->high[0]) & (b->low[0] <= a->high[0]) & (a->low[1] <= b->high[1]) &
           (b->low[1] <= a->high[1]) & (a->low[2] <= b->high[2]) & (b->low[2] <= a->high[2]);
}

static bool wanted(const tn_model *model, const item *a, const item *b)
{
    bool ordered = a->surface < b->surface;
    size_t row = (size_t)(ordered ? a : b)->material, column = (size_t)(ordered ? b : a)->material;
    return (a->moves || b->moves) && a->body != b->body &&
           model->surfaces[row * (size_t)model->n_materials + column].collide;
}

// Item i with those from j up to end.
static void meet(const grid *g, int i, int j, int end, tn_pair_sink *sink)
{
    const item *own = g->items + i;
    for (; j < end; ++j) {
        const item *other = g->items + j;
        if (overlap(&own->box, &other->box) && wanted(g->model, own, other)) {
            tn_pair_sink_add(sink, own->surface, other->surface);
        }
    }
}

// Item i with the level's items from number `from` on.
static void meet_level(const grid *g, int i, const tn_cell_level *level, int from, tn_pair_sink *sink)
{
    const tn_bounds *box = &g->items[i].box;
    span x = span_of(level, box, 0), y = span_of(level, box, 1), z = span_of(level, box, 2);
    int split = x.first + x.count - (level->mask[0] + 1); // cells beyond the end of a row go on at its beginning
    for (int kz = 0; kz < z.count; ++kz) {
        for (int ky = 0; ky < y.count; ++ky) {
            int row = level->first + (((y.first + ky) & level->mask[1]) << level->shift[1]) +
                      (((z.first + kz) & level->mask[2]) << level->shift[2]);
            const int *start = g->start + row;
            int end = start[split > 0 ? level->mask[0] + 1 : x.first + x.count];
            int first = start[x.first];
            meet(g, i, first > from ? first : from, end, sink);
            if (split > 0) {
                meet(g, i, start[0] > from ? start[0] : from, start[split], sink);
            }
        }
    }
}

static void meet_all(const grid *g, int n_threads, tn_pair_sink *sinks)
{
#pragma omp parallel for schedule(dynamic, 256) num_threads(n_threads)
    for (int i = 0; i < g->n; ++i) {
        tn_pair_sink *sink = sinks + omp_get_thread_num();
        int own = g->items[i].level;
        meet_level(g, i, g->cells.level + own, i + 1, sink);
        for (int l = own + 1; l < TN_CELL_LEVELS; ++l) {
            if (g->cells.level[l].n_boxes > 0) {
                meet_level(g, i, g->cells.level + l, 0, sink);
            }
        }
    }
}

static item item_of(const tn_broad_input *input, int surface, int level)
{
    return (item){.box = input->bounds[surface],
                  .surface = surface,
                  .body = tn_side_body(input->model, surface),
                  .material = tn_side_material(input->model, surface),
                  .moves = tn_side_moves(input->model, surface),
                  .level = (signed char)level};
}

// The items by cell: a counting sort. The boxes without a cell go to rest. cell (n): scratch.
static void list_boxes(grid *g, const tn_broad_input *input, int n, const int *ids, const signed char *level_of,
                       int *cell, tn_grid_rest *rest)
{
    for (int k = 0; k < n; ++k) {
        if (level_of[k] < 0) {
            rest->ids[rest->n++] = ids[k];
            continue;
        }
        cell[k] = tn_cell_of(g->cells.level + level_of[k], input->bounds + ids[k]);
        g->start[cell[k]]++;
    }
    int sum = 0;
    for (int c = 0; c <= g->cells.n_cells; ++c) {
        sum += g->start[c];
        g->start[c] = sum; // the end of cell c
    }
    for (int k = n - 1; k >= 0; --k) {
        if (level_of[k] >= 0) {
            g->items[--g->start[cell[k]]] = item_of(input, ids[k], level_of[k]); // in the end its start
        }
    }
    g->n = n - rest->n;
}

tn_status tn_grid_pairs(const tn_broad_input *input, int n, const int *ids, tn_pair_sink *sinks, tn_arena *arena,
                        tn_grid_rest *rest, tn_error *error)
{
    grid g = {.model = input->model};
    signed char *level_of = TN_PUSH_RAW(arena, signed char, n);
    int *cell = TN_PUSH_RAW(arena, int, n);
    *rest = (tn_grid_rest){.ids = TN_PUSH_RAW(arena, int, n)};
    g.items = TN_PUSH_RAW(arena, item, n);
    if (level_of) {
        tn_cells_choose(&g.cells, input->bounds, n, ids, level_of);
    }
    g.start = TN_PUSH(arena, int, g.cells.n_cells + 1);
    if (!level_of || !cell || !rest->ids || !g.items || !g.start) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the cells of %d surfaces", n);
    }
    list_boxes(&g, input, n, ids, level_of, cell, rest);
    meet_all(&g, input->n_threads, sinks);
    return TN_OK;
}
