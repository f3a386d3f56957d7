#include "kernels/pivot.h"

#include "kernels/processor.h"

#include <string.h>

typedef double lanes __attribute__((vector_size(64)));
enum { LANES = 8 };

// Compiled once per instruction set below; the compiler splits the lanes where registers are shorter.
static inline __attribute__((always_inline)) void pivot_body(int n_rows, size_t width, double *T, int r, int c,
                                                             const double *row)
{
    for (int i = 0; i < n_rows; ++i) {
        double *to = T + (size_t)i * width, a = to[c];
        if (i == r || a == 0.0) {
            continue;
        }
        to[c] = 0.0;
        for (size_t j = 0; j < width; j += LANES) {
            lanes x, y;
            memcpy(&x, row + j, sizeof x);
            memcpy(&y, to + j, sizeof y);
            y = y + x * a;
            memcpy(to + j, &y, sizeof y);
        }
    }
}

TN_VARIANTS(pivot, (int n_rows, size_t width, double *T, int r, int c, const double *row),
            (n_rows, width, T, r, c, row))

void tn_pivot_rows(int n_rows, size_t width, double *T, int r, int c, const double *row)
{
    TN_BEST(pivot)(n_rows, width, T, r, c, row);
}
