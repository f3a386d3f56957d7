#include "kernels/galerkin.h"

#include "kernels/lanes.h"

enum { GROUPS_MAX = 32, ENTRY = 24 };

// What one row of A P holds: a 3x6 block for each group it meets.
typedef struct product_row {
    int n;
    int group[GROUPS_MAX];
    double value[GROUPS_MAX][ENTRY];
} product_row;

// P_i^T of the row into the matrix, lower triangle; the row is empty afterwards.
TN_INLINE void flush(product_row *row, const tn_prolongation *P, int i, tn_skyline *out)
{
    for (int p = P->start[i]; p < P->start[i + 1]; p++) {
        const double *B = P->value + ENTRY * (size_t)p;
        lanes b0 = load(B), b1 = load(B + 8), b2 = load(B + 16);
        for (int g = 0; g < row->n; g++) {
            if (row->group[g] > P->group[p]) {
                continue;
            }
            double *block = tn_skyline_block(out, P->group[p], row->group[g]);
            const double *X = row->value[g];
            for (int c = 0; c < 6; c++) {
                store(block + 8 * c, load(block + 8 * c) + b0 * X[c] + b1 * X[8 + c] + b2 * X[16 + c]);
            }
        }
    }
    row->n = 0;
}

TN_INLINE double *find_group(product_row *row, int group)
{
    for (int g = 0; g < row->n; g++) {
        if (row->group[g] == group) {
            return row->value[g];
        }
    }
    if (row->n == GROUPS_MAX) {
        return NULL;
    }
    row->group[row->n] = group;
    memset(row->value[row->n], 0, sizeof row->value[row->n]);
    return row->value[row->n++];
}

// A_ij P_j of one block into the row's sums. held: group and sum that are in registers; neighbours come group by group.
typedef struct held_sum {
    int group; // -1: none
    double *at;
    lanes sum[3];
} held_sum;

TN_INLINE void put_back(const held_sum *held)
{
    if (held->group >= 0) {
        store(held->at, held->sum[0]);
        store(held->at + 8, held->sum[1]);
        store(held->at + 16, held->sum[2]);
    }
}

TN_INLINE void add_block(held_sum *held, const double *a, const double *B)
{
    lanes b0 = load(B), b1 = load(B + 8), b2 = load(B + 16);
    held->sum[0] += a[0] * b0 + a[1] * b1 + a[2] * b2;
    held->sum[1] += a[3] * b0 + a[4] * b1 + a[5] * b2;
    held->sum[2] += a[6] * b0 + a[7] * b1 + a[8] * b2;
}

TN_INLINE void take_up(held_sum *held, product_row *row, const tn_prolongation *P, int i, int group, tn_skyline *out)
{
    put_back(held);
    held->at = find_group(row, group);
    if (!held->at) {
        flush(row, P, i, out);
        held->at = find_group(row, group);
    }
    held->group = group;
    held->sum[0] = load(held->at);
    held->sum[1] = load(held->at + 8);
    held->sum[2] = load(held->at + 16);
}

TN_INLINE void galerkin_body(const tn_blocks *A, const tn_prolongation *P, tn_skyline *out)
{
    product_row row;
    row.n = 0;
    for (int i = 0; i < A->n_rows; i++) {
        int n_own = P->start[i + 1] - P->start[i];
        // With one group of its own the row needs no groups above it.
        int highest = n_own == 1 ? P->group[P->start[i]] : out->n;
        held_sum held = {.group = -1};
        for (int e = A->start[i]; e < A->start[i + 1] && n_own > 0; e++) {
            for (int p = P->start[A->column[e]]; p < P->start[A->column[e] + 1]; p++) {
                if (P->group[p] > highest) {
                    continue;
                }
                if (P->group[p] != held.group) {
                    take_up(&held, &row, P, i, P->group[p], out);
                }
                add_block(&held, A->value + 9 * (size_t)e, P->value + ENTRY * (size_t)p);
            }
        }
        put_back(&held);
        flush(&row, P, i, out);
    }
}

TN_VARIANTS(galerkin, (const tn_blocks *A, const tn_prolongation *P, tn_skyline *out), (A, P, out))

void tn_galerkin_add(const tn_blocks *A, const tn_prolongation *P, tn_skyline *out)
{
    TN_BEST(galerkin)(A, P, out);
}
