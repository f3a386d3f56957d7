#include "kernels/pivot.h"

#include "kernels/processor.h"
#include "kernels/quad.h"

TN_QUAD_INLINE void pivot_body(int n_rows, size_t width, double *T, int r, int c, const double *row)
{
    for (int i = 0; i < n_rows; i++) {
        double *to = T + (size_t)i * width, a = to[c];
        if (i == r || a == 0.0) {
            continue;
        }
        to[c] = 0.0;
        for (size_t j = 0; j < width; j += 4) {
            quad_store(to + j, quad_load(to + j) + quad_load(row + j) * a);
        }
    }
}

TN_VARIANTS(pivot, (int n_rows, size_t width, double *T, int r, int c, const double *row),
            (n_rows, width, T, r, c, row))

void tn_pivot_rows(int n_rows, size_t width, double *T, int r, int c, const double *row)
{
    TN_BEST(pivot)(n_rows, width, T, r, c, row);
}
