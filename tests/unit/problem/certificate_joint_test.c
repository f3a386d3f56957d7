// The certificate's figure of joint rows against values by hand, on both sides of every bound: one body of A = 20 1,
// rows along its axes, so that rho, the inverse of G A^-1 G^T, is 20.
#include "problem/certificate.h"

#include "math/blocks.h"
#include "problem/rows.h"
#include "test.h"

#include <math.h>
#include <stdio.h>

typedef struct row_case {
    const char *what;
    double lower, upper, offset, force, compliance, wanted; // wanted: residual [m/s]
} row_case;

// v = (0.5, 0.3, -2): the fastest is 2 m/s, which all residuals are relative to. Row i is G = e_2 unless said.
static double figure(const row_case *c, int n, double velocity_scale)
{
    tn_arena *arena = tn_arena_create(0);
    const double A[9] = {20, 0, 0, 0, 20, 0, 0, 0, 20};
    double b[3] = {10, 6, -40}, v[3] = {0.5, 0.3, -2.0}, force[4], jacobian[12], offset[4], compliance[4], lower[4],
           upper[4];
    int start[5] = {0}, block[4] = {0};
    for (int i = 0; i < n; i++) {
        jacobian[3 * i] = jacobian[3 * i + 2] = 0.0;
        jacobian[3 * i + 1] = 1.0;
        offset[i] = c[i].offset;
        compliance[i] = c[i].compliance;
        lower[i] = c[i].lower;
        upper[i] = c[i].upper;
        force[i] = c[i].force;
        start[i + 1] = i + 1;
    }
    tn_rows rows = {.n_singles = n,
                    .start = start,
                    .block = block,
                    .jacobian = jacobian,
                    .offset = offset,
                    .compliance = compliance,
                    .lower = lower,
                    .upper = upper};
    tn_problem problem = {.A = tn_blocks_from_diagonal(1, A, arena),
                          .b = b,
                          .rows = &rows,
                          .step = 0.1,
                          .force_scale = 1.0,
                          .velocity_scale = velocity_scale};
    tn_certificate out;
    tn_solution solution = {.v = v, .lambda = force};
    assert_int_equal(tn_certificate_compute(&problem, &solution, true, arena, &out), TN_OK);
    tn_arena_destroy(arena);
    return out.joint;
}

static const double free_below = -INFINITY, free_above = INFINITY;

// y = 0.3 + offset + compliance f.
static void one_row(void **unused)
{
    const row_case cases[] = {
        {"bilateral: |y|", free_below, free_above, 0.0, 7.0, 0.0, 0.3},
        {"bilateral with an offset", free_below, free_above, -0.7, 7.0, 0.0, 0.4},
        {"bilateral with compliance: y = 0.3 - 0.01 * 20", free_below, free_above, 0.0, -20.0, 0.01, 0.1},
        {"limit that opens, no force: holds", 0.0, free_above, 0.0, 0.0, 0.0, 0.0},
        {"limit that is passed without a force: |y|", 0.0, free_above, -0.5, 0.0, 0.0, 0.2},
        {"limit that opens with a large force: |y|", 0.0, free_above, 0.0, 50.0, 0.0, 0.3},
        {"limit that opens with a small force: f/rho", 0.0, free_above, 0.0, 2.0, 0.0, 0.1},
        {"limit that pulls: |f|/rho", 0.0, free_above, 0.0, -4.0, 0.0, 0.2},
        {"motor at its lower bound, which y > 0 allows", -5.0, 5.0, 0.0, -5.0, 0.0, 0.0},
        {"motor at its upper bound, y > 0 does not allow", -50.0, 50.0, 0.0, 50.0, 0.0, 0.3},
        {"motor between its bounds, little to the lower", -5.0, 5.0, 0.0, -3.0, 0.0, 0.1},
        {"motor beyond its upper bound", -5.0, 5.0, -0.4, 9.0, 0.0, 0.2},
        {"motor beyond its lower bound", -5.0, 5.0, 0.0, -9.0, 0.0, 0.2},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double got = figure(cases + k, 1, 0.0);
        printf("%-52s %.12g, wanted %.12g +- 1e-15\n", cases[k].what, got, cases[k].wanted / 2.0);
        assert_true(fabs(got - cases[k].wanted / 2.0) <= 1e-15);
    }
}

// The largest row counts, be it bounded or not, first or last; and a larger scale of velocities divides it.
static void several_rows(void **unused)
{
    const row_case holds = {"", 0.0, free_above, 0.0, 0.0, 0.0, 0.0},
                   little = {"", free_below, free_above, -0.29, 0.0, 0.0, 0.01},
                   passed = {"", 0.0, free_above, -0.5, 0.0, 0.0, 0.2};
    const row_case orders[3][3] = {{passed, little, holds}, {little, passed, holds}, {holds, little, passed}};
    for (int k = 0; k < 3; k++) {
        assert_true(fabs(figure(orders[k], 3, 0.0) - 0.1) <= 1e-15);
    }
    assert_true(fabs(figure(&passed, 1, 8.0) - 0.2 / 8.0) <= 1e-16);
}

// G^T f of two rows over three blocks, with entries of both signs; and G v + c + R f of the same.
static void products(void **unused)
{
    const int start[3] = {0, 2, 4}, block[4] = {0, 2, 2, 1};
    const double jacobian[12] = {1, -2, 3, -4, 5, -6, 0.5, 0, -1, 2, -3, 0}, offset[2] = {0.25, -1.0},
                 compliance[2] = {0, 0.5};
    tn_rows rows = {.n_singles = 2,
                    .start = start,
                    .block = block,
                    .jacobian = jacobian,
                    .offset = offset,
                    .compliance = compliance};
    const double f[2] = {2.0, -3.0}, v[9] = {1, 2, -1, 3, 0, 5, -2, 1, 4};
    const double wanted[9] = {2, -4, 6, -6, 9, 0, -8 - 1.5, 10, -12 + 3};
    double force[9] = {0.0}, y[2];
    tn_singles_add_force(&rows, f, force);
    for (int i = 0; i < 9; i++) {
        assert_true(force[i] == wanted[i]);
    }
    for (int i = 0; i < 2; i++) {
        y[i] = tn_single_velocity(&rows, i, v) + compliance[i] * f[i];
    }
    assert_true(y[0] == (1 - 4 - 3) + (8 + 5 - 24) + 0.25);
    assert_true(y[1] == (-1 - 4) + (6 + 0) - 1.0 - 1.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_row), cmocka_unit_test(several_rows),
                                       cmocka_unit_test(products)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
