#include "kernels/pivot.h"

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

static void pivot_baseline(int n_rows, size_t width, double *T, int r, int c, const double *row)
{
    pivot_body(n_rows, width, T, r, c, row);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void pivot_avx2(int n_rows, size_t width, double *T, int r, int c,
                                                       const double *row)
{
    pivot_body(n_rows, width, T, r, c, row);
}

__attribute__((target("avx512f"))) static void pivot_avx512(int n_rows, size_t width, double *T, int r, int c,
                                                            const double *row)
{
    pivot_body(n_rows, width, T, r, c, row);
}
#endif

void tn_pivot_rows(int n_rows, size_t width, double *T, int r, int c, const double *row)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) {
        pivot_avx512(n_rows, width, T, r, c, row);
        return;
    }
    if (__builtin_cpu_supports("avx2")) {
        pivot_avx2(n_rows, width, T, r, c, row);
        return;
    }
#endif
    pivot_baseline(n_rows, width, T, r, c, row);
}
