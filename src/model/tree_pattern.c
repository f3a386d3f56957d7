// The pattern of the reduced balance: blocks of links become all blocks of their tree. Kept where soft bodies make it
// large, with the orders of its rows.
#include "base/order.h"
#include "model/compile.h"
#include "model/tree.h"

#include <stdlib.h>
#include <string.h>

// The columns of one reduced row, each once: seen marks them with the row's number.
typedef struct columns {
    const tn_model *model;
    const tn_trees *trees;
    int row, n;
    int *seen, *column; // (trees->n_blocks); column NULL: counted alone
} columns;

static void take(columns *c, int block)
{
    if (c->seen[block] != c->row) {
        c->seen[block] = c->row;
        if (c->column) {
            c->column[c->n] = block;
        }
        c->n++;
    }
}

static void take_tree(columns *c, const tn_tree *tree)
{
    for (int i = 0; i < tree->n_blocks; i++) {
        take(c, tree->block + i);
    }
}

// What a row of A couples.
static void take_row(columns *c, const tn_blocks *A, int row)
{
    const tn_trees *trees = c->trees;
    for (int e = A->start[row]; e < A->start[row + 1]; e++) {
        int l = trees->link_of_block[A->column[e]];
        if (l < 0) {
            take(c, trees->block[A->column[e]]);
        } else {
            take_tree(c, &trees->tree[trees->link[l].tree]);
        }
    }
}

// owner (trees->n_blocks): the tree of each reduced block; -1: none.
static void find_row(columns *c, const tn_blocks *A, const int *owner)
{
    const tn_trees *trees = c->trees;
    if (owner[c->row] < 0) {
        take_row(c, A, trees->source[c->row]);
    } else {
        const tn_tree *tree = &trees->tree[owner[c->row]];
        take_tree(c, tree);
        for (int l = tree->first_link; l < tree->first_link + tree->n_links; l++) {
            const tn_model_body *body = &c->model->bodies[trees->link[l].body];
            for (int i = 0; i < body->n_blocks; i++) {
                take_row(c, A, body->block + i);
            }
        }
    }
    if (c->column) {
        qsort(c->column, (size_t)c->n, sizeof *c->column, tn_order_ints);
    }
}

tn_status tn_trees_pattern(const tn_model *model, const tn_trees *trees, const tn_blocks *A, tn_arena *arena,
                           tn_blocks *out)
{
    int n = trees->n_blocks, *start = TN_PUSH(arena, int, (size_t)n + 1), *owner = TN_PUSH_RAW(arena, int, n);
    columns c = {.model = model, .trees = trees, .seen = TN_PUSH_RAW(arena, int, n)};
    if (!start || !owner || !c.seen) {
        return TN_NO_MEMORY;
    }
    memset(owner, -1, (size_t)n * sizeof *owner);
    for (int t = 0; t < trees->n; t++) {
        for (int i = 0; i < trees->tree[t].n_blocks; i++) {
            owner[trees->tree[t].block + i] = t;
        }
    }
    int *column = NULL;
    for (int pass = 0; pass < 2; pass++) {
        memset(c.seen, -1, (size_t)n * sizeof *c.seen);
        for (c.row = 0; c.row < n; c.row++) {
            c.n = 0;
            c.column = column ? column + start[c.row] : NULL;
            find_row(&c, A, owner);
            start[c.row + 1] = start[c.row] + c.n;
        }
        column = column ? column : TN_PUSH_RAW(arena, int, start[n]);
        if (!column) {
            return TN_NO_MEMORY;
        }
    }
    *out = (tn_blocks){.n_rows = n, .n_cols = n, .start = start, .column = column};
    return TN_OK;
}

tn_status tn_trees_parts(const tn_trees *trees, const tn_blocks *A, tn_arena *arena, tn_parts *out)
{
    tn_parts found;
    bool *full = tn_parts_find(A, arena, &found) == TN_OK ? TN_PUSH(arena, bool, found.n) : NULL;
    for (int t = 0; full && t < trees->n; t++) {
        int part = found.of_block[trees->tree[t].block];
        full[part] = tn_part_size(&found, part) == trees->tree[t].n_blocks;
    }
    return full ? tn_parts_sort(A->n_rows, found.n, found.of_block, full, arena, out) : TN_NO_MEMORY;
}

tn_status tn_trees_keep_pattern(const tn_model *model, tn_trees *trees, tn_arena *arena)
{
    bool done = tn_trees_pattern(model, trees, &model->pattern, arena, &trees->pattern) == TN_OK &&
                tn_trees_parts(trees, &trees->pattern, arena, &trees->parts) == TN_OK &&
                tn_model_find_layout(model, trees, &trees->pattern, &trees->parts, arena, &trees->layout) == TN_OK;
    return done ? TN_OK : TN_NO_MEMORY;
}
