// A rope round a cylinder or a sphere: lengths by hand, its direction as the derivative of its length, and that the
// length goes on where it comes off.
#include "math/drum.h"

#include "base/random.h"
#include "math/vec3.h"
#include "test.h"

#include <math.h>

static const double PI = 3.141592653589793;

static tn_drum drum_of(bool cylinder, double radius)
{
    return (tn_drum){.axis = {0.0, cylinder ? 1.0 : 0.0, 0.0}, .radius = radius, .side = {NAN, NAN, NAN}};
}

static double length(const tn_drum *drum, double px, double pz, double qx, double qz)
{
    double direction[3];
    return tn_drum_way(drum, (double[3]){px, 0.0, pz}, (double[3]){qx, 0.0, qz}, direction);
}

static void lengths(void **unused)
{
    for (int k = 0; k < 2; k++) {
        tn_drum d = drum_of(k == 0, 0.5);
        double l = sqrt(4.0 - 0.25), angle = PI - 2.0 * acos(0.25);
        assert_float_equal(length(&d, -2.0, 0.0, 2.0, 0.0), 2.0 * l + 0.5 * angle, 1e-14); // across the middle
        assert_float_equal(length(&d, -2.0, 0.6, 2.0, 0.6), 4.0, 1e-14);                   // past it
        assert_float_equal(length(&d, -0.3, 0.0, 2.0, 0.0), 2.3, 1e-14);                   // an end is inside
        tn_vec3_set(d.side, 0.0, 0.0, 1.0);
        assert_float_equal(length(&d, 2.0, 0.5, -0.5, -3.0), 2.0 + 3.0 + 0.25 * PI, 1e-14);
        assert_float_equal(length(&d, -2.0, 0.6, 2.0, 0.6), 4.0, 1e-14);
        tn_vec3_set(d.side, 0.0, 0.0, -1.0); // round the far side: the arc from -y to y with both tangents
        double far = sqrt(2.0 * 2.0 + 0.6 * 0.6), bend = acos(0.5 / far), at = atan2(0.6, 2.0);
        assert_float_equal(length(&d, -2.0, 0.6, 2.0, 0.6),
                           2.0 * sqrt(far * far - 0.25) + 0.5 * (PI + 2.0 * at - 2.0 * bend), 1e-14);
        assert_false(tn_drum_contains(&d, d.side));
        assert_true(tn_drum_contains(&d, (double[3]){0.3, 0.0, 0.3}));
        assert_true(tn_drum_contains(&d, (double[3]){0.3, 3.0, 0.3}) == (k == 0));
    }
    tn_drum d = drum_of(true, 0.5); // a helix is straight when it is unrolled
    tn_vec3_set(d.side, 0.0, 0.0, 1.0);
    double direction[3], flat = 5.0 + 0.25 * PI;
    double way = tn_drum_way(&d, (double[3]){2.0, 0.0, 0.5}, (double[3]){-0.5, 3.0, -3.0}, direction);
    assert_float_equal(way, sqrt(flat * flat + 9.0), 1e-14);
    assert_float_equal(direction[1], 3.0 / way, 1e-14);
    assert_float_equal(direction[2], -flat / way, 1e-14);
}

// Wherever drum and ends are: |direction| = 1, and it is what the length changes by.
static void directions(void **unused)
{
    int bent = 0;
    double worst = 0.0;
    for (uint64_t n = 0; n < 20000; n++) {
        double x[12], direction[3], other[3];
        for (uint64_t i = 0; i < 12; i++) {
            x[i] = 2.0 * tn_random_uniform(1, n, i) - 1.0;
        }
        tn_drum d = drum_of(n % 2, 0.1 + 0.3 * fabs(x[9]));
        tn_vec3_copy(d.center, x + 6);
        if (n % 2) {
            tn_vec3_scale(d.axis, 1.0 / tn_vec3_norm(x + 9), x + 9);
        }
        double way = tn_drum_way(&d, x, x + 3, direction), straight[3], off = 0.0, h = 1e-6;
        tn_vec3_sub(straight, x + 3, x);
        bent += way > tn_vec3_norm(straight) * (1.0 + 1e-9);
        assert_float_equal(tn_vec3_norm(direction), 1.0, 1e-12);
        for (int i = 0; i < 3; i++) {
            double more[3], less[3];
            tn_vec3_copy(more, x + 3);
            tn_vec3_copy(less, x + 3);
            more[i] += h;
            less[i] -= h;
            double slope = (tn_drum_way(&d, x, more, other) - tn_drum_way(&d, x, less, other)) / (2.0 * h);
            off = fmax(off, fabs(slope - direction[i]));
        }
        worst = off < 0.1 ? fmax(worst, off) : worst; // where it jumps to the other side there is no slope
        assert_true(off < 1e-3 || off > 0.1);
    }
    print_message("%d of 20000 go round; direction off the slope of the length %.2e\n", bent, worst);
    assert_true(bent > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lengths), cmocka_unit_test(directions)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
