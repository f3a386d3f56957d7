// Band LU with row exchanges against a dense solve, the determinant's sign, and matrices without an inverse.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "math/band_lu.h"

enum { N = 23, WIDTH = 4 };

static void make(uint64_t seed, double *dense, tn_band_lu *band)
{
    memset(dense, 0, N * N * sizeof *dense);
    tn_band_lu_clear(band);
    for (int i = 0; i < N; i++) {
        for (int j = 0; j < N; j++) {
            if (i - j <= WIDTH && j - i <= WIDTH) {
                dense[N * i + j] = tn_random_normal(seed, (uint64_t)i, (uint64_t)j);
                *tn_band_lu_at(band, i, j) = dense[N * i + j];
            }
        }
    }
}

// By elimination with row exchanges, apart from the library.
static int sign_of(double *a)
{
    int sign = 1;
    for (int k = 0; k < N; k++) {
        int p = k;
        for (int i = k + 1; i < N; i++) {
            p = fabs(a[N * i + k]) > fabs(a[N * p + k]) ? i : p;
        }
        for (int j = 0; j < N && p != k; j++) {
            double x = a[N * k + j];
            a[N * k + j] = a[N * p + j];
            a[N * p + j] = x;
        }
        sign = (p != k) != (a[N * k + k] < 0.0) ? -sign : sign;
        for (int i = k + 1; i < N; i++) {
            double f = a[N * i + k] / a[N * k + k];
            for (int j = k; j < N; j++) {
                a[N * i + j] -= f * a[N * k + j];
            }
        }
    }
    return sign;
}

static void random_bands(void **state)
{
    (void)state;
    tn_arena *arena = tn_arena_create("band", 0);
    tn_band_lu band;
    assert_true(tn_band_lu_create(&band, N, WIDTH, arena));
    double a[N * N], x[N], worst = 0.0;
    int negative = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        make(seed, a, &band);
        for (int i = 0; i < N; i++) {
            x[i] = 0.0;
            for (int j = 0; j < N; j++) {
                x[i] += a[N * i + j] * (j - 7);
            }
        }
        int sign = tn_band_lu_factor(&band);
        assert_int_equal(sign, sign_of(a));
        negative += sign < 0;
        tn_band_lu_solve(&band, x);
        for (int j = 0; j < N; j++) {
            worst = fmax(worst, fabs(x[j] - (j - 7)));
        }
    }
    printf("200 bands of %d rows: error %.1e (limit 1e-9: condition numbers to 1e5), %d negative determinants\n", N,
           worst, negative);
    assert_true(worst < 1e-9 && negative > 50 && negative < 150);
    tn_arena_destroy(arena);
}

static void singular(void **state)
{
    (void)state;
    tn_arena *arena = tn_arena_create("band", 0);
    tn_band_lu band;
    double a[N * N];
    assert_true(tn_band_lu_create(&band, N, WIDTH, arena));
    tn_band_lu_clear(&band);
    assert_int_equal(tn_band_lu_factor(&band), 0);
    make(1, a, &band);
    *tn_band_lu_at(&band, 5, 6) = NAN;
    assert_int_equal(tn_band_lu_factor(&band), 0);
    make(1, a, &band);
    *tn_band_lu_at(&band, 5, 6) = INFINITY;
    assert_int_equal(tn_band_lu_factor(&band), 0);
    tn_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_bands), cmocka_unit_test(singular)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
