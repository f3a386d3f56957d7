#include "kernels/dense_rows.h"

#include "kernels/processor.h"
#include "kernels/quad.h"

TN_QUAD_INLINE void add_body(int n, const double *rows, const double *d, double *y)
{
    const double *r0 = rows, *r1 = rows + n, *r2 = r1 + n;
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        quad_store(y + i,
                   quad_load(y + i) + quad_load(r0 + i) * d[0] + quad_load(r1 + i) * d[1] + quad_load(r2 + i) * d[2]);
    }
    for (; i < n; i++) {
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
