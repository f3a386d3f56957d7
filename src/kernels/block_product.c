#include "kernels/block_product.h"

#include <string.h>

// Four lanes: one for each of a block's rows, and one of no meaning.
typedef double lanes __attribute__((vector_size(32)));
typedef void rows_function(const tn_blocks *A, const double *x, double *y, int first, int end);

// Rows first..end-1. Compiled once per instruction set below. All three loads stay inside the block's nine numbers:
// 0..3, 4..7 and 5..8; the shuffles gather its columns.
static inline __attribute__((always_inline)) void rows_body(const tn_blocks *A, const double *x, double *y, int first,
                                                            int end)
{
    for (int i = first; i < end; i++) {
        lanes sum = {0.0, 0.0, 0.0, 0.0};
        for (int k = A->start[i]; k < A->start[i + 1]; k++) {
            const double *a = A->value + 9 * (size_t)k, *v = x + 3 * (size_t)A->column[k];
            lanes low, middle, high;
            memcpy(&low, a, sizeof low);
            memcpy(&middle, a + 4, sizeof middle);
            memcpy(&high, a + 5, sizeof high);
            lanes column0 = __builtin_shufflevector(low, middle, 0, 3, 6, 6);
            lanes column1 = __builtin_shufflevector(low, middle, 1, 4, 7, 7);
            lanes column2 = __builtin_shufflevector(low, high, 2, 4, 7, 7);
            sum += column0 * v[0] + column1 * v[1] + column2 * v[2];
        }
        y[3 * (size_t)i] = sum[0];
        y[3 * (size_t)i + 1] = sum[1];
        y[3 * (size_t)i + 2] = sum[2];
    }
}

static void rows_baseline(const tn_blocks *A, const double *x, double *y, int first, int end)
{
    rows_body(A, x, y, first, end);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void rows_avx2(const tn_blocks *A, const double *x, double *y, int first,
                                                      int end)
{
    rows_body(A, x, y, first, end);
}
#endif

// What was compiled, the best first. AVX-512 is left out: it was no faster (1.5 ns a block, as with AVX2; baseline
// 3.0; scalar 3.7), since the sums wait for each other.
typedef struct variant {
    const char *kind;
    rows_function *rows;
} variant;

static const variant variants[] = {
#if defined(__x86_64__)
    {"avx2", rows_avx2},
#endif
    {"baseline", rows_baseline},
};
enum { N_VARIANTS = sizeof variants / sizeof variants[0] };

static bool processor_has(const variant *v)
{
#if defined(__x86_64__)
    if (v->rows == rows_avx2) {
        return __builtin_cpu_supports("avx2");
    }
#endif
    return true;
}

static const variant *best_variant(void)
{
    const variant *v = variants;
    while (!processor_has(v)) {
        v++; // ends at the baseline
    }
    return v;
}

const char *tn_block_product_kind(void)
{
    return best_variant()->kind;
}

bool tn_block_product_with(const char *kind, const tn_blocks *A, const double *x, double *y)
{
    for (const variant *v = variants; v < variants + N_VARIANTS; v++) {
        if (strcmp(v->kind, kind) == 0 && processor_has(v)) {
            v->rows(A, x, y, 0, A->n_rows);
            return true;
        }
    }
    return false;
}

void tn_block_product(const tn_blocks *A, const double *x, double *y, int n_threads)
{
    // A team costs microseconds: under this many blocks one thread is faster. No influence on the result.
    enum { WORTH_A_TEAM = 4096, ROWS = 256 };
    rows_function *rows = best_variant()->rows;
    if (n_threads < 2 || A->start[A->n_rows] < WORTH_A_TEAM) {
        rows(A, x, y, 0, A->n_rows);
        return;
    }
    int n_chunks = (A->n_rows + ROWS - 1) / ROWS;
#pragma omp parallel for schedule(static) num_threads(n_threads)
    for (int c = 0; c < n_chunks; c++) {
        rows(A, x, y, c * ROWS, c + 1 < n_chunks ? (c + 1) * ROWS : A->n_rows);
    }
}
