// Elimination along a chain: each block row [D | U r] by Gauss and Jordan into [1 | X y], what it leaves to the next.
#include "kernels/chain.h"

#include "kernels/processor.h"
#include "kernels/quad.h"

TN_QUAD_INLINE void swap_rows(double *a, double *b)
{
    for (int j = 0; j < TN_CHAIN_ROW; j += 4) {
        quad x = quad_load(a + j);
        quad_store(a + j, quad_load(b + j));
        quad_store(b + j, x);
    }
}

// The row with the largest entry of column p, from p on, to place p.
TN_QUAD_INLINE void choose_pivot(int p, double *D, double *right)
{
    int best = p;
    for (int i = p + 1; i < 6; i++) {
        best = fabs(D[TN_CHAIN_ROW * i + p]) > fabs(D[TN_CHAIN_ROW * best + p]) ? i : best;
    }
    if (best != p) {
        swap_rows(D + TN_CHAIN_ROW * p, D + TN_CHAIN_ROW * best);
        swap_rows(right + TN_CHAIN_ROW * p, right + TN_CHAIN_ROW * best);
    }
}

// D (6, 8) and right (6, 8) into 1 and D^-1 right. False: D is singular.
TN_QUAD_INLINE bool reduce(double *D, double *right)
{
    bool regular = true;
    for (int p = 0; p < 6; p++) {
        double *top = D + TN_CHAIN_ROW * p, *top_right = right + TN_CHAIN_ROW * p;
        choose_pivot(p, D, right);
        regular = regular && fabs(top[p]) > 0.0;
        double inverse = 1.0 / top[p];
        quad a = quad_load(top) * inverse, b = quad_load(top + 4) * inverse;
        quad c = quad_load(top_right) * inverse, d = quad_load(top_right + 4) * inverse;
        quad_store(top, a), quad_store(top + 4, b);
        quad_store(top_right, c), quad_store(top_right + 4, d);
        for (int i = 0; i < 6; i++) {
            double *row = D + TN_CHAIN_ROW * i, *row_right = right + TN_CHAIN_ROW * i;
            if (i != p) {
                double factor = row[p];
                quad_store(row, quad_load(row) - a * factor);
                quad_store(row + 4, quad_load(row + 4) - b * factor);
                quad_store(row_right, quad_load(row_right) - c * factor);
                quad_store(row_right + 4, quad_load(row_right + 4) - d * factor);
            }
        }
    }
    return regular;
}

// next (6, 8) -= U^T [X y]
TN_QUAD_INLINE void pass_on(const double *U, const double *right, double *next)
{
    for (int i = 0; i < 6; i++) {
        quad a = quad_load(next + TN_CHAIN_ROW * i), b = quad_load(next + TN_CHAIN_ROW * i + 4);
        for (int l = 0; l < 6; l++) {
            double factor = U[TN_CHAIN_ROW * l + i];
            a -= quad_load(right + TN_CHAIN_ROW * l) * factor;
            b -= quad_load(right + TN_CHAIN_ROW * l + 4) * factor;
        }
        quad_store(next + TN_CHAIN_ROW * i, a);
        quad_store(next + TN_CHAIN_ROW * i + 4, b);
    }
}

TN_QUAD_INLINE void chain_body(int n, double *D, const double *U, double *room, double *x, bool *regular)
{
    *regular = true;
    for (int k = 0; k < n; k++) {
        double *own = D + (size_t)TN_CHAIN_BLOCK * (size_t)k, *right = room + (size_t)TN_CHAIN_BLOCK * (size_t)k;
        memcpy(right, U + (size_t)TN_CHAIN_BLOCK * (size_t)k, TN_CHAIN_BLOCK * sizeof *right);
        for (int i = 0; i < 6; i++) {
            right[TN_CHAIN_ROW * i + 6] = own[TN_CHAIN_ROW * i + 6];
            own[TN_CHAIN_ROW * i + 6] = 0.0;
        }
        *regular = reduce(own, right) && *regular;
        if (k + 1 < n) {
            pass_on(U + (size_t)TN_CHAIN_BLOCK * (size_t)k, right, own + TN_CHAIN_BLOCK);
        }
    }
    double after[TN_CHAIN_ROW] = {0.0};
    for (int k = n - 1; k >= 0; k--) {
        const double *right = room + (size_t)TN_CHAIN_BLOCK * (size_t)k;
        quad low = quad_load(after), high = quad_load(after + 4);
        for (int i = 0; i < 6; i++) {
            const double *row = right + TN_CHAIN_ROW * i; // after[6] is zero: y takes no part
            after[i] = row[6] - quad_sum(quad_load(row) * low + quad_load(row + 4) * high);
            x[6 * (size_t)k + (size_t)i] = after[i];
        }
    }
}

TN_VARIANTS(chain, (int n, double *D, const double *U, double *room, double *x, bool *regular),
            (n, D, U, room, x, regular))

void tn_chain_solve(int n, double *D, const double *U, double *room, double *x, bool *regular)
{
    TN_BEST(chain)(n, D, U, room, x, regular);
}

bool tn_chain_solve_with(const char *kind, int n, double *D, const double *U, double *room, double *x, bool *regular)
{
    chain_function *function = TN_NAMED(chain, kind);
    if (function) {
        function(n, D, U, room, x, regular);
    }
    return function != NULL;
}
