#include "solver/lemke/force_rows.h"

#include "problem/rows.h"

#include <string.h>

enum { MOST = 3 * TN_PART_BLOCKS }; // numbers of a component

// The rows of an item, a contact (3) or a joint row (1), that act on one component.
typedef struct part {
    int component;
    int row, n_rows;   // in the force form
    int next;          // part of the same component, or -1
    double g[3][MOST]; // rows on the component's numbers
    double y[3][MOST]; // A^-1 of each
} part;

typedef struct item {
    int row, n_rows;
    int first, end; // entries
    const int *block;
    const double *value; // of entry first, 3 n_rows numbers each
} item;

static int item_count(const tn_force_form *s)
{
    return s->problem->rows->n_triples + s->n_bounded + s->n_bilateral;
}

static item get_item(const tn_force_form *s, int i)
{
    const tn_rows *c = s->problem->rows;
    const tn_rows singles = tn_rows_singles(s->problem->rows), *joints = &singles;
    if (i < c->n_triples) {
        int first = c->start[i];
        return (item){3 * i, 3, first, c->start[i + 1], c->block, c->jacobian + 9 * (size_t)first};
    }
    int k = i - c->n_triples, row = k < s->n_bounded ? s->bounded[k] : s->bilateral[k - s->n_bounded];
    int first = joints->start[row];
    return (item){
        3 * c->n_triples + k, 1, first, joints->start[row + 1], joints->block, joints->jacobian + 3 * (size_t)first};
}

// ---- by parts of A

// The item's part of a component among those from `begin`, made if it is new.
static part *find_part(part *parts, int begin, int *n_parts, const item *it, int component)
{
    for (int k = begin; k < *n_parts; ++k) {
        if (parts[k].component == component) {
            return &parts[k];
        }
    }
    part *p = &parts[(*n_parts)++];
    p->component = component;
    p->row = it->row;
    p->n_rows = it->n_rows;
    memset(p->g, 0, sizeof p->g);
    return p;
}

static void make_parts(const tn_force_form *s, part *parts, int *n_parts)
{
    const tn_parts *of = s->parts;
    for (int i = 0; i < item_count(s); ++i) {
        item it = get_item(s, i);
        int begin = *n_parts;
        for (int e = it.first; e < it.end; ++e) {
            int block = it.block[e];
            part *p = find_part(parts, begin, n_parts, &it, of->of_block[block]);
            const double *value = it.value + 3 * (size_t)it.n_rows * (size_t)(e - it.first);
            for (int r = 0; r < it.n_rows; ++r) {
                for (int k = 0; k < 3; ++k) {
                    p->g[r][3 * of->place[block] + k] += value[3 * r + k];
                }
            }
        }
    }
}

static void multiply(const part *a, const part *b, int size, size_t width, double *all)
{
    for (int i = 0; i < a->n_rows; ++i) {
        for (int j = 0; j < b->n_rows; ++j) {
            double sum = 0.0;
            for (int k = 0; k < size; ++k) {
                sum += a->g[i][k] * b->y[j][k];
            }
            all[(size_t)(a->row + i) * width + (size_t)(b->row + j)] += sum;
        }
    }
}

static void mirror(size_t width, double *all)
{
    for (size_t i = 0; i < width; ++i) {
        for (size_t j = 0; j < i; ++j) {
            all[j * width + i] = all[i * width + j];
        }
    }
}

tn_status tn_force_rows_by_parts(const tn_force_form *s, double *all, tn_arena *arena, tn_error *error)
{
    const tn_parts *of = s->parts;
    int n_entries = 0, n_parts = 0;
    for (int i = 0; i < item_count(s); ++i) {
        item it = get_item(s, i);
        n_entries += it.end - it.first;
    }
    tn_arena_mark mark = tn_arena_get_mark(arena);
    part *parts = TN_PUSH_RAW(arena, part, n_entries);
    int *last = TN_PUSH_RAW(arena, int, of->n);
    if (!parts || !last) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for %d parts of rows", n_entries);
    }
    make_parts(s, parts, &n_parts);
    memset(all, 0, (size_t)s->width * (size_t)s->width * sizeof *all);
    for (int c = 0; c < of->n; ++c) {
        last[c] = -1;
    }
    // Each part with itself and those before it of the same component: the lower triangle, rows ascending.
    for (int k = 0; k < n_parts; ++k) {
        part *p = &parts[k];
        int c = p->component, size = 3 * tn_part_size(of, c);
        for (int r = 0; r < p->n_rows; ++r) {
            memcpy(p->y[r], p->g[r], (size_t)size * sizeof(double));
            tn_part_solve(&s->factors, c, p->y[r]);
        }
        p->next = last[c];
        last[c] = k;
        for (int j = k; j >= 0; j = parts[j].next) {
            multiply(p, &parts[j], size, (size_t)s->width, all);
        }
    }
    mirror((size_t)s->width, all);
    tn_arena_release(arena, mark);
    return TN_OK;
}

// ---- by A's factor

static void scatter(const item *it, int r, double *x)
{
    for (int e = it->first; e < it->end; ++e) {
        const double *value = it->value + 3 * (size_t)it->n_rows * (size_t)(e - it->first) + 3 * (size_t)r;
        for (int k = 0; k < 3; ++k) {
            x[3 * (size_t)it->block[e] + (size_t)k] += value[k];
        }
    }
}

static double gather(const item *it, int r, const double *x)
{
    double sum = 0.0;
    for (int e = it->first; e < it->end; ++e) {
        const double *value = it->value + 3 * (size_t)it->n_rows * (size_t)(e - it->first) + 3 * (size_t)r;
        for (int k = 0; k < 3; ++k) {
            sum += value[k] * x[3 * (size_t)it->block[e] + (size_t)k];
        }
    }
    return sum;
}

tn_status tn_force_rows_by_factor(const tn_force_form *s, double *all, tn_arena *arena, tn_error *error)
{
    size_t size = 3 * (size_t)s->problem->A->n_rows, width = (size_t)s->width;
    tn_arena_mark mark = tn_arena_get_mark(arena);
    double *x = TN_PUSH_RAW(arena, double, 3 * size);
    if (!x) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for %zu velocities", 3 * size);
    }
    tn_status status = TN_OK;
    for (int i = 0; status == TN_OK && i < item_count(s); ++i) {
        item it = get_item(s, i);
        memset(x, 0, 3 * size * sizeof *x);
        for (int r = 0; r < it.n_rows; ++r) {
            scatter(&it, r, x + (size_t)r * size);
        }
        status = tn_cholesky_solve(s->factor, it.n_rows, x, x, error);
        for (int j = i; j < item_count(s); ++j) {
            item other = get_item(s, j);
            for (int r = 0; r < it.n_rows; ++r) {
                for (int k = 0; k < other.n_rows; ++k) {
                    all[(size_t)(other.row + k) * width + (size_t)(it.row + r)] =
                        gather(&other, k, x + (size_t)r * size);
                }
            }
        }
    }
    mirror(width, all);
    tn_arena_release(arena, mark);
    return status;
}
