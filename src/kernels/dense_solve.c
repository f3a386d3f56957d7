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

TN_QUAD_INLINE void sizes_body(int n, int stride, const double *A, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        const double *row = A + (size_t)i * (size_t)stride;
        quad even = {0.0}, odd = {0.0};
        for (int j = 0; j < stride; j += 8) {
            even += quad_abs(quad_load(row + j) * quad_load(x + j));
            odd += quad_abs(quad_load(row + j + 4) * quad_load(x + j + 4));
        }
        y[i] = quad_sum(even + odd);
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

// The largest number of column k from row k on comes up; what lies below is eliminated in the four columns from `first`
// on, which hold the factors afterwards. False: there is none.
TN_QUAD_INLINE bool pivot(int first, int k, int n, int stride, double *A)
{
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
        swap_rows(first, stride, top, A + (size_t)best * (size_t)stride);
    }
    quad pivots = quad_load(top + first);
    for (int q = 0; q < k - first; q++) {
        pivots[q] = 0.0; // factors stand there
    }
    double inverse = 1.0 / top[k];
    for (int i = k + 1; i < n; i++) {
        double *row = A + (size_t)i * (size_t)stride, factor = row[k] * inverse;
        quad_store(row + first, quad_load(row + first) - pivots * factor);
        row[k] = factor;
    }
    return true;
}

// Right of the four columns: what row i takes of the n rows above it that stand from `first` on.
TN_QUAD_INLINE void reduce_row(int first, int n, int i, int stride, double *A)
{
    const double *top = A + (size_t)first * (size_t)stride;
    double *row = A + (size_t)i * (size_t)stride;
    for (int q = 0; q < n; q++, top += stride) {
        double factor = row[first + q];
        for (int j = first + 4; j < stride; j += 4) {
            quad_store(row + j, quad_load(row + j) - quad_load(top + j) * factor);
        }
    }
}

// The same of all four, in the same order.
TN_QUAD_INLINE void reduce_by_four(int first, int i, int stride, double *A)
{
    const double *a = A + (size_t)first * (size_t)stride, *b = a + stride, *c = b + stride, *d = c + stride;
    double *row = A + (size_t)i * (size_t)stride;
    double fa = row[first], fb = row[first + 1], fc = row[first + 2], fd = row[first + 3];
    for (int j = first + 4; j < stride; j += 4) {
        quad sum = quad_load(row + j) - quad_load(a + j) * fa;
        sum -= quad_load(b + j) * fb;
        sum -= quad_load(c + j) * fc;
        quad_store(row + j, sum - quad_load(d + j) * fd);
    }
}

// Upper triangle in place, b along with it, four columns at a time. False: a column without a pivot.
TN_QUAD_INLINE bool triangulate(int n, int stride, double *A)
{
    for (int first = 0; first < n; first += 4) {
        int end = first + 4 < n ? first + 4 : n;
        for (int k = first; k < end; k++) {
            if (!pivot(first, k, n, stride, A)) {
                return false;
            }
        }
        for (int i = first + 1; i < end; i++) {
            reduce_row(first, i - first, i, stride, A);
        }
        for (int i = end; i < n; i++) {
            reduce_by_four(first, i, stride, A);
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

TN_QUAD_INLINE void combine_body(int n_runs, const tn_dense_run *runs, const double S[9], int stride, const double *W,
                                 int width, double *out)
{
    for (int r = 0; r < n_runs; out += runs[r++].n) {
        const double *from = W + runs[r].from;
        int j = 0;
        for (; j + 4 <= runs[r].n; j += 4) {
            quad x = quad_load(from + j), y = quad_load(from + stride + j), z = quad_load(from + 2 * stride + j);
            for (int i = 0; i < 3; i++) {
                quad_store(out + i * width + j, S[3 * i] * x + S[3 * i + 1] * y + S[3 * i + 2] * z);
            }
        }
        for (; j < runs[r].n; j++) {
            double x = from[j], y = from[stride + j], z = from[2 * stride + j];
            for (int i = 0; i < 3; i++) {
                out[i * width + j] = S[3 * i] * x + S[3 * i + 1] * y + S[3 * i + 2] * z;
            }
        }
    }
}

TN_VARIANTS(combine,
            (int n_runs, const tn_dense_run *runs, const double S[9], int stride, const double *W, int width,
             double *out),
            (n_runs, runs, S, stride, W, width, out))
TN_VARIANTS(product, (int n, int stride, const double *A, const double *x, double *y), (n, stride, A, x, y))
TN_VARIANTS(sizes, (int n, int stride, const double *A, const double *x, double *y), (n, stride, A, x, y))
TN_VARIANTS(eliminate, (int n, int stride, double *A, double *x, bool *regular), (n, stride, A, x, regular))

void tn_dense_product(int n, int stride, const double *A, const double *x, double *y)
{
    TN_BEST(product)(n, stride, A, x, y);
}

void tn_dense_sizes(int n, int stride, const double *A, const double *x, double *y)
{
    TN_BEST(sizes)(n, stride, A, x, y);
}

bool tn_dense_eliminate(int n, int stride, double *A, double *x)
{
    bool regular;
    TN_BEST(eliminate)(n, stride, A, x, &regular);
    return regular;
}

void tn_dense_combine(int n_runs, const tn_dense_run *runs, const double S[9], int stride, const double *W, int width,
                      double *out)
{
    TN_BEST(combine)(n_runs, runs, S, stride, W, width, out);
}

bool tn_dense_solve_with(const char *kind, int n, int stride, double *A, const double *x, double *y, double *sizes,
                         double *solution, bool *regular)
{
    product_function *product = TN_NAMED(product, kind);
    if (!product) {
        return false;
    }
    product(n, stride, A, x, y);
    TN_NAMED(sizes, kind)(n, stride, A, x, sizes);
    TN_NAMED(eliminate, kind)(n, stride, A, solution, regular);
    return true;
}
