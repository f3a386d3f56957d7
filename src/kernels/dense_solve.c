// Vectors of four: gcc keeps sums of eight in memory where the processor has no vectors that wide.
#include "kernels/dense_solve.h"

#include "kernels/processor.h"
#include "kernels/quad.h"

TN_QUAD_INLINE double dot(int n, const double *a, const double *x)
{
    quad even = {0.0}, odd = {0.0};
    for (int j = 0; j < n; j += 8) {
        even += quad_load(a + j) * quad_load(x + j);
        odd += quad_load(a + j + 4) * quad_load(x + j + 4);
    }
    return quad_sum(even + odd);
}

TN_QUAD_INLINE void product_body(int n, int stride, const double *A, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        y[i] = dot(stride, A + (size_t)i * (size_t)stride, x);
    }
}

TN_QUAD_INLINE void swap_rows(int k, int stride, double *a, double *b)
{
    for (int j = k & ~3; j < stride; j += 4) {
        quad x = quad_load(a + j);
        quad_store(a + j, quad_load(b + j));
        quad_store(b + j, x);
    }
}

// Upper triangle in place, b along with it. False: a column without a pivot.
TN_QUAD_INLINE bool triangulate(int n, int stride, double *A)
{
    for (int k = 0; k < n; k++) {
        double *top = A + (size_t)k * (size_t)stride, most = fabs(top[k]);
        int best = k;
        for (int i = k + 1; i < n; i++) {
            double size = fabs(A[(size_t)i * (size_t)stride + (size_t)k]);
            best = size > most ? i : best;
            most = size > most ? size : most;
        }
        if (!(most > 0.0)) {
            return false;
        }
        if (best != k) {
            swap_rows(k, stride, top, A + (size_t)best * (size_t)stride);
        }
        double inverse = 1.0 / top[k];
        for (int i = k + 1; i < n; i++) {
            double *row = A + (size_t)i * (size_t)stride, factor = row[k] * inverse;
            if (factor != 0.0) {
                for (int j = k & ~3; j < stride; j += 4) { // what lies left of column k is not used again
                    quad_store(row + j, quad_load(row + j) - quad_load(top + j) * factor);
                }
            }
        }
    }
    return true;
}

TN_QUAD_INLINE void eliminate_body(int n, int stride, double *A, double *x, bool *regular)
{
    *regular = triangulate(n, stride, A);
    for (int i = n - 1; i >= 0 && *regular; i--) {
        const double *row = A + (size_t)i * (size_t)stride;
        double sum = row[n];
        for (int j = i + 1; j < n; j++) {
            sum -= row[j] * x[j];
        }
        x[i] = sum / row[i];
    }
}

TN_VARIANTS(product, (int n, int stride, const double *A, const double *x, double *y), (n, stride, A, x, y))
TN_VARIANTS(eliminate, (int n, int stride, double *A, double *x, bool *regular), (n, stride, A, x, regular))

void tn_dense_product(int n, int stride, const double *A, const double *x, double *y)
{
    TN_BEST(product)(n, stride, A, x, y);
}

bool tn_dense_eliminate(int n, int stride, double *A, double *x)
{
    bool regular;
    TN_BEST(eliminate)(n, stride, A, x, &regular);
    return regular;
}

bool tn_dense_solve_with(const char *kind, int n, int stride, double *A, const double *x, double *y, double *solution,
                         bool *regular)
{
    product_function *product = TN_NAMED(product, kind);
    if (!product) {
        return false;
    }
    product(n, stride, A, x, y);
    TN_NAMED(eliminate, kind)(n, stride, A, solution, regular);
    return true;
}
