// The scenes of scenes/compliant without contact do what they are there for; those with contact are in
// contact_stiffness_test.c. `tenon bench papers --only compliant` shows the whole series.
#include "gallery.h"

// Backward Euler of x'' = -k x: x -> x/(1 + i h w) in modulus, whatever h w.
static void test_spring_mass_damper(void **state)
{
    const double steps[] = {1e-5, 1e-3, 1e-2};
    for (int k = 0; k < 3; k++) {
        char step[40];
        snprintf(step, sizeof step, "step=%.17g", steps[k]);
        scenario s = gallery_open("compliant/spring_mass_damper.yaml", 1, (const char *[]){step});
        int mass = scenario_body(&s, "mass");
        double h = steps[k], x = 1.0, v = 0.0, worst = 0.0;
        for (int n = 0; n < 50; n++) {
            scenario_step(&s);
            v = (v - h * 1e6 * x) / (1.0 + h * h * 1e6);
            x += h * v;
            worst = fmax(worst, fabs(scenario_position(&s, mass, 0) - x));
        }
        check_below("off backward Euler [m]", worst, 1e-13);
        scenario_close(&s);
    }
}

// How far the pin is off after a second's swing.
static double deviation(double h)
{
    char step[40];
    snprintf(step, sizeof step, "step=%.17g", h);
    scenario s = gallery_open("compliant/pendulum.yaml", 3,
                              (const char *[]){step, "gain_limit=infinite", "joints.pin.stiffness=1e15"});
    int bob = scenario_body(&s, "bob");
    double worst = 0.0;
    for (int n = 0; n < (int)(1.0 / h + 0.5); n++) {
        double x[3], q[4];
        scenario_step(&s);
        tn_state_body_pose(s.state, bob, x, q);
        double turn = 2.0 * atan2(q[2], q[0]);
        worst = fmax(worst, sqrt(pow(x[0] - cos(turn), 2.0) + pow(x[2] + sin(turn), 2.0)));
    }
    scenario_close(&s);
    return worst;
}

static void test_pendulum_deviates_with_the_step_squared(void **state)
{
    double last = deviation(1e-2);
    for (double h = 5e-3; h > 5e-4; h *= 0.5) {
        double now = deviation(h);
        check_near("slope of the deviation", log2(last / now), 2.0, 0.05); // of the task
        last = now;
    }
}

// At 1 ms the stop is a dead end: no speed is left, and it is not passed by more than its force takes.
static void test_pendulum_stops_dead(void **state)
{
    scenario s = gallery_open("compliant/pendulum_limit.yaml", 0, NULL);
    double fastest = 0.0, back = 0.0, deepest = 0.0, gained = -1.0;
    for (int n = 0; n < 1000; n++) {
        double turn[3], rate[3];
        scenario_step(&s);
        tn_state_joint(s.state, 0, turn, rate);
        fastest = fmax(fastest, rate[0]);
        back = fmax(back, -rate[0]);
        deepest = fmax(deepest, turn[0] - 0.5 * PI);
        gained = fmax(gained, s.report.energy.kinetic + s.report.energy.gravity);
    }
    check_near("speed at the stop [rad/s]", fastest, sqrt(2.0 * GRAVITY / (1.0 + 1.0 / 12.0)), 0.02);
    check_below("speed back [rad/s]", back, 1e-3);
    check_below("beyond the stop [rad]", deepest, 1e-7);
    check_below("energy above that at the start, of m g L", gained / GRAVITY, 2e-3);
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spring_mass_damper),
        cmocka_unit_test(test_pendulum_deviates_with_the_step_squared),
        cmocka_unit_test(test_pendulum_stops_dead),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
