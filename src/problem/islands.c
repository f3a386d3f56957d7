// Which block rows, triples and singles hang together: union-find over the parts of A, joined by the rows, then
// lists by counting.
#include "problem/islands.h"

#include "math/sets.h"
#include "problem/problem.h"
#include "problem/repeats.h"
#include "problem/rows.h"

// Who belongs to whom; numbers of parts.
typedef struct forest {
    int *parent;          // (parts) of a root itself
    int *triple, *single; // (triples, singles) a part that each row touches; -1: none
    int elastic;          // a part of the island with the whole A; -1: none
} forest;

// The parts of row i become one. Returns one of them; -1: there is none.
static int join_entries(const tn_parts *c, const tn_rows *rows, int i, int *parent)
{
    const int *block = rows->block + rows->start[i];
    int n = rows->start[i + 1] - rows->start[i];
    for (int e = 1; e < n; e++) {
        tn_sets_join(parent, c->of_block[block[0]], c->of_block[block[e]]);
    }
    return n > 0 ? c->of_block[block[0]] : -1;
}

static int join_elastic(const tn_parts *c, int *parent)
{
    int first = -1;
    for (int i = 0; i < c->n; i++) {
        if (tn_part_form_of(c, i) == TN_PART_SPARSE) {
            first = first < 0 ? i : first;
            tn_sets_join(parent, first, i);
        }
    }
    return first;
}

static bool plant(const tn_problem *p, const tn_parts *c, tn_arena *arena, forest *f)
{
    const tn_rows *rows = p->rows;
    int n = rows->n_triples, contacts = n - rows->n_frictions;
    *f = (forest){.parent = TN_PUSH_RAW(arena, int, c->n),
                  .triple = TN_PUSH_RAW(arena, int, n),
                  .single = TN_PUSH_RAW(arena, int, rows->n_singles)};
    if (!f->parent || !f->triple || !f->single) {
        return false;
    }
    for (int i = 0; i < c->n; i++) {
        f->parent[i] = i;
    }
    f->elastic = p->hints && p->hints->layout ? join_elastic(c, f->parent) : -1;
    for (int i = 0, some = -1; i < n + rows->n_singles; i++) {
        some = tn_rows_repeat(rows, i) ? some : join_entries(c, rows, i, f->parent);
        int by = i >= contacts && i < n ? rows->pressed_by[i - contacts] : -1;
        *(i < n ? &f->triple[i] : &f->single[i - n]) = some;
        if (some >= 0 && by >= 0 && f->triple[by] >= 0) {
            tn_sets_join(f->parent, some, f->triple[by]);
        }
    }
    return true;
}

// number (parts): the island of each part. Rows of fixed bodies alone go to the first island.
static void number_islands(const tn_problem *p, const tn_parts *c, forest *f, int *number, tn_islands *out)
{
    const tn_rows *rows = p->rows;
    enum { LOOSE = -1, TIED = -2 };
    for (int i = 0; i < c->n; i++) {
        number[i] = LOOSE;
    }
    for (int i = 0, last = -1; i < rows->n_triples + rows->n_singles; i++) {
        int some = i < rows->n_triples ? f->triple[i] : f->single[i - rows->n_triples];
        if (some >= 0 && some != last) {
            number[tn_set_of(f->parent, some)] = TIED;
        }
        last = some;
    }
    if (f->elastic >= 0) {
        number[tn_set_of(f->parent, f->elastic)] = TIED;
    }
    for (int i = 0; i < c->n; i++) { // a root comes before those that it stands for
        int root = tn_set_of(f->parent, i);
        if (root == i && number[i] == TIED) {
            number[i] = out->n++;
        }
        number[i] = number[root];
    }
    bool any = false;
    for (int i = 0; i < c->n; i++) {
        any = any || number[i] == LOOSE;
    }
    out->loose = any ? out->n++ : -1;
    for (int i = 0; i < c->n; i++) {
        number[i] = number[i] == LOOSE ? out->loose : number[i];
    }
    out->whole = f->elastic < 0 ? -1 : number[f->elastic];
}

// Lists of things (n) by the islands of the parts that each touches; of = NULL: of_block's numbers are its own.
static bool make_lists(int n_islands, int n, const int *of, const int *number, tn_arena *arena, const int **start_out,
                       const int **list_out)
{
    int *start = TN_PUSH(arena, int, (size_t)n_islands + 2), *list = TN_PUSH_RAW(arena, int, n);
    if (!start || !list) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        start[(of[i] < 0 ? 0 : number[of[i]]) + 2]++;
    }
    for (int k = 1; k <= n_islands; k++) {
        start[k + 1] += start[k];
    }
    for (int i = 0; i < n; i++) {
        list[start[(of[i] < 0 ? 0 : number[of[i]]) + 1]++] = i;
    }
    *start_out = start;
    *list_out = list;
    return true;
}

tn_status tn_islands_find(const tn_problem *problem, tn_arena *arena, tn_islands *out)
{
    *out = (tn_islands){.loose = -1, .whole = -1};
    const tn_rows *rows = problem->rows;
    forest f;
    const tn_parts *c = tn_problem_parts(problem, arena);
    int *number = c ? TN_PUSH_RAW(arena, int, c->n) : NULL;
    int *place = TN_PUSH_RAW(arena, int, problem->A->n_rows);
    if (!number || !place || !plant(problem, c, arena, &f)) {
        return TN_NO_MEMORY;
    }
    number_islands(problem, c, &f, number, out);
    bool done = make_lists(out->n, problem->A->n_rows, c->of_block, number, arena, &out->block_start, &out->block) &&
                make_lists(out->n, rows->n_triples, f.triple, number, arena, &out->triple_start, &out->triple) &&
                make_lists(out->n, rows->n_singles, f.single, number, arena, &out->single_start, &out->single);
    for (int k = 0; done && k < out->n; k++) {
        for (int i = out->block_start[k]; i < out->block_start[k + 1]; i++) {
            place[out->block[i]] = k == out->whole ? out->block[i] : i - out->block_start[k];
        }
    }
    out->place = place;
    out->parts = c;
    return done ? TN_OK : TN_NO_MEMORY;
}
