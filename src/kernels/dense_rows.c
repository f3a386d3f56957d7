#include "kernels/dense_rows.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef double lanes __attribute__((vector_size(64)));
enum { LANES = 8 };

// Compiled once per instruction set below; the compiler splits the lanes where registers are shorter.
static inline __attribute__((always_inline)) void add_body(int n, const double *rows, const double *d, double *y)
{
    const double *r0 = rows, *r1 = rows + n, *r2 = r1 + n;
    int i = 0;
    for (; i + LANES <= n; i += LANES) {
        lanes a, b, c, sum;
        memcpy(&a, r0 + i, sizeof a);
        memcpy(&b, r1 + i, sizeof b);
        memcpy(&c, r2 + i, sizeof c);
        memcpy(&sum, y + i, sizeof sum);
        sum = sum + a * d[0] + b * d[1] + c * d[2];
        memcpy(y + i, &sum, sizeof sum);
    }
    for (; i < n; ++i) {
        y[i] = y[i] + r0[i] * d[0] + r1[i] * d[1] + r2[i] * d[2];
    }
}

static void add_baseline(int n, const double *rows, const double *d, double *y)
{
    add_body(n, rows, d, y);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void add_avx2(int n, const double *rows, const double *d, double *y)
{
    add_body(n, rows, d, y);
}

__attribute__((target("avx512f"))) static void add_avx512(int n, const double *rows, const double *d, double *y)
{
    add_body(n, rows, d, y);
}
#endif

void tn_dense_rows_add(int n, const double *rows, const double d[3], double *y)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f")) {
        add_avx512(n, rows, d, y);
        return;
    }
    if (__builtin_cpu_supports("avx2")) {
        add_avx2(n, rows, d, y);
        return;
    }
#endif
    add_baseline(n, rows, d, y);
}

bool tn_dense_rows_add_with(const char *kind, int n, const double *rows, const double d[3], double *y)
{
#if defined(__x86_64__)
    if (strcmp(kind, "avx512") == 0 && __builtin_cpu_supports("avx512f")) {
        add_avx512(n, rows, d, y);
        return true;
    }
    if (strcmp(kind, "avx2") == 0 && __builtin_cpu_supports("avx2")) {
        add_avx2(n, rows, d, y);
        return true;
    }
#endif
    if (strcmp(kind, "baseline") == 0) {
        add_baseline(n, rows, d, y);
        return true;
    }
    return false;
}
