// The factor by signed fronts: every instruction set gives the same bits, and a factor of two fronts is right.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "kernels/ldl_fronts.h"
#include "test.h"

enum { FIRST = 11, SECOND = 9, BORDER = 6, SIZE = FIRST + SECOND, STRIDE = 24 };

// Two fronts: the first leaves six scalars of the second; K is quasi-definite, six of the first positive.
typedef struct pair {
    tn_front front[2];
    int border[BORDER], into[BORDER];
    double value[FIRST * STRIDE + SECOND * 16], rests[BORDER * STRIDE], inverse[SIZE], K[SIZE][SIZE];
    tn_ldl ldl;
} pair;

static void create(pair *p)
{
    memset(p, 0, sizeof *p);
    for (int i = 0; i < BORDER; i++) {
        p->border[i] = FIRST + i + 2;
        p->into[i] = i + 2;
    }
    p->front[0] =
        (tn_front){.n = FIRST, .width = FIRST + BORDER, .positive = 6, .stride = STRIDE, .child = -1, .next = -1};
    p->front[0].border = p->border;
    p->front[0].into = p->into;
    p->front[1] =
        (tn_front){.first = FIRST, .n = SECOND, .width = SECOND, .positive = SECOND, .stride = 16, .next = -1};
    p->front[1].at = FIRST * STRIDE;
    p->front[1].rest = BORDER * STRIDE;
    p->ldl =
        (tn_ldl){.n = 2, .size = SIZE, .front = p->front, .value = p->value, .rests = p->rests, .inverse = p->inverse};
    for (int i = 0; i < SIZE; i++) {
        for (int j = i; j < SIZE; j++) {
            bool first = i < FIRST && j < FIRST, coupled = i < FIRST && j >= FIRST + 2 && j < FIRST + 2 + BORDER;
            double x = 0.3 * tn_random_normal(3, (uint64_t)i, (uint64_t)j);
            bool apart = first && (i < 6) == (j < 6) && i != j;
            double own = i < 6 || i >= FIRST ? 8.0 : -8.0;
            double k = i == j ? own : (first && !apart) || coupled || i >= FIRST ? x : 0.0;
            p->K[i][j] = p->K[j][i] = k;
            if (i < FIRST && j < FIRST) {
                p->value[i * STRIDE + j] = k;
            } else if (coupled) {
                p->value[i * STRIDE + FIRST + j - FIRST - 2] = k;
            } else if (i >= FIRST) {
                p->value[p->front[1].at + (size_t)((i - FIRST) * 16 + j - FIRST)] = k;
            }
        }
    }
}

static void same_bits_and_right(void **state)
{
    static const char *const kinds[] = {"baseline", "avx2", "avx512"};
    double x[3][SIZE], panel[3][SIZE * TN_PANEL], b[SIZE], worst = 0.0;
    for (int k = 0; k < 3; k++) {
        pair p;
        bool definite = false;
        create(&p);
        for (int i = 0; i < SIZE; i++) {
            b[i] = x[k][i] = tn_random_normal(4, 0, (uint64_t)i);
            for (int c = 0; c < TN_PANEL; c++) {
                panel[k][TN_PANEL * i + c] = b[i] * (c == 3 ? 2.0 : 1.0);
            }
        }
        if (!tn_ldl_with(kinds[k], &p.ldl, x[k], panel[k], &definite)) {
            assert_true(k > 0);
            continue;
        }
        assert_true(definite);
        assert_memory_equal(x[k], x[0], sizeof x[0]);
        assert_memory_equal(panel[k], panel[0], sizeof panel[0]);
        for (int i = 0; i < SIZE; i++) {
            double left = -b[i], twice = -2.0 * b[i];
            for (int j = 0; j < SIZE; j++) {
                left += p.K[i][j] * x[k][j];
                twice += p.K[i][j] * panel[k][TN_PANEL * j + 3];
            }
            worst = fmax(worst, fmax(fabs(left), fabs(twice)));
        }
    }
    printf("K x - b: %.1e (limit 1e-13)\n", worst);
    assert_true(worst <= 1e-13);
}

static void wrong_sign(void **state)
{
    pair p;
    create(&p);
    p.value[0] = -8.0;
    assert_false(tn_ldl_factor(&p.ldl));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(same_bits_and_right), cmocka_unit_test(wrong_sign)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
