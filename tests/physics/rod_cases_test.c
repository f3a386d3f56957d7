// Rods in the validation cases: the string's frequencies (S08), Euler's load (S11), what hangs over an edge (S12).
#include "scenario.h"

#include "math/vec3.h"

#include <string.h>

// S08: 1 m long, 10 g/m, drawn to 100 N by 1 mm. Bending adds 0.4 % to the third mode; the segments are so short that
// the tension stays below 12 E I/L^2 (docs/physics.md).
#define STRING                                                                                                         \
    "gravity: [0, 0, 0]\nstep: %.9g\n"                                                                                 \
    "bodies:\n  hand: {shape: {sphere: 1 cm, collides: false}, motion: {position: [\"1 + 0.001*clamp(t/1e-3, 0, 1)\"," \
    " 0, 0]}}\n"                                                                                                       \
    "rods:\n  rod: {points: [[0, 0, 0], [1, 0, 0]], segments: %d, radius: 1 mm, section: {area: 1e-5, "                \
    "second_moments: [8e-13, 8e-13]}, young: 10 GPa, density: 1000, collides: false, start: pinned, end: {hold: "      \
    "pinned, to: hand}}\n"

// Plucks the string, drawn evenly, in its n-th mode; how long half a vibration takes.
static double half_period(int mode, int segments, double h)
{
    scenario s = scenario_open(STRING, h, segments);
    int n = tn_model_body_count(s.model), first = scenario_body(&s, "rod[0]");
    double *pose = calloc(7 * (size_t)n, sizeof *pose), *v = calloc(6 * (size_t)n, sizeof *v), time[3], last = 0.0;
    tn_error error;
    assert_true(pose && v);
    while (tn_state_time(s.state) < 1e-3) {
        scenario_step(&s);
    }
    for (int b = 0; b < n; b++) {
        pose[7 * b] = v[6 * b] = NAN;
    }
    for (int b = first; b < first + segments; b++) {
        double l = 1.0 / (segments - 1), x = b == first                  ? 0.25 * l
                                             : b == first + segments - 1 ? 1.0 - 0.25 * l
                                                                         : (b - first) * l;
        tn_state_body_pose(s.state, b, pose + 7 * b, pose + 7 * b + 3);
        double still[7] = {1.001 * x};
        memcpy(pose + 7 * b, still, 3 * sizeof *still);
        double k = mode * PI, along[6] = {0.0, 0.0, 0.01 * sin(k * x), 0.0, -0.01 * k * cos(k * x), 0.0};
        memcpy(v + 6 * b, along, sizeof along);
    }
    assert_int_equal(tn_state_set_bodies(s.state, pose, v, &error), TN_OK);
    int found = 0;
    for (int i = 0; found < 3; i++) {
        double sum = 0.0;
        scenario_step(&s);
        for (int b = first; b < first + segments; b++) {
            sum += sin(mode * PI * (b - first) / (segments - 1.0)) * scenario_position(&s, b, 2);
        }
        if (i > 0 && sum * last < 0.0) {
            time[found++] = tn_state_time(s.state) - h * sum / (sum - last);
        }
        last = sum;
        assert_true(i < 100000);
    }
    free(pose);
    free(v);
    scenario_close(&s);
    return 0.5 * (time[2] - time[0]);
}

static void test_string(void **unused)
{
    for (int mode = 1; mode <= 3; mode++) {
        print_message("mode %d: ", mode);
        check_near("frequency [Hz]", 0.5 / half_period(mode, 161, 1e-4), 50.0 * mode, 0.5 * mode);
    }
}

// S11: a rod between pins gives way at pi^2 E I/l^2. It starts bent by a five thousandth of its length.
static void test_buckling(void **unused)
{
    scenario s = scenario_open(
        "gravity: [0, 0, 0]\nstep: 20 ms\n"
        "bodies:\n  hand: {shape: {sphere: 1 cm, collides: false}, motion: {position: [\"1 - "
        "0.01*clamp(t/10, 0, 1)\", 0, 0]}}\n"
        "rods:\n  rod: {curve: [t, 0, 0.0002*sin(pi*t)], segments: 41, radius: 1 cm, young: 10 MPa, density: 1000, "
        "collides: false, damping: 20 ms, start: pinned, end: {hold: pinned, to: hand}}\n");
    double load = PI * PI * 10e6 * 0.25 * PI * 1e-8;
    tn_joint_info pin;
    scenario_run(&s, 20.0);
    tn_sim_joint(s.sim, s.state, 0, &pin);
    check_near("load over Euler's", tn_vec3_norm(pin.force) / load, 1.0, 0.02);
    check_near("rise of the middle [m]", fabs(scenario_position(&s, scenario_body(&s, "rod[20]"), 2)),
               2.0 / PI * sqrt(0.01), 0.002);
    scenario_close(&s);
}

// S12: a rod lies on a table, a third of it over the edge: still, and the table bears its weight.
static void test_over_edge(void **unused)
{
    scenario s = scenario_open(
        "materials: {rope: {friction: 0.5}}\n"
        "bodies: {table: {fixed: true, position: [-0.5, 0, -0.5], material: rope, shape: {box: [1, 1, 1]}}}\n"
        "rods:\n  rod: {points: [[-0.4, 0, 0.01], [0.2, 0, 0.01]], segments: 30, radius: 1 cm, young: 10 MPa, "
        "density: 1000, material: rope, damping: 20 ms}\n");
    double weight = 1000.0 * PI * 1e-4 * 0.6 * GRAVITY, sum = 0.0;
    scenario_run(&s, 4.0);
    for (int i = 0; i < tn_sim_contact_count(s.sim); i++) {
        tn_contact_info c;
        tn_sim_contact(s.sim, i, &c);
        sum += c.force[2];
    }
    int tip = scenario_body(&s, "rod[29]");
    check_near("the table's force [N]", sum, weight, 1e-6 * weight);
    check_below("speed of the end that hangs [m/s]", fabs(scenario_velocity(&s, tip, 2)), 1e-6);
    assert_true(scenario_position(&s, tip, 2) < 0.005);
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_string), cmocka_unit_test(test_buckling),
                                       cmocka_unit_test(test_over_edge)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
