#include "kernels/skyline/skyline.h"

#include "kernels/processor.h"
#include "kernels/quad.h"
#include "kernels/sell_rows.h"

enum { BLOCK = TN_SKYLINE_BLOCK, STRIDE = TN_SKYLINE_STRIDE };

bool tn_skyline_create(tn_skyline *s, int n, const int *first, tn_arena *arena)
{
    *s = (tn_skyline){.n = n, .first = first};
    s->at = TN_PUSH(arena, size_t, n + 1);
    if (!s->at) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        s->at[i + 1] = s->at[i] + (size_t)(i - first[i] + 1);
    }
    s->value = TN_PUSH(arena, double, BLOCK * s->at[n]);
    s->single = (float *)(void *)s->value;
    s->inverse = TN_PUSH(arena, float, 2 * BLOCK * (size_t)n);
    s->scratch = TN_PUSH(arena, double, BLOCK *(size_t)n);
    return s->value && s->inverse && s->scratch;
}

// Half of C -= L_I L_J^T over `count` blocks of both rows, all of them consecutive.
TN_QUAD_INLINE void subtract_half(double *C, const double *row_i, const double *row_j, int count)
{
    quad c0 = quad_load(C), c1 = quad_load(C + 8), c2 = quad_load(C + 16);
    quad c3 = quad_load(C + 24), c4 = quad_load(C + 32), c5 = quad_load(C + 40);
    for (int k = 0; k < 6 * count; k++) {
        quad x = quad_load(row_i + 8 * (size_t)k);
        const double *y = row_j + 8 * (size_t)k;
        c0 -= x * y[0];
        c1 -= x * y[1];
        c2 -= x * y[2];
        c3 -= x * y[3];
        c4 -= x * y[4];
        c5 -= x * y[5];
    }
    quad_store(C, c0);
    quad_store(C + 8, c1);
    quad_store(C + 16, c2);
    quad_store(C + 24, c3);
    quad_store(C + 32, c4);
    quad_store(C + 40, c5);
}

TN_QUAD_INLINE void subtract_products(double *C, const double *row_i, const double *row_j, int count)
{
    subtract_half(C, row_i, row_j, count);
    subtract_half(C + 4, row_i + 4, row_j, count);
}

// Column j of C, scaled, and what it takes from those behind it: C_k -= C_j C_kj.
TN_QUAD_INLINE void eliminate(double *C, int j, double scale)
{
    quad low = quad_load(C + 8 * j) * scale, high = quad_load(C + 8 * j + 4) * scale;
    quad_store(C + 8 * j, low);
    quad_store(C + 8 * j + 4, high);
    for (int k = j + 1; k < 6; k++) {
        quad_store(C + 8 * k, quad_load(C + 8 * k) - low * C[8 * j + k]);
        quad_store(C + 8 * k + 4, quad_load(C + 8 * k + 4) - high * C[8 * j + k]);
    }
}

// A diagonal block's factor in place and its inverse pivots, 0 where a pivot is not above `least`. The strict upper
// triangle has no meaning.
TN_QUAD_INLINE void factor_block(double *C, double least, double *inverse)
{
    for (int j = 0; j < 6; j++) {
        double pivot = C[8 * j + j];
        inverse[j] = pivot > least ? 1.0 / sqrt(pivot) : 0.0;
        eliminate(C, j, inverse[j]);
    }
}

// Factor of a diagonal block; the strict upper triangle has no meaning. X (6, 8): its inverse, by rows.
TN_QUAD_INLINE void factor_diagonal(double *C, double *X, double least)
{
    double inverse[6];
    factor_block(C, least, inverse);
    for (int j = 0; j < 6; j++) {
        double row[8] = {0.0};
        row[j] = 1.0;
        quad low = quad_load(row), high = quad_load(row + 4);
        for (int i = 0; i < j; i++) {
            low -= C[8 * i + j] * quad_load(X + 8 * i);
            high -= C[8 * i + j] * quad_load(X + 8 * i + 4);
        }
        quad_store(X + 8 * j, low * inverse[j]);
        quad_store(X + 8 * j + 4, high * inverse[j]);
    }
}

// Half of C L^-T from the inverse X of L, by rows.
TN_QUAD_INLINE void divide_half(double *C, const double *X)
{
    quad a = quad_load(C), b = quad_load(C + 8), c = quad_load(C + 16);
    quad d = quad_load(C + 24), e = quad_load(C + 32), f = quad_load(C + 40);
    quad_store(C, a * X[0]);
    quad_store(C + 8, a * X[8] + b * X[9]);
    quad_store(C + 16, a * X[16] + b * X[17] + c * X[18]);
    quad_store(C + 24, (a * X[24] + b * X[25]) + (c * X[26] + d * X[27]));
    quad_store(C + 32, (a * X[32] + b * X[33]) + (c * X[34] + d * X[35]) + e * X[36]);
    quad_store(C + 40, (a * X[40] + b * X[41]) + (c * X[42] + d * X[43]) + (e * X[44] + f * X[45]));
}

TN_QUAD_INLINE void divide(double *C, const double *X)
{
    divide_half(C, X);
    divide_half(C + 4, X);
}

// The rounded factor, in the same memory (a number's place moves towards the front), and inverses.
TN_QUAD_INLINE void round_factor(tn_skyline *s, const double *X)
{
    for (size_t k = 0; k < BLOCK * s->at[s->n]; k += 4) {
        quad_store_single(s->single + k, quad_load(s->value + k));
    }
    for (int i = 0; i < s->n; i++, X += BLOCK) {
        float *columns = s->inverse + 2 * BLOCK * (size_t)i, *transposed = columns + BLOCK;
        for (int k = 0; k < 6; k++) {
            quad_store_single(transposed + 8 * k, quad_load(X + 8 * k));
            quad_store_single(transposed + 8 * k + 4, quad_load(X + 8 * k + 4));
            for (int j = 0; j < 6; j++) {
                columns[8 * j + k] = transposed[8 * k + j];
            }
        }
    }
}

// X (n, 6, 8): scratch.
TN_QUAD_INLINE void factor_body(tn_skyline *s, double least, double *X)
{
    for (int i = 0; i < s->n; i++) {
        for (int j = s->first[i]; j <= i; j++) {
            int from = s->first[i] > s->first[j] ? s->first[i] : s->first[j];
            double *C = tn_skyline_block(s, i, j);
            if (from < j) {
                subtract_products(C, tn_skyline_block(s, i, from), tn_skyline_block(s, j, from), j - from);
            }
            if (j < i) {
                divide(C, X + BLOCK * (size_t)j);
            } else {
                factor_diagonal(C, X + BLOCK * (size_t)i, least);
            }
        }
    }
    round_factor(s, X);
}

TN_QUAD_INLINE octet octet_same(float x)
{
    return (octet){x, x, x, x, x, x, x, x};
}

// M t, M (6, 8) by columns.
TN_QUAD_INLINE octet times(const float *M, const float *t)
{
    octet a = octet_load(M) * t[0] + octet_load(M + 8) * t[1] + octet_load(M + 16) * t[2];
    octet b = octet_load(M + 24) * t[3] + octet_load(M + 32) * t[4] + octet_load(M + 40) * t[5];
    return a + b;
}

// x_i = L_ii^-1 (x_i - sum of L_ij x_j). spread (n, 6, 8): each number of the x_j eight times.
TN_QUAD_INLINE void forward_row(const tn_skyline *s, int i, float *spread, float *x)
{
    octet a[3] = {{0.0F}, {0.0F}, {0.0F}}, b[3] = {{0.0F}, {0.0F}, {0.0F}};
    const float *L = s->single + BLOCK * s->at[i], *y = spread + BLOCK * (size_t)s->first[i];
    for (int j = s->first[i]; j < i; j++, L += BLOCK, y += BLOCK) {
        a[0] += octet_load(L) * octet_load(y);
        b[0] += octet_load(L + 8) * octet_load(y + 8);
        a[1] += octet_load(L + 16) * octet_load(y + 16);
        b[1] += octet_load(L + 24) * octet_load(y + 24);
        a[2] += octet_load(L + 32) * octet_load(y + 32);
        b[2] += octet_load(L + 40) * octet_load(y + 40);
    }
    float t[8];
    octet sum = ((a[0] + a[1]) + a[2]) + ((b[0] + b[1]) + b[2]);
    octet_store(t, octet_load(x + STRIDE * (size_t)i) - sum);
    octet own = times(s->inverse + 2 * BLOCK * (size_t)i, t);
    octet_store(x + STRIDE * (size_t)i, own);
    for (int k = 0; k < 6; k++) {
        octet_store(spread + BLOCK * (size_t)i + 8 * k, octet_same(own[k]));
    }
}

// x_i = L_ii^-T (x_i - sum of L_ji^T x_j), the products summed number by number in sums (n, 6, 8).
TN_QUAD_INLINE void backward_row(const tn_skyline *s, int i, float *sums, float *x)
{
    const float *own_sums = sums + BLOCK * (size_t)i;
    float t[8], *own = x + STRIDE * (size_t)i;
    for (int k = 0; k < 6; k++) {
        octet p = octet_load(own_sums + 8 * k);
        t[k] = own[k] - (((p[0] + p[4]) + (p[1] + p[5])) + ((p[2] + p[6]) + (p[3] + p[7])));
    }
    octet result = times(s->inverse + BLOCK * (2 * (size_t)i + 1), t);
    octet_store(own, result);
    const float *L = s->single + BLOCK * s->at[i];
    float *to = sums + BLOCK * (size_t)s->first[i];
    for (int j = s->first[i]; j < i; j++, L += BLOCK, to += BLOCK) {
        for (int k = 0; k < BLOCK; k += 8) {
            octet_store(to + k, octet_load(to + k) + octet_load(L + k) * result);
        }
    }
}

TN_QUAD_INLINE void solve_body(const tn_skyline *s, float *x)
{
    float *scratch = (float *)(void *)s->scratch;
    for (int i = 0; i < s->n; i++) {
        forward_row(s, i, scratch, x);
    }
    memset(scratch, 0, BLOCK * (size_t)s->n * sizeof *scratch);
    for (int i = s->n - 1; i >= 0; i--) {
        backward_row(s, i, scratch, x);
    }
}

TN_VARIANTS(factor, (tn_skyline * s, double least, double *X), (s, least, X))
TN_VARIANTS(solve, (const tn_skyline *s, float *x), (s, x))

void tn_skyline_factor(tn_skyline *s, double relative)
{
    double largest = 0.0;
    for (int i = 0; i < s->n; i++) {
        const double *C = tn_skyline_block(s, i, i);
        for (int j = 0; j < 6; j++) {
            largest = fmax(largest, C[8 * j + j]);
        }
    }
    TN_BEST(factor)(s, relative * largest, s->scratch);
}

void tn_skyline_solve(const tn_skyline *s, float *x)
{
    TN_BEST(solve)(s, x);
}
