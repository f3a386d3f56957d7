#include "kernels/block_product.h"

#include "base/team.h"
#include "kernels/processor.h"
#include "kernels/quad.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

// y = A x, and z = A w unless w is NULL.
typedef struct vectors {
    const double *x, *w;
    double *y, *z;
} vectors;

typedef void rows_function(const tn_blocks *A, const vectors *v, int first, int end);

// The nine sums of a row, one for each entry of a block: numbers 0 to 3, 4 to 7, and the last.
typedef struct nine {
    quad low, high;
    double last;
} nine;

TN_QUAD_INLINE void add_block(nine *sum, const double *a, const double *x)
{
    const quad x0 = {x[0], x[0], x[0], x[0]}, x1 = {x[1], x[1], x[1], x[1]}, x2 = {x[2], x[2], x[2], x[2]};
    quad x01 = __builtin_shufflevector(x0, x1, 0, 5, 2, 3), x12 = __builtin_shufflevector(x1, x2, 0, 5, 2, 3);
    sum->low += quad_load(a) * __builtin_shufflevector(x01, x2, 0, 1, 6, 3);
    sum->high += quad_load(a + 4) * __builtin_shufflevector(x12, x0, 0, 1, 6, 3);
    sum->last += a[8] * x[2];
}

TN_QUAD_INLINE void put_row(const nine *sum, double y[3])
{
    y[0] = sum->low[0] + sum->low[1] + sum->low[2];
    y[1] = sum->low[3] + sum->high[0] + sum->high[1];
    y[2] = sum->high[2] + sum->high[3] + sum->last;
}

// Rows first..end-1. Compiled once per instruction set below.
TN_QUAD_INLINE void rows_body(const tn_blocks *A, const vectors *v, bool two, int first, int end)
{
    for (int i = first; i < end; i++) {
        nine sum = {{0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0}, 0.0}, other = sum;
        for (int k = A->start[i]; k < A->start[i + 1]; k++) {
            const double *a = A->value + 9 * (size_t)k;
            size_t at = 3 * (size_t)A->column[k];
            add_block(&sum, a, v->x + at);
            if (two) {
                add_block(&other, a, v->w + at);
            }
        }
        put_row(&sum, v->y + 3 * (size_t)i);
        if (two) {
            put_row(&other, v->z + 3 * (size_t)i);
        }
    }
}

TN_QUAD_INLINE void any_rows(const tn_blocks *A, const vectors *v, int first, int end)
{
    if (v->w) {
        rows_body(A, v, true, first, end);
    } else {
        rows_body(A, v, false, first, end);
    }
}

static void rows_baseline(const tn_blocks *A, const vectors *v, int first, int end)
{
    any_rows(A, v, first, end);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void rows_avx2(const tn_blocks *A, const vectors *v, int first, int end)
{
    any_rows(A, v, first, end);
}

#define AVX512 __attribute__((target("avx512f,avx512vl")))
// The first eight sums in one register.
typedef struct eight_and_one {
    __m512d eight;
    double last;
} eight_and_one;

AVX512 TN_QUAD_INLINE void add_wide_block(eight_and_one *sum, const double *a, const double *x)
{
    const __m512i around = _mm512_setr_epi64(0, 1, 2, 0, 1, 2, 0, 1);
    __m512d three = _mm512_castpd256_pd512(_mm256_maskz_loadu_pd(7, x)); // x ends where its last block does
    __m512d product = _mm512_mul_pd(_mm512_loadu_pd(a), _mm512_permutexvar_pd(around, three));
    sum->eight = _mm512_add_pd(sum->eight, product);
    sum->last += a[8] * x[2];
}

AVX512 TN_QUAD_INLINE void put_wide_row(const eight_and_one *sum, double y[3])
{
    nine all = {.last = sum->last};
    memcpy(&all, &sum->eight, sizeof sum->eight);
    put_row(&all, y);
}

AVX512 TN_QUAD_INLINE void wide_rows_body(const tn_blocks *A, const vectors *v, bool two, int first, int end)
{
    for (int i = first; i < end; i++) {
        eight_and_one sum = {_mm512_setzero_pd(), 0.0}, other = sum;
        for (int k = A->start[i]; k < A->start[i + 1]; k++) {
            const double *a = A->value + 9 * (size_t)k;
            size_t at = 3 * (size_t)A->column[k];
            add_wide_block(&sum, a, v->x + at);
            if (two) {
                add_wide_block(&other, a, v->w + at);
            }
        }
        put_wide_row(&sum, v->y + 3 * (size_t)i);
        if (two) {
            put_wide_row(&other, v->z + 3 * (size_t)i);
        }
    }
}

AVX512 static void rows_avx512(const tn_blocks *A, const vectors *v, int first, int end)
{
    if (v->w) {
        wide_rows_body(A, v, true, first, end);
    } else {
        wide_rows_body(A, v, false, first, end);
    }
}
#endif

// What was compiled, the best first. A mat of 1404 rows and 13 500 blocks: AVX-512 17.4 us, two vectors at once 29.4;
// AVX2 19.6 and 35.5.
typedef struct variant {
    const char *kind;
    rows_function *rows;
} variant;

static const variant variants[] = {
#if defined(__x86_64__)
    {"avx512", rows_avx512},
    {"avx2", rows_avx2},
#endif
    {"baseline", rows_baseline},
};
enum { N_VARIANTS = sizeof variants / sizeof variants[0] };

static const variant *best_variant(void)
{
    const variant *v = variants;
    while (!tn_processor_runs(v->kind)) {
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
        if (strcmp(v->kind, kind) == 0 && tn_processor_runs(v->kind)) {
            v->rows(A, &(vectors){.x = x, .y = y}, 0, A->n_rows);
            return true;
        }
    }
    return false;
}

typedef struct multiplying {
    const tn_blocks *A;
    const vectors *v;
} multiplying;

static void multiply_rows(const void *context, int first, int end, int thread)
{
    const multiplying *m = context;
    best_variant()->rows(m->A, m->v, first, end);
}

static void multiply(const tn_blocks *A, const vectors *v, int n_threads)
{
    // A team costs microseconds: under this many blocks one thread is faster. No influence on the result.
    enum { WORTH_A_TEAM = 4096, ROWS = 256 };
    tn_team_share(A->start[A->n_rows] < WORTH_A_TEAM ? 1 : n_threads, A->n_rows, ROWS, multiply_rows,
                  &(multiplying){A, v});
}

void tn_block_product(const tn_blocks *A, const double *x, double *y, int n_threads)
{
    multiply(A, &(vectors){.x = x, .y = y}, n_threads);
}

void tn_block_product_two(const tn_blocks *A, const double *const x[2], double *const y[2], int n_threads)
{
    multiply(A, &(vectors){.x = x[0], .y = y[0], .w = x[1], .z = y[1]}, n_threads);
}
