// Dense fronts: every instruction set's kernels in both precisions give the factor, the rest and the solutions of a
// plain computation; what is not positive definite is told.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "kernels/fronts/front.h"
#include "test.h"

enum { MOST = 400, SEED = 11 };
static const char *const KINDS[] = {"avx512", "avx2", "baseline"};

typedef struct sample {
    int n, k, ld, m;
    double *A;     // (n, n) by columns
    double *panel; // (ld, k) of the same, as the kernels take it
    double *rest;  // (m, m)
    double *packed, *y;
    float *panel_single, *rest_single, *packed_single, *y_single;
} sample;

static void *aligned(size_t bytes)
{
    void *p = aligned_alloc(64, (bytes + 63) / 64 * 64 + 64);
    assert_non_null(p);
    memset(p, 0, bytes);
    return p;
}

// Diagonally dominant; garbage above the diagonal of the panel and in the rest.
static sample make(int k, int m)
{
    sample s = {.n = k + m, .k = k, .m = m, .ld = tn_front_stride(k + m)};
    size_t n = (size_t)s.n, ld = (size_t)s.ld;
    s.A = aligned(n * n * sizeof(double));
    s.panel = aligned(ld * (size_t)k * sizeof(double));
    s.rest = aligned((size_t)m * (size_t)m * sizeof(double));
    s.packed = aligned(TN_FRONT_STRIP * TN_FRONT_DEPTH * sizeof(double));
    s.y = aligned(ld * sizeof(double));
    s.panel_single = aligned(ld * (size_t)k * sizeof(float));
    s.rest_single = aligned((size_t)m * (size_t)m * sizeof(float));
    s.packed_single = aligned(TN_FRONT_STRIP * TN_FRONT_DEPTH * sizeof(float));
    s.y_single = aligned(ld * sizeof(float));
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) {
            double a = tn_random_uniform(SEED, i < j ? j : i, i < j ? i : j) - 0.5;
            s.A[i + n * j] = i == j ? (double)n : a;
            double given = i < j ? 3.0 : s.A[i + n * j];
            if (i >= (size_t)k && j >= (size_t)k) {
                s.A[i + n * j] = 0.0; // what the factor finds in the rest does not count
                given = NAN;
            }
            if (j < (size_t)k) {
                s.panel[i + ld * j] = given;
                s.panel_single[i + ld * j] = (float)given;
            } else if (i >= (size_t)k) {
                s.rest[i - (size_t)k + (size_t)m * (j - (size_t)k)] = given;
                s.rest_single[i - (size_t)k + (size_t)m * (j - (size_t)k)] = (float)given;
            }
        }
    }
    return s;
}

static void discard(sample *s)
{
    void *all[] = {s->A,           s->panel,         s->rest,     s->packed, s->panel_single,
                   s->rest_single, s->packed_single, s->y_single, s->y};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(all[i]);
    }
}

// A's first k columns eliminated in the plain order, the factor's diagonal inverted.
static void eliminate(sample *s)
{
    size_t n = (size_t)s->n;
    for (size_t j = 0; j < (size_t)s->k; j++) {
        double inverse = 1.0 / sqrt(s->A[j + n * j]);
        for (size_t i = j + 1; i < n; i++) {
            s->A[i + n * j] *= inverse;
        }
        s->A[j + n * j] = inverse;
        for (size_t c = j + 1; c < n; c++) {
            for (size_t i = c; i < n; i++) {
                s->A[i + n * c] -= s->A[i + n * j] * s->A[c + n * j];
            }
        }
    }
}

static double figure(const sample *s, bool single, size_t i, size_t j)
{
    size_t k = (size_t)s->k, ld = (size_t)s->ld, m = (size_t)s->m;
    if (j < k) {
        return single ? (double)s->panel_single[i + ld * j] : s->panel[i + ld * j];
    }
    return single ? (double)s->rest_single[i - k + m * (j - k)] : s->rest[i - k + m * (j - k)];
}

static double worst_figure(const sample *s, bool single)
{
    double worst = 0.0;
    for (size_t j = 0; j < (size_t)s->n; j++) {
        for (size_t i = j; i < (size_t)s->n; i++) {
            worst = fmax(worst, fabs(figure(s, single, i, j) - s->A[i + (size_t)s->n * j]));
        }
    }
    return worst / s->n;
}

// forward, then backward, against the same with the reference's factor; both on ones.
static double worst_solution(sample *s, bool single, const tn_front_kernels *kernels,
                             const tn_front_kernels_single *kernels_single)
{
    size_t n = (size_t)s->n, k = (size_t)s->k;
    double plain[MOST], worst = 0.0, size = 0.0;
    for (size_t i = 0; i < (size_t)s->ld; i++) {
        s->y[i] = i < n ? 1.0 : 0.0;
        s->y_single[i] = i < n ? 1.0f : 0.0f;
    }
    for (size_t i = 0; i < n; i++) {
        plain[i] = 1.0;
    }
    for (size_t j = 0; j < k; j++) {
        plain[j] *= s->A[j + n * j];
        for (size_t i = j + 1; i < n; i++) {
            plain[i] -= s->A[i + n * j] * plain[j];
        }
    }
    for (size_t j = k; j-- > 0;) {
        for (size_t i = j + 1; i < n; i++) {
            plain[j] -= s->A[i + n * j] * plain[i];
        }
        plain[j] *= s->A[j + n * j];
    }
    if (single) {
        kernels_single->forward(s->n, s->k, s->panel_single, s->y_single);
        kernels_single->backward(s->n, s->k, s->panel_single, s->y_single);
    } else {
        kernels->forward(s->n, s->k, s->panel, s->y);
        kernels->backward(s->n, s->k, s->panel, s->y);
    }
    for (size_t i = 0; i < n; i++) {
        worst = fmax(worst, fabs((single ? (double)s->y_single[i] : s->y[i]) - plain[i]));
        size = fmax(size, fabs(plain[i]));
    }
    return worst / size;
}

static void same_as_plain(void **state)
{
    // Pivots, rows of the rest: beside and at the bounds of strips, tiles and blocks of pivots.
    static const int sizes[][2] = {{8, 0}, {8, 16}, {16, 32}, {24, 64}, {40, 48}, {136, 80}, {264, 112}};
    for (size_t q = 0; q < sizeof KINDS / sizeof *KINDS; q++) {
        const tn_front_kernels *kernels = tn_front_kernels_find(KINDS[q]);
        const tn_front_kernels_single *kernels_single = tn_front_kernels_find_single(KINDS[q]);
        if (!kernels || !kernels_single) {
            printf("%s: not on this processor\n", KINDS[q]);
            continue;
        }
        double factors[2] = {0.0, 0.0}, solutions[2] = {0.0, 0.0};
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            sample s = make(sizes[i][0], sizes[i][1]);
            assert_true(kernels->factor(s.n, s.k, s.panel, s.rest, s.packed));
            assert_true(kernels_single->factor(s.n, s.k, s.panel_single, s.rest_single, s.packed_single));
            eliminate(&s);
            for (int p = 0; p < 2; p++) {
                factors[p] = fmax(factors[p], worst_figure(&s, p));
                solutions[p] = fmax(solutions[p], worst_solution(&s, p, kernels, kernels_single));
            }
            discard(&s);
        }
        printf("%s: factor off by %.1e (limit 1e-14) and in single precision %.1e (limit 1e-6), solutions by %.1e "
               "(1e-14) and %.1e (1e-5): rounding, times ten\n",
               KINDS[q], factors[0], factors[1], solutions[0], solutions[1]);
        assert_true(factors[0] <= 1e-14 && factors[1] <= 1e-6 && solutions[0] <= 1e-14 && solutions[1] <= 1e-5);
    }
}

static void not_positive_definite(void **state)
{
    static const double bad[] = {-1.0, 0.0, NAN, INFINITY};
    for (size_t q = 0; q < sizeof KINDS / sizeof *KINDS; q++) {
        const tn_front_kernels *kernels = tn_front_kernels_find(KINDS[q]);
        const tn_front_kernels_single *kernels_single = tn_front_kernels_find_single(KINDS[q]);
        for (size_t i = 0; kernels && kernels_single && i < sizeof bad / sizeof *bad; i++) {
            sample s = make(24, 16);
            s.panel[13 + 13 * (size_t)s.ld] = bad[i];
            s.panel_single[13 + 13 * (size_t)s.ld] = (float)bad[i];
            assert_false(kernels->factor(s.n, s.k, s.panel, s.rest, s.packed));
            assert_false(kernels_single->factor(s.n, s.k, s.panel_single, s.rest_single, s.packed_single));
            discard(&s);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_as_plain), cmocka_unit_test(not_positive_definite)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
