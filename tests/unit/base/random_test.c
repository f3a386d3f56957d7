// Random numbers: values that never change, and simple statistics.
#include <math.h>
#include <stdio.h>

#include "base/random.h"
#include "test.h"

// splitmix64 of state s returns the mix of s + 0x9e37...; its first output for seed 0 is published as
// 0xe220a8397b1dcdaf (Vigna's splitmix64.c). Ours nests three of them.
static uint64_t splitmix64(uint64_t s)
{
    uint64_t z = s + 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void values_never_change(void **state)
{
    assert_true(splitmix64(0) == UINT64_C(0xe220a8397b1dcdaf));
    for (uint64_t i = 0; i < 100; i++) {
        assert_true(tn_random_u64(i, 2 * i, 3 * i) == splitmix64(splitmix64(splitmix64(i) ^ (2 * i)) ^ (3 * i)));
    }
    // Frozen when first written: scenes with random placement depend on them.
    printf("%a %a\n", tn_random_uniform(1, 2, 3), tn_random_normal(1, 2, 3));
    assert_true(tn_random_uniform(1, 2, 3) == 0x1.a0e68ea1fbc6cp-1);
    assert_true(fabs(tn_random_normal(1, 2, 3) - 0x1.31718412aae33p+0) < 1e-15); // log and cos are the C library's
}

static void uniform_numbers_fill_the_interval(void **state)
{
    enum { N = 1000000, BINS = 100 };
    int count[BINS] = {0};
    double mean = 0.0, product = 0.0, before = 0.5;
    for (int i = 0; i < N; i++) {
        double x = tn_random_uniform(7, 0, (uint64_t)i);
        assert_true(x >= 0.0 && x < 1.0);
        count[(int)(x * BINS)]++;
        mean += x / N;
        product += (x - 0.5) * (before - 0.5) / N;
        before = x;
    }
    double chi2 = 0.0, expected = (double)N / BINS;
    for (int i = 0; i < BINS; i++) {
        chi2 += (count[i] - expected) * (count[i] - expected) / expected;
    }
    // 99 degrees of freedom: mean 99, deviation 14; the deviation of the mean is 2.9e-4, of the covariance 8.3e-5.
    printf("chi^2 %.1f, limit 99 +- 4 * 14; mean off by %.1e, limit 4 * 2.9e-4; covariance %.1e, limit 4 * 8.3e-5\n",
           chi2, mean - 0.5, product);
    assert_true(fabs(chi2 - 99.0) < 56.0 && fabs(mean - 0.5) < 1.2e-3 && fabs(product) < 3.4e-4);
}

static void streams_and_seeds_are_apart(void **state)
{
    enum { N = 100000 };
    double worst = 0.0, streams = 0.0, seeds = 0.0;
    for (int i = 0; i < N; i++) {
        double x = tn_random_uniform(7, 0, (uint64_t)i) - 0.5;
        streams += x * (tn_random_uniform(7, 1, (uint64_t)i) - 0.5) / N;
        seeds += x * (tn_random_uniform(8, 0, (uint64_t)i) - 0.5) / N;
    }
    worst = fmax(fabs(streams), fabs(seeds));
    printf("covariance between streams and between seeds %.1e, limit 4 * 2.6e-4\n", worst);
    assert_true(worst < 1.1e-3);
}

static void normal_numbers_have_their_moments(void **state)
{
    enum { N = 1000000 };
    double moment[5] = {0};
    for (int i = 0; i < N; i++) {
        double x = tn_random_normal(7, 3, (uint64_t)i), power = 1.0;
        assert_true(isfinite(x));
        for (int k = 0; k < 5; k++) {
            moment[k] += power / N;
            power *= x;
        }
    }
    // Deviations at N = 1e6: 1e-3, 1.4e-3, 3.9e-3, 9.8e-3.
    printf("moments %.4f %.4f %.4f %.4f, expected 0 1 0 3 to 4 deviations\n", moment[1], moment[2], moment[3],
           moment[4]);
    assert_true(fabs(moment[1]) < 4e-3 && fabs(moment[2] - 1.0) < 5.7e-3);
    assert_true(fabs(moment[3]) < 1.6e-2 && fabs(moment[4] - 3.0) < 4e-2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_never_change),
        cmocka_unit_test(uniform_numbers_fill_the_interval),
        cmocka_unit_test(streams_and_seeds_are_apart),
        cmocka_unit_test(normal_numbers_have_their_moments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
