#include "kernels/dense_rows.h"

#include "kernels/processor.h"

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

TN_VARIANTS(add, (int n, const double *rows, const double *d, double *y), (n, rows, d, y))

void tn_dense_rows_add(int n, const double *rows, const double d[3], double *y)
{
    TN_BEST(add)(n, rows, d, y);
}

bool tn_dense_rows_add_with(const char *kind, int n, const double *rows, const double d[3], double *y)
{
    add_function *add = TN_NAMED(add, kind);
    if (add) {
        add(n, rows, d, y);
    }
    return add != NULL;
}
