#include "solver/body_factor.h"

#include <string.h>

static bool has_block(const tn_blocks *K, int row, int column)
{
    for (int e = K->start[row]; e < K->start[row + 1]; ++e) {
        if (K->column[e] == column) {
            return true;
        }
    }
    return false;
}

// Whether block rows i and i + 1 name each other and the same others.
static bool are_alike(const tn_blocks *K, int i)
{
    int n = K->start[i + 1] - K->start[i];
    return i + 1 < K->n_rows && K->start[i + 2] - K->start[i + 1] == n && has_block(K, i, i + 1) &&
           memcmp(K->column + K->start[i], K->column + K->start[i + 1], (size_t)n * sizeof *K->column) == 0;
}

static tn_status create(tn_body_factor *f, const tn_blocks *K, const bool *kept, const tn_fronts *lender,
                        tn_arena *arena, tn_error *error)
{
    int *of = TN_PUSH_RAW(arena, int, K->n_rows), n = 0;
    for (int i = 0; of && i < K->n_rows; ++i, ++n) {
        of[i] = n;
        if (are_alike(K, i)) {
            of[++i] = n;
        }
    }
    if (!of || !tn_fronts_create(&f->fronts, K, kept, n, of, lender, arena)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for a factor of %d block rows", K->n_rows);
    }
    f->flops = f->fronts.tree.flops;
    f->entries = (double)f->fronts.tree.values;
    return TN_OK;
}

tn_status tn_body_factor_create_thin(tn_body_factor *f, const tn_blocks *K, const bool *kept,
                                     const tn_body_factor *lender, tn_arena *arena, tn_error *error)
{
    return create(f, K, kept, &lender->fronts, arena, error);
}

tn_status tn_body_factor_create(tn_body_factor *f, const tn_blocks *K, tn_arena *arena, tn_error *error)
{
    return create(f, K, NULL, NULL, arena, error);
}

tn_status tn_body_factor_values(tn_body_factor *f, const tn_blocks *K, tn_error *error)
{
    return tn_fronts_factor(&f->fronts, K, TN_PRECISION_DOUBLE)
               ? TN_OK
               : tn_error_set(error, TN_NUMERICS, "a factor's matrix is not positive definite");
}

bool tn_body_factor_values_rough(tn_body_factor *f, const tn_blocks *K)
{
    return tn_fronts_factor(&f->fronts, K, TN_PRECISION_SINGLE);
}

void tn_body_factor_solve(tn_body_factor *f, const double *b, double *x)
{
    tn_fronts_solve(&f->fronts, b, x);
}
