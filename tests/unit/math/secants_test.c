// Secants of rounds: they end where plain rounds grow, each group as if it were alone.
#include "math/secants.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { PAIRS = 4, ROUNDS = 9 };

// Residuals of pairs of numbers x: the way to one that is turned by an angle and stretched, and bends a little.
static const double ANGLE[PAIRS] = {1.4, -1.2, 0.0, 1.4}, SIZE[PAIRS] = {1.3, 0.9, 0.5, 1.3}, BEND[PAIRS] = {0, 0.05};

static void find_residual(int pair, const double x[2], double r[2])
{
    double c = SIZE[pair] * cos(ANGLE[pair]), s = SIZE[pair] * sin(ANGLE[pair]);
    double y[2] = {1.0 + pair - x[0], -0.5 - x[1]};
    r[0] = c * y[0] - s * y[1] + BEND[pair] * y[0] * y[0];
    r[1] = s * y[0] + c * y[1];
}

// Rounds x += r of pairs [first, end), of which the third goes without secants; left (PAIRS) |r| after each.
static void run(int first, int end, double left[ROUNDS][PAIRS])
{
    int group[2 * PAIRS], n = 2 * (end - first);
    double weight[2 * PAIRS], x[2 * PAIRS] = {0.0}, r[2 * PAIRS], step[2 * PAIRS];
    tn_arena *arena = tn_arena_create(0);
    for (int i = 0; i < n; i++) {
        group[i] = i / 2;
        weight[i] = first + i / 2 == 2 ? 0.0 : 1.0 + i % 2;
    }
    tn_secants s = {.most = 4,
                    .n_groups = end - first,
                    .n_steps = n,
                    .n_residuals = n,
                    .group_of_step = group,
                    .group_of_residual = group,
                    .weight = weight};
    assert_true(arena && tn_secants_create(arena, &s));
    for (int k = 0; k < ROUNDS; k++) {
        for (int p = first; p < end; p++) {
            find_residual(p, x + 2 * (p - first), r + 2 * (p - first));
            left[k][p] =
                sqrt(r[2 * (p - first)] * r[2 * (p - first)] + r[2 * (p - first) + 1] * r[2 * (p - first) + 1]);
        }
        tn_secants_ask(&s, r, step);
        for (int i = 0; i < n; i++) {
            step[i] += r[i];
            x[i] += step[i];
        }
        tn_secants_tell(&s, step);
    }
    tn_arena_destroy(arena);
}

static void test_rounds(void **state)
{
    double left[ROUNDS][PAIRS], alone[ROUNDS][PAIRS];
    run(0, PAIRS, left);
    print_message("linear: %.1e %.1e %.1e %.1e (plain 1.4 times a round), bent: %.1e after 3, %.1e after 8 rounds\n",
                  left[0][0], left[1][0], left[2][0], left[3][0], left[3][1], left[8][1]);
    assert_true(left[1][0] > left[0][0]);                  // a plain round makes it more
    assert_true(left[3][0] < 1e-14 && left[3][3] < 1e-14); // two numbers: two secants say all
    assert_true(left[3][1] < 0.1 && left[8][1] < 1e-12);   // a law that bends: faster and faster
    assert_true(left[8][2] == left[0][2] * pow(0.5, 8.0)); // without secants
    for (int p = 0; p < PAIRS; p++) {
        run(p, p + 1, alone);
        for (int k = 0; k < ROUNDS; k++) {
            assert_true(left[k][p] == alone[k][p]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rounds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
