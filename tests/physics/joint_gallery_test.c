// The scenes of scenes/joints do what they are there for.
#include "gallery.h"

typedef struct figures {
    double drift, joint, low, high; // largest; total energy less what was injected, with what was lost [J]
} figures;

static void run(scenario *s, double until, figures *f)
{
    *f = (figures){.low = INFINITY, .high = -INFINITY};
    while (tn_state_time(s->state) < until - 5e-7) {
        scenario_step(s);
        const tn_energy *e = &s->report.energy;
        double energy = e->kinetic + e->gravity + e->elastic - e->injected + e->dissipated;
        f->drift = fmax(f->drift, s->report.solve.certificate.drift);
        f->joint = fmax(f->joint, s->report.solve.certificate.joint);
        f->low = fmin(f->low, energy);
        f->high = fmax(f->high, energy);
    }
}

static double rate(const scenario *s, const char *joint)
{
    double q[3], r[3];
    tn_state_joint(s->state, tn_model_find_joint(s->model, joint), q, r);
    return r[0];
}

static double coordinate(const scenario *s, const char *joint)
{
    double q[3], r[3];
    tn_state_joint(s->state, tn_model_find_joint(s->model, joint), q, r);
    return q[0];
}

static void test_pendulum(void **unused)
{
    scenario s = gallery_open("joints/pendulum.yaml", 0, NULL);
    figures f;
    run(&s, 10.0, &f);
    check_below("pendulum: energy that is nowhere, of 32 J [J]", f.high - f.low, 0.1);
    check_below("drift [m, rad]", f.drift, 1e-6);
    scenario_close(&s);
}

// The rocker goes to and fro while the crank turns once in 2 pi/3 s.
static void test_four_bar(void **unused)
{
    scenario s = gallery_open("joints/four_bar.yaml", 0, NULL);
    figures f;
    run(&s, 2.0 * PI / 3.0, &f);
    double first = coordinate(&s, "three");
    check_near("four_bar: crank [rad/s]", rate(&s, "motor"), 3.0, 1e-6);
    run(&s, 4.0 * PI / 3.0, &f);
    check_near("rocker after another turn [rad]", coordinate(&s, "three"), first,
               0.01); // a turn is no whole number of steps
    check_below("drift [m, rad]", f.drift, 1e-6);
    scenario_close(&s);
}

static void test_slider_crank(void **unused)
{
    scenario s = gallery_open("joints/slider_crank.yaml", 0, NULL);
    figures f;
    run(&s, 4.0, &f);
    // 12 rad/s but for what 60 N m do not master.
    check_near("slider_crank: turned [rad]", coordinate(&s, "motor"), 47.0, 1.5);
    check_below("energy that is nowhere [J]", f.high - f.low, 0.2);
    check_below("drift [m, rad]", f.drift, 1e-6);
    scenario_close(&s);
}

// The fan turns by 3 0.42/0.13 rad a metre of the rack, which sinks at m g over 2 N m s times that squared.
static void test_gear_train(void **unused)
{
    scenario s = gallery_open("joints/gear_train.yaml", 0, NULL);
    figures f;
    run(&s, 1.0, &f);
    double ratio = 3.0 * 0.42 / 0.13;
    check_near("gear_train: ratio of fan and rack [1/m]", fabs(rate(&s, "spindle") / rate(&s, "rail")), ratio, 1e-6);
    check_near("speed of the rack [m/s]", rate(&s, "rail"), -4.0 * GRAVITY / (2.0 * ratio * ratio), 1e-3);
    run(&s, 8.0, &f);
    check_near("the rack rests on its limit [m]", coordinate(&s, "rail"), -0.9, 1e-6);
    check_below("drift [m, rad]", f.drift, 1e-6);
    scenario_close(&s);
}

// Comes to rest without flying apart: limits, friction and contacts in one problem.
static void test_ragdoll(void **unused)
{
    const char *set[] = {"duration=1.2"};
    scenario s = gallery_open("joints/ragdoll.yaml", 1, set);
    figures f;
    run(&s, 1.2, &f);
    check_below("ragdoll: joints' rows", f.joint, 1e-5);
    check_below("drift [m, rad]", f.drift, 5e-3); // limits that two impacts in a step push beyond
    check_below("energy gained, of 1100 J [J]", f.high - f.low, 60.0);
    check_below("height of the trunk [m]", scenario_position(&s, scenario_body(&s, "trunk"), 2), 1.6);
    scenario_close(&s);
}

// midpoint finds its joint rows anew within a step, and the contacts beside them stay: the first limbs touch at 0.4 s.
static void test_ragdoll_midpoint(void **unused)
{
    const char *set[] = {"scheme=midpoint"};
    scenario s = gallery_open("joints/ragdoll.yaml", 1, set);
    figures f;
    run(&s, 0.6, &f);
    assert_true(tn_sim_contact_count(s.sim) > 0);
    check_below("ragdoll, midpoint: drift [m, rad]", f.drift, 2e-6);
    scenario_close(&s);
}

static void test_soft_pendulum(void **unused)
{
    scenario s = gallery_open("joints/soft_pendulum.yaml", 0, NULL);
    figures f;
    run(&s, 0.6, &f);
    check_below("soft_pendulum: joints' rows", f.joint, 1e-8);
    check_below("drift [m, rad]", f.drift, 1e-6);
    check_below("height of the ball [m]", scenario_position(&s, scenario_body(&s, "ball"), 2), -0.5);
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pendulum),      cmocka_unit_test(test_four_bar), cmocka_unit_test(test_slider_crank),
        cmocka_unit_test(test_gear_train),    cmocka_unit_test(test_ragdoll),  cmocka_unit_test(test_ragdoll_midpoint),
        cmocka_unit_test(test_soft_pendulum),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
