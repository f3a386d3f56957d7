#include "base/assert.h"
#include "math/mat3.h"
#include "problem/delassus_build.h"

// The distinct parts that one contact touches, in the order of its entries. At most one per entry.
static int touched_parts(const tn_rows *c, int contact, const tn_parts *p, int *touched)
{
    int n = 0;
    for (int e = c->start[contact]; e < c->start[contact + 1]; ++e) {
        int component = p->of_block[c->block[e]];
        bool known = false;
        for (int k = 0; k < n; ++k) {
            known = known || touched[k] == component;
        }
        if (!known) {
            touched[n++] = component;
        }
    }
    return n;
}

// A_c^-1 J_c^T for one contact and one part: size blocks of 3x3, row-major, to out.
static void solve_part(const tn_rows *c, int contact, const tn_part_factors *factors, int part, double *out)
{
    const tn_parts *p = factors->parts;
    int size = tn_part_size(p, part);
    for (int row = 0; row < 3; ++row) { // each row of J is a right-hand side
        double x[3 * TN_PART_BLOCKS] = {0.0};
        for (int e = c->start[contact]; e < c->start[contact + 1]; ++e) {
            if (p->of_block[c->block[e]] == part) {
                const double *j = &c->jacobian[9 * (size_t)e + 3 * (size_t)row];
                double *at = &x[3 * p->place[c->block[e]]];
                tn_vec3_add(at, at, j);
            }
        }
        tn_part_solve(factors, part, x);
        for (int k = 0; k < 3 * size; ++k) {
            out[9 * (k / 3) + 3 * (k % 3) + row] = x[k];
        }
    }
}

tn_status tn_delassus_build_entries(const tn_problem *problem, const tn_part_factors *factors, tn_arena *arena,
                                    tn_delassus *out)
{
    const tn_rows *c = problem->rows;
    const tn_parts *parts = factors->parts;
    int most = 0; // entries of one contact
    for (int i = 0; i < c->n_triples; ++i) {
        most = c->start[i + 1] - c->start[i] > most ? c->start[i + 1] - c->start[i] : most;
    }
    int *start = TN_PUSH(arena, int, (size_t)c->n_triples + 1);
    int *touched = TN_PUSH(arena, int, most);
    if (!start || !touched) {
        return TN_NO_MEMORY;
    }
    for (int i = 0; i < c->n_triples; ++i) {
        int n = touched_parts(c, i, parts, touched);
        start[i + 1] = start[i];
        for (int k = 0; k < n; ++k) {
            start[i + 1] += tn_part_size(parts, touched[k]);
        }
    }
    int *block = TN_PUSH(arena, int, start[c->n_triples]);
    double *inverse = TN_PUSH(arena, double, 9 * (size_t)start[c->n_triples]);
    if (!block || !inverse) {
        return TN_NO_MEMORY;
    }
    for (int i = 0; i < c->n_triples; ++i) {
        int at = start[i];
        int n = touched_parts(c, i, parts, touched);
        for (int k = 0; k < n; ++k) {
            solve_part(c, i, factors, touched[k], &inverse[9 * (size_t)at]);
            for (int b = parts->start[touched[k]]; b < parts->start[touched[k] + 1]; ++b) {
                block[at++] = parts->blocks[b];
            }
        }
        TN_ASSERT(at == start[i + 1]);
    }
    out->entry_start = start;
    out->entry_block = block;
    out->entry_inverse = inverse;
    return TN_OK;
}

// Which filled entries lie on each block: entry numbers by block, and the contact of each entry.
typedef struct block_entries {
    int *start; // (n_rows + 1)
    int *entry; // (entry_start[n])
    int *contact;
} block_entries;

static bool group_by_block(const tn_delassus *d, int n_rows, tn_arena *arena, block_entries *out)
{
    int n_entries = d->entry_start[d->n];
    out->start = TN_PUSH(arena, int, (size_t)n_rows + 2);
    out->entry = TN_PUSH(arena, int, n_entries);
    out->contact = TN_PUSH(arena, int, n_entries);
    if (!out->start || !out->entry || !out->contact) {
        return false;
    }
    // Counted two places up, so that filling leaves start[b] at the first entry of block b.
    for (int e = 0; e < n_entries; ++e) {
        out->start[d->entry_block[e] + 2]++;
    }
    for (int b = 0; b < n_rows; ++b) {
        out->start[b + 2] += out->start[b + 1];
    }
    for (int i = 0; i < d->n; ++i) {
        for (int e = d->entry_start[i]; e < d->entry_start[i + 1]; ++e) {
            int at = out->start[d->entry_block[e] + 1]++;
            out->entry[at] = e;
            out->contact[at] = i;
        }
    }
    return true;
}

// Columns of one row of N, ascending: contacts with a filled entry on one of the row contact's blocks.
static int row_columns(const tn_rows *c, const block_entries *g, int row, int *mark, int *columns)
{
    int n = 0;
    for (int e = c->start[row]; e < c->start[row + 1]; ++e) {
        for (int k = g->start[c->block[e]]; k < g->start[c->block[e] + 1]; ++k) {
            if (mark[g->contact[k]] != row + 1) {
                mark[g->contact[k]] = row + 1;
                columns[n++] = g->contact[k];
            }
        }
    }
    // Shell sort: rows are short, nearly sorted lists.
    for (int gap = n / 2; gap > 0; gap /= 2) {
        for (int i = gap; i < n; ++i) {
            int x = columns[i];
            int k = i;
            for (; k >= gap && columns[k - gap] > x; k -= gap) {
                columns[k] = columns[k - gap];
            }
            columns[k] = x;
        }
    }
    return n;
}

static void fill_row(const tn_delassus *d, const block_entries *g, int row, int *slot, tn_blocks *N)
{
    const tn_rows *c = d->problem->rows;
    for (int k = N->start[row]; k < N->start[row + 1]; ++k) {
        slot[N->column[k]] = k;
    }
    for (int e = c->start[row]; e < c->start[row + 1]; ++e) {
        for (int k = g->start[c->block[e]]; k < g->start[c->block[e] + 1]; ++k) {
            double product[9];
            double *value = &N->value[9 * (size_t)slot[g->contact[k]]];
            tn_mat3_mul(product, &c->jacobian[9 * (size_t)e], &d->entry_inverse[9 * (size_t)g->entry[k]]);
            for (int i = 0; i < 9; ++i) {
                value[i] += product[i];
            }
        }
    }
}

tn_blocks *tn_delassus_explicit_from_entries(const tn_delassus *delassus, tn_arena *arena)
{
    const tn_rows *c = delassus->problem->rows;
    int n = c->n_triples;
    block_entries g;
    tn_blocks *N = TN_PUSH(arena, tn_blocks, 1);
    int *start = TN_PUSH(arena, int, (size_t)n + 1);
    int *mark = TN_PUSH(arena, int, n);
    int *slot = TN_PUSH(arena, int, n);
    if (!N || !start || !mark || !slot || !group_by_block(delassus, delassus->problem->A->n_rows, arena, &g)) {
        return NULL;
    }
    for (int i = 0; i < n; ++i) {
        start[i + 1] = start[i] + row_columns(c, &g, i, mark, slot);
    }
    int *column = TN_PUSH(arena, int, start[n]);
    double *value = TN_PUSH(arena, double, 9 * (size_t)start[n]);
    if (!column || !value) {
        return NULL;
    }
    *N = (tn_blocks){n, n, start, column, value};
    for (int i = 0; i < n; ++i) {
        mark[i] = 0;
    }
    for (int i = 0; i < n; ++i) {
        row_columns(c, &g, i, mark, &column[start[i]]);
    }
    for (int i = 0; i < n; ++i) {
        fill_row(delassus, &g, i, slot, N);
    }
    return N;
}
