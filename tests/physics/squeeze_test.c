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

// A robot whose parts overlap in many places and cannot part: once those that bear most give way, others bear what they
// did. In reduced coordinates 248 J came from nowhere in 56 steps.
static void test_one_after_the_other(void **state)
{
    scenario s = scenario_open(
        "coordinates: reduced\n"
        "step: 5 ms\n"
        "materials: {default: {friction: 0.5}}\n"
        "bodies:\n"
        "  floor: {fixed: true, shape: {plane: {}}, position: [0,0,0.9]}\n"
        "  palm: {position: [0,0,1], mass: 1, shape: {box: [0.15,0.15,0.06]}}\n"
        "  b0: {position: [0.115303,-0.000973269,1.0038], shape: {box: [0.05,0.06,0.1]}}\n"
        "  b1: {position: [0.0330017,0.0661331,1.06248], shape: {capsule: {radius: 0.03, length: 0.08}}}\n"
        "  b2: {position: [0.209261,0.0319232,1.03769], shape: {capsule: {radius: 0.03, length: 0.08}}}\n"
        "  b3: {position: [0.0579635,0.0753961,1.02888], shape: {box: [0.05,0.06,0.1]}}\n"
        "  b4: {position: [0.099017,0.0579057,1.0555], shape: {sphere: 0.04}}\n"
        "  b5: {position: [0.0599327,0.0592587,1.22235], shape: {capsule: {radius: 0.03, length: 0.08}}}\n"
        "joints:\n"
        "  j0: {type: prismatic, a: palm, b: b0, anchor: [0.0576516,-0.000486634,1.0019], axis: "
        "[-0.0947467,-1.08932,2.16525], slide: {limits: [-0.5, 0.5], damping: 0.05}}\n"
        "  j1: {type: prismatic, a: palm, b: b1, anchor: [0.0165009,0.0330665,1.03124], axis: "
        "[-0.51898,-0.867064,1.07064], slide: {limits: [-0.01, 0.01], damping: 0.05}}\n"
        "  j2: {type: revolute, a: b0, b: b2, anchor: [0.162282,0.015475,1.02074], axis: [0,1,0], turn: {limits: "
        "[-0.1, 0.1]}}\n"
        "  j3: {type: revolute, a: palm, b: b3, anchor: [0.0289818,0.037698,1.01444], axis: [0,0,1], turn: {limits: "
        "[-0.01, 0.01]}}\n"
        "  j4: {type: revolute, a: b3, b: b4, anchor: [0.0784903,0.0666509,1.04219], axis: [0,1,0], turn: {limits: "
        "[-0, 0]}}\n"
        "  j5: {type: prismatic, a: b4, b: b5, anchor: [0.0794749,0.0585822,1.13892], axis: [0,0,1], slide: {limits: "
        "[-0.1, 0.1], motor: {position: 0, stiffness: 5, damping: 0.5}}}\n");
    double start = 0.0, most = -INFINITY;
    for (int n = 0; n < 56; n++) {
        scenario_step(&s);
        const tn_energy *e = &s.report.energy;
        double energy = e->kinetic + e->gravity + e->elastic;
        start = n == 0 ? energy : start;
        most = fmax(most, energy - start);
    }
    check_below("energy gained [J]", most, 0.1);
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_walls_close),
        cmocka_unit_test(test_jaws_lift),
        cmocka_unit_test(test_strong_jaws),
        cmocka_unit_test(test_one_after_the_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
