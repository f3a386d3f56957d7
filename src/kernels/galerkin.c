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

TN_INLINE void galerkin_body(const tn_blocks *A, const tn_prolongation *P, tn_skyline *out)
{
    product_row row;
    row.n = 0;
    for (int i = 0; i < A->n_rows; i++) {
        int n_own = P->start[i + 1] - P->start[i];
        // With one group of its own the row needs no groups above it.
        int highest = n_own == 1 ? P->group[P->start[i]] : out->n;
        for (int e = A->start[i]; e < A->start[i + 1] && n_own > 0; e++) {
            const double *a = A->value + 9 * (size_t)e;
            for (int p = P->start[A->column[e]]; p < P->start[A->column[e] + 1]; p++) {
                if (P->group[p] > highest) {
                    continue;
                }
                double *sum = find_group(&row, P->group[p]);
                if (!sum) {
                    flush(&row, P, i, out);
                    sum = find_group(&row, P->group[p]);
                }
                const double *B = P->value + ENTRY * (size_t)p;
                lanes b0 = load(B), b1 = load(B + 8), b2 = load(B + 16);
                for (int k = 0; k < 3; k++) {
                    store(sum + 8 * k, load(sum + 8 * k) + a[3 * k] * b0 + a[3 * k + 1] * b1 + a[3 * k + 2] * b2);
                }
            }
        }
        flush(&row, P, i, out);
    }
}

TN_VARIANTS(galerkin, (const tn_blocks *A, const tn_prolongation *P, tn_skyline *out), (A, P, out))

void tn_galerkin_add(const tn_blocks *A, const tn_prolongation *P, tn_skyline *out)
{
    TN_BEST(galerkin)(A, P, out);
}
