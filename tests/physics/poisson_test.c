// Poisson's law of restitution: closed forms (one ball, rows of balls, disks with spin) and energy that never grows,
// over random impacts of polygons and boxes.
#include "scenario.h"

// One ball leaves with e times its speed, by either law.
static void one_ball(void **state)
{
    static const char *const laws[] = {"newton", "poisson"};
    for (int k = 0; k < 2; ++k) {
        scenario s = scenario_open("step: 1 ms\ngravity: [0, 0, 0]\nrestitution_law: %s\n"
                                   "defaults: {material: {friction: 0, restitution: 0.6}}\n"
                                   "bodies:\n"
                                   "  floor: {fixed: true, shape: {plane: {}}}\n"
                                   "  ball: {shape: {sphere: 0.1}, position: [0, 0, 0.12], velocity: [0.3, 0, -2]}\n",
                                   laws[k]);
        scenario_run(&s, 0.05);
        check_near(laws[k], scenario_velocity(&s, 2, 2), 1.2, 1e-6);
        check_near("along the floor", scenario_velocity(&s, 2, 0), 0.3, 1e-12);
        scenario_close(&s);
    }
}

// Five touching balls hit by the first: after the compression all go with v/5, and each contact gives back e of what it
// bore, so the first has (1 - 4 e)/5, the others (1 + e)/5. With e = 1 energy is kept.
static void row_of_balls(void **state)
{
    static const char *const solvers[] = {"lemke", "auto"};
    for (int k = 0; k < 4; ++k) {
        double e = k < 2 ? 1.0 : 0.5;
        scenario s = scenario_open("step: 1 ms\ngravity: [0, 0, 0]\nrestitution_law: poisson\nlaw: frictionless\n"
                                   "solver: {name: %s, tolerance: {natural: 1e-11}}\n"
                                   "defaults: {material: {friction: 0, restitution: %g}}\n"
                                   "bodies:\n"
                                   "  first: {shape: {sphere: 0.1}, velocity: [1, 0, 0]}\n"
                                   "  others: {shape: {sphere: 0.1}, position: [0.2, 0, 0], array: {count: [4, 1, 1], "
                                   "spacing: [0.2, 0.2, 0.2]}}\n",
                                   solvers[k % 2], e);
        double before = scenario_energy(&s);
        scenario_step(&s);
        check_near("first ball", scenario_velocity(&s, 1, 0), (1.0 - 4.0 * e) / 5.0, 1e-8);
        for (int b = 2; b <= 5; ++b) {
            check_near("another", scenario_velocity(&s, b, 0), (1.0 + e) / 5.0, 1e-8);
        }
        double lost = 1.0 - scenario_energy(&s) / before;
        check_near("energy lost", lost, (1.0 - e * e) * 0.8, 1e-8);
        scenario_close(&s);
    }
}

// A disk with spin on a floor: normal and friction do not mix. Speed of the point of contact v - omega r falls by 3 mu
// (1 + e) v_n while it slides (a disk's inertia is m r^2/2), or to zero.
static void spinning_disk(void **state)
{
    for (int k = 0; k < 4; ++k) {
        double mu = k % 2 ? 0.5 : 0.1, e = 0.8, slip = 3.0 * mu * (1.0 + e) * 2.0;
        double vx = 2.0, left = slip < vx ? vx - slip : 0.0;
        scenario s = scenario_open("step: 1 ms\ngravity: [0, 0, 0]\nrestitution_law: poisson\nlaw: coulomb\n"
                                   "solver: {name: %s, tolerance: {natural: 1e-10}}\n"
                                   "defaults: {material: {friction: %g, restitution: %g}}\n"
                                   "bodies:\n"
                                   "  floor: {fixed: true, shape: {plane: {}}}\n"
                                   "  disk: {shape: {disk: 0.1}, position: [0, 0, 0.1], velocity: [2, 0, -2]}\n",
                                   k < 2 ? "lemke" : "auto", mu, e);
        scenario_run(&s, 0.02);
        double linear[3], angular[3];
        tn_state_body_velocity(s.state, 2, linear, angular);
        check_near("normal speed", linear[2], 2.0 * e, 1e-8);
        check_near("speed of the contact point", linear[0] - angular[1] * 0.1, left, 1e-8);
        check_near("along the floor", linear[0], vx - (vx - left) / 3.0, 1e-8);
        scenario_close(&s);
    }
}

// A sphere in space: the friction of what is returned is a polygon of 16, or the scene's facets; along one of its
// directions it is exact.
static void sphere_in_space(void **state)
{
    for (int k = 0; k < 2; ++k) {
        scenario s = scenario_open("step: 1 ms\ngravity: [0, 0, 0]\nrestitution_law: poisson\nlaw: coulomb\n"
                                   "solver: {name: %s, facets: %d, tolerance: {natural: 1e-10}}\n"
                                   "defaults: {material: {friction: 0.1, restitution: 0.5}}\n"
                                   "bodies:\n"
                                   "  floor: {fixed: true, shape: {plane: {}}}\n"
                                   "  ball: {shape: {sphere: 0.1}, position: [0, 0, 0.11], velocity: [2, 0, -2]}\n",
                                   k ? "lemke" : "auto", k ? 8 : 0);
        scenario_run(&s, 0.02);
        check_near("normal speed", scenario_velocity(&s, 2, 2), 1.0, 1e-8);
        check_near("along the floor, 2 - mu (1 + e) 2", scenario_velocity(&s, 2, 0), 1.7, 0.01);
        scenario_close(&s);
    }
}

// Thrown together at random, without gravity and with a cap on what may be gained: rounding.
static double worst_gain(const char *text, uint64_t seed, double e, const char *law, int steps)
{
    scenario s = scenario_open(text, law, e, (int)seed);
    double energy = scenario_energy(&s), first = energy, worst = -INFINITY;
    for (int k = 0; k < steps; ++k) {
        scenario_step(&s);
        double now = scenario_energy(&s);
        worst = fmax(worst, (now - energy) / first);
        energy = now;
    }
    printf("e %.1f, seed %d, %s: %.0f %% of the energy left, largest gain in a step %.1e\n", e, (int)seed, law,
           100.0 * energy / first, worst);
    scenario_close(&s);
    return worst;
}

static const char *const POLYGONS =
    "step: 2 ms\ngravity: [0, 0, 0]\nrestitution_law: %s\nrestitution_threshold: 0.01\nlaw: coulomb\n"
    "solver: {name: lemke, tolerance: {natural: 1e-9}}\n"
    "defaults: {material: {friction: 0.4, restitution: %g}}\nseed: %d\n"
    "bodies:\n"
    "  floor: {fixed: true, shape: {plane: {}}}\n"
    "  left: {fixed: true, shape: {polygon: {size: [0.2, 8]}}, position: [-0.8, 0, 2]}\n"
    "  right: {fixed: true, shape: {polygon: {size: [0.2, 8]}}, position: [0.8, 0, 2]}\n"
    "  top: {fixed: true, shape: {polygon: {size: [4, 0.2]}}, position: [0, 0, 1.6]}\n"
    "  up: {shape: {polygon: {size: [0.2, 0.1]}}, position: [-0.3, 0, 0.3], velocity: [1, 0, 2], array: {count: [3, 1, "
    "2], "
    "spacing: [0.3, 0.3, 0.3], jitter: 0.03, rotation_jitter: 1}}\n"
    "  down: {shape: {disk: 0.08}, position: [-0.3, 0, 1.0], velocity: [-1, 0, -3], array: {count: [3, 1, 1], spacing: "
    "[0.3, 0.3, 0.3], jitter: 0.03}}\n";

static void energy_of_polygons(void **state)
{
    double worst = -INFINITY;
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        for (int k = 0; k < 3; ++k) {
            worst = fmax(worst, worst_gain(POLYGONS, seed, (const double[]){0.3, 0.7, 1.0}[k], "poisson", 300));
        }
    }
    double newton = -INFINITY;
    for (uint64_t seed = 1; seed <= 4; ++seed) {
        newton = fmax(newton, worst_gain(POLYGONS, seed, 1.0, "newton", 300));
    }
    printf("largest gain %.1e (limit 1e-10: rounding); of Newton's law, which friction would make gain: %.1e (limit "
           "1e-3, sim/bounce.c)\n",
           worst, newton);
    assert_true(worst <= 1e-10 && newton <= 1e-3);
}

// What rests bears weight but no impact: a stack does not jitter, whatever its restitution.
static void stack_at_rest(void **state)
{
    scenario s =
        scenario_open("step: 5 ms\nrestitution_law: poisson\nlaw: coulomb\nsolver: lemke\n"
                      "defaults: {material: {friction: 0.5, restitution: 0.8}}\n"
                      "bodies:\n"
                      "  floor: {fixed: true, shape: {plane: {}}}\n"
                      "  boxes: {shape: {polygon: {size: [0.3, 0.2]}}, position: [0, 0, 0.1], array: {count: [1, "
                      "1, 10], spacing: [0.2, 0.2, 0.2]}}\n");
    double fastest = 0.0;
    for (int k = 0; k < 200; ++k) {
        scenario_step(&s);
        for (int b = 2; b <= 11; ++b) {
            fastest = fmax(fastest, fabs(scenario_velocity(&s, b, 2)));
        }
    }
    printf("ten boxes at rest for 1 s: fastest %.1e m/s (limit 1e-9; one step of gravity is 0.05)\n", fastest);
    assert_true(fastest <= 1e-9);
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_ball),        cmocka_unit_test(row_of_balls),       cmocka_unit_test(spinning_disk),
        cmocka_unit_test(sphere_in_space), cmocka_unit_test(energy_of_polygons), cmocka_unit_test(stack_at_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
