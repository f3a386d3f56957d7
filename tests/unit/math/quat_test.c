// Quaternions against matrices, and exp and log against each other.
#include <math.h>
#include <stdio.h>

#include "base/random.h"
#include "math/mat3.h"
#include "math/quat.h"
#include "test.h"

enum { SAMPLES = 100000 };
static const double PI = 3.14159265358979323846;

static void random_quat(double q[4], uint64_t stream, int sample)
{
    for (int i = 0; i < 4; i++) {
        q[i] = tn_random_normal(21, stream, (uint64_t)(4 * sample + i));
    }
    tn_quat_normalize(q);
}

static double largest_difference(int n, const double *a, const double *b)
{
    double worst = 0.0;
    for (int i = 0; i < n; i++) {
        worst = fmax(worst, fabs(a[i] - b[i]));
    }
    return worst;
}

static void quaternion_and_matrix_turn_alike(void **state)
{
    double worst = 0.0, worst_back = 0.0;
    for (int s = 0; s < SAMPLES; s++) {
        double a[4], b[4], ab[4], ra[9], rb[9], rab[9], p[9], x[3], y[3], z[3];
        random_quat(a, 1, s);
        random_quat(b, 2, s);
        tn_quat_to_mat3(ra, a);
        tn_quat_to_mat3(rb, b);
        tn_quat_mul(ab, a, b);
        tn_quat_to_mat3(rab, ab);
        tn_mat3_mul(p, ra, rb);
        worst = fmax(worst, largest_difference(9, p, rab));
        tn_vec3_copy(x, b);
        tn_mat3_vec(y, ra, x);
        tn_quat_rotate(z, a, x);
        worst = fmax(worst, largest_difference(3, y, z));
        tn_quat_rotate_inverse(z, a, z);
        worst = fmax(worst, largest_difference(3, x, z));
        tn_quat_conjugate(b, a);
        tn_quat_rotate_inverse(z, b, x);
        worst = fmax(worst, largest_difference(3, y, z));
        tn_quat_from_mat3(b, ra);
        double sign = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3] < 0.0 ? -1.0 : 1.0;
        for (int i = 0; i < 4; i++) {
            b[i] *= sign;
        }
        worst_back = fmax(worst_back, largest_difference(4, a, b));
    }
    printf("rotations differ by %.2e, limit 4e-15; back from the matrix %.2e, limit 2e-15 (measured times 3)\n", worst,
           worst_back);
    assert_true(worst < 4e-15 && worst_back < 2e-15);
}

static void log_undoes_exp(void **state)
{
    double worst = 0.0;
    for (int s = 0; s < SAMPLES; s++) {
        double axis[4], turn[3], q[4], back[3];
        random_quat(axis, 3, s);
        double length = tn_vec3_norm(axis);
        // Angles from 1e-300 to pi; the last ones crowd below pi.
        double angle = s % 3 == 0   ? PI * tn_random_uniform(22, 0, (uint64_t)s)
                       : s % 3 == 1 ? pow(10.0, -(double)(s % 300))
                                    : PI - pow(10.0, -1.0 - (double)(s % 14));
        tn_vec3_scale(turn, angle / length, axis);
        tn_quat_exp(q, turn);
        tn_quat_log(back, q);
        // Both are exact to rounding relative to the angle.
        worst = fmax(worst, largest_difference(3, turn, back) / angle);
        for (int i = 0; i < 4; i++) {
            q[i] = -q[i];
        }
        tn_quat_log(back, q); // the same rotation
        worst = fmax(worst, largest_difference(3, turn, back) / angle);
        double direct[4];
        tn_quat_from_axis_angle(direct, axis, angle);
        tn_quat_exp(q, turn);
        assert_true(largest_difference(4, direct, q) < 1e-15);
    }
    printf("log(exp(x)) - x: worst %.2e |x|, limit 3e-15 (measured times 3)\n", worst);
    assert_true(worst < 3e-15);
}

static void special_rotations(void **state)
{
    const double zero[3] = {0, 0, 0}, identity[4] = {1, 0, 0, 0}, minus[4] = {-1, 0, 0, 0};
    double q[4], x[3];
    tn_quat_exp(q, zero);
    assert_memory_equal(q, identity, sizeof q);
    tn_quat_from_axis_angle(q, zero, 1.0);
    assert_memory_equal(q, identity, sizeof q);
    tn_quat_log(x, minus);
    assert_true(x[0] == 0.0 && x[1] == 0.0 && x[2] == 0.0);
    double none[4] = {0, 0, 0, 0}, nan[4] = {1, (double)NAN, 0, 0};
    tn_quat_normalize(none);
    assert_memory_equal(none, identity, sizeof none);
    tn_quat_normalize(nan);
    assert_true(isnan(nan[1]));
    // Quarter turn about z: x to y.
    const double axis[3] = {0, 0, 5}, ex[3] = {1, 0, 0};
    tn_quat_from_axis_angle(q, axis, PI / 2);
    tn_quat_rotate(x, q, ex);
    assert_true(fabs(x[0]) < 1e-15 && fabs(x[1] - 1.0) < 1e-15 && x[2] == 0.0);
    // Half turns have w = 0: from_mat3 must take its other three branches.
    for (int k = 0; k < 3; k++) {
        double half[4] = {0, 0, 0, 0}, r[9], back[4];
        half[1 + k] = 1.0;
        tn_quat_to_mat3(r, half);
        tn_quat_from_mat3(back, r);
        assert_true(largest_difference(4, half, back) == 0.0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quaternion_and_matrix_turn_alike),
        cmocka_unit_test(log_undoes_exp),
        cmocka_unit_test(special_rotations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
