// Newton's restitution in both schemes.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "law/impact.h"

static void restitution_starts_above_the_threshold(void **state)
{
    assert_true(tn_impact_velocity(0.5, 0.01, -2.0) == 1.0);
    assert_true(tn_impact_velocity(0.0, 0.01, -2.0) == 0.0);
    assert_true(tn_impact_velocity(1.0, 0.01, -0.009) == 0.0); // rests
    assert_true(tn_impact_velocity(0.5, 0.0, 3.0) == 0.0);     // opens: no pull back
    assert_true(isnan(tn_impact_velocity(0.5, 0.0, (double)NAN)));
}

// v^ at the bound must give u_after = -eps u_before through v_{k+1} = v_k + (v^ - v_k) / theta.
static void representative_velocity_reaches_the_bound(void **state)
{
    const double thetas[] = {0.5, 0.75, 1.0}, before = -3.0;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k <= 4; k++) {
            double restitution = 0.25 * k, theta = thetas[i];
            double after = tn_impact_velocity(restitution, 0.0, before);
            double v = tn_impact_representative(theta, before, after);
            // Both laws in one formula: ((1 - theta) - theta eps) u
            assert_true(fabs(v - ((1.0 - theta) - theta * restitution) * before) < 1e-15);
            assert_true(fabs(before + (v - before) / theta + restitution * before) < 1e-14);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(restitution_starts_above_the_threshold),
        cmocka_unit_test(representative_velocity_reaches_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
