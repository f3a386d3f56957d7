#include "kernels/skyline/envelope.h"

#include "kernels/processor.h"
#include "kernels/skyline/envelope_blocks.h"

enum { BLOCK = TN_ENVELOPE_BLOCK, STRIDE = TN_ENVELOPE_STRIDE };

bool tn_envelope_create(tn_envelope *s, int n, const int *first, tn_arena *arena)
{
    *s = (tn_envelope){.n = n, .first = first};
    s->at = TN_PUSH(arena, size_t, n + 1);
    if (!s->at) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        s->at[i + 1] = s->at[i] + (size_t)(i - first[i] + 1);
    }
    s->value = TN_PUSH(arena, double, BLOCK * s->at[n]);
    s->inverse = TN_PUSH(arena, double, STRIDE *n);
    return s->value && s->inverse;
}

// C L^-T, L a factored diagonal block.
TN_QUAD_INLINE void divide(double *C, const double *L, const double *inverse)
{
    for (int j = 0; j < 6; j++) {
        eliminate(C, j, inverse[j], L);
    }
}

TN_QUAD_INLINE void factor_body(tn_envelope *s)
{
    for (int i = 0; i < s->n; i++) {
        for (int j = s->first[i]; j <= i; j++) {
            int from = s->first[i] > s->first[j] ? s->first[i] : s->first[j];
            double *C = tn_envelope_block(s, i, j);
            if (from < j) {
                subtract_products(C, tn_envelope_block(s, i, from), tn_envelope_block(s, j, from), j - from);
            }
            if (j < i) {
                divide(C, tn_envelope_block(s, j, j), s->inverse + STRIDE * j);
            } else {
                factor_block(C, 0.0, s->inverse + STRIDE * i);
            }
        }
    }
}

TN_QUAD_INLINE void forward_row(const tn_envelope *s, int i, double *x)
{
    double *own = x + STRIDE * (size_t)i;
    quad low = quad_load(own), high = quad_load(own + 4);
    const double *L = tn_envelope_block(s, i, s->first[i]);
    for (int j = s->first[i]; j < i; j++, L += BLOCK) {
        const double *y = x + STRIDE * (size_t)j;
        for (int k = 0; k < 6; k++) {
            low -= quad_load(L + 8 * k) * y[k];
            high -= quad_load(L + 8 * k + 4) * y[k];
        }
    }
    quad_store(own, low);
    quad_store(own + 4, high);
    for (int j = 0; j < 6; j++) {
        own[j] *= s->inverse[STRIDE * i + j];
        for (int k = j + 1; k < 6; k++) {
            own[k] -= L[8 * j + k] * own[j];
        }
    }
    own[6] = own[7] = 0.0;
}

// y -= L^T x of one block; the last two numbers of x are zero. Six sums at once.
TN_QUAD_INLINE void subtract_transposed(const double *L, quad low, quad high, double *y)
{
    quad p[6];
    for (int k = 0; k < 6; k++) {
        p[k] = quad_load(L + 8 * k) * low + quad_load(L + 8 * k + 4) * high;
    }
    quad a = __builtin_shufflevector(p[0], p[1], 0, 4, 2, 6) + __builtin_shufflevector(p[0], p[1], 1, 5, 3, 7);
    quad b = __builtin_shufflevector(p[2], p[3], 0, 4, 2, 6) + __builtin_shufflevector(p[2], p[3], 1, 5, 3, 7);
    quad c = __builtin_shufflevector(p[4], p[5], 0, 4, 2, 6) + __builtin_shufflevector(p[4], p[5], 1, 5, 3, 7);
    quad first = __builtin_shufflevector(a, b, 0, 1, 4, 5) + __builtin_shufflevector(a, b, 2, 3, 6, 7);
    quad_store(y, quad_load(y) - first);
    y[4] -= c[0] + c[2];
    y[5] -= c[1] + c[3];
}

TN_QUAD_INLINE void backward_row(const tn_envelope *s, int i, double *x)
{
    const double *L = tn_envelope_block(s, i, i);
    double *own = x + STRIDE * (size_t)i;
    for (int j = 5; j >= 0; j--) {
        for (int k = j + 1; k < 6; k++) {
            own[j] -= L[8 * j + k] * own[k];
        }
        own[j] *= s->inverse[STRIDE * i + j];
    }
    quad low = quad_load(own), high = quad_load(own + 4);
    L = tn_envelope_block(s, i, s->first[i]);
    for (int j = s->first[i]; j < i; j++, L += BLOCK) {
        subtract_transposed(L, low, high, x + STRIDE * (size_t)j);
    }
}

TN_QUAD_INLINE void solve_body(const tn_envelope *s, double *x)
{
    for (int i = 0; i < s->n; i++) {
        forward_row(s, i, x);
    }
    for (int i = s->n - 1; i >= 0; i--) {
        backward_row(s, i, x);
    }
}

TN_VARIANTS(factor, (tn_envelope * s), (s))
TN_VARIANTS(solve, (const tn_envelope *s, double *x), (s, x))

bool tn_envelope_factor(tn_envelope *s)
{
    TN_BEST(factor)(s);
    for (int i = 0; i < s->n; i++) {
        for (int j = 0; j < 6; j++) {
            if (!(s->inverse[STRIDE * i + j] > 0.0)) {
                return false;
            }
        }
    }
    return true;
}

void tn_envelope_solve(const tn_envelope *s, double *x)
{
    TN_BEST(solve)(s, x);
}
