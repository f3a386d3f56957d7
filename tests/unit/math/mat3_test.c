// 3x3 matrices: products against each other, inverse, eigenvectors, the contact frame.
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "math/mat3.h"
#include "test.h"

enum { SAMPLES = 100000 };

static void random_numbers(int n, double *x, uint64_t stream, int sample)
{
    for (int i = 0; i < n; i++) {
        x[i] = tn_random_normal(11, stream, (uint64_t)(16 * sample + i));
    }
}

static void random_unit(double n[3], uint64_t stream, int sample)
{
    random_numbers(3, n, stream, sample);
    tn_vec3_scale(n, 1.0 / tn_vec3_norm(n), n);
}

static double largest_difference(int n, const double *a, const double *b)
{
    double worst = 0.0;
    for (int i = 0; i < n; i++) {
        worst = fmax(worst, fabs(a[i] - b[i]));
    }
    return worst;
}

// Largest element of R R^T - 1, and 1 - det R.
static double rotation_error(const double r[9])
{
    double rrt[9], one[9];
    tn_mat3_mul_nt(rrt, r, r);
    tn_mat3_identity(one);
    return fmax(largest_difference(9, rrt, one), fabs(tn_mat3_det(r) - 1.0));
}

// Every product and its transposed forms, on one pair of matrices; returns the largest difference.
static double products_difference(int sample)
{
    double a[9], b[9], at[9], bt[9], p[9], q[9], x[3], y[3], z[3], skew[9];
    random_numbers(9, a, 1, sample);
    random_numbers(9, b, 2, sample);
    random_numbers(3, x, 3, sample);
    for (int i = 0; i < 9; i++) {
        at[i] = a[3 * (i % 3) + i / 3];
        bt[i] = b[3 * (i % 3) + i / 3];
    }
    tn_mat3_mul(p, a, b);
    tn_mat3_mul_tn(q, at, b);
    double worst = largest_difference(9, p, q);
    tn_mat3_mul_nt(q, a, bt);
    worst = fmax(worst, largest_difference(9, p, q));
    tn_mat3_vec(y, b, x);
    tn_mat3_vec(z, a, y);
    tn_mat3_vec(y, p, x); // (a b) x = a (b x)
    worst = fmax(worst, largest_difference(3, y, z));
    tn_mat3_vec(z, a, x);
    tn_mat3_tvec(y, at, x);
    worst = fmax(worst, largest_difference(3, y, z));
    tn_mat3_add_vec(y, a, x);
    tn_mat3_add_tvec(y, at, x);
    tn_vec3_scale(z, 3.0, z);
    worst = fmax(worst, largest_difference(3, y, z));
    tn_mat3_skew(skew, a);
    tn_mat3_vec(y, skew, x);
    tn_vec3_cross(z, a, x);
    return fmax(worst, largest_difference(3, y, z));
}

static void products_are_consistent(void **state)
{
    double worst = 0.0;
    for (int s = 0; s < 1000; s++) {
        worst = fmax(worst, products_difference(s));
    }
    printf("largest difference %.2e, limit 4e-14 (some 20 roundings of numbers up to 30)\n", worst);
    assert_true(worst > 0.0 && worst < 4e-14);
}

static void inverse_undoes_the_product_and_refuses_the_singular(void **state)
{
    double worst = 0.0;
    for (int s = 0; s < SAMPLES; s++) {
        double a[9], inverse[9], p[9], one[9];
        random_numbers(9, a, 4, s);
        assert_true(tn_mat3_inverse(inverse, a));
        tn_mat3_mul(p, inverse, a);
        tn_mat3_identity(one);
        double scale = 0.0;
        for (int i = 0; i < 9; i++) {
            scale = fmax(scale, fabs(inverse[i]));
        }
        worst = fmax(worst, largest_difference(9, p, one) / (1.0 + scale * scale));
    }
    printf("|X A - 1| / (1 + |X|^2): worst %.2e, limit 1e-14 (backward stable up to the condition)\n", worst);
    assert_true(worst < 1e-14);

    double out[9] = {7}, flat[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, nan[9] = {(double)NAN, 0, 0, 0, 1, 0, 0, 0, 1};
    const double stiff[9] = {1e-150, 0, 0, 0, 1, 0, 0, 0, 1e150};
    assert_false(tn_mat3_inverse(out, flat));
    assert_false(tn_mat3_inverse(out, nan));
    assert_true(out[0] == 7.0);
    assert_true(tn_mat3_inverse(out, stiff)); // badly scaled is not singular
}

static void check_eigen(const double a[9], double scale, double *worst_rotation, double *worst_product)
{
    double values[3], v[9], av[9], vl[9];
    tn_mat3_eigen(a, values, v);
    assert_true(values[0] <= values[1] && values[1] <= values[2]);
    *worst_rotation = fmax(*worst_rotation, rotation_error(v));
    tn_mat3_mul(av, a, v);
    for (int i = 0; i < 9; i++) {
        vl[i] = v[i] * values[i % 3];
    }
    *worst_product = fmax(*worst_product, largest_difference(9, av, vl) / scale);
}

static void eigenvectors_diagonalise(void **state)
{
    double worst_rotation = 0.0, worst_product = 0.0;
    for (int s = 0; s < SAMPLES; s++) {
        double b[9], a[9];
        random_numbers(9, b, 5, s);
        double scale = pow(10.0, (double)(s % 61) - 30.0);
        for (int i = 0; i < 9; i++) {
            a[i] = scale * (b[3 * (i % 3) + i / 3] + b[i]);
        }
        check_eigen(a, scale, &worst_rotation, &worst_product);
    }
    // Repeated and zero eigenvalues, and a matrix that is diagonal already in the wrong order.
    const double special[][9] = {
        {0}, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {3, 0, 0, 0, 2, 0, 0, 0, 1}, {1, 1, 1, 1, 1, 1, 1, 1, 1}};
    for (int i = 0; i < 4; i++) {
        check_eigen(special[i], 1.0, &worst_rotation, &worst_product);
    }
    printf("V^T V - 1: worst %.2e, limit 1e-14; A V - V L: worst %.2e of |A|, limit 2e-14 (measured times 5)\n",
           worst_rotation, worst_product);
    assert_true(worst_rotation < 1e-14 && worst_product < 2e-14);

    double values[3], v[9];
    const double nan[9] = {(double)NAN, 1, 0, 1, 2, 0, 0, 0, 1};
    tn_mat3_eigen(nan, values, v); // ends
    assert_true(isnan(values[0]) || isnan(values[1]) || isnan(values[2]));
}

static void frame_is_a_rotation_with_n_first(void **state)
{
    double worst = 0.0;
    for (int s = 0; s < SAMPLES; s++) {
        double n[3], r[9];
        random_unit(n, 6, s);
        if (s % 2) { // close to both poles, too: the distance goes down to 1e-160
            double tilt = pow(10.0, -(double)(s % 161));
            tn_vec3_set(n, tilt * n[0], tilt * n[1], n[2] < 0.0 ? -1.0 : 1.0);
            tn_vec3_scale(n, 1.0 / tn_vec3_norm(n), n);
        }
        tn_mat3_frame(r, n);
        assert_memory_equal(r, n, sizeof n);
        worst = fmax(worst, rotation_error(r));
    }
    printf("frame: R R^T - 1 worst %.2e, limit 4e-15 (n itself is a unit vector to 2e-16)\n", worst);
    assert_true(worst < 4e-15);
    const double up[3] = {0, 0, 1}, down[3] = {0, 0, -1};
    const double frame_up[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0};
    double r[9];
    tn_mat3_frame(r, up);
    for (int i = 0; i < 9; i++) {
        assert_true(r[i] == frame_up[i]);
    }
    tn_mat3_frame(r, down);
    assert_true(rotation_error(r) == 0.0);
}

static void frame_is_continuous_away_from_minus_z(void **state)
{
    // The frame turns by |dn| (1 - z) / |(x, y)| at most about n: Lipschitz with 2 / |(x, y)| below the equator.
    double worst = 0.0;
    for (int s = 0; s < SAMPLES; s++) {
        double n[3], d[3], r[9], q[9];
        random_unit(n, 7, s);
        random_unit(d, 8, s);
        double step = 1e-6;
        tn_mat3_frame(r, n);
        tn_vec3_madd(n, n, step, d);
        tn_vec3_scale(n, 1.0 / tn_vec3_norm(n), n);
        tn_mat3_frame(q, n);
        double lipschitz = 1.0 + 2.0 / sqrt(fmax(n[0] * n[0] + n[1] * n[1], n[2] > 0.0 ? 1.0 : 1e-8));
        worst = fmax(worst, largest_difference(9, r, q) / (step * lipschitz));
    }
    printf("frame: change per angle worst %.2f of the Lipschitz bound, limit 1.1\n", worst);
    assert_true(worst < 1.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_are_consistent),
        cmocka_unit_test(inverse_undoes_the_product_and_refuses_the_singular),
        cmocka_unit_test(eigenvectors_diagonalise),
        cmocka_unit_test(frame_is_a_rotation_with_n_first),
        cmocka_unit_test(frame_is_continuous_away_from_minus_z),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
