// Inertia of joints' coordinates (`armature`) against closed forms and Lagrange's equations, in maximal and in reduced
// coordinates.
#include "bars.h"
#include "scenario.h"

#include <string.h>

static const char *const coordinates[2] = {"maximal", "reduced"};

static double rate_of(const scenario *s, int joint, double *coordinate)
{
    double q[3] = {0.0}, rate[3] = {0.0};
    tn_state_joint(s->state, joint, q, rate);
    *coordinate = q[0];
    return rate[0];
}

// A block on a vertical rail falls by g m/(m + a), which each step of euler has exactly; what its rotor takes is there
// as kinetic energy.
static void test_falls_slowly(void **unused)
{
    for (int i = 0; i < 2; i++) {
        scenario s = scenario_open("coordinates: %s\nstep: 1 ms\nbodies: {block: {mass: 2, shape: {box: [1, 1, 1]}}}\n"
                                   "joints: {rail: {type: prismatic, b: block, axis: [0, 0, 1], slide: {armature: 6}}}",
                                   coordinates[i]);
        double q, rate = 0.0;
        scenario_run(&s, 0.1);
        rate = rate_of(&s, 0, &q);
        check_near("speed after 0.1 s [m/s]", rate, -0.1 * GRAVITY / 4.0, 1e-12);
        check_near("kinetic energy [J]", s.report.energy.kinetic, 0.5 * 8.0 * rate * rate, 1e-12);
        check_near("momentum is the block's alone [N s]", s.report.energy.momentum[2], 2.0 * rate, 1e-12);
        check_near("balance of energy in a step [J]", s.report.energy.balance,
                   -0.5 * 2.0 * GRAVITY * GRAVITY / 4.0 * 1e-6, 1e-12);
        scenario_close(&s);
    }
}

// A motor that drives a wheel and its rotor to 1 rad/s puts in 1/2 (J + a), and needs the torque J + a.
static void test_motor_feeds_the_rotor(void **unused)
{
    for (int i = 0; i < 2; i++) {
        scenario s =
            scenario_open("coordinates: %s\nstep: 1 ms\ngravity: [0, 0, 0]\nbodies: {wheel: {mass: 1, inertia: "
                          "[0.2, 0.2, 0.3], shape: {sphere: 0.1}}}\njoints: {axle: {type: revolute, b: wheel, "
                          "axis: [0, 0, 1], turn: {armature: 0.5, motor: {position: 0.5*t*t}}}}\n",
                          coordinates[i]);
        tn_joint_info info;
        scenario_run(&s, 1.0);
        tn_sim_joint(s.sim, s.state, 0, &info);
        check_near("energy put in [J]", s.report.energy.injected, 0.5 * 0.8, 1e-3);
        check_near("is kept [J]", s.report.energy.kinetic, s.report.energy.injected, 1e-9);
        check_near("torque on the wheel [N m]", info.torque[2], 0.3, 1e-9);
        scenario_close(&s);
    }
}

// A bead on a rod that turns at w about a vertical axis: (m + a) r'' = m w^2 r, whatever moves the rod.
static double bead_error(int i, double h)
{
    scenario s =
        scenario_open("coordinates: %s\nstep: %.17g\ngravity: [0, 0, 0]\nbodies:\n"
                      "  rod: {motion: {axis: [0, 0, 1], angle: 3*t}, shape: {sphere: 0.1}}\n"
                      "  bead: {mass: 2, inertia: [1, 1, 1], position: [0.5, 0, 0], velocity: [0, 1.5, 0], "
                      "angular_velocity: [0, 0, 3], shape: {sphere: 1e-3}}\n"
                      "joints: {j: {type: prismatic, a: rod, b: bead, axis: [1, 0, 0], slide: {armature: 3}}}\n",
                      coordinates[i], h);
    double q;
    scenario_run(&s, 0.5);
    rate_of(&s, 0, &q);
    scenario_close(&s);
    return fabs(0.5 + q - 0.5 * cosh(3.0 * sqrt(2.0 / 5.0) * 0.5));
}

static void test_bead(void **unused)
{
    for (int i = 0; i < 2; i++) {
        double coarse = bead_error(i, 2e-3), fine = bead_error(i, 1e-3);
        check_below("bead after 0.5 s [m]", fine, 2e-3);
        check_near("order", log2(coarse / fine), 1.0, 0.05);
    }
}

// What is on a platform's hinge lags behind it, by its inertia over that with the rotor's: J W' = -a (W' - w').
static void test_platform(void **unused)
{
    for (int i = 0; i < 2; i++) {
        scenario s = scenario_open(
            "coordinates: %s\nstep: 1 ms\ngravity: [0, 0, 0]\nbodies:\n"
            "  platform: {motion: {axis: [0, 0, 1], angle: t*t}, shape: {sphere: 0.1}}\n"
            "  disk: {mass: 1, inertia: [0.2, 0.2, 0.3], shape: {sphere: 0.1}}\n"
            "joints: {j: {type: revolute, a: platform, b: disk, axis: [0, 0, 1], turn: {armature: 0.1}}}\n",
            coordinates[i]);
        scenario_run(&s, 1.0);
        check_near("disk [rad/s]", scenario_spin(&s, scenario_body(&s, "disk"), 2), 2.0 * 0.1 / 0.4, 1e-3);
        scenario_close(&s);
    }
}

// energy: how much of what there is has come or gone since the start.
static double bars_error(int i, double h, const double y[4], double *energy)
{
    scenario s = scenario_open(
        "coordinates: %s\nstep: %.17g\ngravity: [0, 0, -10]\n"
        "defaults: {body: {mass: 1, inertia: [1, 1, 1], shape: {sphere: 1e-3}}, joint: {type: revolute, "
        "axis: [0, -1, 0]}}\n"
        "bodies: {one: {position: [0.5, 0, 0]}, two: {position: [1.5, 0, 0]}}\n"
        "joints: {top: {b: one, anchor: [0, 0, 0], turn: {armature: 0.5}}, knee: {a: one, b: two, anchor: "
        "[1, 0, 0], turn: {armature: 0.8}}}\n",
        coordinates[i], h);
    double top, knee;
    scenario_run(&s, 2.0);
    rate_of(&s, 0, &top);
    rate_of(&s, 1, &knee);
    *energy = fabs(scenario_energy(&s)); // zero at the start
    scenario_close(&s);
    return hypot(top - y[0], top + knee - y[1]);
}

// The bars of bars.h with rotors of 0.5 at the first and 0.8 at the second joint, from rest along x.
static void test_double_pendulum(void **unused)
{
    double y[4] = {0.0};
    bars_fall((const double[2]){0.5, 0.8}, 2.0, y);
    for (int i = 0; i < 2; i++) {
        double energy[2], coarse = bars_error(i, 1e-3, y, &energy[0]), fine = bars_error(i, 5e-4, y, &energy[1]);
        check_below("angles after 2 s [rad]", coarse, 1e-2);
        check_near("order", log2(coarse / fine), 1.0, 0.05);
        check_below("energy from nowhere, of 20 J that there are [J]", energy[0], 0.05);
        check_near("its order", log2(energy[0] / energy[1]), 1.0, 0.1);
    }
}

// An arm of three hinges and a slide with rotors, which falls for 0.5 s, beside MuJoCo 2.2.2 (Debian's; Runge-Kutta at
// 0.1 ms). Without rotors x would be 0.686 m.
static const char arm[] =
    "<mujoco model='arm'><compiler angle='radian' autolimits='true'/><option timestep='0.0001' />"
    "<worldbody><body name='one' pos='0 0 1'>"
    "<joint name='a' axis='0 1 0' armature='0.05' damping='0.02'/>"
    "<geom type='box' size='0.2 0.03 0.03' pos='0.2 0 0' density='800'/>"
    "<body name='two' pos='0.4 0 0'><joint name='b' axis='1 0 0' armature='0.02'/>"
    "<geom type='box' size='0.15 0.02 0.05' pos='0.15 0.05 0' density='800'/>"
    "<body name='three' pos='0.3 0 0'>"
    "<joint name='c' type='slide' axis='1 0 0.2' armature='1.5' stiffness='20'/>"
    "<geom type='box' size='0.1 0.05 0.02' pos='0.1 0 0.03' density='800'/>"
    "<body name='four' pos='0.2 0 0'><joint name='d' axis='0 0 1' armature='0.03' pos='0 0.02 0'/>"
    "<geom type='box' size='0.1 0.05 0.02' pos='0.1 0 0.03' density='800'/></body></body></body></body>"
    "</worldbody>"
    "<contact><exclude body1='one' body2='two'/><exclude body1='two' body2='three'/>"
    "<exclude body1='one' body2='three'/><exclude body1='four' body2='three'/>"
    "<exclude body1='one' body2='four'/><exclude body1='two' body2='four'/></contact></mujoco>";

static void arm_at(int i, double h, double out[3])
{
    char set[2][40];
    const char *const sets[2] = {set[0], set[1]};
    tn_error error = {0};
    snprintf(set[0], sizeof set[0], "coordinates=%s", coordinates[i]);
    snprintf(set[1], sizeof set[1], "step=%.17g", h);
    tn_scene *scene = tn_scene_parse(arm, "arm.xml", 2, sets, &error);
    if (!scene) {
        scenario_fail("arm", &error);
    }
    scenario s = scenario_start(scene, "arm");
    scenario_run(&s, 0.5);
    for (int k = 0; k < 3; k++) {
        out[k] = scenario_position(&s, scenario_body(&s, "four"), k);
    }
    scenario_close(&s);
}

static void test_mujoco(void **unused)
{
    static const double theirs[3] = {0.419999728, 0.042090942, -0.199204442};
    for (int i = 0; i < 2; i++) {
        double x[3][3];
        for (int k = 0; k < 3; k++) {
            arm_at(i, 1e-3 / (1 << k), x[k]);
        }
        for (int k = 0; k < 3; k++) { // to the step of zero
            check_near("place [m]", (8.0 * x[2][k] - 6.0 * x[1][k] + x[0][k]) / 3.0, theirs[k], 1e-6);
            check_near("order", log2((x[0][k] - theirs[k]) / (x[1][k] - theirs[k])), 1.0, 0.05);
        }
    }
}

// A striker on a rail hits the ground: it comes back with half its speed by both laws of restitution.
static void test_bounces(void **unused)
{
    for (int i = 0; i < 4; i++) {
        scenario s = scenario_open("coordinates: %s\nrestitution_law: %s\nstep: 1 ms\ngravity: [0, 0, 0]\n"
                                   "materials: {m: {density: 500, friction: 0.4, restitution: 0.5}}\ndefaults: {body: "
                                   "{material: m}}\nbodies:\n"
                                   "  floor: {fixed: true, shape: {plane: {}}}\n"
                                   "  a: {position: [0, 0, 0.15], velocity: [0, 0, -2], shape: {sphere: 0.1}}\n"
                                   "joints: {j: {type: prismatic, b: a, axis: [0, 0, 1], slide: {armature: 7}}}\n",
                                   coordinates[i % 2], i < 2 ? "newton" : "poisson");
        double q;
        scenario_run(&s, 0.1);
        check_near("speed after the bounce [m/s]", rate_of(&s, 0, &q), 1.0, 1e-6);
        scenario_close(&s);
    }
}

static void test_refused(void **unused)
{
    const char text[] = "scheme: midpoint\nbodies: {a: {mass: 1, shape: {sphere: 1}}}\n"
                        "joints: {j: {type: prismatic, b: a, axis: [1, 0, 0],\n  slide: {armature: 1}}}\n";
    tn_error error = {0};
    assert_null(tn_scene_parse(text, "test", 0, NULL, &error));
    assert_string_equal(error.message, "'armature' needs 'scheme: euler' or 'scheme: implicit'");
    assert_int_equal(error.line, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_falls_slowly),    cmocka_unit_test(test_bead),
        cmocka_unit_test(test_platform),        cmocka_unit_test(test_motor_feeds_the_rotor),
        cmocka_unit_test(test_double_pendulum), cmocka_unit_test(test_bounces),
        cmocka_unit_test(test_mujoco),          cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
