// Restitution: bouncing balls, Newton's cradle, spheres that fall on each other, a box that stops dead.
// Cases R11, R23, R24 of the validation list (SimBenchmark; Moreau's impact law; Asmar 2002 as tested by Chrono).
#include "scenario.h"

// R11: 49 elastic balls for 20 s: energy must stay within 1 % (SimBenchmark's metric), at h = 1 ms.
static void test_r11_elastic(void **state)
{
    scenario s = scenario_open("gravity: [0, 0, -9.81]\nstep: 1e-3\n"
                               "materials: {m: {density: 2387.3241463784303, friction: 0, restitution: 1}}\n"
                               "defaults: {body: {material: m}}\n"
                               "bodies:\n"
                               "  floor: {fixed: true, shape: {plane: {}}}\n"
                               "  ball: {position: [0, 0, 5], shape: {sphere: {radius: 0.1}}, "
                               "array: {count: [7, 7, 1], spacing: [1, 1, 1]}}\n");
    const double e0 = 49 * 10.0 * GRAVITY * 5.0;
    double worst = 0.0, highest_gain = 0.0;
    while (tn_state_time(s.state) < 20.0 - 5e-4) {
        scenario_step(&s);
        double relative = (s.report.energy.kinetic + s.report.energy.gravity) / e0 - 1.0;
        worst = fmax(worst, fabs(relative));
        highest_gain = fmax(highest_gain, relative);
    }
    check_below("R11 e = 1: |E / E0 - 1| over 20 s", worst, 0.01);
    check_below("R11 e = 1: energy gain", highest_gain, 0.01);
    scenario_close(&s);
}

static void test_r11_apexes(void **state)
{
    // Released with 1 m of clearance: apex n at 0.49^n, at rest at sqrt(2 h/g) (1 + e)/(1 - e) = 2.558634 s.
    scenario s = scenario_open("gravity: [0, 0, -9.81]\nstep: 1e-3\n"
                               "materials: {m: {density: 2387.3, friction: 0, restitution: 0.7}}\n"
                               "defaults: {body: {material: m}}\n"
                               "bodies:\n"
                               "  floor: {fixed: true, shape: {plane: {}}}\n"
                               "  ball: {position: [0, 0, 1.1], shape: {sphere: {radius: 0.1}}}\n");
    int b = scenario_body(&s, "ball");
    int apexes = 0;
    double last_v = 0.0, rest_time = 0.0, after = 0.0;
    while (tn_state_time(s.state) < 4.0) {
        scenario_step(&s);
        double v = scenario_velocity(&s, b, 2);
        if (last_v > 0.0 && v <= 0.0 && apexes < 4) {
            apexes++;
            double wanted = pow(0.49, apexes);
            check_near("R11 e = 0.7: apex [m]", scenario_position(&s, b, 2) - 0.1, wanted, 0.02 * wanted);
        }
        if (fabs(v) > 1e-6) {
            rest_time = tn_state_time(s.state);
        }
        if (tn_state_time(s.state) > 2.7) {
            after = fmax(after, fabs(v));
        }
        last_v = v;
    }
    assert_int_equal(apexes, 4);
    check_near("R11 e = 0.7: time of rest [s]", rest_time, 2.558634, 0.01 * 2.558634);
    check_below("R11 e = 0.7: speed afterwards [m/s]", after, 1e-6);
    scenario_close(&s);
}

// Landing and bouncing with both schemes: midpoint must not turn non-penetration into a perfect bounce.
static void test_drop_both_schemes(void **state)
{
    const char *schemes[2] = {"euler", "midpoint"};
    for (int i = 0; i < 2; i++) {
        print_message("scheme %s\n", schemes[i]);
        scenario box = scenario_open("step: 1e-3\nsolver: {tolerance: {momentum: 1e-10, natural: 1e-10}}\nscheme: %s\n"
                                     "materials: {m: {density: 1000, friction: 0.5, restitution: 0}}\n"
                                     "defaults: {body: {material: m}}\n"
                                     "bodies:\n"
                                     "  floor: {fixed: true, shape: {plane: {}}}\n"
                                     "  box: {position: [0, 0, 0.2], shape: {box: {size: [0.2, 0.2, 0.2]}}}\n",
                                     schemes[i]);
        int b = scenario_body(&box, "box");
        double force[3] = {0, 0, 0};
        while (force[2] == 0.0) {
            scenario_step(&box);
            scenario_force(&box, scenario_body(&box, "floor"), b, force);
        }
        scenario_step(&box);
        check_below("eps = 0 box: speed two steps after touch-down [m/s]", fabs(scenario_velocity(&box, b, 2)), 1e-8);
        double highest = 0.0;
        for (int k = 0; k < 200; k++) {
            scenario_step(&box);
            highest = fmax(highest, fabs(scenario_position(&box, b, 2) - 0.1));
        }
        check_below("eps = 0 box: distance from rest afterwards [m]", highest, 1e-8);
        scenario_close(&box);

        scenario ball = scenario_open("step: 1e-3\nsolver: {tolerance: {momentum: 1e-10, natural: 1e-10}}\nscheme: %s\n"
                                      "materials: {m: {density: 1000, friction: 0.5, restitution: 0.5}}\n"
                                      "defaults: {body: {material: m}}\n"
                                      "bodies:\n"
                                      "  floor: {fixed: true, shape: {plane: {}}}\n"
                                      "  ball: {position: [0, 0, 1.1], shape: {sphere: {radius: 0.1}}}\n",
                                      schemes[i]);
        b = scenario_body(&ball, "ball");
        double last = 0.0, apex = 0.0;
        while (apex == 0.0) {
            scenario_step(&ball);
            double v = scenario_velocity(&ball, b, 2);
            if (last > 0.0 && v <= 0.0) {
                apex = scenario_position(&ball, b, 2) - 0.1;
            }
            last = v;
        }
        check_near("eps = 0.5 ball: first apex [m]", apex, 0.25, 0.02 * 0.25);
        scenario_close(&ball);
    }
}

static void test_r23_cradle_with_gaps(void **state)
{
    scenario s =
        scenario_open("gravity: [0, 0, 0]\nstep: 1e-3\n"
                      "solver: {tolerance: {momentum: 1e-12, natural: 1e-12}}\n"
                      "restitution_threshold: 1e-6\n"
                      "materials: {m: {density: 1000, friction: 0, restitution: 1}}\n"
                      "defaults: {body: {material: m}}\n"
                      "bodies:\n"
                      "  first: {position: [0, 0, 0], velocity: [0.05, 0, 0], shape: {sphere: {radius: 0.1}}}\n"
                      "  rest: {position: [0.2001, 0, 0], shape: {sphere: {radius: 0.1}}, "
                      "array: {count: [4, 1, 1], spacing: [0.2001, 1, 1]}}\n");
    scenario_run(&s, 0.1);
    assert_int_equal(tn_model_body_count(s.model), 6);
    for (int b = 1; b <= 5; b++) {
        check_near("R23 five spheres: velocity [m/s]", scenario_velocity(&s, b, 0), b == 5 ? 0.05 : 0.0, 1e-6);
    }
    scenario_close(&s);
}

static void test_r23_simultaneous(void **state)
{
    scenario s = scenario_open("gravity: [0, 0, 0]\nstep: 1e-3\n"
                               "solver: {tolerance: {momentum: 1e-12, natural: 1e-12}}\n"
                               "restitution_threshold: 1e-6\n"
                               "materials: {m: {density: 1000, friction: 0, restitution: 1}}\n"
                               "defaults: {body: {material: m}}\n"
                               "bodies:\n"
                               "  a: {position: [0, 0, 0], velocity: [1, 0, 0], shape: {sphere: {radius: 0.1}}}\n"
                               "  b: {position: [0.2, 0, 0], shape: {sphere: {radius: 0.1}}}\n"
                               "  c: {position: [0.4, 0, 0], shape: {sphere: {radius: 0.1}}}\n");
    scenario_step(&s);
    const double wanted[3] = {-1.0 / 3, 2.0 / 3, 2.0 / 3};
    for (int b = 1; b <= 3; b++) {
        check_near("R23 three touching spheres: velocity [m/s]", scenario_velocity(&s, b, 0), wanted[b - 1], 1e-9);
    }
    double mass = 1000 * 4.0 / 3.0 * PI * 1e-3;
    check_near("R23 kinetic energy conserved [J]", s.report.energy.kinetic, 0.5 * mass, 1e-9);
    scenario_close(&s);
}

static void test_r24_stack_of_falling_spheres(void **state)
{
    scenario s = scenario_open("gravity: [0, 0, -9.81]\nstep: 1e-3\n"
                               "materials: {m: {density: %.17g, friction: 0.3, restitution: 0.3}}\n"
                               "defaults: {body: {material: m}}\n"
                               "bodies:\n"
                               "  floor: {fixed: true, shape: {plane: {}}}\n"
                               "  ball: {position: [0, 0, 5], shape: {sphere: {radius: 1}}, "
                               "array: {count: [1, 1, 5], spacing: [1, 1, 2.5]}}\n",
                               1.0 / (4.0 / 3.0 * PI));
    // Impact of the first from 4 m of clearance: sqrt(2 g 4) = 8.858893 m/s, O(h).
    double fastest = 0.0;
    int lowest = scenario_body(&s, "ball[0]");
    while (tn_state_time(s.state) < 1.0) {
        scenario_step(&s);
        fastest = fmax(fastest, -scenario_velocity(&s, lowest, 2));
    }
    check_near("R24 impact speed of the first [m/s]", fastest, sqrt(2 * GRAVITY * 4), 2 * GRAVITY * 1e-3);
    scenario_run(&s, 10.0);
    check_below("R24 mean kinetic energy at rest [J]", s.report.energy.kinetic / 5, 1e-9);
    for (int k = 0; k < 5; k++) {
        char name[32];
        snprintf(name, sizeof name, "ball[%d]", k);
        int b = scenario_body(&s, name);
        double p[3], q[4];
        tn_state_body_pose(s.state, b, p, q);
        check_near("R24 height [m]", p[2], 2 * k + 1, 1e-3);
        check_below("R24 |x| + |y| [m]", fabs(p[0]) + fabs(p[1]), 1e-6);
        check_below("R24 |q0 - 1|", fabs(fabs(q[0]) - 1), 1e-6);
    }
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_r11_elastic),       cmocka_unit_test(test_r11_apexes),
        cmocka_unit_test(test_drop_both_schemes), cmocka_unit_test(test_r23_cradle_with_gaps),
        cmocka_unit_test(test_r23_simultaneous),  cmocka_unit_test(test_r24_stack_of_falling_spheres),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
