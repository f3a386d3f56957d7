// Impacts of several at once and one after the other: Newton's law with all contacts together (Moreau), and sequences
// of bounces that end.
#include "scenario.h"

// n touching balls in line are hit by one more at 1 m/s, all alike, with the coefficient e. Moreau's law: the touching
// contacts stay closed, the struck one opens with e times the speed, so the n balls leave as one with
// (1 + e)/(n + 1), the first with 1 less (n) of that. A cradle of real balls lets go the last one only: that takes
// the elastic wave, which needs gaps here (tests of case R23).
static void test_touching_line(void **state)
{
    const double coefficients[3] = {1.0, 0.5, 0.0};
    for (int i = 0; i < 3; i++) {
        double e = coefficients[i];
        scenario s =
            scenario_open("gravity: [0, 0, 0]\nstep: 1e-3\n"
                          "solver: {max_iterations: 20000, tolerance: {momentum: 1e-12, natural: 1e-12}}\n"
                          "restitution_threshold: 1e-6\n"
                          "materials: {m: {density: 1000, friction: 0.3, restitution: %g}}\n"
                          "defaults: {body: {material: m}}\n"
                          "bodies:\n"
                          "  first: {position: [-0.2, 0, 0], velocity: [1, 0, 0], shape: {sphere: {radius: 0.1}}}\n"
                          "  ball: {shape: {sphere: {radius: 0.1}}, "
                          "array: {count: [4, 1, 1], spacing: [0.2, 0, 0]}}\n",
                          e);
        scenario_step(&s);
        double wanted = (1.0 + e) / 5.0, worst = 0.0;
        int first = scenario_body(&s, "ball[0]");
        for (int b = first; b < first + 4; b++) {
            worst = fmax(worst, fabs(scenario_velocity(&s, b, 0) - wanted));
        }
        print_message("e = %g: four balls leave with %.6f m/s\n", e, wanted);
        check_below("touching line: worst velocity off [m/s]", worst, 1e-9);
        check_near("touching line: first ball [m/s]", scenario_velocity(&s, scenario_body(&s, "first"), 0),
                   1.0 - 4.0 * wanted, 1e-9);
        scenario_close(&s);
    }
}

// A ball dropped from 1 m with e = 0.5 bounces infinitely often until sqrt(2 h / g) (1 + e)/(1 - e); then it rests.
static void test_bounces_end(void **state)
{
    const char *steps[2] = {"1e-3", "5e-3"};
    for (int i = 0; i < 2; i++) {
        double h = atof(steps[i]), rest = 0.0, after = 0.0, wanted = 3.0 * sqrt(2.0 / GRAVITY);
        scenario s = scenario_open("gravity: [0, 0, -9.81]\nstep: %s\n"
                                   "materials: {m: {friction: 0.3, restitution: 0.5}}\n"
                                   "defaults: {body: {material: m}}\n"
                                   "bodies:\n"
                                   "  floor: {fixed: true, shape: {plane: {}}}\n"
                                   "  ball: {position: [0, 0, 1.1], shape: {sphere: {radius: 0.1}}}\n",
                                   steps[i]);
        int b = scenario_body(&s, "ball");
        while (tn_state_time(s.state) < 3.0) {
            scenario_step(&s);
            double v = fabs(scenario_velocity(&s, b, 2));
            rest = v > 1e-6 ? tn_state_time(s.state) : rest;
            after = tn_state_time(s.state) > 1.1 * wanted ? fmax(after, v) : after;
        }
        print_message("step %s s\n", steps[i]);
        // O(h): approaches below 2 g h end at once (4 h early), each bounce begins with a step (16 h early in all).
        check_near("e = 0.5: time of rest [s]", rest, wanted, 20 * h);
        check_below("e = 0.5: speed afterwards [m/s], as in case R11", after, 1e-6);
        check_near("e = 0.5: height at rest [m]", scenario_position(&s, b, 2), 0.1, 1e-8);
        scenario_close(&s);
    }
}

// Boxes on boxes, bouncing: the heap comes to rest and no impact adds energy, however many close at once.
static void test_bouncing_boxes_gain_nothing(void **state)
{
    scenario s = scenario_open("gravity: [0, 0, -9.81]\nstep: 2e-3\nseed: 4\n"
                               "materials: {m: {density: 500, friction: 0.4, restitution: 0.4}}\n"
                               "defaults: {body: {material: m}}\n"
                               "bodies:\n"
                               "  floor: {fixed: true, shape: {plane: {}}}\n"
                               "  box: {position: [0, 0, 0.2], shape: {box: {size: [0.2, 0.2, 0.2]}}, "
                               "array: {count: [2, 2, 4], spacing: [0.25, 0.25, 0.3], rotation_jitter: 20 deg}}\n");
    double e0 = 0.0, last = 0.0, gain = 0.0;
    while (tn_state_time(s.state) < 4.0) {
        scenario_step(&s);
        double e = s.report.energy.kinetic + s.report.energy.gravity;
        e0 = e0 == 0.0 ? e : e0;
        gain = fmax(gain, last > 0.0 ? (e - last) / e0 : 0.0);
        last = e;
    }
    check_below("bouncing boxes: most energy gained in a step, relative", gain, 1e-3);
    check_below("bouncing boxes: kinetic energy after 4 s, a box [J]", s.report.energy.kinetic / 16, 1e-6);
    scenario_close(&s);
}

// Most energy that a step gains, relative to that at first; of bouncing bodies in no gravity.
static double most_gained(const char *bodies, const char *coordinates, double step, double e)
{
    scenario s = scenario_open("gravity: [0, 0, 0]\nstep: %g\ncoordinates: %s\n"
                               "materials: {m: {density: 1000, friction: 0.4, restitution: %g}}\n"
                               "defaults: {body: {material: m}, soft: {material: m}}\n%s",
                               step, coordinates, e, bodies);
    double e0 = 0.0, last = 0.0, gain = 0.0;
    while (tn_state_time(s.state) < 0.25) {
        scenario_step(&s);
        double now = s.report.energy.kinetic + s.report.energy.elastic;
        e0 = e0 == 0.0 ? now : e0;
        gain = last > 0.0 ? fmax(gain, (now - last) / e0) : gain;
        last = now;
    }
    scenario_close(&s);
    return gain;
}

// A bounce lifts nothing against an elastic force for free: of a ball that a spring, or a hinge with one, presses on
// the floor, and of a soft ball's vertices, by either law (before, the first gained 9.5 times the energy there is in a
// step by Newton's, and a third of it by Poisson's). Limit: what is left to the solver's accuracy.
static void test_bounces_under_springs_gain_nothing(void **state)
{
    const char *floor_and_ball =
        "bodies:\n  floor: {fixed: true, shape: {plane: {}}}\n"
        "  ball: {position: [0, 0, 0.15], mass: 1, velocity: [0, 0, -1], shape: {sphere: 0.1}}\n";
    const char *elastic[3] = {
        "springs: {s: {a: world, point_a: [0, 0, 1.15], b: ball, stiffness: 1e7, rest_length: 1.07}}\n",
        ("joints: {j: {type: revolute, b: ball, anchor: [-1, 0, 0.15], axis: [0, 1, 0], turn: {stiffness: 1e7, rest: "
         "0.07}}}\ninitial: {velocities: project}\n"),
        "soft: {s: {ball: {radius: 0.1, divisions: 3}, position: [2, 0, 0.12], velocity: [0.5, 0, -2], young: 1e6}}\n"};
    for (int i = 0; i < 6; i++) {
        char bodies[1024];
        snprintf(bodies, sizeof bodies, "restitution_law: %s\n%s%s", i < 3 ? "newton" : "poisson", floor_and_ball,
                 elastic[i % 3]);
        double gain = fmax(most_gained(bodies, "maximal", 0.01, 0.9), most_gained(bodies, "maximal", 0.001, 0.9));
        gain = i % 3 == 1 ? fmax(gain, most_gained(bodies, "reduced", 0.001, 0.9)) : gain;
        print_message("%s: ", i < 3 ? "newton" : "poisson");
        check_below("pressed by springs: most energy gained in a step, relative", gain, 2e-3);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_touching_line),
        cmocka_unit_test(test_bounces_end),
        cmocka_unit_test(test_bouncing_boxes_gain_nothing),
        cmocka_unit_test(test_bounces_under_springs_gain_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
