#include "problem/triplets.h"

#include "base/assert.h"

#include <limits.h>
#include <stdint.h>

// Places of the pattern: the first `count` are the triplets, the rest their mirror images.
typedef struct places {
    int count;
    int *row, *column; // block row and column of each place
    int *order;        // places sorted by (row, column), in the order given within one block
} places;

static bool places_fill(places *p, const tn_triplets *t, tn_triplets_shape shape, tn_arena *scratch)
{
    if (t->count > INT_MAX / 2) {
        return false;
    }
    p->count = shape.mirror ? 2 * t->count : t->count;
    p->row = TN_PUSH(scratch, int, p->count);
    p->column = TN_PUSH(scratch, int, p->count);
    p->order = TN_PUSH(scratch, int, p->count);
    if (!p->row || !p->column || !p->order) {
        return false;
    }
    for (int i = 0; i < t->count; ++i) {
        p->row[i] = t->row[i] / shape.row_stride;
        p->column[i] = t->column[i] / shape.column_stride;
        TN_ASSERT(p->row[i] >= 0 && p->row[i] < shape.n_rows);
        TN_ASSERT(p->column[i] >= 0 && p->column[i] < shape.n_cols);
        if (shape.mirror) {
            p->row[t->count + i] = p->column[i];
            p->column[t->count + i] = p->row[i];
        }
        p->order[i] = i;
    }
    for (int i = t->count; i < p->count; ++i) {
        p->order[i] = i;
    }
    return true;
}

// Stable counting sort of order by key (values 0 .. n_keys - 1).
static bool sort_by(int count, int *order, const int *key, int n_keys, tn_arena *scratch)
{
    int *start = TN_PUSH(scratch, int, (size_t)n_keys + 1);
    int *sorted = TN_PUSH(scratch, int, count);
    if (!start || !sorted) {
        return false;
    }
    for (int i = 0; i < count; ++i) {
        start[key[i] + 1]++;
    }
    for (int k = 0; k < n_keys; ++k) {
        start[k + 1] += start[k];
    }
    for (int i = 0; i < count; ++i) {
        sorted[start[key[order[i]]]++] = order[i];
    }
    for (int i = 0; i < count; ++i) {
        order[i] = sorted[i];
    }
    return true;
}

static bool starts_block(const places *p, int i)
{
    if (i == 0) {
        return true;
    }
    int a = p->order[i - 1];
    int b = p->order[i];
    return p->row[a] != p->row[b] || p->column[a] != p->column[b];
}

static tn_blocks *blocks_push(const places *p, tn_triplets_shape shape, tn_arena *arena)
{
    int n_blocks = 0;
    for (int i = 0; i < p->count; ++i) {
        n_blocks += starts_block(p, i);
    }
    tn_blocks *out = TN_PUSH(arena, tn_blocks, 1);
    int *start = TN_PUSH(arena, int, (size_t)shape.n_rows + 1);
    int *column = TN_PUSH(arena, int, n_blocks);
    double *value = TN_PUSH(arena, double, 9 * (size_t)n_blocks);
    if (!out || !start || !column || !value) {
        return NULL;
    }
    *out = (tn_blocks){shape.n_rows, shape.n_cols, start, column, value};
    return out;
}

// The first value of a place is assigned, not added: 0 + -0 would lose the sign and with it the exact round trip.
static void blocks_fill(tn_blocks *out, const places *p, const tn_triplets *t, tn_triplets_shape shape)
{
    int block = -1;
    uint16_t seen = 0;
    for (int i = 0; i < p->count; ++i) {
        int k = p->order[i];
        if (starts_block(p, i)) {
            ++block;
            seen = 0;
            out->column[block] = p->column[k];
            out->start[p->row[k] + 1]++;
        }
        if (k < t->count) {
            int place = 3 * (t->row[k] % shape.row_stride) + t->column[k] % shape.column_stride;
            double *value = &out->value[9 * (size_t)block + (size_t)place];
            *value = (seen >> place) & 1 ? *value + t->value[k] : t->value[k];
            seen = (uint16_t)(seen | (1u << place));
        }
    }
    for (int r = 0; r < shape.n_rows; ++r) {
        out->start[r + 1] += out->start[r];
    }
}

tn_blocks *tn_triplets_to_blocks(const tn_triplets *triplets, tn_triplets_shape shape, tn_arena *arena,
                                 tn_arena *scratch)
{
    places p;
    if (!places_fill(&p, triplets, shape, scratch) || !sort_by(p.count, p.order, p.column, shape.n_cols, scratch) ||
        !sort_by(p.count, p.order, p.row, shape.n_rows, scratch)) {
        return NULL;
    }
    tn_blocks *out = blocks_push(&p, shape, arena);
    if (out) {
        blocks_fill(out, &p, triplets, shape);
    }
    return out;
}
