// Rolling and torsional friction of one contact: the conditions of the law, on random matrices.
#include "law/set.h"

#include "base/random.h"
#include "test.h"

#include <math.h>
#include <stdio.h>

enum { SAMPLES = 20000 };

static double number(uint64_t stream, int k)
{
    return 2.0 * tn_random_uniform(11, stream, (uint64_t)k) - 1.0;
}

// W = B B^T, of rank 3 or 2; every third one without coupling between torsion and rolling.
static void random_matrix(int k, double W[9])
{
    double B[9];
    int rank = k % 4 == 0 ? 2 : 3;
    for (int i = 0; i < 9; ++i) {
        B[i] = i % 3 < rank ? number(1, 9 * k + i) : 0.0;
    }
    if (k % 3 == 0) {
        B[1] = B[2] = B[3] = B[6] = 0.0;
    }
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            W[3 * i + j] = B[3 * i] * B[3 * j] + B[3 * i + 1] * B[3 * j + 1] + B[3 * i + 2] * B[3 * j + 2];
        }
    }
}

// Of one part with its limit: inside the limit, and |m| < limit and w = 0, or w against m: limit |w| + m . w = 0.
static double violation(double limit, int n, const double *m, const double *w, double speed)
{
    double size = 0.0, turn = 0.0, power = 0.0;
    for (int i = 0; i < n; ++i) {
        size += m[i] * m[i];
        turn += w[i] * w[i];
        power += m[i] * w[i];
    }
    double excess = fmax(0.0, sqrt(size) - limit);
    double scale = limit > 0.0 ? limit : 1.0;
    return fmax(excess / scale, fabs(limit * sqrt(turn) + power) / (scale * speed));
}

static tn_bound moment(const double limit[2])
{
    return (tn_bound){.set = TN_SET_MOMENT, .bound = {limit[0], limit[1]}, .pressed = 1.0};
}

static void solve(const double limit[2], const double W[9], const double q[3], double m[3])
{
    const tn_bound b = moment(limit);
    tn_set_solve(&b, W, q, m);
}

static void test_conditions(void **state)
{
    double worst = 0.0, worst_natural = 0.0;
    int inside = 0;
    for (int k = 0; k < SAMPLES; ++k) {
        double W[9], q[3], m[3] = {0.0, 0.0, 0.0}, w[3], e[3];
        random_matrix(k, W);
        double limit[2] = {k % 7 == 0 ? 0.0 : fabs(number(3, k)) * 3.0, k % 5 == 0 ? 0.0 : fabs(number(4, k)) * 3.0};
        for (int i = 0; i < 3; ++i) {
            q[i] = number(2, 3 * k + i);
        }
        solve(limit, W, q, m);
        double speed = 0.0;
        for (int i = 0; i < 3; ++i) {
            w[i] = q[i] + W[3 * i] * m[0] + W[3 * i + 1] * m[1] + W[3 * i + 2] * m[2];
            speed += fabs(q[i]) + fabs(W[3 * i] * m[0]) + fabs(W[3 * i + 1] * m[1]) + fabs(W[3 * i + 2] * m[2]);
        }
        worst = fmax(worst, violation(limit[0], 1, m, w, speed));
        worst = fmax(worst, violation(limit[1], 2, m + 1, w + 1, speed));
        const tn_bound b = moment(limit);
        tn_set_natural(&b, (const double[2]){1.0, 1.0}, m, w, e);
        worst_natural = fmax(worst_natural, sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]));
        inside += fabs(m[0]) < limit[0] && m[1] * m[1] + m[2] * m[2] < limit[1] * limit[1];
    }
    print_message("worst violation %.2g (limit 1e-13, rounding), natural map %.2g (1e-13), %d of %d "
                  "inside both limits\n",
                  worst, worst_natural, inside, SAMPLES);
    assert_true(worst < 1e-13);
    assert_true(worst_natural < 1e-13);
    assert_in_range(inside, SAMPLES / 20, SAMPLES);
}

static void test_by_hand(void **state)
{
    const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, zero[9] = {0};
    double m[3] = {0};
    solve((double[2]){1.0, 5.0}, identity, (double[3]){-3.0, -6.0, -8.0}, m);
    assert_true(fabs(m[0] - 1.0) + fabs(m[1] - 3.0) + fabs(m[2] - 4.0) < 1e-14);
    solve((double[2]){4.0, 50.0}, identity, (double[3]){-3.0, -6.0, -8.0}, m);
    assert_true(fabs(m[0] - 3.0) + fabs(m[1] - 6.0) + fabs(m[2] - 8.0) < 1e-14);
    // Nothing answers: full moment against what turns, none against nothing.
    solve((double[2]){1.0, 5.0}, zero, (double[3]){2.0, 3.0, -4.0}, m);
    assert_true(fabs(m[0] + 1.0) + fabs(m[1] + 3.0) + fabs(m[2] - 4.0) < 1e-14);
    solve((double[2]){1.0, 5.0}, zero, (double[3]){0.0, 0.0, 0.0}, m);
    assert_true(m[0] == 0.0 && m[1] == 0.0 && m[2] == 0.0);
    solve((double[2]){1.0, 5.0}, identity, (double[3]){NAN, NAN, 0.0}, m);
    assert_true(isnan(m[0]) && isnan(m[1]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_conditions), cmocka_unit_test(test_by_hand)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
