// Chains of blocks: every instruction set gives the bits of the baseline, the solutions hold, blocks that need other
// rows first are solved, singular ones are noticed.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "kernels/chain.h"
#include "test.h"

enum { LONGEST = 30 };

typedef struct chain {
    double D[LONGEST * TN_CHAIN_BLOCK], U[LONGEST * TN_CHAIN_BLOCK];
} chain;

// Diagonally dominant but for block `odd`, whose first two rows change places, with their unknowns' couplings.
static void fill(int n, int odd, chain *c)
{
    memset(c, 0, sizeof *c);
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < 6; i++) {
            for (int j = 0; j < 7; j++) {
                double own = tn_random_normal(1, (uint64_t)(100 * n + k), (uint64_t)(10 * i + j));
                c->D[k * TN_CHAIN_BLOCK + i * TN_CHAIN_ROW + j] = own + (i == j ? 20.0 : 0.0);
                double next = tn_random_normal(2, (uint64_t)(100 * n + k), (uint64_t)(10 * i + j));
                c->U[k * TN_CHAIN_BLOCK + i * TN_CHAIN_ROW + j] = j < 6 && k + 1 < n ? next : 0.0;
            }
        }
        double *D = c->D + k * TN_CHAIN_BLOCK;
        if (k == odd) {
            D[0] = D[TN_CHAIN_ROW + 1] = 0.0;
            D[1] = 20.0;
            D[TN_CHAIN_ROW] = -20.0;
        }
    }
}

static double residual(int n, const chain *c, const double *x)
{
    double worst = 0.0;
    for (int k = 0; k < n; k++) {
        for (int i = 0; i < 6; i++) {
            const double *D = c->D + k * TN_CHAIN_BLOCK + i * TN_CHAIN_ROW;
            double left = D[6];
            for (int j = 0; j < 6; j++) {
                left -= D[j] * x[6 * k + j];
                left -= k + 1 < n ? c->U[k * TN_CHAIN_BLOCK + i * TN_CHAIN_ROW + j] * x[6 * k + 6 + j] : 0.0;
                left -= k > 0 ? c->U[(k - 1) * TN_CHAIN_BLOCK + j * TN_CHAIN_ROW + i] * x[6 * k - 6 + j] : 0.0;
            }
            worst = fmax(worst, fabs(left));
        }
    }
    return worst;
}

static void same_bits_and_right(void **state)
{
    static const char *const kinds[] = {"baseline", "avx2", "avx512"};
    static chain own, c;
    double room[LONGEST * TN_CHAIN_BLOCK], x[3][6 * LONGEST], worst = 0.0;
    for (int n = 1; n <= LONGEST; n++) {
        fill(n, n / 2, &own);
        for (int k = 0; k < 3; k++) {
            bool regular = false;
            c = own;
            if (tn_chain_solve_with(kinds[k], n, c.D, c.U, room, x[k], &regular)) {
                assert_true(regular);
                assert_memory_equal(x[k], x[0], 6 * (size_t)n * sizeof **x);
            } else {
                assert_true(k > 0);
            }
        }
        worst = fmax(worst, residual(n, &own, x[0]));
    }
    printf("chains of up to %d: left %.1e (limit 1e-13)\n", LONGEST, worst);
    assert_true(worst < 1e-13);
}

static void singular(void **state)
{
    static chain c;
    double room[LONGEST * TN_CHAIN_BLOCK], x[6 * LONGEST];
    bool regular = true;
    fill(3, -1, &c);
    memset(c.D + 2 * TN_CHAIN_BLOCK, 0, TN_CHAIN_BLOCK * sizeof *c.D);
    memset(c.U + TN_CHAIN_BLOCK, 0, TN_CHAIN_BLOCK * sizeof *c.U);
    tn_chain_solve(3, c.D, c.U, room, x, &regular);
    assert_false(regular);
    assert_false(tn_chain_solve_with("none", 3, c.D, c.U, room, x, &regular));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits_and_right), cmocka_unit_test(singular)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
