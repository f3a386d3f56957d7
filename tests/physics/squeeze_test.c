// Rigid bodies that have nowhere to go: walls and jaws with prescribed motion close on them. They give way by what is
// asked of them, are held, and are not shot away.
#include "scenario.h"

#define FLOOR "step: 5 ms\nbodies:\n  floor: {fixed: true, shape: {plane: {}}}\n"

static double largest_force(const scenario *s)
{
    double most = 0.0;
    for (int k = 0; k < tn_sim_contact_count(s->sim); k++) {
        tn_contact_info info;
        tn_sim_contact(s->sim, k, &info);
        for (int i = 0; i < 3; i++) {
            most = fmax(most, fabs(info.force[i]));
        }
    }
    return most;
}

// Two walls go 5 cm into a ball of 4.19 kg each. A push of 0.9 m/s in a step (the walls' and the overlap's) is 750 N.
static void test_walls_close(void **state)
{
    (void)state;
    static const char *const schemes[] = {"euler", "implicit", "midpoint", "euler\nsolver: {facets: 8}",
                                          "midpoint\nsolver: {facets: 8}"},
                             *const shapes[2] = {"sphere: 0.1", "box: [0.2, 0.2, 0.2]"};
    for (int k = 0; k < 10; k++) {
        scenario s = scenario_open(FLOOR "  left: {shape: {box: [0.1, 0.4, 0.4]}, "
                                         "motion: {position: ['-0.2 + 0.1*t', 0, 0.2]}}\n"
                                         "  right: {shape: {box: [0.1, 0.4, 0.4]}, "
                                         "motion: {position: ['0.2 - 0.1*t', 0, 0.2]}}\n"
                                         "  ball: {position: [0, 0, 0.1], shape: {%s}}\nscheme: %s\n",
                                   shapes[k / 5], schemes[k % 5]);
        double most = 0.0, fastest = 0.0;
        for (int n = 0; n < 200; n++) {
            scenario_step(&s);
            most = fmax(most, largest_force(&s));
            fastest = fmax(fastest, s.report.energy.kinetic);
        }
        print_message("%s, %s: largest force %g N\n", shapes[k / 5], schemes[k % 5], most);
        assert_true(most > 1e2 && most < 1e5);
        check_below("kinetic energy [J]", fastest, 1e-6);
        check_near("place between the walls [m]", scenario_position(&s, scenario_body(&s, "ball"), 0), 0.0, 1e-6);
        scenario_close(&s);
    }
}

// Jaws that are 3 mm too narrow for a box lift it.
static void lift(const char *jaws, double off)
{
    scenario s = scenario_open(FLOOR "  box: {position: [0, 0, 0.1], shape: {box: [0.2, 0.2, 0.2]}}\n%s", jaws);
    int box = scenario_body(&s, "box");
    double most = 0.0;
    for (int n = 0; n < 400; n++) {
        scenario_step(&s);
        most = fmax(most, largest_force(&s));
    }
    print_message("largest force %g N\n", most);
    assert_true(most < 1e5);
    check_near("height of the box [m]", scenario_position(&s, box, 2), 0.4, off);
    check_near("its speed [m/s]", scenario_velocity(&s, box, 2), 0.3, 5e-3);
    scenario_close(&s);
}

#define JAW "shape: {box: [0.1, 0.3, 0.2]}"
#define WALLS                                                                                                          \
    "  left: {" JAW ", motion: {position: ['-0.2 + min(0.1*t, 0.053)', 0, '0.12 + 0.3*max(t - 1, 0)']}}\n"             \
    "  right: {" JAW ", motion: {position: ['0.2 - min(0.1*t, 0.053)', 0, '0.12 + 0.3*max(t - 1, 0)']}}\n"
#define HAND                                                                                                           \
    "  palm: {mass: 1, position: [0, 0, 0.5], shape: {box: [0.5, 0.1, 0.1]}}\n"                                        \
    "  left: {mass: 0.5, position: [-0.2, 0, 0.15], " JAW "}\n"                                                        \
    "  right: {mass: 0.5, position: [0.2, 0, 0.15], " JAW "}\n"                                                        \
    "joints:\n"                                                                                                        \
    "  lift: {type: prismatic, b: palm, axis: [0, 0, 1], slide: {motor: {position: '0.3*max(t - 1, 0)'}}}\n"           \
    "  l: {type: prismatic, a: palm, b: left, axis: [1, 0, 0], slide: {motor: {position: 'min(0.1*t, 0.053)'}}}\n"     \
    "  r: {type: prismatic, a: palm, b: right, axis: [-1, 0, 0], slide: {motor: {position: 'min(0.1*t, 0.053)'}}}\n"

static void test_jaws_lift(void **state)
{
    (void)state;
    lift(WALLS, 1e-3);
    lift(WALLS "scheme: midpoint\n", 1e-3);
    lift(WALLS "solver: {facets: 8}\n", 1e-3);
    lift(HAND, 5e-3);
    lift(HAND "scheme: midpoint\n", 5e-3);
    lift(HAND "coordinates: reduced\n", 5e-3);
}

// Motors of 100 kN press a box of 0.8 kg, twelve thousand times its weight: what they ask for does not give way.
static void test_strong_jaws(void **state)
{
    (void)state;
    scenario s = scenario_open(
        FLOOR "  left: {mass: 0.5, position: [-0.2, 0, 0.15], " JAW "}\n"
              "  right: {mass: 0.5, position: [0.2, 0, 0.15], " JAW "}\n"
              "  box: {position: [0, 0, 0.1], density: 100, shape: {box: [0.2, 0.2, 0.2]}}\n"
              "joints:\n"
              "  l: {type: prismatic, b: left, axis: [1, 0, 0], slide: {motor: {velocity: 0.1, strength: 1e5}}}\n"
              "  r: {type: prismatic, b: right, axis: [-1, 0, 0], slide: {motor: {velocity: 0.1, strength: 1e5}}}\n");
    double deepest = 0.0, force[3];
    for (int n = 0; n < 200; n++) {
        scenario_step(&s);
        deepest = fmax(deepest, s.report.solve.certificate.penetration);
    }
    scenario_force(&s, scenario_body(&s, "left"), scenario_body(&s, "box"), force);
    check_near("force of a jaw [N]", fabs(force[0]), 1e5, 1.0);
    check_below("overlap [m]", deepest, 1e-8);
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walls_close),
        cmocka_unit_test(test_jaws_lift),
        cmocka_unit_test(test_strong_jaws),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
