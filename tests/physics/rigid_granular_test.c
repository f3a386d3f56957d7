// Grains: weight goes through to the floor (case G01 of the validation list), a silo's wall carries a part of it
// (G02, Janssen). Small piles; `tenon bench rigid --only granular` has the list's sizes, Beverloo's law (G03) and the
// angle of repose (G04).
#include "scenario.h"

#include <string.h>

enum { SAMPLES = 100 }; // steps over which forces are averaged

static const char *const SOLVER = "solver: {max_iterations: 200, tolerance: {momentum: 1e-6, natural: 1e-4}}\n";

// Sum of contact forces that body a, of the lower number, exerts on all others; added to sum [N].
static void add_force_of(const scenario *s, int a, double sum[3])
{
    for (int i = 0; i < tn_sim_contact_count(s->sim); i++) {
        tn_contact_info c;
        tn_sim_contact(s->sim, i, &c);
        for (int k = 0; c.body_a == a && k < 3; k++) {
            sum[k] += c.force[k];
        }
    }
}

static void test_g01_weight_transmission(void **state)
{
    scenario s =
        scenario_open("gravity: [0, 0, -9.81]\nstep: 5e-3\nseed: 3\n%s"
                      "materials: {ball: {density: 1000, friction: 0.3}, smooth: {friction: 0}}\n"
                      "bodies:\n"
                      "  floor: {fixed: true, material: smooth, shape: {plane: {}}}\n"
                      "  left: {fixed: true, material: smooth, position: [-0.55, 0, 0], shape: {plane: [1, 0, 0]}}\n"
                      "  right: {fixed: true, material: smooth, position: [0.55, 0, 0], shape: {plane: [-1, 0, 0]}}\n"
                      "  front: {fixed: true, material: smooth, position: [0, -0.55, 0], shape: {plane: [0, 1, 0]}}\n"
                      "  back: {fixed: true, material: smooth, position: [0, 0.55, 0], shape: {plane: [0, -1, 0]}}\n"
                      "  ball: {material: ball, position: [-0.42, -0.42, 0.11], shape: {sphere: {radius: 0.1}}, "
                      "array: {count: [5, 5, 6], spacing: [0.21, 0.21, 0.21], jitter: 4 mm}}\n",
                      SOLVER);
    const double weight = 150 * 1000 * 4.0 / 3.0 * PI * 1e-3 * GRAVITY;
    const char *names[5] = {"floor", "left", "right", "front", "back"};
    double sum[5][3] = {{0}};
    scenario_run(&s, 4.0);
    for (int k = 0; k < SAMPLES; k++) {
        scenario_step(&s);
        for (int w = 0; w < 5; w++) {
            add_force_of(&s, scenario_body(&s, names[w]), sum[w]);
        }
    }
    double side = fabs(sum[1][0]) + fabs(sum[3][1]);
    check_near("G01 floor's force over the weight", sum[0][2] / SAMPLES / weight, 1.0, 1e-4);
    check_below("G01 left and right wall: difference over their force", fabs(sum[1][0] + sum[2][0]) / side, 1e-3);
    check_below("G01 front and back wall: difference over their force", fabs(sum[3][1] + sum[4][1]) / side, 1e-3);
    print_message("G01 a wall carries %.3f of the weight\n", 0.5 * side / SAMPLES / weight);
    assert_true(side > 0.0);
    scenario_close(&s);
}

// Grains of diameter 0.1 m in a tube of 12 planes, 5 d wide. The floor sinks by 2 cm/s from 2.5 s on, so that friction
// at the wall acts upward all along it: at rest it is undetermined. Returns the floor's mean force after 3 s [N].
static double silo_load(int layers, double wall_friction, double *weight)
{
    char planes[2048] = "";
    for (int k = 0; k < 12; k++) {
        char line[128];
        snprintf(line, sizeof line, "      - {plane: {normal: [%.9f, %.9f, 0], offset: -0.25}}\n", cos(k * PI / 6),
                 sin(k * PI / 6));
        strcat(planes, line);
    }
    scenario s =
        scenario_open("gravity: [0, 0, -9.81]\nstep: 5e-3\nseed: 8\n%s"
                      "materials: {grain: {density: 2500, friction: 0.5}, wall: {friction: %g}}\n"
                      "bodies:\n"
                      "  floor: {material: wall, motion: {position: [0, 0, -0.05*ramp(t - 2.5)]}, shape: {plane: {}}}\n"
                      "  wall:\n    fixed: true\n    material: wall\n    shapes:\n%s"
                      "  grain: {material: grain, position: [-0.12, -0.12, 0.07], shape: {sphere: {radius: 0.05}}, "
                      "array: {count: [3, 3, %d], spacing: [0.12, 0.12, 0.12], jitter: 9 mm}}\n",
                      SOLVER, wall_friction, planes, layers);
    *weight = 9 * layers * 2500 * PI / 6 * 1e-3 * GRAVITY;
    double sum[3] = {0};
    int floor = scenario_body(&s, "floor");
    scenario_run(&s, 3.0);
    for (int k = 0; k < SAMPLES; k++) {
        scenario_step(&s);
        add_force_of(&s, floor, sum);
    }
    scenario_close(&s);
    return sum[2] / SAMPLES;
}

static void test_g02_janssen(void **state)
{
    double weight[3], load[3];
    load[0] = silo_load(46, 0.5, &weight[0]); // about 4 diameters
    load[1] = silo_load(69, 0.5, &weight[1]); // about 6
    load[2] = silo_load(46, 0.0, &weight[2]);
    print_message("G02 floor's load over the weight: %.3f at 4 D, %.3f at 6 D\n", load[0] / weight[0],
                  load[1] / weight[1]);
    check_below("G02 load at 6 D over load at 4 D", load[1] / load[0], 1.1);
    check_below("G02 load at 6 D over the weight", load[1] / weight[1], 0.7);
    check_near("G02 smooth wall: load over the weight", load[2] / weight[2], 1.0, 0.02);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_g01_weight_transmission),
        cmocka_unit_test(test_g02_janssen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
