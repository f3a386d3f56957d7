// Poisson's law of restitution beside joints: impulses pass through joints in the compression and in the decompression.
#include "scenario.h"

#include <string.h>

// A bar on a hinge hits a post and swings back with e times its rate, by either law, wherever the post is.
static void hinged_bar(void **state)
{
    static const char *const laws[] = {"newton", "poisson"};
    for (int k = 0; k < 6; ++k) {
        double r = (const double[]){0.3, 2.0 / 3.0, 0.9}[k / 2];
        scenario s = scenario_open("step: 1 ms\ngravity: [0, 0, 0]\nrestitution_law: %s\n"
                                   "solver: {tolerance: {natural: 1e-10, joint: 1e-10}}\n"
                                   "defaults: {material: {friction: 0, restitution: 0.6}}\n"
                                   "bodies:\n"
                                   "  post: {fixed: true, shape: {sphere: 0.05}, position: [%g, 0, -0.075]}\n"
                                   "  bar: {shape: {box: {size: [1, 0.02, 0.04]}}, position: [0.5, 0, 0],\n"
                                   "        velocity: [0, 0, -0.5], angular_velocity: [0, 1, 0]}\n"
                                   "joints: {hinge: {type: revolute, b: bar, axis: [0, 1, 0], anchor: [0, 0, 0]}}\n",
                                   laws[k % 2], r);
        double q[3], rate[3];
        scenario_run(&s, 0.05);
        tn_state_joint(s.state, 0, q, rate);
        check_near(laws[k % 2], rate[0], -0.6, 3e-5); // the hinge yields by a millionth, and turns on in steps of 1 ms
        check_below("drift [m, rad]", s.report.solve.certificate.drift, 1e-8);
        scenario_close(&s);
    }
}

static const char *const DUMBBELL_START = "step: 1 ms\ngravity: [0, 0, 0]\nrestitution_law: poisson\n"
                                          "solver: {name: %s, tolerance: {natural: 1e-10, joint: 1e-10}}\n"
                                          "defaults: {material: {friction: %g, restitution: 0.7}}\n"
                                          "bodies:\n  floor: {fixed: true, shape: {plane: {}}}\n";

// Velocity of the center and turning about y after the impact of a dumbbell that comes down askew; of two welded balls
// or one body of two.
static void drop(bool welded, const char *solver, double mu, double out[3])
{
    char text[2000];
    snprintf(text, sizeof text, "%s%s", DUMBBELL_START,
             welded ? "  a: {shape: {sphere: 0.1}, position: [0, 0, 0.11], velocity: [1, 0, -2]}\n"
                      "  b: {shape: {sphere: 0.1}, position: [0.4, 0, 0.51], velocity: [1, 0, -2]}\n"
                      "joints: {weld: {type: weld, a: a, b: b}}\n"
                    : "  a: {position: [0.2, 0, 0.31], velocity: [1, 0, -2],\n"
                      "      shapes: [{sphere: 0.1, position: [-0.2, 0, -0.2]},\n"
                      "               {sphere: 0.1, position: [0.2, 0, 0.2]}]}\n");
    scenario s = scenario_open(text, solver, mu);
    double a[3], angular[3], b[3] = {0.0}, spin[3];
    scenario_run(&s, 0.006); // it touches after 5 ms
    tn_state_body_velocity(s.state, 2, a, angular);
    memcpy(b, a, sizeof b);
    if (welded) {
        tn_state_body_velocity(s.state, 3, b, spin);
    }
    out[0] = 0.5 * (a[0] + b[0]);
    out[1] = 0.5 * (a[2] + b[2]);
    out[2] = angular[1];
    scenario_close(&s);
}

// Joints are as good as one body, to the millionth that rigid rows yield.
static void welded_dumbbell(void **state)
{
    static const char *const solvers[] = {"auto", "ipm"};
    for (int k = 0; k < 4; ++k) {
        double one[3], two[3], mu = k < 2 ? 0.0 : 0.4;
        drop(false, solvers[k % 2], mu, one);
        drop(true, solvers[k % 2], mu, two);
        printf("%s, friction %g:\n", solvers[k % 2], mu);
        check_near("along the floor", two[0], one[0], 1e-5);
        check_near("upward", two[1], one[1], 1e-5);
        check_near("turning", two[2], one[2], 2e-4); // (h omega)^2 omega: a weld turns about the step's start
        assert_true(one[1] > -0.5);                  // it has bounced
    }
}

// Chains of three thrown about in a box: impacts through joints never gain energy. Positions are left alone here, whose
// correction is work.
static void energy_of_chains(void **state)
{
    double worst = -INFINITY;
    for (int seed = 1; seed <= 9; ++seed) {
        double e = (const double[]){0.3, 0.7, 1.0}[seed % 3];
        scenario s = scenario_open(
            "step: 2 ms\ngravity: [0, 0, 0]\nrestitution_law: poisson\nrestitution_threshold: 0.01\nlaw: coulomb\n"
            "gap: none\nstabilization: none\nprojection: 0\n"
            "solver: {name: lemke, tolerance: {natural: 1e-9}}\n"
            "defaults: {material: {friction: 0.4, restitution: %g}, joint: {type: revolute, axis: [0, 1, 0]}}\n"
            "bodies:\n"
            "  floor: {fixed: true, shape: {plane: {}}}\n"
            "  left: {fixed: true, shape: {polygon: {size: [0.2, 8]}}, position: [-0.8, 0, 2]}\n"
            "  right: {fixed: true, shape: {polygon: {size: [0.2, 8]}}, position: [0.8, 0, 2]}\n"
            "  top: {fixed: true, shape: {polygon: {size: [4, 0.2]}}, position: [0, 0, 1.4]}\n"
            "  a: {shape: {polygon: {size: [0.2, 0.06]}}, position: [-0.22, 0, 0.4], velocity: [1, 0, %g]}\n"
            "  b: {shape: {polygon: {size: [0.2, 0.06]}}, position: [0, 0, 0.4], velocity: [1, 0, %g]}\n"
            "  c: {shape: {polygon: {size: [0.2, 0.06]}}, position: [0.22, 0, 0.4], velocity: [1, 0, -2]}\n"
            "  d: {shape: {disk: 0.08}, position: [0.1, 0, 0.9], velocity: [-1, 0, -3]}\n"
            "joints:\n"
            "  ab: {a: a, b: b, anchor: [-0.11, 0, 0.4], turn: {limits: [-2, 2]}}\n"
            "  bc: {a: b, b: c, anchor: [0.11, 0, 0.4], turn: {friction: 0.01}}\n",
            e, 0.4 * seed, 1.0 - 0.3 * seed);
        scenario_step(&s); // what the chain's joints take from its velocities at the start
        double energy = scenario_energy(&s), first = energy, most = -INFINITY;
        for (int k = 0; k < 200; ++k) {
            scenario_step(&s);
            double now = scenario_energy(&s);
            most = fmax(most, (now - energy) / first);
            energy = now;
        }
        printf("e %.1f: %.0f %% of the energy left, largest gain in a step %.1e\n", e, 100.0 * energy / first, most);
        worst = fmax(worst, most);
        scenario_close(&s);
    }
    printf("largest gain %.1e (limit 1e-10: rounding)\n", worst);
    assert_true(worst <= 1e-10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hinged_bar),
        cmocka_unit_test(welded_dumbbell),
        cmocka_unit_test(energy_of_chains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
