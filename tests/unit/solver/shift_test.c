// De Saxce's fixed point as it is watched: it converges where the map contracts, with damping where it swings, and
// counts as lost where it runs away.
#include "friction_problem.h"

#include "solver/shift.h"

// One contact whose convex solution with shift s slips at mu |u_t| = a + slope s.
static int run(double slope, int most, double *residual, double *share)
{
    static const double W[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, q[3] = {0};
    friction_problem *f = friction_local(1, W, q, 0.5);
    tn_shift shift;
    int k = 0;
    bool contracts = true;
    f->problem.law = TN_LAW_COULOMB;
    assert_true(tn_shift_create(&shift, &f->problem, f->arena));
    for (; k < most && contracts && !(shift.residual < 1e-10); ++k) {
        double u[3] = {0.0, fmax(0.0, 1.0 + slope * shift.value[0]) / 0.5, 0.0};
        assert_true(fabs(tn_shift_of(&f->problem, 0, u) - fmax(0.0, 1.0 + slope * shift.value[0])) < 1e-14);
        contracts = tn_shift_update(&shift, u);
    }
    *residual = shift.residual;
    *share = shift.share;
    friction_destroy(f);
    return contracts ? k : -k;
}

static void watched(void **state)
{
    // slope, whether it gets there: |1 - w (1 - slope)| < 1 for some w of 1, 1/2, 1/4, 1/8, 1/16. The shift is never
    // negative, so a steep fall swings between two values rather than away.
    static const struct {
        double slope;
        bool reached;
    } cases[] = {{0.5, true}, {-0.9, true}, {-2.0, true}, {-6.0, true}, {1.5, false}};
    for (int i = 0; i < 5; ++i) {
        double residual, share;
        int k = run(cases[i].slope, 5000, &residual, &share);
        printf("slope %4.1f: %s after %d updates, share %g, residual %.1e (limit 1e-10)\n", cases[i].slope,
               k > 0 ? "settled" : "lost", abs(k), share, residual);
        assert_true(cases[i].reached ? k > 0 && residual < 1e-10 : k < 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(watched)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
