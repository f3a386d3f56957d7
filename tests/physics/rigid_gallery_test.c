// The scenes of scenes/rigid do what they are there for.
#include "gallery.h"

static double fastest(const scenario *s)
{
    double most = 0.0;
    for (int b = 1; b < tn_model_body_count(s->model); b++) {
        for (int k = 0; k < 3; k++) {
            most = fmax(most, fabs(scenario_velocity(s, b, k)));
        }
    }
    return most;
}

// Masses doubling upward are held by relaxation-type solvers only if they converge; a wrong force tips the stack.
static void test_mass_ratio_stands(void **state)
{
    scenario s = gallery_open("rigid/mass_ratio.yaml", 0, NULL);
    double deepest = 0.0;
    while (tn_state_time(s.state) < 5.0 - 1e-6) {
        scenario_step(&s);
        deepest = fmax(deepest, s.report.solve.certificate.penetration);
    }
    int top = scenario_body(&s, "cube10");
    check_below("mass ratio: penetration [m]", deepest, 1e-4);
    check_near("mass ratio: height of the top [m]", scenario_position(&s, top, 2), 1.9, 1e-4);
    check_below("mass ratio: speed after 5 s [m/s]", fastest(&s), 1e-3);
    double force[3];
    scenario_force(&s, scenario_body(&s, "floor"), scenario_body(&s, "cube1"), force);
    // 1 %: what a speed of 1e-3 m/s at 10 ms stands for.
    check_near("mass ratio: force on the lowest [N]", force[2], 1023 * GRAVITY, 0.01 * 1023 * GRAVITY);
    scenario_close(&s);
}

static void test_arch_carries(void **state)
{
    scenario s = gallery_open("rigid/arch.yaml", 0, NULL);
    int crown = scenario_body(&s, "stone8");
    scenario_run(&s, 0.3); // the ball has not arrived
    double z = scenario_position(&s, crown, 2);
    check_below("arch: sinks under its own weight [m]", fabs(z), 1e-4);
    scenario_run(&s, 2.0);
    check_below("arch: crown moved by the ball [m]", fabs(scenario_position(&s, crown, 2) - z), 0.02);
    check_below("arch: speed of the crown afterwards [m/s]", fabs(scenario_velocity(&s, crown, 2)), 1e-3);
    scenario_close(&s);
}

static void test_cards_stand_by_friction(void **state)
{
    scenario s = gallery_open("rigid/card_house.yaml", 0, NULL);
    int top = scenario_body(&s, "left3[0]");
    double z = scenario_position(&s, top, 2);
    scenario_run(&s, 2.0);
    check_below("cards: topmost card sinks [m]", fabs(scenario_position(&s, top, 2) - z), 1e-4);
    check_below("cards: speed after 2 s [m/s]", fastest(&s), 1e-3);
    scenario_close(&s);
    // The horizontal force at the foot of the lowest cards is near tan(20 deg) = 0.36 of what they carry.
    const char *set[] = {"materials.card.friction=0.2"};
    s = gallery_open("rigid/card_house.yaml", 1, set);
    scenario_run(&s, 1.0);
    double lower = z - scenario_position(&s, scenario_body(&s, "left3[0]"), 2);
    print_message("cards: with friction 0.2 the topmost card falls by %.3f m, must exceed 0.1\n", lower);
    assert_true(lower > 0.1);
    scenario_close(&s);
}

static void test_gears_keep_the_ratio(void **state)
{
    scenario s = gallery_open("rigid/gears.yaml", 0, NULL);
    int gear = scenario_body(&s, "driven");
    double turned = 0.0, force = 0.0, worst = 0.0;
    int n = 0;
    scenario_run(&s, 0.5);
    while (tn_state_time(s.state) < 2.0 - 1e-6) {
        scenario_step(&s);
        double spin = scenario_spin(&s, gear, 2), f[3];
        scenario_force(&s, scenario_body(&s, "driver"), gear, f);
        force += sqrt(f[0] * f[0] + f[1] * f[1]);
        turned += 1e-3 * spin;
        worst = fmax(worst, fabs(spin + 2.0));
        n++;
    }
    // 1.5 s at 3 rad/s times 12/18; the teeth's flanks are polygons of five edges.
    check_near("gears: driven gear's turn [rad]", turned, -3.0, 0.01);
    check_below("gears: ripple of its speed [rad/s]", worst, 0.5);
    // The torque over the base circle's radius, and friction.
    check_near("gears: mean tooth force [N]", force / n, 10.0 / (0.18 * cos(20 * PI / 180)), 0.15 * 59);
    scenario_close(&s);
}

static void test_conveyor_carries(void **state)
{
    scenario s = gallery_open("rigid/conveyor.yaml", 0, NULL);
    scenario_run(&s, 1.0);
    check_near("conveyor: a parcel runs with the belt [m/s]", scenario_velocity(&s, scenario_body(&s, "parcel[0]"), 0),
               0.5, 1e-3);
    scenario_run(&s, 6.0);
    int last = scenario_body(&s, "parcel[4]");
    print_message("conveyor: the first parcel to drop is at y = %.2f m\n", scenario_position(&s, last, 1));
    assert_true(scenario_position(&s, last, 1) > 0.5);
    scenario_close(&s);
}

static void test_wall_is_breached(void **state)
{
    const char *set[] = {"solver.max_iterations=100"};
    scenario s = gallery_open("rigid/brick_wall.yaml", 1, set);
    double e0 = 0.0, gain = 0.0, deepest = 0.0;
    while (tn_state_time(s.state) < 0.6 - 1e-6) {
        scenario_step(&s);
        double e = s.report.energy.kinetic + s.report.energy.gravity;
        e0 = e0 == 0.0 ? e : e0;
        gain = fmax(gain, e - e0);
        deepest = fmax(deepest, s.report.solve.certificate.penetration);
    }
    double farthest = 0.0;
    for (int k = 0; k < 66; k++) {
        char name[32];
        snprintf(name, sizeof name, "odd[%d]", k);
        farthest = fmax(farthest, scenario_position(&s, scenario_body(&s, name), 1));
    }
    print_message("wall: farthest brick is pushed out by %.2f m, must exceed 0.2\n", farthest);
    assert_true(farthest > 0.2);
    check_below("wall: energy gained, relative", gain / e0, 1e-6);
    check_below("wall: penetration at 100 sweeps and 4 cm a step [m]", deepest, 5e-3);
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mass_ratio_stands),       cmocka_unit_test(test_arch_carries),
        cmocka_unit_test(test_cards_stand_by_friction), cmocka_unit_test(test_gears_keep_the_ratio),
        cmocka_unit_test(test_conveyor_carries),        cmocka_unit_test(test_wall_is_breached),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
